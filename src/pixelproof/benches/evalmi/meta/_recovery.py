"""Recovery of single votes from mean opinion scores that are rescaled z-scores.

If every image is rated by the same N people on an integer scale 1..5, its score is a + sum of c_i (r_i - 1), with one
constant c_i per rater. Unanimous images give a and the sum of the c_i; images with a single dissenting vote give each
c_i; a meet-in-the-middle search then finds the votes of other images.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from pixelproof.stats import generator

from ._types import FloatArray

LEVELS = 5
TOLERANCE = 8e-12
"""Greatest difference between a score and the sum of its votes: scores have 15 significant digits."""


@dataclass(frozen=True)
class RaterScale:
    """How votes became scores."""

    lowest: float
    """Score of an image to which all gave 1."""
    shares: FloatArray
    """What one vote more adds to a score, per rater."""
    unanimous: tuple[int, ...]
    """Number of images to which all gave 1, 2, …, 5."""

    @property
    def step(self) -> float:
        """Distance between the scores of unanimous images."""
        return float(self.shares.sum())

    @property
    def deviations(self) -> FloatArray:
        """Standard deviation of each rater's votes, if scores are 100 (z + 3) / 6."""
        sigma: FloatArray = 100 / 6 / (len(self.shares) * self.shares)
        return sigma


def recover_scale(scores: FloatArray) -> RaterScale | None:
    """The scale behind scores; None unless single dissenting votes account for exactly one step."""
    low, high = float(scores.min()), float(scores.max())
    step = (high - low) / (LEVELS - 1)
    if not step > 0:
        return None
    above = np.concatenate([scores - low, high - scores])
    above = np.sort(above[(above > 1e-9) & (above < step / 2)])
    if len(above) == 0:
        return None
    singles = above[above < 1.5 * above[0]]  # two votes, or one vote of two levels, are at least twice as far away
    parts = np.split(singles, np.flatnonzero(np.diff(singles) > 1e-9) + 1)
    candidates = np.array([np.median(part) for part in parts])
    # A vote that was dropped as an outlier leaves a distance of its own, which does not occur around other levels.
    offsets = np.abs(scores[:, None] - low - step * np.arange(LEVELS)).ravel()
    offsets = np.sort(offsets[offsets < step / 2])
    counts = np.searchsorted(offsets, candidates + 1e-9) - np.searchsorted(offsets, candidates - 1e-9)
    ranked = candidates[np.argsort(-counts, kind="stable")]
    complete = np.flatnonzero(np.abs(np.cumsum(ranked) - step) < 1e-9)
    if len(complete) == 0:
        return None
    unanimous = tuple(int((np.abs(scores - low - k * step) < 1e-9).sum()) for k in range(LEVELS))
    return RaterScale(low, np.sort(ranked[: complete[0] + 1]), unanimous)


def recover_votes(scores: FloatArray, scale: RaterScale) -> FloatArray:
    """Votes 1..5 behind each score, shape (images, raters); nan in rows without a unique solution."""
    raters = len(scale.shares)
    half = raters // 2
    digits = [np.array(list(product(range(LEVELS), repeat=n)), np.int8) for n in (half, raters - half)]
    left, right = digits[0] @ scale.shares[:half], digits[1] @ scale.shares[half:]
    ranked = np.argsort(left), np.argsort(right)
    left_sorted, right_sorted = left[ranked[0]], right[ranked[1]]
    votes = np.full((len(scores), raters), np.nan)
    for row, target in enumerate(scores - scale.lowest):
        wanted = target - left_sorted
        first = np.searchsorted(right_sorted, wanted - TOLERANCE)
        nearest = right_sorted[np.minimum(first, len(right_sorted) - 1)]
        matches = np.flatnonzero(np.abs(nearest - wanted) <= TOLERANCE)
        if len(matches) == 1 and (np.abs(right_sorted - wanted[matches[0]]) <= TOLERANCE).sum() == 1:
            first_half, other = ranked[0][matches[0]], ranked[1][first[matches[0]]]
            votes[row] = np.concatenate([digits[0][first_half], digits[1][other]]) + 1
    return votes


def sample_rows(count: int, size: int, seed: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Row numbers of a random sample, sorted."""
    chosen = generator(seed, "vote recovery").choice(count, min(size, count), replace=False)
    return np.sort(chosen).astype(np.int64)
