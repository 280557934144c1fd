"""Remember scenes of a generated source: `python -m pixelproof.benches.arena.floors SOURCE [SCENES]`.

Needs the world extra, and five to ten minutes of one core for 600 scenes.
"""

from __future__ import annotations

import sys
from itertools import takewhile
from math import hypot
from pathlib import Path
from typing import Any

import numpy as np

from pixelproof.benches.arena._case import Case
from pixelproof.benches.arena.sources import open_source
from pixelproof.benches.arena.sources._keypoints import markable

from ._memory import CELLS, SEED, Scene, file_name, pack

SCENES = {"world": 600, "flat": 300, "collage": 300}


def main(name: str, count: int | None = None) -> None:
    """Write the file of a source."""
    Path(__file__).with_name(file_name(name)).write_bytes(pack(remember(name, SEED, count or SCENES[name])))


def remember(name: str, seed: int, count: int) -> list[Scene]:
    """Describe and render the first scenes of a seed."""
    cases: dict[str, dict[int, list[Case]]] = {}
    for task in ("semantic", "referring", "keypoints"):
        cases[task] = {}
        for case in takewhile(lambda case: case.details["index"] < count, open_source(name, None, task).cases(seed)):
            cases[task].setdefault(case.details["index"], []).append(case)
    source: Any = open_source(name)
    scenes = []
    for index in range(count):
        facts = source.scenes.facts(seed, index)
        ids = source.scenes.layers(seed, index, ("ids",))["ids"]
        height, width = ids.shape
        steps = (np.arange(CELLS) + 0.5) / CELLS
        points = markable(ids, facts)
        marked = cases["keypoints"].get(index)
        scenes.append(
            Scene(
                index,
                facts.kind,
                ids[np.ix_((steps * height).astype(int), (steps * width).astype(int))].astype(np.uint8),
                facts.nouns,
                cases["semantic"][index][0].palette.labels,
                tuple((case.expression, case.details["number"]) for case in cases["referring"].get(index, ())),
                marked[0].palette.labels if marked else (),
                tuple(
                    (
                        noun,
                        round((point.x + 0.5) / width, 4),
                        round((point.y + 0.5) / height, 4),
                        round(point.size / hypot(height, width), 4),
                    )
                    for noun, point in points.items()
                ),
            )
        )
    return scenes


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None)
