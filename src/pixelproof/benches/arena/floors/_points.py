"""Where to paint discs without a look: for each label the place that other scenes make likeliest."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pixelproof.metrics import Keypoint, keypoint_tolerance

from ._memory import Scene

_GRID = 40
_SIDE = 512
_OTHERS = 0.05
"""Weight of an object with another noun."""


def best_points(labels: Sequence[str], scenes: Sequence[Scene]) -> list[tuple[int, float, float]]:
    """Label, x and y as shares of the sides, for the labels whose discs raise the expected F1.

    Args:
        labels: Labels offered, background first.
        scenes: What is remembered.
    """
    points = [(noun, x, y, size) for scene in scenes for noun, x, y, size in scene.points]
    nouns = np.array([noun for noun, *_ in points])
    reach = np.array([_reach(size) for *_, size in points])
    steps = (np.arange(_GRID) + 0.5) / _GRID
    near = np.ones((len(points), _GRID, _GRID), np.bool_)
    for place, (_, x, y, _) in enumerate(points):
        near[place] = np.hypot(steps[None] - x, steps[:, None] - y) <= reach[place]
    found = []
    for label, noun in enumerate(labels[1:], 1):
        weights = np.where(nouns == noun, 1.0, _OTHERS)
        chances = np.tensordot(weights, near, 1) / weights.sum()
        offered = sum(noun in scene.markable for scene in scenes)
        present = sum(noun in (point[0] for point in scene.points) for scene in scenes)
        there = (present + 0.5) / (offered + 1)
        found.append((there * chances, there, label))
    return _worth_painting(found, steps)


def _worth_painting(found: list[tuple[np.ndarray, float, int]], steps: np.ndarray) -> list[tuple[int, float, float]]:
    """The labels with the best chances, as many as raise the expected F1, at places that are apart."""
    total = sum(there for _, there, _ in found)
    ranked = sorted(found, key=lambda one: -float(one[0].max()))
    chosen: list[tuple[int, float, float]] = []
    hits, best, kept = 0.0, -1.0, 0
    for chances, _, label in ranked:
        free = chances.copy()
        for _, x, y in chosen:
            free[np.hypot(steps[None] - x, steps[:, None] - y) < 0.04] = 0
        row, column = np.unravel_index(int(free.argmax()), free.shape)
        hits += float(free[row, column])
        chosen.append((label, float(steps[column]), float(steps[row])))
        expected = 2 * hits / (len(chosen) + total)
        if expected > best:
            best, kept = expected, len(chosen)
    return chosen[:kept]


def _reach(size: float) -> float:
    """Distance, as a share of a side, within which a point is correct, for a size as a share of the diagonal."""
    diagonal = math.hypot(_SIDE, _SIDE)
    return keypoint_tolerance(Keypoint(0, 0, 0, size * diagonal), (_SIDE, _SIDE)) / _SIDE
