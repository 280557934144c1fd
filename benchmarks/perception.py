"""How exactly `render-and-compare` reads edits from pixels: errors of place and score, wrong readings, CPU time.

    python benchmarks/perception.py                         10 tabletops, 6 rooms, 6 shelves
    python benchmarks/perception.py --kind room --scenes 2

Answers are beauty renders at 512 × 512 of edits carried out by a share, as JPEG 90, and copies of the picture before.
"""

from __future__ import annotations

import argparse
import io
import math
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from PIL import Image

from pixelproof.benches.spatial.perception import read_scene
from pixelproof.benches.spatial.scores import score_edits
from pixelproof.pixels import compile_first
from pixelproof.world.edits import Edit, apply, pivot
from pixelproof.world.language import propose_outcome, view_of
from pixelproof.world.solid import Scene, make_scene
from pixelproof.world.solid.render import render

SEED = 23
SCENES = {"tabletop": 10, "room": 6, "shelf": 6}
SHARES = (-1.0, 0.25, 0.5, 0.75, 1.5)
LIMITS = {"tabletop": 0.02, "room": 0.05, "shelf": 0.05}


class Case(NamedTuple):
    """An answer whose scene is known."""

    before: Scene
    picture: np.ndarray
    edit: Edit
    after: Scene
    answer: np.ndarray


class Row(NamedTuple):
    """What was read from an answer."""

    metres: float
    """Distance of the thing from its place; infinite if it was taken for gone."""
    accuracy: float
    """Error of the spatial accuracy."""
    doubted: bool
    seconds: float


def beauty(scene: Scene) -> np.ndarray:
    """The picture of a scene."""
    return render(scene, 512, quality="beauty", layers=("rgb",)).rgb


def as_jpeg(rgb: np.ndarray) -> np.ndarray:
    """A picture after JPEG compression, quality 90, 4:2:0."""
    file = io.BytesIO()
    Image.fromarray(rgb).save(file, "JPEG", quality=90, subsampling=2)
    return np.asarray(Image.open(file))


def cases(kind: str, index: int) -> Iterator[Case]:
    """A move, a turn, a scale, a share of a move, and a copy, in one scene."""
    scene, rng = make_scene(kind, seed=SEED, index=index), np.random.default_rng(index)
    view, picture, edit = view_of(scene), beauty(scene), None
    for action, share in (("move", 1.0), ("turn", 1.0), ("scale", 1.0), ("move", float(rng.choice(SHARES)))):
        outcome = propose_outcome(scene, view, rng, actions=(action,))
        if outcome is None:
            continue
        edit = outcome.edit
        after = apply(scene, edit, share).after
        if after is not None:
            yield Case(scene, picture, edit, after, as_jpeg(beauty(after)))
    if edit is not None:
        yield Case(scene, picture, edit, scene, as_jpeg(picture))


def measure(case: Case) -> Row:
    """Read an answer, and compare with what is known."""
    start = time.process_time()
    reading = read_scene(case.before, case.picture, case.answer, [case.edit])
    seconds = time.process_time() - start
    asked = apply(case.before, case.edit).after
    assert asked is not None
    scores = [score_edits([case.edit], case.before, asked, scene).accuracy for scene in (reading.scene, case.after)]
    target = [thing for thing in reading.scene.things if thing.id == case.edit.target]
    away = math.dist(pivot(target[0]), pivot(case.after.thing(case.edit.target))) if target else math.inf
    return Row(away, abs(scores[0] - scores[1]), bool(reading.doubts), seconds)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=tuple(SCENES), action="append")
    parser.add_argument("--scenes", type=int)
    arguments = parser.parse_args()
    compile_first()
    print("| scenes | answers | in doubt | median mm | 90 % mm | within 15 mm | score within limit | CPU-s |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for kind in arguments.kind or SCENES:
        count = arguments.scenes or SCENES[kind]
        rows = [measure(case) for index in range(count) for case in cases(kind, index)]
        sure = [row for row in rows if not row.doubted]
        metres = np.array([row.metres for row in sure])
        near, exact = float(np.mean(metres < 0.015)), np.mean([row.accuracy <= LIMITS[kind] for row in sure])
        print(
            f"| {kind} | {len(rows)} | {len(rows) - len(sure)} | {1000 * np.median(metres):.2f} | "
            f"{1000 * np.quantile(metres, 0.9):.2f} | {near:.2f} | {exact:.2f} (± {LIMITS[kind]}) | "
            f"{np.median([row.seconds for row in rows]):.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
