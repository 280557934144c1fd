"""Floors and the noise ceiling of meta-evaluation, with single votes recovered from rescaled z-scores.

If every image is rated by the same N people on an integer scale 1..5, its score is a + sum of c_i (r_i - 1), with one
constant c_i per rater. Unanimous images give a and the sum of the c_i; images with a single dissenting vote give each
c_i; a meet-in-the-middle search then finds the votes of other images. Floors see no image: they know the generator or
the task, and are fitted outside of the fold that they predict.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.stats import spearmanr

from pixelproof.benches.evalmi.data import Annotations, Split, image_folds, prompt_folds
from pixelproof.stats import generator

from ._levels import FloatArray, IntArray

FLOORS = {
    "majority": "the same value for every image",
    "generator": "mean of the generator",
    "generator_task": "mean of the generator in the task",
    "additive": "generator plus prompt, from other images of the same prompt",
}
"""Name → what the predictor knows."""


def floor_predictions(
    data: Annotations, y: FloatArray, split: Split | None = None, seed: int = 0
) -> dict[str, FloatArray]:
    """Out-of-fold predictions of y by each predictor.

    Args:
        data: Generators, prompts and tasks of the rows.
        y: What to predict.
        split: Folds for all predictors. None: folds of prompt texts, and for the additive predictor, which needs other
            images of the same prompt, folds of images.
        seed: Of the folds.
    """
    by_prompt = split or prompt_folds(data, seed=seed)
    by_image = split or image_folds(data, seed=seed)
    pair = data.model * len(data.tasks) + data.task
    constant = np.zeros(len(data), np.int64)
    return {
        "majority": by_prompt.out_of_fold(_means(y, constant)),
        "generator": by_prompt.out_of_fold(_means(y, data.model)),
        "generator_task": by_prompt.out_of_fold(_means(y, pair, data.model, data.task)),
        "additive": by_image.out_of_fold(_additive(y, data.model, data.prompt)),
    }


def _means(y: FloatArray, *keys: IntArray) -> Callable[[IntArray, IntArray], FloatArray]:
    """Means of the first key's groups; of the next key's for groups that are not in training; else of all rows."""

    def fit(train: IntArray, test: IntArray) -> FloatArray:
        predicted = np.full(len(test), y[train].mean())
        for key in reversed(keys):
            size = int(key.max()) + 1
            counts = np.bincount(key[train], minlength=size)
            sums = np.bincount(key[train], y[train], size)
            known = counts[key[test]] > 0
            predicted[known] = sums[key[test][known]] / counts[key[test][known]]
        return predicted

    return fit


def _additive(y: FloatArray, model: IntArray, prompt: IntArray) -> Callable[[IntArray, IntArray], FloatArray]:
    """Least-squares effects of generators and prompts; an effect that training lacks is 0."""

    def fit(train: IntArray, test: IntArray) -> FloatArray:
        m, p = model[train], prompt[train]
        mean = y[train].mean()
        rest = y[train] - mean
        of_model, of_prompt = np.zeros(int(model.max()) + 1), np.zeros(int(prompt.max()) + 1)
        n_model = np.maximum(1, np.bincount(m, minlength=len(of_model)))
        n_prompt = np.maximum(1, np.bincount(p, minlength=len(of_prompt)))
        for _ in range(50):  # alternating least squares
            before = of_model
            of_prompt = np.bincount(p, rest - of_model[m], len(of_prompt)) / n_prompt
            of_model = np.bincount(m, rest - of_prompt[p], len(of_model)) / n_model
            if np.abs(of_model - before).max() < 1e-9:
                break
        predicted: FloatArray = mean + of_model[model[test]] + of_prompt[prompt[test]]
        return predicted

    return fit


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


HALVES = 20
"""Random splits of the raters."""


@dataclass(frozen=True)
class Ceiling:
    """What a metric without any error of its own would reach."""

    srcc: float
    plcc: float
    error: float
    """Standard error of one mean opinion score, on its scale."""
    reliability: float
    """Share of the variance of the scores that is not noise of the raters."""
    raters: int
    images: int
    """Images that this is estimated from."""
    source: str


def noise_ceiling(data: Annotations, target: str, images: int = 300, seed: int = 0) -> Ceiling | None:
    """The ceiling of a target from its votes, or from votes that are recovered from its scores; None without either.

    Args:
        data: The annotations, all of them.
        target: Name of the mean opinion score.
        images: Size of the random sample whose votes are recovered.
        seed: Of the sample and of the splits of raters.
    """
    scores = data.targets[target]
    if target in data.votes:
        return ceiling_of_votes(data.votes[target], scores, False, "votes", seed)
    scale = recover_scale(scores)
    if scale is None:
        return None
    rows = sample_rows(len(scores), images, seed)
    votes = recover_votes(scores[rows], scale)
    known = votes[~np.isnan(votes).any(axis=1)]
    if len(known) < 30:
        return None
    parts = (known - 1) * scale.shares * len(scale.shares)
    return ceiling_of_votes(parts, scores, True, f"vote recovery, {len(known)} of {len(rows)} images", seed)


def ceiling_of_votes(votes: FloatArray, scores: FloatArray, same_raters: bool, source: str, seed: int = 0) -> Ceiling:
    """The ceiling of scores that are means of votes.

    Args:
        votes: Shape (images, raters), on the scale of the scores.
        scores: All scores of the data set, for their variance.
        same_raters: Column i is the same person in every row, whose bias is then no noise.
        source: Where the votes come from.
        seed: Of the splits of raters.
    """
    count, raters = votes.shape
    rest = votes - votes.mean(axis=1, keepdims=True)
    freedom = count * (raters - 1)
    if same_raters:
        rest = rest - rest.mean(axis=0)
        freedom = (count - 1) * (raters - 1)
    noise = float((rest**2).sum()) / freedom / raters
    reliability = max(0.0, 1 - noise / float(scores.var()))
    rng, half, halves = generator(seed, "split halves"), raters // 2, []
    centred = votes - votes.mean(axis=0) if same_raters else votes
    for _ in range(HALVES if half else 0):
        order = rng.permutation(raters)
        first, other = (centred[:, order[part]].mean(axis=1) for part in (slice(half), slice(half, 2 * half)))
        halves.append(float(spearmanr(first, other)[0]))
    r = float(np.mean(halves)) if halves else math.nan
    k = raters / half if half else math.nan  # Spearman-Brown, from half of the raters to all
    ranked = math.sqrt(max(0.0, k * r / (1 + (k - 1) * r))) if halves else math.nan
    return Ceiling(ranked, math.sqrt(reliability), math.sqrt(noise), reliability, raters, count, source)
