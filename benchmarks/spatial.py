"""CPU time, memory and size of pairs before and after edits: `python benchmarks/spatial.py`.

Pairs are made in one process as `pixelproof spatial make` makes them, with all layers; scenes are shared as there.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections import Counter, defaultdict

import numpy as np

from pixelproof.world.pairs import PairRecipe
from pixelproof.world.sets import encode_files


def main() -> None:
    """Print CPU-seconds per pair by part and by operation, bytes, and the growth of the memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=48)
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--preset", default="all")
    parser.add_argument("--seed", type=int, default=31)
    parser.add_argument("--skip", type=int, default=12, help="pairs that are made first and not measured")
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
        memory.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        if index >= given.skip:
            spent[pair.operation].append(np.diff(clock).tolist())
            sizes.update({suffix: len(content) for suffix, content in files.items()})
    for operation, parts in spent.items():
        sample, render, encode = np.mean(parts, axis=0)
        print(f"{operation:11s} CPU-s per pair: sample {sample:.2f}, render {render:.2f}, encode {encode:.2f}")
    sample, render, encode = np.mean([part for parts in spent.values() for part in parts], axis=0)
    print(f"all         CPU-s per pair {sample + render + encode:.2f}: {sample:.2f}, {render:.2f}, {encode:.2f}")
    print("KB per pair: " + ", ".join(f"{suffix} {size / 1000 / given.n:.0f}" for suffix, size in sizes.items()))
    print(f"peak memory after {given.skip} pairs {memory[given.skip]:.0f} MB, at the end {memory[-1]:.0f} MB")


if __name__ == "__main__":
    main()
