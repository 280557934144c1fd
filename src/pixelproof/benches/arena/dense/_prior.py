"""Per-cell priors of depth and normals: what fits many other scenes best, without the image.

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
"""Cells per side of the image; twice as many gained next to nothing on held-out scenes."""
Layer = Literal["depth", "normals"]


def prior(layer: Layer, which: str, shape: tuple[int, int]) -> Reals:
    """The prior in the size of an image: depth in metres, or normals in the camera frame.

    Args:
        layer: Of the frame.
        which: `near` for the least mean error over scenes of all kinds (relative, or in degrees); `often` for the most
            pixels within a factor of 1.25, or 11.25 degrees; a kind of scene, or
            `KIND-often`, for the same over that kind.
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
