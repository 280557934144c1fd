"""The best constant prediction for many values, by exhaustive search."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ._depth import Reals

_DEPTHS = np.geomspace(0.2, 20, 400, dtype=np.float32)
_DIRECTIONS = 2000


def best_depth(depths: Reals, *, often: bool = False) -> float:
    """The depth with the lowest mean relative error, or the one most often right within a factor of 1.25.

    >>> depths = np.array([1.0, 1.1, 1.2, 2.0, 2.1, 9.0], np.float32)
    >>> round(best_depth(depths), 1), 1.0 < best_depth(depths, often=True) < 1.25
    (1.2, True)
    """
    ratios = _DEPTHS / depths[:, None]
    right = np.maximum(ratios, 1 / ratios) < 1.25
    return float(_DEPTHS[_best(np.abs(ratios - 1), right if often else None)])


def best_direction(normals: Reals, *, often: bool = False) -> Reals:
    """The unit vector with the lowest mean angle, or the one most often right within 11.25 degrees.

    >>> normals = np.array([[0, 0, -1], [0, 0, -1], [0, -1, 0]], np.float32)
    >>> bool(best_direction(normals)[2] < -0.99), bool(best_direction(normals, often=True)[2] < -0.99)
    (True, True)
    """
    tried = _sphere()
    angles = np.degrees(np.arccos(np.clip(normals @ tried.T, -1, 1)))
    return np.asarray(tried[_best(angles, angles < 11.25 if often else None)], np.float32)


def _best(errors: Reals, right: npt.NDArray[np.bool_] | None) -> int:
    """Column with the lowest mean error; if `right` is given, only among those that are right most often."""
    mean = errors.mean(axis=0)
    if right is not None:
        hits = right.sum(axis=0)
        mean = np.where(hits == hits.max(), mean, np.inf)
    return int(mean.argmin())


def _sphere() -> Reals:
    """Directions in a regular spread, about four degrees apart."""
    place = np.arange(_DIRECTIONS) + 0.5
    height, turn = 1 - 2 * place / _DIRECTIONS, np.pi * (1 + 5**0.5) * place
    around = np.sqrt(1 - height**2)
    return np.stack([np.cos(turn) * around, np.sin(turn) * around, height], axis=1).astype(np.float32)
