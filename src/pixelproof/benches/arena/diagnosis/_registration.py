"""Right shape in the wrong place: what move of an answer explains its score.

A low score alone does not say whether a model saw the picture. Here the answer is shifted, scaled, mirrored, or has its
left and right labels exchanged, and the simplest of these that makes it fit the truth is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from pixelproof.metrics import confusion

from ._moves import Labels, Move, Scene, best_move, mean

Verdict = Literal["in place", "shifted", "scaled", "mirrored", "swapped", "wrong"]
Pairs = Sequence[tuple[int, int]]

GOOD = 0.6
"""From this level on an answer is in place, unless labels are exchanged. Levels are mean IoU, with 0 for blank."""
FITTING = 0.45
"""An explanation must reach this level …"""
ALONE = 0.8
"""… or this one where there are three labels at most, since one blob is easily laid upon another …"""
GAIN = 0.15
"""… gain this much …"""
EXPLAINED = 0.35
"""… and make up this share of what was missing."""


@dataclass(frozen=True)
class Registration:
    """How an answer lies on the truth."""

    verdict: Verdict
    before: float
    """Mean IoU of the truth's labels, as the answer stands."""
    after: float
    """The same when the move is undone; beyond its border the answer goes on as it ends."""
    move: Move
    shape: tuple[int, int]
    swap_gain: float = 0.0
    """What exchanging the labels of the swapped pairs alone would gain."""
    swapped: tuple[tuple[int, int], ...] = ()
    """Pairs that lie on each other's places."""

    @property
    def shift(self) -> tuple[int, int]:
        """Pixels that the answer lies too far right and too far down."""
        return round(self.move.dx * self.shape[1]), round(self.move.dy * self.shape[0])

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        gain = f"mean IoU {self.before:.2f}, {self.after:.2f} when undone"
        right, down = self.move.dx * 100, self.move.dy * 100
        moved = f"{abs(right):.1f} % too far {'right' if right > 0 else 'left'}, "
        moved += f"{abs(down):.1f} % too far {'down' if down > 0 else 'up'}"
        size = f"{self.move.scale:.2f} times as large"
        return {
            "in place": f"In place (mean IoU {self.before:.2f}).",
            "shifted": f"Right shape, wrong place: {moved} ({gain}).",
            "scaled": f"Right shape, wrong size: {size}, {moved} ({gain}).",
            "mirrored": f"Mirrored, left for right ({gain}).",
            "swapped": f"Left and right labels are exchanged ({gain}).",
            "wrong": f"Wrong: no shift, scale, mirroring or exchange explains it (mean IoU {self.before:.2f}).",
        }[self.verdict]


def diagnose(prediction: Labels, reference: Labels, classes: int, pairs: Pairs = ()) -> Registration:
    """Tell what is in the wrong place from what is wrong.

    Args:
        prediction: Decoded labels of an answer; VOID where there is none.
        reference: The truth, of the same size; VOID where nothing is counted.
        classes: Number of labels.
        pairs: Indices of labels that differ by left and right alone.

    >>> truth = np.zeros((64, 64), np.uint8)
    >>> truth[10:40, 30:50] = 1
    >>> found = diagnose(np.roll(truth, -13, axis=1), truth, classes=2)
    >>> found.verdict, found.shift
    ('shifted', (-13, 0))
    """
    counts = confusion(prediction, reference, classes)
    straight = _overlaps(counts)
    before = mean(straight)
    labels, blank = _blank(counts)
    swapped = tuple((a, b) for a, b in pairs if _is_swapped(counts, straight, a, b))
    level = (before - blank) / (1 - blank)
    if level >= GOOD and not swapped:
        return Registration("in place", before, before, Move(), reference.shape)
    scene = Scene(prediction, reference, swapped or pairs)
    move = best_move(scene)
    after = scene.score(move)
    swap_gain = mean(_overlaps(_exchanged(counts, swapped))) - before
    raised = (after - blank) / (1 - blank)
    fits = raised >= (FITTING if labels > 3 else ALONE)
    explained = fits and raised - level >= max(GAIN, EXPLAINED * (1 - level))
    if explained or (swapped and move.swap):
        verdict = _name(move)
    else:
        verdict, move, after = "in place" if level >= FITTING else "wrong", Move(), before
    return Registration(verdict, before, after, move, reference.shape, swap_gain, swapped)


def _overlaps(counts: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """IoU of every label of the truth; not a number for the others."""
    hits, actual, predicted = counts.diagonal(), counts.sum(axis=1), counts.sum(axis=0)[:-1]
    with np.errstate(invalid="ignore"):
        overlaps: npt.NDArray[np.float64] = np.where(actual > 0, hits / (actual + predicted - hits), np.nan)
    return overlaps


def _blank(counts: npt.NDArray[np.int64]) -> tuple[int, float]:
    """How many labels the truth has, and the mean IoU of its most common one everywhere: high if there are few."""
    actual = counts.sum(axis=1)
    labels = int(np.count_nonzero(actual))
    return labels, float(actual.max() / actual.sum() / labels) if labels > 1 else 0.0


def _exchanged(counts: npt.NDArray[np.int64], pairs: Pairs) -> npt.NDArray[np.int64]:
    """The counts that an answer with the labels of pairs exchanged would have."""
    exchanged = counts.copy()
    for one, other in pairs:
        exchanged[:, [one, other]] = counts[:, [other, one]]
    return exchanged


def _is_swapped(counts: npt.NDArray[np.int64], straight: npt.NDArray[np.float64], one: int, other: int) -> bool:
    """Whether the two labels of a pair fit much better when exchanged."""
    both = [one, other]
    crossed = _overlaps(_exchanged(counts, [(one, other)]))
    return mean(crossed[both]) >= max(FITTING, mean(straight[both]) + 2 * GAIN)


def _name(move: Move) -> Verdict:
    if move.flip:
        return "mirrored"
    if move.swap:
        return "swapped"
    return "scaled" if abs(move.scale - 1) > 0.04 else "shifted"
