"""Answers of somebody who never looks: what fits many other scenes best, cell by cell.

A score means something only above these. `python -m pixelproof.benches.arena.dense` makes the table from scenes of a
seed of its own.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Literal

import numpy as np

from ._depth import Reals

TABLE = "prior.json"
CELLS = 8
"""Of a side of the picture; twice as many gained next to nothing on scenes that are not in the table."""
Layer = Literal["depth", "normals"]


def prior(layer: Layer, which: str, shape: tuple[int, int]) -> Reals:
    """A map in the size of a picture: metres, or directions in a frame's axes.

    Args:
        layer: Of the frame.
        which: `near` for the least mean error over scenes of all kinds (relative, or in degrees); `often` for the most
            pixels within a factor of 1.25, or 11.25 degrees; a kind of scene for the least mean error over that kind.
        shape: Height and width.

    >>> prior("depth", "near", (480, 640)).shape, prior("normals", "shelf", (9, 7)).shape
    ((480, 640), (9, 7, 3))
    """
    rows, columns = (np.arange(side) * CELLS // side for side in shape)
    return _table()[f"{layer}.{which}"][rows[:, None], columns]


@cache
def _table() -> dict[str, Reals]:
    content = json.loads(resources.files(__package__).joinpath(TABLE).read_text("ascii"))
    return {name: np.array(cells, np.float32) for name, cells in content.items()}
