"""Moves of a label map (shift, scale, mirror, swap of labels), and the search for the best-fitting one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from pixelproof.pixels import VOID

Labels = npt.NDArray[np.uint8]
Kind = Literal["moved", "mirrored", "swapped"]

MAX_SHIFT = 0.4
"""Largest shift searched for, as a share of the frame."""
_FULL_SIZE = 1 << 30
"""Larger than any map: no subsampling."""
SCALES = tuple(float(scale) for scale in np.geomspace(0.5, 2.0, 9))
_COARSE = 64
_PADDED = (2 * _COARSE, 2 * _COARSE)
_MOST_LABELS = 24
_STARTS: Mapping[Kind, int] = {"moved": 2, "mirrored": 1, "swapped": 1}
"""Number of starts of the hill climbing, by kind of move."""
_FAR_BEHIND = 0.1
_ROUNDS = 3
_FIRST_STEPS = ((128, 1 / 64), (128, 1 / 128), (128, 1 / 256))
_LAST_STEPS = ((256, 1 / 256), (256, 1 / 512), (256, 1 / 1024))


@dataclass(frozen=True)
class Move:
    """A transformation from the reference to the prediction: mirror, scale about the centre, then shift.

    Shifts are shares of width and height: a prediction that lies 5 % of the width too far right has `dx = 0.05`.
    """

    dx: float = 0.0
    dy: float = 0.0
    scale: float = 1.0
    flip: bool = False
    swap: bool = False
    """Whether the labels of each pair are swapped."""

    @property
    def kind(self) -> Kind:
        """What explains the prediction, besides a shift and a scale."""
        return "mirrored" if self.flip else "swapped" if self.swap else "moved"

    @property
    def distance(self) -> float:
        """Largest part of the move in one direction or in scale, as a share of the frame."""
        return max(abs(self.dx), abs(self.dy), abs(self.scale - 1))

    @property
    def cost(self) -> float:
        """Penalty on the score, so that of two equally good moves the simpler one wins."""
        return 0.01 * (self.swap + (self.dx != 0 or self.dy != 0) + 2 * self.flip + 2 * (self.scale != 1))


class Alignment:
    """A prediction and its reference, compared under moves and at several resolutions."""

    def __init__(self, prediction: Labels, reference: Labels, pairs: Sequence[tuple[int, int]] = ()) -> None:
        self.shape = reference.shape
        self.labels = np.flatnonzero(np.bincount(reference.ravel(), minlength=256)[:VOID])
        """Labels of the reference; in the maps stored here they are 0, 1, …, and all others the number after these."""
        place = np.full(256, len(self.labels), np.uint8)
        place[self.labels] = np.arange(len(self.labels))
        partner = np.arange(256)
        for left, right in pairs:
            partner[left], partner[right] = right, left
        self._swapped = np.append(place[partner[self.labels]], len(self.labels)).astype(np.uint8)
        self.pairs = tuple(pairs)
        self._prediction = place[prediction]
        self._reference = place[reference]
        self._references: dict[int, Labels] = {}

    def reference(self, size: int = _FULL_SIZE) -> Labels:
        """The reference, subsampled to at most size × size."""
        if size not in self._references:
            rows, cols = (_places(side, size) for side in self.shape)
            self._references[size] = self._reference.take(rows, axis=0).take(cols, axis=1)
        return self._references[size]

    def prediction(self, move: Move, size: int = _FULL_SIZE) -> Labels:
        """The prediction with the move undone, at the same places."""
        height, width = self.shape
        down = move.scale * ((_places(height, size) + 0.5) / height - 0.5) + move.dy
        right = move.scale * ((_places(width, size) + 0.5) / width - 0.5) * (-1 if move.flip else 1) + move.dx
        # The border is replicated: otherwise mirroring might seem to explain a shift better.
        y = np.clip(np.floor((down + 0.5) * height), 0, height - 1).astype(np.intp)
        x = np.clip(np.floor((right + 0.5) * width), 0, width - 1).astype(np.intp)
        labels: Labels = self._prediction.take(y, axis=0).take(x, axis=1)
        return self._swapped[labels] if move.swap else labels

    def iou(self, move: Move, size: int = _FULL_SIZE) -> npt.NDArray[np.float64]:
        """IoU of the reference's labels; nan for those without a pixel at this size."""
        count = len(self.labels) + 1
        code = self.reference(size).astype(np.uint16)
        code *= np.uint16(count)
        code += self.prediction(move, size)
        return label_iou(np.bincount(code.ravel(), minlength=count * count).reshape(count, count)[:-1])

    def score(self, move: Move, size: int = _FULL_SIZE) -> float:
        """Mean IoU of the labels that the reference has; 0 where it has none."""
        return mean_finite(self.iou(move, size))


def label_iou(counts: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.float64]:
    """IoU of every label from a confusion matrix, shape (labels, labels + 1); nan for labels not in the reference."""
    hits, actual, predicted = counts.diagonal(), counts.sum(axis=1), counts.sum(axis=0)[:-1]
    with np.errstate(invalid="ignore"):
        return np.where(actual > 0, hits / (actual + predicted - hits), np.nan)


def mean_finite(values: npt.NDArray[np.float64]) -> float:
    """Mean of the finite values; 0 if there are none."""
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else 0.0


def _places(length: int, size: int) -> npt.NDArray[np.intp]:
    if length <= size:
        return np.arange(length)
    return ((np.arange(size) + 0.5) * length / size).astype(np.intp)


def best_moves(alignment: Alignment) -> dict[Kind, Move]:
    """The best move of each kind by mean IoU, less its cost: FFT correlation on small maps, then hill climbing.

    Kinds that are far behind the best one after the first climb are not refined.
    """

    def value(move: Move) -> float:
        return alignment.score(move, 2 * _COARSE) - move.cost

    plain = [Move(), Move(flip=True)] + ([Move(swap=True)] if alignment.pairs else [])
    starts: dict[Kind, list[Move]] = {}
    for move in sorted([*plain, *_peaks(alignment)], key=value, reverse=True):
        starts.setdefault(move.kind, []).append(move)
    climbed = {
        kind: max((_climbed(alignment, move, _FIRST_STEPS) for move in moves[: _STARTS[kind]]), key=value)
        for kind, moves in starts.items()
    }
    enough = max(map(value, climbed.values())) - _FAR_BEHIND
    return {
        kind: _climbed(alignment, move, _LAST_STEPS) if value(move) >= enough else move
        for kind, move in climbed.items()
    }


def best_swap(alignment: Alignment, start: Move) -> Move:
    """The best move that swaps the labels of the pairs, by hill climbing from a start and from no shift."""
    starts = dict.fromkeys(replace(move, flip=False, swap=True) for move in (start, Move()))
    climbed = [_climbed(alignment, move, (*_FIRST_STEPS, *_LAST_STEPS)) for move in starts]
    return max(climbed, key=lambda move: alignment.score(move) - move.cost)


def _peaks(alignment: Alignment) -> Iterator[Move]:
    """The best shift for each scale and orientation, by cross-correlation of small maps, label by label."""
    truth = alignment.reference(_COARSE)
    counts = np.bincount(truth.ravel(), minlength=len(alignment.labels) + 1)[:-1]
    kept = np.argsort(-counts, kind="stable")[:_MOST_LABELS]  # small ones add little but time
    kept = kept[counts[kept] > 0]
    if not len(kept):
        return
    orientations = {flip: _spectra(truth[:, ::-1] if flip else truth, kept).conj() for flip in (False, True)}
    for scale in SCALES:
        seen = _spectra(alignment.prediction(Move(scale=scale), _COARSE), kept)
        for flip, spectra in orientations.items():
            yield Move(*_shift(seen, spectra, scale, truth.shape), scale=scale, flip=flip)
    if alignment.pairs:
        seen = _spectra(alignment.prediction(Move(swap=True), _COARSE), kept)
        yield Move(*_shift(seen, orientations[False], 1.0, truth.shape), swap=True)


def _spectra(labels: Labels, kept: npt.NDArray[np.intp]) -> npt.NDArray[np.complex64]:
    """Fourier transforms of the kept labels' masks, each of unit norm, zero-padded for shifts."""
    from scipy import fft  # takes a while to import

    masks = (labels[None] == kept[:, None, None]).astype(np.float32)
    masks /= np.sqrt(np.maximum(masks.sum(axis=(1, 2), keepdims=True), 1))
    result: npt.NDArray[np.complex64] = fft.rfft2(masks, s=_PADDED)
    return result


def _shift(
    seen: npt.NDArray[np.complex64], truth: npt.NDArray[np.complex64], scale: float, shape: tuple[int, ...]
) -> tuple[float, float]:
    """Peak of the correlation with the conjugated spectrum of the reference: right and down, as shares of the frame."""
    from scipy import fft

    fit = fft.irfft2(np.einsum("lyx,lyx->yx", seen, truth), s=_PADDED)
    down, right = (int(min(MAX_SHIFT / scale, 0.9) * side) for side in shape)
    near = np.roll(fit, (down, right), axis=(0, 1))[: 2 * down + 1, : 2 * right + 1]
    y, x = np.unravel_index(int(near.argmax()), near.shape)
    return float(x - right) / shape[1] * scale, float(y - down) / shape[0] * scale


def _climbed(alignment: Alignment, start: Move, steps: Sequence[tuple[int, float]]) -> Move:
    """Hill climbing from a start, in ever smaller steps of position and scale."""
    best = start
    for size, step in steps:
        value = alignment.score(best, size) - best.cost
        for _ in range(_ROUNDS):
            before = value
            for move in _neighbours(best, step):
                if (tried := alignment.score(move, size) - move.cost) > value:
                    best, value = move, tried
            if value == before:
                break
    return best


def _neighbours(move: Move, step: float) -> Iterator[Move]:
    for sign in (-1, 1):
        yield replace(move, dx=move.dx + sign * step)
        yield replace(move, dy=move.dy + sign * step)
        yield replace(move, scale=move.scale * (1 + 2 * sign * step))
