"""Thinning of binary images to lines one pixel wide (Guo and Hall 1989, in the form of Lam, Lee and Suen 1992)."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

Mask = npt.NDArray[np.bool_]

_AROUND = ((0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1), (1, 0), (1, 1))
"""Steps to the neighbours x1 … x8: east, then anticlockwise."""


def thin(mask: Mask) -> Mask:
    """The centre lines of the set pixels: connected as before, one pixel wide.

    Work grows with the number of set pixels, not with their thickness times the image.

    >>> thin(np.ones((5, 9), bool)).astype(int).tolist()[2]
    [0, 0, 1, 1, 1, 1, 1, 0, 0]
    """
    height, width = mask.shape
    padded = np.zeros((height + 2, width + 2), np.uint8)
    padded[1:-1, 1:-1] = mask
    flat = padded.reshape(-1)
    steps = np.array([down * (width + 2) + right for down, right in _AROUND])
    tables = _deletable()
    marks = np.zeros(len(flat), np.intp)
    active = np.flatnonzero(flat)
    while len(active):
        touched = []
        for table in tables:
            codes = np.zeros(len(active), np.uint8)
            for place, step in enumerate(steps):
                codes |= flat[active + step] << np.uint8(place)
            gone = active[table[codes]]
            flat[gone] = 0
            # Only a pixel next to a removed one can have become removable.
            near = (gone[:, None] + steps).reshape(-1)
            touched.append(near)
            active = np.concatenate([active, near])
            active = _distinct(active[flat[active] > 0], marks)
        active = np.concatenate(touched)
        active = _distinct(active[flat[active] > 0], marks)
    return padded[1:-1, 1:-1].astype(np.bool_)


def _distinct(places: npt.NDArray[np.intp], marks: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Each place once: the one whose position was written last; faster than sorting."""
    positions = np.arange(len(places))
    marks[places] = positions
    return np.asarray(places[marks[places] == positions])


@cache
def _deletable() -> tuple[Mask, Mask]:
    """Whether a pixel may be removed, by the code of its neighbours, in the first and the second pass."""
    codes = np.arange(256)
    x = [(codes >> place & 1).astype(np.bool_) for place in range(8)]
    x.append(x[0])
    crossings = sum((~x[i] & (x[i + 1] | x[i + 2])).astype(int) for i in (0, 2, 4, 6))
    first = sum((x[i] | x[i + 1]).astype(int) for i in (0, 2, 4, 6))
    second = sum((x[i + 1] | x[i + 2]).astype(int) for i in (0, 2, 4, 6))
    ends = np.minimum(first, second)
    common = (crossings == 1) & (ends >= 2) & (ends <= 3)
    return common & ~((x[1] | x[2] | ~x[7]) & x[0]), common & ~((x[5] | x[6] | ~x[3]) & x[4])
