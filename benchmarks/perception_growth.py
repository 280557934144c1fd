"""Memory and CPU time of perception over many answers in one process: `python benchmarks/perception_growth.py --n 300`.

Small answers, a copy and shares of a move in each of several scenes, are read again and again; the scenes take turns,
so that what is kept of a scene is dropped and made again.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from perception_cases import Case, encoded
from pixelproof.benches.spatial.perception import read_scene
from pixelproof.pixels import compile_first
from pixelproof.world.edits import apply
from pixelproof.world.language import propose_outcome, view_of
from pixelproof.world.solid import make_scene
from pixelproof.world.solid.render import render
from spatial import resident_mb


def small_cases(scenes: int, size: int, seed: int) -> list[Case]:
    """A copy, half of a move and a whole one in each scene."""
    made = []
    for index in range(scenes):
        scene, rng = make_scene("tabletop", seed=seed, index=index), np.random.default_rng([seed, index])
        outcome = propose_outcome(scene, view_of(scene), rng, actions=("move",))
        if outcome is None or outcome.after is None:
            continue
        picture = render(scene, size, quality="draft", layers=("rgb",), steady=True).rgb
        for share in (0.0, 0.5, 1.0):
            after = apply(scene, outcome.edit, share).after
            if after is not None:
                answer = encoded(render(after, size, quality="draft", layers=("rgb",), steady=True).rgb)
                made.append(Case(f"{share:g}", scene, picture, (outcome.edit,), outcome.after, after, answer))
    return made


def main() -> None:
    """Print CPU-seconds per answer and the memory, in tenths of the measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=300)
    parser.add_argument("--scenes", type=int, default=8)
    parser.add_argument("--size", type=int, default=128)
    parser.add_argument("--seed", type=int, default=23)
    given = parser.parse_args()
    compile_first()
    cases = small_cases(given.scenes, given.size, given.seed)
    print(f"{given.n} answers at {given.size} pixels, {len(cases)} different ones\n| answers | CPU-s each | MB |")
    print("| ---: | ---: | ---: |")
    start, tenth = time.process_time(), max(1, given.n // 10)
    for number in range(1, given.n + 1):
        case = cases[number % len(cases)]
        read_scene(case.before, case.picture, case.answer, case.steps)
        if number % tenth == 0:
            now = time.process_time()
            print(f"| {number} | {(now - start) / tenth:.2f} | {resident_mb():.0f} |", flush=True)
            start = now


if __name__ == "__main__":
    main()
