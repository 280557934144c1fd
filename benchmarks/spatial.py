"""CPU time, memory and size of pairs before and after edits: `python benchmarks/spatial.py`.

Pairs are made in one process as `pixelproof spatial make` makes them, with all layers; scenes are shared as there. The
first pairs of a process build shapes that later ones share: `--skip 240` measures the pairs of a large set. `--size 96
--n 3000 --skip 0` shows how the memory grows.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

from pixelproof.world.pairs import PairRecipe
from pixelproof.world.sets import encode_files


def resident_mb() -> float:
    """Memory of this process at present."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20


def main() -> None:
    """Print CPU-seconds per pair by part and by operation, bytes, and the growth of the memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=48)
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--preset", default="all")
    parser.add_argument("--seed", type=int, default=31)
    parser.add_argument("--skip", type=int, default=12, help="pairs that are made first and not measured")
    parser.add_argument("--looks", type=int, default=8, help="number of times at which the memory is printed")
    given = parser.parse_args()
    recipe = PairRecipe("pair", given.seed, width=given.size, height=given.size, preset=given.preset)
    spent, sizes, memory = defaultdict[str, list[list[float]]](list), Counter[str](), []
    for index in range(given.skip + given.n):
        clock = [time.process_time()]
        pair = recipe.item(index)
        clock.append(time.process_time())
        made = recipe.render(index, pair)
        clock.append(time.process_time())
        files = encode_files(made.json, made.arrays)
        clock.append(time.process_time())
        memory.append(resident_mb())
        if index >= given.skip:
            spent[pair.operation].append(np.diff(clock).tolist())
            sizes.update({suffix: len(content) for suffix, content in files.items()})
    for operation, parts in spent.items():
        sample, render, encode = np.mean(parts, axis=0)
        print(f"{operation:11s} CPU-s per pair: sample {sample:.2f}, render {render:.2f}, encode {encode:.2f}")
    sample, render, encode = np.mean([part for parts in spent.values() for part in parts], axis=0)
    print(f"all         CPU-s per pair {sample + render + encode:.2f}: {sample:.2f}, {render:.2f}, {encode:.2f}")
    print("KB per pair: " + ", ".join(f"{suffix} {size / 1000 / given.n:.0f}" for suffix, size in sizes.items()))
    places = np.unique(np.linspace(0, len(memory) - 1, given.looks).astype(int))
    print("resident MB after pairs: " + ", ".join(f"{place + 1}: {memory[place]:.0f}" for place in places))
    print(f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
