"""Fill the table of designed palettes: `python -m pixelproof.benches.arena.palettes [--sizes 19 20]`.

All cores are used; for all sizes, 16 of them take a quarter of an hour.
"""

from __future__ import annotations

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from ._design import search
from ._designed import TABLE

SIZES = (*range(2, 41), 48, 64, 96, 134, 151, 255)


def main() -> None:
    """Design the palettes of the given sizes; others stay."""
    parser = argparse.ArgumentParser(prog="python -m pixelproof.benches.arena.palettes", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    path = Path(__file__).with_name(TABLE)
    content = json.loads(path.read_text("ascii")) if path.exists() else {}
    with ProcessPoolExecutor() as pool:
        for size in parser.parse_args().sizes:
            # A step of the largest palettes takes seconds and much memory, so they get fewer.
            starts, steps = 4 if size > 134 else 16, 40 if size > 151 else 160
            found = search(size, starts=starts, steps=steps, each=pool.map)
            content[str(size)] = " ".join(bytes(colour).hex() for colour in found)
            ordered = {key: content[key] for key in sorted(content, key=int)}
            path.write_text(json.dumps(ordered, indent=0) + "\n", "ascii")


if __name__ == "__main__":
    main()
