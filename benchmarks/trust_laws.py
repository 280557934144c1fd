"""Data sets of known laws, each with its true value and its interval: the cases of `trust_intervals`."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

from pixelproof.contract import Estimate
from pixelproof.stats import (
    Pairs,
    Undefined,
    calibrated_interval,
    calibrated_pooled_interval,
    comparison_interval,
    difference_interval,
    flip_test,
    generator,
    mean_interval,
    pooled_difference_interval,
    pooled_interval,
)

UNIT = (0.0, 1.0)
Rng = np.random.Generator
Floats = np.ndarray
Interval = Estimate | Undefined
Law = Callable[[Rng, int], Floats]
Case = Callable[[Rng, int], tuple[float, Interval]]
"""Draws a data set of n independent items; returns the true value and the interval of the data set."""

# Laws of one value per item within [0, 1].


def beta(a: float, b: float) -> Law:
    """Beta-distributed values."""
    return lambda rng, n: rng.beta(a, b, n)


def atom_at_one(rng: Rng, n: int) -> Floats:
    """1 for four items of five, uniform for the others."""
    return np.where(rng.random(n) < 0.8, 1.0, rng.random(n))


def nearly_equal(rng: Rng, n: int) -> Floats:
    """0.7 within 0.01."""
    return 0.7 + 0.01 * rng.uniform(-1, 1, n)


def crashes(rng: Rng, n: int) -> Floats:
    """About 0.9, but 0 for one item of twenty."""
    return np.where(rng.random(n) < 0.05, 0.0, 0.9 + 0.02 * rng.uniform(-1, 1, n))


def skewed(rng: Rng, n: int) -> Floats:
    """Near 0 with a long tail."""
    return np.minimum(1.0, 0.05 * rng.lognormal(0.0, 1.0, n))


def shares(p: float) -> Law:
    """0 or 1."""
    return lambda rng, n: (rng.random(n) < p).astype(float)


LAWS: dict[str, Law] = {
    "share 0.02": shares(0.02),
    "share 0.5": shares(0.5),
    "share 0.9": shares(0.9),
    "near 1": beta(20, 1),
    "near 0": beta(1, 20),
    "at both bounds": beta(0.2, 0.2),
    "in the middle": beta(2, 2),
    "atom at 1": atom_at_one,
    "nearly equal": nearly_equal,
    "5 % crashes": crashes,
    "skewed": skewed,
}


def mean_of(law: Law) -> float:
    """The true mean of a law, from two million draws."""
    return float(law(generator(0, "truth"), 2_000_000).mean())


def of_mean(name: str) -> Case:
    """The interval of a bounded mean under a named law."""
    return lambda rng, n: (true_mean(name), mean_interval(LAWS[name](rng, n), UNIT))


@functools.cache
def true_mean(name: str) -> float:
    """The mean of a named law."""
    return mean_of(LAWS[name])


# Items in clusters: n is the number of clusters.


def clustered(sizes: Callable[[Rng, int], Floats], binary: bool) -> Case:
    """Rows that share most of their value with their cluster."""

    def draw(rng: Rng, n: int) -> tuple[float, Interval]:
        counts = sizes(rng, n)
        clusters = np.repeat(np.arange(n), counts)
        centre = np.repeat(rng.beta(2, 1, n), counts)
        if binary:
            return 2 / 3, mean_interval((rng.random(len(clusters)) < centre).astype(float), UNIT, clusters)
        return 2 / 3 * 0.95, mean_interval(centre * rng.uniform(0.9, 1.0, len(clusters)), UNIT, clusters)

    return draw


def hard_clusters(size: int) -> Case:
    """Every fifth cluster has `size` rows, a fifth of them right; the others have one, right in nine of ten cases."""

    def draw(rng: Rng, n: int) -> tuple[float, Interval]:
        large = rng.random(n) < 0.2
        clusters = np.repeat(np.arange(n), np.where(large, size, 1))
        right = rng.random(len(clusters)) < np.where(large[clusters], 0.2, 0.9)
        truth = (0.2 * size * 0.2 + 0.8 * 0.9) / (0.2 * size + 0.8)
        return truth, mean_interval(right.astype(float), UNIT, clusters)

    return draw


def four(rng: Rng, n: int) -> Floats:
    """Clusters of four rows."""
    return np.full(n, 4)


def one_to_five(rng: Rng, n: int) -> Floats:
    """Clusters of one to five rows."""
    return rng.integers(1, 6, n)


def one_or_twenty(rng: Rng, n: int) -> Floats:
    """Clusters of one row or of twenty."""
    return np.where(rng.random(n) < 0.5, 1, 20)


# Pooled metrics.


def ratio(sums: Floats) -> Floats:
    """One ratio."""
    return sums[..., 0] / sums[..., 1]


def ratio_parts(sums: Floats) -> tuple[Floats, Floats]:
    """Its numerator and denominator."""
    return sums[..., :1], sums[..., 1:]


def pooled_states(rng: Rng, n: int, law: Law, heavy: bool) -> Floats:
    """Numerators and denominators; denominators vary by a factor of 2, or of 20."""
    sizes = rng.lognormal(0.0, 1.0, n) if heavy else rng.uniform(1.0, 2.0, n)
    return np.stack([law(rng, n) * sizes, sizes], axis=1)


def of_ratio(name: str, heavy: bool, opaque: bool = False) -> Case:
    """A pooled ratio; opaque: without telling that it is one."""
    parts = None if opaque else ratio_parts
    return lambda rng, n: (
        true_mean(name),
        pooled_interval(pooled_states(rng, n, LAWS[name], heavy), ratio, UNIT, ratios=parts),
    )


def large_and_wrong(rng: Rng, n: int) -> Floats:
    """One item of twenty is a hundred times as large as the others, and wrong; the others are right for nine tenths."""
    large = rng.random(n) < 0.05
    sizes = np.where(large, 100.0, 1.0)
    return np.stack([np.where(large, 0.0, rng.beta(9, 1, n)) * sizes, sizes], axis=1)


def easier_with_size(sign: float, rng: Rng, n: int) -> Floats:
    """Lognormal sizes; the value rises (sign 1) or falls (sign -1) from 0.1 to 0.9 with the logarithm of the size."""
    z = rng.normal(size=n)
    sizes = np.exp(z)
    centre = 0.1 + 0.8 / (1 + np.exp(-2 * sign * z))
    return np.stack([rng.beta(10 * centre, 10 * (1 - centre)) * sizes, sizes], axis=1)


@functools.cache
def true_ratio(name: str) -> float:
    """The ratio of the expectations of a law of numerators and denominators."""
    return float(ratio(SIZED[name](generator(0, "truth"), 2_000_000).sum(axis=0)))


def of_sized(name: str) -> Case:
    """A pooled ratio whose value depends on its size."""
    return lambda rng, n: (true_ratio(name), pooled_interval(SIZED[name](rng, n), ratio, UNIT, ratios=ratio_parts))


SIZED: dict[str, Law] = {
    "large items are right more often": functools.partial(easier_with_size, 1.0),
    "large items are wrong more often": functools.partial(easier_with_size, -1.0),
    "5 % are 100 × as large, and wrong": large_and_wrong,
}
DEPENDENT = {name: of_sized(name) for name in SIZED}


CLASS_SHARES = np.array([1.0, 0.8, 0.4, 0.15])
"""How many items have each class."""


def miou_states(rng: Rng, n: int, quality: Floats) -> Floats:
    """Intersections and unions of four classes, of which the rarest is in one item of seven."""
    there = rng.random((n, 4)) < CLASS_SHARES
    unions = there * rng.lognormal(0.0, 0.5, (n, 4))
    hits = unions * rng.beta(5 * quality, 5 * (1 - quality), (n, 4))
    return np.concatenate([hits, unions], axis=1)


def miou_parts(sums: Floats) -> tuple[Floats, Floats]:
    """Intersections and unions by class."""
    return sums[..., :4], sums[..., 4:]


def miou(sums: Floats) -> Floats:
    """Mean over the classes that occur."""
    hits, unions = miou_parts(np.asarray(sums))
    there = unions > 0
    return np.where(there, hits / np.where(there, unions, 1.0), 0.0).sum(-1) / there.sum(-1)


def present_mean(states: Floats, quality: Floats) -> float:
    """The true mean IoU of the classes that occur among the items."""
    return float(quality[states[:, 4:].sum(axis=0) > 0].mean())


QUALITIES = {
    "good": np.array([0.95, 0.9, 0.9, 0.8]),
    "mixed": np.array([0.9, 0.5, 0.3, 0.1]),
    "perfect but one": np.array([0.999, 0.999, 0.999, 0.5]),
}


def of_miou(name: str, opaque: bool = False) -> Case:
    """A mean of ratios."""

    def draw(rng: Rng, n: int) -> tuple[float, Interval]:
        states = miou_states(rng, n, QUALITIES[name])
        interval = pooled_interval(states, miou, UNIT, ratios=None if opaque else miou_parts)
        return present_mean(states, QUALITIES[name]), interval

    return draw


def pq_states(rng: Rng, n: int, quality: Floats) -> Floats:
    """Sums of matched IoU and TP + FP/2 + FN/2 of four classes, with Poisson numbers of segments."""
    segments = rng.poisson(3 * CLASS_SHARES, (n, 4))
    matched = rng.binomial(segments, quality)
    invented = rng.binomial(segments, (1 - quality) / 2)
    iou = matched * 0.75 + rng.normal(size=(n, 4)) * 0.1 * np.sqrt(matched)
    return np.concatenate(
        [np.clip(iou, 0.5 * matched, matched), matched + ((segments - matched) + invented) / 2], axis=1
    )


@functools.cache
def true_pq(name: str) -> tuple[float, ...]:
    """PQ by class."""
    iou, weight = miou_parts(pq_states(generator(0, "truth"), 2_000_000, QUALITIES[name]).sum(axis=0))
    return tuple(iou / weight)


def of_pq(name: str) -> Case:
    """The mean panoptic quality of the classes that occur."""

    def draw(rng: Rng, n: int) -> tuple[float, Interval]:
        states = pq_states(rng, n, QUALITIES[name])
        if not states[:, 4:].any():
            return math.nan, Undefined(math.nan, "no segment at all")
        truth = present_mean(states, np.array(true_pq(name)))
        return truth, pooled_interval(states, miou, UNIT, ratios=miou_parts)

    return draw


def many_classes(rng: Rng, n: int, count: int, best: float, worst: float) -> Floats:
    """Intersections and unions of many classes: the k-th is in one item of k, and items differ in difficulty."""
    there = rng.random((n, count)) < np.maximum(1 / np.arange(1, count + 1), 0.04)
    unions = there * rng.lognormal(0.0, 0.7, (n, count))
    quality = np.linspace(best, worst, count)
    odds = quality / (1 - quality) * np.exp(0.7 * rng.normal(size=(n, 1)))
    quality = odds / (1 + odds)
    return np.concatenate([unions * rng.beta(5 * quality, 5 * (1 - quality)), unions], axis=1)


def crashing(law: Law, rate: float) -> Law:
    """The law, with no intersection at all for a share of the items."""

    def draw(rng: Rng, n: int) -> Floats:
        states = law(rng, n)
        states[:, : states.shape[1] // 2] *= (rng.random(n) >= rate)[:, None]
        return states

    return draw


def one_class_each(rng: Rng, n: int, quality: Floats) -> Floats:
    """Items of one class each, right or wrong."""
    there = np.eye(len(quality))[rng.integers(0, len(quality), n)]
    return np.concatenate([there * (rng.random((n, 1)) < quality), there], axis=1)


MACRO: dict[str, Law] = {
    "2 classes, one per item, shares 0.85": functools.partial(one_class_each, quality=np.full(2, 0.85)),
    "4 classes, one per item, shares 0.85": functools.partial(one_class_each, quality=np.full(4, 0.85)),
    "12 classes, one per item, shares 0.3 to 1": functools.partial(one_class_each, quality=np.linspace(0.3, 1, 12)),
    "19 classes": functools.partial(many_classes, count=19, best=0.95, worst=0.2),
    "19 classes, good": functools.partial(many_classes, count=19, best=0.98, worst=0.9),
    "60 classes": functools.partial(many_classes, count=60, best=0.9, worst=0.1),
    **{
        f"4 classes, {100 * rate:.0f} % crashes": crashing(
            lambda rng, n: miou_states(rng, n, np.array([0.97, 0.95, 0.95, 0.9])), rate
        )
        for rate in (0.02, 0.05, 0.1)
    },
    "19 classes, 5 % crashes": crashing(functools.partial(many_classes, count=19, best=0.99, worst=0.9), 0.05),
}


def macro_parts(sums: Floats) -> tuple[Floats, Floats]:
    """Intersections and unions by class, of any number of classes."""
    return sums[..., : sums.shape[-1] // 2], sums[..., sums.shape[-1] // 2 :]


def macro(sums: Floats) -> Floats:
    """Mean over the classes that occur."""
    hits, unions = macro_parts(np.asarray(sums))
    there = unions > 0
    return np.where(there, hits / np.where(there, unions, 1.0), 0.0).sum(-1) / there.sum(-1)


@functools.cache
def true_classes(name: str) -> Floats:
    """IoU by class."""
    hits, unions = macro_parts(MACRO[name](generator(0, "truth"), 50_000).sum(axis=0))
    return hits / unions


def of_macro(name: str) -> Case:
    """The mean IoU of the classes that occur."""

    def draw(rng: Rng, n: int) -> tuple[float, Interval]:
        states = MACRO[name](rng, n)
        there = macro_parts(states.sum(axis=0))[1] > 0
        return float(true_classes(name)[there].mean()), pooled_interval(states, macro, UNIT, ratios=macro_parts)

    return draw


def of_calibrated_macro(name: str) -> Case:
    """A calibrated mean IoU; the floor has 0.1 and the ceiling 0.98 of every union."""

    def draw(rng: Rng, n: int) -> tuple[float, Interval]:
        states = MACRO[name](rng, n)
        unions = macro_parts(states)[1]
        there = unions.sum(axis=0) > 0
        ends = [np.concatenate([share * unions, unions], axis=1) for share in (0.1, 0.98)]
        truth = (float(true_classes(name)[there].mean()) - 0.1) / 0.88
        return truth, calibrated_pooled_interval(states, *ends, macro, UNIT, ratios=macro_parts)

    return draw


# Calibrated scores.


def triple(rng: Rng, n: int, name: str) -> Floats:
    """Model, floor and ceiling of n items, by the name of a situation."""
    floor, ceiling = rng.uniform(0.1, 0.3, n), rng.uniform(0.8, 1.0, n)
    if name == "half way":
        return np.stack([floor + (ceiling - floor) * rng.beta(2, 2, n), floor, ceiling])
    if name == "near the ceiling":
        return np.stack([floor + (ceiling - floor) * rng.beta(20, 1, n), floor, ceiling])
    if name == "crashes":
        return np.stack([np.where(rng.random(n) < 0.1, floor, ceiling), floor, ceiling])
    if name == "fixed floor and ceiling, share":
        return np.stack([(rng.random(n) < 0.8).astype(float), np.zeros(n), np.ones(n)])
    if name == "fails where the ceiling fails":
        fails = rng.random(n) < 0.2
        ceiling = np.where(fails, 0.4, 0.95)
        return np.stack([np.where(rng.random(n) < 0.05, floor, ceiling), floor, ceiling])
    if name == "noisy ceiling":
        return np.stack([rng.beta(2, 2, n), rng.beta(2, 8, n), rng.beta(8, 2, n)])
    raise KeyError(name)


SITUATIONS = (
    "half way",
    "near the ceiling",
    "crashes",
    "fixed floor and ceiling, share",
    "fails where the ceiling fails",
    "noisy ceiling",
)


@functools.cache
def true_calibrated(name: str) -> float:
    """Ratio of the expectations."""
    model, floor, ceiling = triple(generator(0, "truth"), 2_000_000, name).mean(axis=1)
    return float((model - floor) / (ceiling - floor))


def of_calibrated(name: str, bounds: tuple[float, float] | None = UNIT) -> Case:
    """A calibrated mean."""
    return lambda rng, n: (true_calibrated(name), calibrated_interval(*triple(rng, n, name), bounds))


def of_calibrated_pooled(name: str) -> Case:
    """A calibrated pooled ratio."""

    def draw(rng: Rng, n: int) -> tuple[float, Interval]:
        sizes = rng.uniform(1.0, 2.0, n)
        states = [np.stack([part * sizes, sizes], axis=1) for part in triple(rng, n, name)]
        return true_calibrated(name), calibrated_pooled_interval(*states, ratio, UNIT, ratios=ratio_parts)

    return draw


def no_ceiling(rng: Rng, n: int) -> tuple[float, Interval]:
    """Floor and ceiling of equal expectation: every interval is wrong."""
    return math.nan, calibrated_interval(rng.beta(2, 2, n), rng.beta(2, 2, n), rng.beta(2, 2, n), UNIT)


# Values without a range, and differences.


def of_unbounded(law: Law, truth: float) -> Case:
    """A mean without a declared range."""
    return lambda rng, n: (truth, mean_interval(law(rng, n), None))


def unbounded_clustered(rng: Rng, n: int) -> tuple[float, Interval]:
    """Normal values in clusters of one to five."""
    counts = one_to_five(rng, n)
    clusters = np.repeat(np.arange(n), counts)
    return 0.0, mean_interval(np.repeat(rng.normal(size=n), counts) + rng.normal(size=len(clusters)), None, clusters)


def pair(rng: Rng, n: int, name: str) -> tuple[Floats, Floats]:
    """Two models on the same items."""
    if name == "5 % of B crash":
        a = rng.beta(8, 2, n)
        return a, np.where(rng.random(n) < 0.05, 0.0, a)
    if name == "shares":
        p = rng.beta(2, 2, n)
        return (rng.random(n) < p).astype(float), (rng.random(n) < p * 0.8).astype(float)
    centre = rng.beta(2, 2, n)
    return centre, np.clip(centre + rng.normal(0.0, 0.1, n), 0.0, 1.0)


@functools.cache
def true_difference(name: str) -> float:
    """Mean of B minus mean of A."""
    a, b = pair(generator(0, "truth"), 2_000_000, name)
    return float(b.mean() - a.mean())


def of_difference(name: str) -> Case:
    """A paired difference of means."""
    return lambda rng, n: (true_difference(name), difference_interval(*pair(rng, n, name), UNIT))


def of_inverted(name: str) -> Case:
    """The inverted sign-flip test."""

    def draw(rng: Rng, n: int) -> tuple[float, Interval]:
        flips = flip_test(Pairs.of_means(*pair(rng, n, name)))
        lo, hi = flips.interval(0.025)
        return true_difference(name), Estimate(flips.difference, max(-1.0, lo), min(1.0, hi))

    return draw


def of_comparison(name: str) -> Case:
    """The interval of `compare`: the hull of the inverted test and of the interval by range."""

    def draw(rng: Rng, n: int) -> tuple[float, Interval]:
        pairs = Pairs.of_means(*pair(rng, n, name))
        flips = flip_test(pairs)
        return true_difference(name), Estimate(flips.difference, *comparison_interval(pairs, flips, UNIT))

    return draw


def pooled_difference(rng: Rng, n: int) -> tuple[float, Interval]:
    """A paired difference of mean IoU."""
    a, b = miou_states(rng, n, QUALITIES["good"]), miou_states(rng, n, QUALITIES["mixed"])
    b[:, 4:] = a[:, 4:]
    b[:, :4] = a[:, 4:] * rng.beta(5 * QUALITIES["mixed"], 5 * (1 - QUALITIES["mixed"]), (n, 4))
    truth = present_mean(b, QUALITIES["mixed"]) - present_mean(a, QUALITIES["good"])
    return truth, pooled_difference_interval(a, b, miou, UNIT, ratios=miou_parts)
