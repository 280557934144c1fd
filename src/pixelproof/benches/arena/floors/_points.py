"""Where to paint discs without a look: for each label the place that other scenes make likeliest."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pixelproof.metrics import Keypoint, keypoint_tolerance

from ._memory import Scene

Floats = npt.NDArray[np.floating]

_GRID = 40
_STEPS = (np.arange(_GRID) + 0.5) / _GRID
_SIDE = 512
_OTHERS = 0.05
"""Weight of an object with another noun."""


def best_points(labels: Sequence[str], scenes: tuple[Scene, ...]) -> list[tuple[int, float, float]]:
    """Label, x and y as shares of the sides, for the labels whose discs raise the expected F1.

    Args:
        labels: Labels offered, background first.
        scenes: What is remembered.
    """
    known = _known(scenes)
    found = []
    for label, noun in enumerate(labels[1:], 1):
        weights = np.where(known.nouns == noun, 1.0, _OTHERS).astype(np.float32)
        there = (known.present[noun] + 0.5) / (known.offered[noun] + 1)
        found.append((there * np.tensordot(weights, known.near, 1) / weights.sum(), there, label))
    return _worth_painting(found)


class _Known(NamedTuple):
    """The keypoints of remembered scenes."""

    nouns: npt.NDArray[np.str_]
    near: npt.NDArray[np.float32]
    """1 where a disc would be correct, shape (keypoints, _GRID, _GRID)."""
    present: Counter[str]
    offered: Counter[str]


@lru_cache(8)
def _known(scenes: tuple[Scene, ...]) -> _Known:
    points = [(noun, x, y, _reach(size)) for scene in scenes for noun, x, y, size in scene.points]
    near = [np.hypot(_STEPS[None] - x, _STEPS[:, None] - y) <= reach for _, x, y, reach in points]
    return _Known(
        np.array([noun for noun, *_ in points]),
        np.stack(near).astype(np.float32),
        Counter(noun for noun, *_ in points),
        Counter(noun for scene in scenes for noun in scene.markable),
    )


def _worth_painting(found: list[tuple[Floats, float, int]]) -> list[tuple[int, float, float]]:
    """The labels with the best chances, as many as raise the expected F1, at places that are apart."""
    total = sum(there for _, there, _ in found)
    ranked = sorted(found, key=lambda one: -float(one[0].max()))
    chosen: list[tuple[int, float, float]] = []
    hits, best, kept = 0.0, -1.0, 0
    for chances, _, label in ranked:
        free = chances.copy()
        for _, x, y in chosen:
            free[np.hypot(_STEPS[None] - x, _STEPS[:, None] - y) < 0.04] = 0
        row, column = np.unravel_index(int(free.argmax()), free.shape)
        hits += float(free[row, column])
        chosen.append((label, float(_STEPS[column]), float(_STEPS[row])))
        expected = 2 * hits / (len(chosen) + total)
        if expected > best:
            best, kept = expected, len(chosen)
    return chosen[:kept]


def _reach(size: float) -> float:
    """Distance, as a share of a side, within which a point is correct, for a size as a share of the diagonal."""
    diagonal = math.hypot(_SIDE, _SIDE)
    return keypoint_tolerance(Keypoint(0, 0, 0, size * diagonal), (_SIDE, _SIDE)) / _SIDE
