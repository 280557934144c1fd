"""Moves of an answer, how well the answer fits the truth under each, and the search for the best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy import fft

from pixelproof.pixels import VOID

Labels = npt.NDArray[np.uint8]

FARTHEST = 0.4
"""Shifts are sought up to this share of the frame."""
WHOLE = 1 << 30
"""A size that is larger than any map: all of it."""
_SCALES = tuple(float(scale) for scale in np.geomspace(0.5, 2.0, 9))
_COARSE = 64
_PADDED = (2 * _COARSE, 2 * _COARSE)
_MOST_LABELS = 24
_STARTS = 3
_ROUNDS = 3
_FIRST_STEPS = ((128, 1 / 64), (128, 1 / 128), (128, 1 / 256))
_LAST_STEPS = ((256, 1 / 256), (256, 1 / 512), (256, 1 / 1024))


@dataclass(frozen=True)
class Move:
    """Where the answer has what the truth has at a place: mirrored, scaled about the centre, then shifted.

    Shifts are shares of width and height: an answer that is painted 5 % of the width too far right has `dx = 0.05`.
    """

    dx: float = 0.0
    dy: float = 0.0
    scale: float = 1.0
    flip: bool = False
    swap: bool = False
    """Labels of pairs are exchanged."""

    @property
    def cost(self) -> float:
        """What a more complicated explanation must be better by."""
        return 0.01 * (self.swap + (self.dx != 0 or self.dy != 0) + 2 * self.flip + 2 * (self.scale != 1))


class Scene:
    """An answer and its truth, to be laid on each other."""

    def __init__(self, prediction: Labels, reference: Labels, pairs: Sequence[tuple[int, int]] = ()) -> None:
        self.shape = reference.shape
        self.labels = np.flatnonzero(np.bincount(reference.ravel(), minlength=256)[:VOID])
        """Those of the truth; in the maps kept here they are 0, 1, …, and all others are the number after these."""
        place = np.full(256, len(self.labels), np.uint8)
        place[self.labels] = np.arange(len(self.labels))
        partner = np.arange(256)
        for left, right in pairs:
            partner[left], partner[right] = right, left
        self.exchanged = np.append(place[partner[self.labels]], len(self.labels)).astype(np.uint8)
        self.has_pairs = len(pairs) > 0
        self.prediction = place[prediction]
        self._reference = place[reference]
        self._truths: dict[int, Labels] = {}

    def truth(self, size: int = WHOLE) -> Labels:
        """The truth at size × size places at most."""
        if size not in self._truths:
            rows, cols = (_places(side, size) for side in self.shape)
            self._truths[size] = self._reference.take(rows, axis=0).take(cols, axis=1)
        return self._truths[size]

    def answer(self, move: Move, size: int = WHOLE) -> Labels:
        """The answer with the move undone, at the same places."""
        height, width = self.shape
        down = move.scale * ((_places(height, size) + 0.5) / height - 0.5) + move.dy
        right = move.scale * ((_places(width, size) + 0.5) / width - 0.5) * (-1 if move.flip else 1) + move.dx
        # Beyond its border the answer goes on as it ends: otherwise mirroring might seem to explain a shift better.
        y = np.clip(np.floor((down + 0.5) * height), 0, height - 1).astype(np.intp)
        x = np.clip(np.floor((right + 0.5) * width), 0, width - 1).astype(np.intp)
        labels: Labels = self.prediction.take(y, axis=0).take(x, axis=1)
        return self.exchanged[labels] if move.swap else labels

    def overlaps(self, move: Move, size: int = WHOLE) -> npt.NDArray[np.float64]:
        """IoU of the truth's labels, in their order; not a number for those that are too small to be seen at a size."""
        count = len(self.labels) + 1
        code = self.truth(size).astype(np.uint16)
        code *= np.uint16(count)
        code += self.answer(move, size)
        counts = np.bincount(code.ravel(), minlength=count * count).reshape(count, count)[:-1]
        hits, actual, predicted = counts.diagonal(), counts.sum(axis=1), counts.sum(axis=0)[:-1]
        with np.errstate(invalid="ignore"):
            overlaps: npt.NDArray[np.float64] = np.where(actual > 0, hits / (actual + predicted - hits), np.nan)
        return overlaps

    def score(self, move: Move, size: int = WHOLE) -> float:
        """Mean IoU of the labels that the truth has; 0 where it has none."""
        return mean(self.overlaps(move, size))


def mean(overlaps: npt.NDArray[np.float64]) -> float:
    """Mean of what is a number; 0 where nothing is."""
    known = overlaps[np.isfinite(overlaps)]
    return float(known.mean()) if len(known) else 0.0


def _places(length: int, size: int) -> npt.NDArray[np.intp]:
    if length <= size:
        return np.arange(length)
    return ((np.arange(size) + 0.5) * length / size).astype(np.intp)


def best_move(scene: Scene) -> Move:
    """The move under which the answer fits best, more complicated ones being charged for it."""

    def value(move: Move) -> float:
        return scene.score(move, 2 * _COARSE) - move.cost

    plain = [Move(), Move(flip=True)] + ([Move(swap=True)] if scene.has_pairs else [])
    starts = sorted([*plain, *_peaks(scene)], key=value, reverse=True)[:_STARTS]
    climbed = sorted((_climbed(scene, start, _FIRST_STEPS) for start in starts), key=value, reverse=True)
    return _climbed(scene, climbed[0], _LAST_STEPS)


def _peaks(scene: Scene) -> Iterator[Move]:
    """The best shift for each scale and orientation, by correlation of small maps, label by label."""
    truth = scene.truth(_COARSE)
    counts = np.bincount(truth.ravel(), minlength=len(scene.labels) + 1)[:-1]
    kept = np.argsort(-counts, kind="stable")[:_MOST_LABELS]  # small ones add little but time
    kept = kept[counts[kept] > 0]
    if not len(kept):
        return
    orientations = {flip: _spectra(truth[:, ::-1] if flip else truth, kept).conj() for flip in (False, True)}
    for scale in _SCALES:
        seen = _spectra(scene.answer(Move(scale=scale), _COARSE), kept)
        for flip, spectra in orientations.items():
            yield Move(*_shift(seen, spectra, scale, truth.shape), scale=scale, flip=flip)
    if scene.has_pairs:
        seen = _spectra(scene.answer(Move(swap=True), _COARSE), kept)
        yield Move(*_shift(seen, orientations[False], 1.0, truth.shape), swap=True)


def _spectra(labels: Labels, kept: npt.NDArray[np.intp]) -> npt.NDArray[np.complex64]:
    """Fourier transforms of the kept labels' masks, of unit length each, with room to shift."""
    masks = (labels[None] == kept[:, None, None]).astype(np.float32)
    masks /= np.sqrt(np.maximum(masks.sum(axis=(1, 2), keepdims=True), 1))
    result: npt.NDArray[np.complex64] = fft.rfft2(masks, s=_PADDED)
    return result


def _shift(
    seen: npt.NDArray[np.complex64], truth: npt.NDArray[np.complex64], scale: float, shape: tuple[int, ...]
) -> tuple[float, float]:
    """Where the correlation with the (conjugated) truth is highest: right and down, as shares of the frame."""
    fit = fft.irfft2(np.einsum("lyx,lyx->yx", seen, truth), s=_PADDED)
    down, right = (int(min(FARTHEST / scale, 0.9) * side) for side in shape)
    near = np.roll(fit, (down, right), axis=(0, 1))[: 2 * down + 1, : 2 * right + 1]
    y, x = np.unravel_index(int(near.argmax()), near.shape)
    return float(x - right) / shape[1] * scale, float(y - down) / shape[0] * scale


def _climbed(scene: Scene, start: Move, steps: Sequence[tuple[int, float]]) -> Move:
    """Climb from a start in ever smaller steps of place and size."""
    best = start
    for size, step in steps:
        value = scene.score(best, size) - best.cost
        for _ in range(_ROUNDS):
            before = value
            for move in _neighbours(best, step):
                if (tried := scene.score(move, size) - move.cost) > value:
                    best, value = move, tried
            if value == before:
                break
    return best


def _neighbours(move: Move, step: float) -> Iterator[Move]:
    for sign in (-1, 1):
        yield replace(move, dx=move.dx + sign * step)
        yield replace(move, dy=move.dy + sign * step)
        yield replace(move, scale=move.scale * (1 + 2 * sign * step))
