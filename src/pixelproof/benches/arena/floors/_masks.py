"""The mask with the highest expected IoU for a referring expression, from its words alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt

from ._memory import CELLS, remembered

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]

_RIDGE = 3.0
_WIDTH = 0.8
"""Expressions are alike if their predicted place and size differ by less than this many standard errors."""
_NEAREST = 150
_SIZES = np.unique(np.geomspace(1, CELLS**2, 50).astype(int))
_RARE = 3
"""Words of fewer expressions are not used."""


@dataclass(frozen=True)
class Expressions:
    """Remembered expressions with their masks, and a linear prediction of place and size from words."""

    masks: Floats
    """Shape (expressions, cells)."""
    kinds: npt.NDArray[np.str_]
    scenes: npt.NDArray[np.intp]
    """Index of the scene of each expression."""
    words: dict[str, int]
    weights: Floats
    predicted: Floats
    errors: Floats
    """Standard error of each predicted quantity."""

    def best_mask(self, text: str, kind: str, left_out: int | None = None) -> Mask:
        """The mask, shape (CELLS, CELLS), for an expression in a scene of a kind.

        Args:
            text: The expression.
            kind: Kind of scene.
            left_out: Index of a remembered scene that must not be used.
        """
        place = _features([(text, kind)], self.words) @ self.weights
        away = (((self.predicted - place) / self.errors) ** 2).sum(axis=1)
        chances = np.exp(-away / (2 * _WIDTH**2)) * (self.kinds == kind) + 1e-12
        return self._best(chances, left_out, _NEAREST)

    def best_blind_mask(self, left_out: int | None = None) -> Mask:
        """The mask with the highest expected IoU over all expressions; use `blind_mask`, which keeps it."""
        return self._best(np.ones(len(self.masks)), left_out, len(self.masks))

    def _best(self, chances: npt.NDArray[np.float64], left_out: int | None, nearest: int) -> Mask:
        if left_out is not None:
            chances = chances * (self.scenes != left_out)
        chosen = np.argsort(-chances, kind="stable")[:nearest]
        return _highest_iou(self.masks[chosen], (chances[chosen] / chances[chosen].sum()).astype(np.float32))


@lru_cache(8)
def blind_mask(source: str, left_out: int | None = None) -> Mask:
    """The mask with the highest expected IoU over all expressions of a source."""
    return expressions(source).best_blind_mask(left_out)


def _highest_iou(masks: Floats, chances: Floats) -> Mask:
    """The mask with the highest expected IoU, of those that hold the likeliest cells, by three notions of likely."""
    areas = masks.sum(axis=1)
    best, score = np.zeros(masks.shape[1], np.bool_), -1.0
    for power in (0.0, 0.5, 1.0):
        order = np.argsort(-((chances / np.maximum(areas, 1) ** power) @ masks), kind="stable")
        shared = np.cumsum(masks[:, order], axis=1)[:, _SIZES - 1]
        expected = chances @ (shared / (_SIZES + areas[:, None] - shared))
        if expected.max() > score:
            score = float(expected.max())
            best = np.zeros(masks.shape[1], np.bool_)
            best[order[: _SIZES[int(expected.argmax())]]] = True
    return best.reshape(CELLS, CELLS)


@cache
def expressions(source: str) -> Expressions:
    """The remembered expressions of a source."""
    rows = [
        (text, scene.kind, scene.index, (scene.ids == number).reshape(-1))
        for scene in remembered(source).scenes
        for text, number in scene.mentions
        if (scene.ids == number).any()
    ]
    said = [(text, kind) for text, kind, _, _ in rows]
    counts = Counter(word for text, kind in said for word in _words(text, kind))
    words = {word: place for place, word in enumerate(sorted(w for w, n in counts.items() if n >= _RARE))}
    masks = np.stack([mask for *_, mask in rows]).astype(np.float32)
    known, shape = _features(said, words), _geometry(masks)
    shape -= shape.mean(axis=0)
    weights = np.linalg.solve(known.T @ known + _RIDGE * np.eye(known.shape[1]), known.T @ shape).astype(np.float32)
    predicted = known @ weights
    kinds, scenes = np.array([kind for _, kind in said]), np.array([index for _, _, index, _ in rows])
    return Expressions(masks, kinds, scenes, words, weights, predicted, (shape - predicted).std(axis=0))


def _words(text: str, kind: str) -> set[str]:
    """Words, pairs of neighbouring words, and the kind of scene."""
    words = re.findall(r"[a-z]+", text.lower())
    return {*words, *map(" ".join, zip(words, words[1:], strict=False)), f"kind:{kind}"}


def _features(said: Sequence[tuple[str, str]], words: dict[str, int]) -> Floats:
    known = np.zeros((len(said), len(words) + 1), np.float32)
    known[:, -1] = 1
    for row, (text, kind) in zip(known, said, strict=True):
        row[[words[word] for word in _words(text, kind) if word in words]] = 1
    return known


def _geometry(masks: Floats) -> Floats:
    """Centre and logarithm of the area of each mask, in units in which they vary alike."""
    rows, columns = np.divmod(np.arange(CELLS**2, dtype=np.float32), CELLS)
    areas = masks.sum(axis=1)
    return np.stack([masks @ columns / areas / CELLS, masks @ rows / areas / CELLS, np.log(areas) / 4], axis=1)
