"""Registration of label maps: does a shift, a scale, a mirror image or swapped labels explain a low score?

A low score alone does not tell a wrong shape from the right shape in the wrong place. The prediction is shifted,
scaled, mirrored, or has its left and right labels swapped, and the move that makes it fit best is named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from pixelproof.metrics._confusion import check_labels, confusion
from pixelproof.metrics._moves import (
    MAX_SHIFT,
    SCALES,
    Alignment,
    Kind,
    Labels,
    Move,
    best_moves,
    best_swap,
    label_iou,
    mean_finite,
)
from pixelproof.pixels import VOID, void_of

Verdict = Literal[
    "in place", "shifted", "scaled", "mirrored", "swapped", "mirrored or swapped", "wrong", "nothing to compare"
]
Pairs = Sequence[tuple[int, int]]

_IN_PLACE = 0.6
"""A prediction at this level is in place, unless labels are swapped. Levels are mean IoU, scaled to 0 for blank."""
_MIN_LEVEL = 0.45
"""A move explains a low score if it reaches this level …"""
_MIN_LEVEL_FEW_LABELS = 0.8
"""… or this one where the reference has at most three labels, because one blob is easily laid on another …"""
_MIN_GAIN = 0.15
"""… gains this much …"""
_MIN_EXPLAINED = 0.35
"""… and makes up this share of what was missing."""
_TIE = 0.01
"""Up to this difference in mean IoU, mirroring and swapped labels fit equally well, …"""
_TIE_SHARE = 0.3
"""… or up to this share of what the better of both leaves unexplained."""
_SHIFTED = 0.02
"""Of equally good explanations, one that needs this much less of a shift or scale is the better one."""


@dataclass(frozen=True)
class Registration:
    """How a prediction lies on the reference."""

    verdict: Verdict
    before: float
    """Mean IoU of the reference's labels, without any move."""
    after: float
    """Mean IoU when the move is undone; the prediction's border is replicated."""
    move: Move
    shape: tuple[int, int]
    swap_gain: float = 0.0
    """Gain in mean IoU from swapping the labels of `swapped` alone; for a shifted prediction, once it is undone."""
    swapped: tuple[tuple[int, int], ...] = ()
    """Pairs of labels that lie in each other's places; for a shifted prediction, once the shift is undone."""
    tested: Mapping[Kind, float] = field(default_factory=dict)
    """Mean IoU after the best move of each kind that was tested; empty for a prediction in place."""
    pairs: int = 0
    """Number of pairs of labels that were tested."""
    best_pairs: int = 0
    """Number of pairs in the swap that fits best, which is the one in `tested`."""

    @property
    def shift(self) -> tuple[int, int]:
        """Offset of the prediction in pixels, right and down."""
        return round(self.move.dx * self.shape[1]), round(self.move.dy * self.shape[0])

    @property
    def sentence(self) -> str:
        """The verdict as one sentence, with what was tested."""
        if self.verdict == "in place":
            return f"In place (mean IoU {self.before:.2f})."
        if self.verdict == "nothing to compare":
            return "Nothing to compare: every pixel of the reference is void."
        moved = _too_far(self.move)
        size = [f"{self.move.scale:.2f} times as large"] if _is_scaled(self.move) else []
        besides = f", and {', '.join([*size, moved] if moved else size)}" if self.move.distance > _SHIFTED else ""
        verdict = {
            "shifted": f"Right shape, wrong place: {moved}",
            "scaled": f"Right shape, wrong size: {', '.join([*size, moved] if moved else size)}",
            "mirrored": f"Mirrored, left for right{besides}",
            "mirrored or swapped": "Left and right are exchanged: the image is mirrored, or left and right labels are "
            f"swapped; the reference is too symmetric to tell{besides}",
            "swapped": f"Left and right labels are swapped{besides}",
            "wrong": "Wrong: nothing that was tested explains it",
        }[self.verdict]
        return f"{verdict} (mean IoU {self.before:.2f}; {self._tests})."

    @property
    def _tests(self) -> str:
        """Every kind of move that was tested, with the mean IoU it reaches."""
        share = f"{self.best_pairs} of " if self.best_pairs < self.pairs else ""
        names: dict[Kind, str] = {
            "moved": f"shifts up to {MAX_SHIFT:.0%} and scales from {SCALES[0]:g} to {SCALES[-1]:g}",
            "mirrored": "mirroring",
            "swapped": f"swapping {share}{self.pairs} pair{'s' if self.pairs != 1 else ''} of left and right labels",
        }
        tests = [f"{names[kind]}: {self.tested[kind]:.2f}" for kind in names if kind in self.tested]
        return f"tested, with the mean IoU that each reaches: {', '.join(tests)}"


def register(prediction: Labels, reference: Labels, classes: int, pairs: Pairs = ()) -> Registration:
    """Find the move that best explains how a prediction differs from its reference.

    Args:
        prediction: Label map; VOID where there is no label.
        reference: Label map of the same size; VOID where pixels do not count.
        classes: Number of labels.
        pairs: Indices of labels that differ only by left and right.

    >>> truth = np.zeros((64, 64), np.uint8)
    >>> truth[10:40, 30:50] = 1
    >>> found = register(np.roll(truth, -13, axis=1), truth, classes=2)
    >>> found.verdict, found.shift
    ('shifted', (-13, 0))
    """
    if reference.dtype != np.uint8:
        return _register_used(prediction, reference, classes, pairs)
    counts = confusion(prediction, reference, classes)
    if not counts.any():
        return Registration("nothing to compare", 0.0, 0.0, Move(), reference.shape)
    ious = label_iou(counts)
    before = mean_finite(ious)
    labels, blank = _blank_score(counts)
    swapped = tuple((a, b) for a, b in pairs if _is_swapped(counts, ious, a, b))
    level = (before - blank) / (1 - blank)
    if level >= _IN_PLACE and not swapped:
        return Registration("in place", before, before, Move(), reference.shape)
    alignment, moves = _best_moves(prediction, reference, pairs, swapped, only=_others_in_place(ious, pairs, swapped))
    tested = {kind: alignment.score(move) for kind, move in moves.items()}
    move = moves[_strongest(moves, tested)]
    after = tested[move.kind]
    swap_gain = mean_finite(label_iou(_swap_labels(counts, swapped))) - before
    raised = (after - blank) / (1 - blank)
    fits = raised >= (_MIN_LEVEL if labels > 3 else _MIN_LEVEL_FEW_LABELS)
    explained = fits and raised - level >= max(_MIN_GAIN, _MIN_EXPLAINED * (1 - level))
    if explained or (swapped and move.swap):
        verdict = _verdict(move)
    else:
        verdict, move, after = "in place" if level >= _MIN_LEVEL else "wrong", Move(), before
    if verdict in ("mirrored", "swapped") and _is_tie(moves, tested):
        verdict = "mirrored or swapped"
    if verdict in ("swapped", "mirrored or swapped"):
        swapped, swap_gain = alignment.pairs, tested["swapped"] - alignment.score(replace(moves["swapped"], swap=False))
    elif move.distance > _SHIFTED:  # once that is undone, the pairs that overlapped crosswise do so no more
        swapped, swap_gain = (), 0.0
    counted = len(pairs), len(alignment.pairs)
    return Registration(verdict, before, after, move, reference.shape, swap_gain, swapped, tested, *counted)


def _is_tie(moves: Mapping[Kind, Move], fits: Mapping[Kind, float]) -> bool:
    """Whether mirroring and swapped labels, with the same amount of shift, explain the prediction equally well."""
    if "swapped" not in fits or abs(moves["mirrored"].distance - moves["swapped"].distance) > _SHIFTED:
        return False
    mirrored, swapped = fits["mirrored"], fits["swapped"]
    return abs(mirrored - swapped) <= max(_TIE, _TIE_SHARE * (1 - max(mirrored, swapped)))


def _others_in_place(ious: npt.NDArray[np.float64], pairs: Pairs, swapped: Pairs) -> bool:
    """Whether some pairs are swapped, and the labels of all others are in place or not in the reference."""
    others = [ious[list(pair)] for pair in pairs if pair not in swapped]
    return bool(swapped) and all(np.isnan(each).all() or mean_finite(each) >= _IN_PLACE for each in others)


def _best_moves(
    prediction: Labels, reference: Labels, pairs: Pairs, swapped: Pairs, only: bool
) -> tuple[Alignment, dict[Kind, Move]]:
    """The best move of each kind; of the swaps, that of the pairs which fit best.

    Args:
        prediction: Label map.
        reference: Label map of the same size.
        pairs: All pairs of labels that may be swapped.
        swapped: Those that are without a shift. A shift hides others, and those that are narrow first.
        only: Whether no other pairs need to be tested.
    """
    alignment = Alignment(prediction, reference, swapped if only else pairs)
    moves = best_moves(alignment)
    if only or not pairs:
        return alignment, moves
    shift = replace(max(moves["moved"], moves["swapped"], key=alignment.score), swap=False)
    plain, crossed = alignment.iou(shift), alignment.iou(replace(shift, swap=True))
    after_shift = tuple(
        pair for pair in pairs if _fits_swapped(*(ious[np.isin(alignment.labels, pair)] for ious in (plain, crossed)))
    )
    candidates = []
    for some in dict.fromkeys((after_shift, tuple(swapped))):
        if some and len(some) < len(pairs):
            fewer = Alignment(prediction, reference, some)
            candidates.append((fewer, best_swap(fewer, shift)))
    candidates.append((alignment, moves["swapped"]))
    alignment, swap = max(candidates, key=lambda each: each[0].score(each[1]) - each[1].cost)
    return alignment, {**moves, "swapped": swap}


def _register_used(prediction: Labels, reference: Labels, classes: int, pairs: Pairs) -> Registration:
    """Register 16-bit maps by the labels in use; of more than 255, by the most frequent ones of the reference."""
    check_labels(prediction, reference, classes)
    void = void_of(reference)
    sizes = np.bincount(reference.ravel(), minlength=void + 1)[:void].astype(np.float64)
    sizes += np.bincount(prediction.ravel(), minlength=void + 1)[:void] / (2.0 * prediction.size)
    used = np.sort(np.argsort(-sizes, kind="stable")[: min(VOID, max(1, np.count_nonzero(sizes)))])
    table = np.full(void + 1, VOID, np.uint8)
    table[used] = np.arange(len(used))
    known = [(int(table[a]), int(table[b])) for a, b in pairs if VOID not in (table[a], table[b])]
    found = register(table[prediction], table[reference], len(used), known)
    return replace(found, swapped=tuple((int(used[a]), int(used[b])) for a, b in found.swapped))


def _strongest(moves: Mapping[Kind, Move], fits: Mapping[Kind, float]) -> Kind:
    """The kind of move that explains most.

    Between mirroring and swapped labels, the better fit decides; of equal fits, the one that needs less of a shift; and
    else the mirroring, which is one fault where swapped labels are one for each pair. Between these and a plain shift
    or scale, the cost counts as well.
    """
    sided: Kind = "mirrored"
    if "swapped" in fits:
        gain = fits["swapped"] - fits["mirrored"]
        simpler = moves["mirrored"].distance - moves["swapped"].distance > _SHIFTED
        if gain > _TIE or (gain >= -_TIE and simpler):
            sided = "swapped"
    return sided if fits[sided] - moves[sided].cost > fits["moved"] - moves["moved"].cost else "moved"


def _blank_score(counts: npt.NDArray[np.int64]) -> tuple[int, float]:
    """Number of labels in the reference, and the mean IoU of predicting its most frequent label everywhere."""
    actual = counts.sum(axis=1)
    labels = int(np.count_nonzero(actual))
    return labels, float(actual.max() / actual.sum() / labels) if labels > 1 else 0.0


def _swap_labels(counts: npt.NDArray[np.int64], pairs: Pairs) -> npt.NDArray[np.int64]:
    """The confusion matrix after the labels of each pair are swapped in the prediction."""
    swapped = counts.copy()
    for one, other in pairs:
        swapped[:, [one, other]] = counts[:, [other, one]]
    return swapped


def _is_swapped(counts: npt.NDArray[np.int64], ious: npt.NDArray[np.float64], one: int, other: int) -> bool:
    """Whether the two labels of a pair fit much better when swapped."""
    both = [one, other]
    return _fits_swapped(ious[both], label_iou(_swap_labels(counts, [(one, other)]))[both])


def _fits_swapped(plain: npt.NDArray[np.float64], crossed: npt.NDArray[np.float64]) -> bool:
    """Whether IoUs of a pair are much better with its labels swapped."""
    return mean_finite(crossed) >= max(_MIN_LEVEL, mean_finite(plain) + 2 * _MIN_GAIN)


def _verdict(move: Move) -> Verdict:
    if move.flip:
        return "mirrored"
    if move.swap:
        return "swapped"
    return "scaled" if _is_scaled(move) else "shifted"


def _too_far(move: Move) -> str:
    """The shift of a move, in per cent of width and height; directions that round to 0.0 are left out."""
    shifts = ((100 * move.dx, "right", "left"), (100 * move.dy, "down", "up"))
    sides = ((abs(by), positive if by > 0 else negative) for by, positive, negative in shifts)
    return ", ".join(f"{by:.1f} % too far {side}" for by, side in sides if by >= 0.05)


def _is_scaled(move: Move) -> bool:
    return abs(move.scale - 1) > 0.04
