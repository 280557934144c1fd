"""Simulations behind every claim that PixelProof makes about its own numbers: the figures of docs/trust.md.

    python benchmarks/trust.py                     all simulations; exits with 1 if a claim fails
    python benchmarks/trust.py --scale 0.1         a tenth of the repetitions
    python benchmarks/trust.py --only calibrated   the sections whose heading contains a word
    python benchmarks/trust.py --write             put the sections that were made into docs/trust.md

Cells are independent streams of one seed, so any of them can be made again alone.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import time
from pathlib import Path

import trust_channels
import trust_contamination
import trust_correlations
import trust_drawings
import trust_floors
import trust_gate
import trust_intervals
import trust_language
import trust_spatial
import trust_understanding
from trust_tables import Section

MODULES = (
    trust_gate,
    trust_channels,
    trust_contamination,
    trust_floors,
    trust_drawings,
    trust_language,
    trust_correlations,
    trust_spatial,
    trust_understanding,
)
"""Modules with a TITLE and `section(scale, pool)`, which returns the text and the claims that failed."""
SECTIONS = (*trust_intervals.SECTIONS, *(Section(module.TITLE, module.section) for module in MODULES))
PAGE = Path(__file__).parents[1] / "docs" / "trust.md"
START, END = "<!-- figures: made by make trust -->", "<!-- end of figures -->"


def main() -> int:
    """Run the simulations, print the tables, check the claims."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--scale", type=float, default=1.0, help="factor of the repetitions")
    parser.add_argument("--only", default="", help="run the sections whose heading contains this")
    parser.add_argument("--processes", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--write", action="store_true", help="write the sections that were made into docs/trust.md")
    arguments = parser.parse_args()
    chosen = [section for section in SECTIONS if arguments.only.lower() in section.title.lower()]
    if not chosen:
        parser.error(
            f"No section's heading contains {arguments.only!r}; there are: " + "; ".join(s.title for s in SECTIONS)
        )
    started = time.perf_counter()
    failed: list[str] = []
    with multiprocessing.Pool(arguments.processes) as pool:
        for section in chosen:
            text, broken = section.make(arguments.scale, pool)
            failed += broken
            print(f"### {section.title}\n\n{text}\n\n[{time.perf_counter() - started:.0f} s]\n", flush=True)
            if arguments.write:
                write(section.title, text)
    print(f"{time.perf_counter() - started:.0f} s on {arguments.processes} processes.")
    for claim in failed:
        print(f"FAILED {claim}")
    return 1 if failed else 0


def write(title: str, text: str) -> None:
    """Replace the text of one section of the page; the others stay, in the order of SECTIONS."""
    before, rest = PAGE.read_text().split(START)
    figures, after = rest.split(END)
    parts = re.split(r"^### (.*)\n", figures, flags=re.MULTILINE)
    texts = dict(zip(parts[1::2], (part.strip() for part in parts[2::2]), strict=True)) | {title: text.strip()}
    kept = (f"### {section.title}\n\n{texts[section.title]}\n" for section in SECTIONS if section.title in texts)
    PAGE.write_text(before + START + "\n\n" + "\n".join(kept) + "\n" + END + after)


if __name__ == "__main__":
    raise SystemExit(main())
