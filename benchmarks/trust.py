"""Coverage of intervals and error rates of the gate, by simulation: the figures of docs/trust.md.

    python benchmarks/trust.py                     all simulations; exits with 1 if a claim fails
    python benchmarks/trust.py --scale 0.1         a tenth of the repetitions
    python benchmarks/trust.py --only calibrated   the simulations whose name contains a word
    python benchmarks/trust.py --write             put the tables into docs/trust.md

Each cell draws data sets of a known law, makes the 95 % interval of each and counts how often it holds the true value.
Cells are independent streams of one seed, so any of them can be made again alone.
"""

from __future__ import annotations

import argparse
import functools
import math
import multiprocessing
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import binom

import trust_channels
import trust_contamination
import trust_floors
from pixelproof.contract import Estimate
from pixelproof.stats import (
    Pairs,
    Refusal,
    calibrated_interval,
    calibrated_pooled_interval,
    comparison_interval,
    difference_interval,
    fall_tests,
    flip_test,
    generator,
    mean_interval,
    pooled_difference_interval,
    pooled_interval,
)

SECTIONS = (trust_channels, trust_contamination, trust_floors)
"""Modules with a TITLE and `section(scale, pool)`, which returns the text and the claims that failed."""
SIZES = (2, 3, 5, 7, 20, 100)
UNIT = (0.0, 1.0)
PAGE = Path(__file__).parents[1] / "docs" / "trust.md"
Rng = np.random.Generator
Floats = np.ndarray
Interval = Estimate | Refusal
Law = Callable[[Rng, int], Floats]


@dataclass(frozen=True)
class Cell:
    """How often the intervals of one law hold the truth, at one number of independent items."""

    covered: float
    width: float
    refused: float


@dataclass(frozen=True)
class Study:
    """A kind of interval under several laws."""

    title: str
    claim: float
    """The lowest coverage that the documentation promises, over all laws and sizes; nan: none is promised."""
    cases: dict[str, Callable[[Rng, int], tuple[float, Interval]]]
    """Law → a function that draws a data set of n independent items, and returns the truth and the interval."""
    repetitions: int
    fewest: int = 2


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


def of_mean(name: str) -> Callable[[Rng, int], tuple[float, Interval]]:
    """The interval of a bounded mean under a named law."""
    return lambda rng, n: (true_mean(name), mean_interval(LAWS[name](rng, n), UNIT))


@functools.cache
def true_mean(name: str) -> float:
    """The mean of a named law."""
    return mean_of(LAWS[name])


# Items in clusters: n is the number of clusters.


def clustered(sizes: Callable[[Rng, int], Floats], binary: bool) -> Callable[[Rng, int], tuple[float, Interval]]:
    """Rows that share most of their value with their cluster."""

    def draw(rng: Rng, n: int) -> tuple[float, Interval]:
        counts = sizes(rng, n)
        clusters = np.repeat(np.arange(n), counts)
        centre = np.repeat(rng.beta(2, 1, n), counts)
        if binary:
            return 2 / 3, mean_interval((rng.random(len(clusters)) < centre).astype(float), UNIT, clusters)
        return 2 / 3 * 0.95, mean_interval(centre * rng.uniform(0.9, 1.0, len(clusters)), UNIT, clusters)

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


def of_ratio(name: str, heavy: bool, opaque: bool = False) -> Callable[[Rng, int], tuple[float, Interval]]:
    """A pooled ratio; opaque: without telling that it is one."""
    parts = None if opaque else ratio_parts
    return lambda rng, n: (
        true_mean(name),
        pooled_interval(pooled_states(rng, n, LAWS[name], heavy), ratio, UNIT, ratios=parts),
    )


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


def of_miou(name: str, opaque: bool = False) -> Callable[[Rng, int], tuple[float, Interval]]:
    """A mean of ratios."""

    def draw(rng: Rng, n: int) -> tuple[float, Interval]:
        states = miou_states(rng, n, QUALITIES[name])
        interval = pooled_interval(states, miou, UNIT, ratios=None if opaque else miou_parts)
        return present_mean(states, QUALITIES[name]), interval

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


def of_calibrated(name: str, bounds: tuple[float, float] | None = UNIT) -> Callable[[Rng, int], tuple[float, Interval]]:
    """A calibrated mean."""
    return lambda rng, n: (true_calibrated(name), calibrated_interval(*triple(rng, n, name), bounds))


def of_calibrated_pooled(name: str) -> Callable[[Rng, int], tuple[float, Interval]]:
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


def of_unbounded(law: Law, truth: float) -> Callable[[Rng, int], tuple[float, Interval]]:
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


def of_difference(name: str) -> Callable[[Rng, int], tuple[float, Interval]]:
    """A paired difference of means."""
    return lambda rng, n: (true_difference(name), difference_interval(*pair(rng, n, name), UNIT))


def of_inverted(name: str) -> Callable[[Rng, int], tuple[float, Interval]]:
    """The inverted sign-flip test."""

    def draw(rng: Rng, n: int) -> tuple[float, Interval]:
        flips = flip_test(Pairs.of_means(*pair(rng, n, name)))
        lo, hi = flips.interval(0.025)
        return true_difference(name), Estimate(flips.difference, max(-1.0, lo), min(1.0, hi))

    return draw


def of_comparison(name: str) -> Callable[[Rng, int], tuple[float, Interval]]:
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


STUDIES = (
    Study("Means of bounded values", 0.93, {name: of_mean(name) for name in LAWS}, 1000),
    Study(
        "Clustered bounded values",
        0.93,
        {
            f"{sizes.__name__.replace('_', ' ')}, {'share' if binary else 'continuous'}": clustered(sizes, binary)
            for sizes in (four, one_to_five, one_or_twenty)
            for binary in (True, False)
        },
        1000,
    ),
    Study(
        "Pooled ratio",
        0.93,
        {
            f"{name}, {'uneven' if heavy else 'even'} sizes": of_ratio(name, heavy)
            for name in ("share 0.9", "near 1", "5 % crashes", "at both bounds")
            for heavy in (False, True)
        },
        1000,
    ),
    Study("Mean of ratios (mean IoU)", 0.93, {name: of_miou(name) for name in QUALITIES}, 500),
    Study(
        "Pooled metrics whose ratios are not declared",
        0.93,
        {
            **{f"mean IoU, {name}": of_miou(name, opaque=True) for name in QUALITIES},
            "ratio, 5 % crashes": of_ratio("5 % crashes", False, opaque=True),
            "ratio, at both bounds": of_ratio("at both bounds", True, opaque=True),
        },
        300,
    ),
    Study("Calibrated means", 0.93, {name: of_calibrated(name) for name in SITUATIONS}, 1000),
    Study("Calibrated pooled ratios", 0.93, {name: of_calibrated_pooled(name) for name in SITUATIONS}, 400),
    Study(
        "Calibrated means without a declared range (no promise)",
        math.nan,
        {name: of_calibrated(name, None) for name in ("half way", "crashes", "noisy ceiling")},
        1000,
    ),
    Study(
        "Means without a declared range, symmetric",
        0.93,
        {
            "normal": of_unbounded(lambda rng, n: rng.normal(size=n), 0.0),
            "Student's t, 3 degrees": of_unbounded(lambda rng, n: rng.standard_t(3, n), 0.0),
            "normal, clusters of 1 to 5": unbounded_clustered,
        },
        1000,
    ),
    Study(
        "Means without a declared range, skewed (no promise)",
        math.nan,
        {
            "exponential": of_unbounded(lambda rng, n: rng.exponential(size=n), 1.0),
            "lognormal": of_unbounded(lambda rng, n: rng.lognormal(size=n), math.exp(0.5)),
        },
        1000,
    ),
    Study(
        "Paired differences",
        0.93,
        {
            **{name: of_difference(name) for name in ("5 % of B crash", "shares", "symmetric noise")},
            "mean IoU": pooled_difference,
        },
        500,
    ),
    Study(
        "Differences that compare shows",
        0.93,
        {name: of_comparison(name) for name in ("5 % of B crash", "shares", "symmetric noise")},
        500,
    ),
    Study(
        "Inverted sign-flip test",
        math.nan,
        {name: of_inverted(name) for name in ("5 % of B crash", "shares", "symmetric noise")},
        500,
    ),
)


def cell(task: tuple[int, str, int, int]) -> Cell:
    """Run one cell: study, law, number of items, repetitions."""
    index, name, n, repetitions = task
    study = STUDIES[index]
    held, widths, refused = 0, [], 0
    for i in range(repetitions):
        truth, interval = study.cases[name](generator(i, f"{study.title}/{name}", n), n)
        if isinstance(interval, Refusal):
            refused += 1
            continue
        held += interval.lo - 1e-9 <= truth <= interval.hi + 1e-9
        widths.append(interval.hi - interval.lo)
    given = repetitions - refused
    return Cell(
        held / given if given else math.nan, float(np.mean(widths)) if widths else math.nan, refused / repetitions
    )


# The gate.

GATES: dict[str, Callable[[Rng, int], list[Pairs]]] = {
    "null, 1 metric, normal": lambda rng, n: _gate(rng, n, 1, lambda shape: rng.normal(size=shape)),
    "null, 5 metrics, normal": lambda rng, n: _gate(rng, n, 5, lambda shape: rng.normal(size=shape)),
    "null, 5 metrics, shares 0.5": lambda rng, n: _shares(rng, n, 0.5, 0.5),
    "null, 5 metrics, shares 0.9": lambda rng, n: _shares(rng, n, 0.9, 0.9),
    "null, pooled ratio": lambda rng, n: _pooled_gate(rng, n),
    "equal means, skewed differences": lambda rng, n: _gate(rng, n, 1, lambda shape: rng.exponential(size=shape) - 1),
    "1 → 0 in all 5": lambda rng, n: _shares(rng, n, 1.0, 0.0),
    "shares 0.9 → 0.3 in all 5": lambda rng, n: _shares(rng, n, 0.9, 0.3),
    "−1 standard deviation in 1 of 5": lambda rng, n: _gate(
        rng, n, 5, lambda shape: rng.normal(size=shape) - np.array([1.0, 0, 0, 0, 0])
    ),
}
GATE_SIZES = (4, 5, 7, 12, 20, 100)


def _gate(rng: Rng, n: int, k: int, differences: Callable[[tuple[int, int]], Floats]) -> list[Pairs]:
    d = differences((n, k))
    return [Pairs.of_means(np.zeros(n), d[:, j]) for j in range(k)]


def _shares(rng: Rng, n: int, p: float, q: float) -> list[Pairs]:
    a, b = rng.random((5, n)) < p, rng.random((5, n)) < q
    return [Pairs.of_means(x.astype(float), y.astype(float)) for x, y in zip(a, b, strict=True)]


def _pooled_gate(rng: Rng, n: int) -> list[Pairs]:
    sizes = rng.uniform(1.0, 2.0, n)
    a, b = (np.stack([rng.beta(2, 2, n) * sizes, sizes], axis=1) for _ in range(2))
    return [Pairs(a, b, ratio, np.arange(n))]


def gate_cell(task: tuple[str, int, int]) -> float:
    """The share of comparisons in which the gate fires."""
    name, n, repetitions = task
    fired = sum(
        any(fall.p < 0.05 for fall in fall_tests(GATES[name](generator(i, f"gate/{name}", n), n)))
        for i in range(repetitions)
    )
    return fired / repetitions


def binary_worst(n: int) -> tuple[float, float]:
    """Exact coverage of shares: the worst over 999 probabilities, and the mean."""
    intervals = [mean_interval([1.0] * k + [0.0] * (n - k), UNIT) for k in range(n + 1)]
    p = np.arange(1, 1000) / 1000
    masses = binom.pmf(np.arange(n + 1)[:, None], n, p)
    inside = np.array([(interval.lo <= p) & (p <= interval.hi) for interval in intervals])
    coverage = (masses * inside).sum(axis=0)
    return float(coverage.min()), float(coverage.mean())


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["-"] * len(head), *rows])


def percent(share: float) -> str:
    """Three digits, or a dash."""
    return "–" if math.isnan(share) else f"{share:.3f}"


def shown(c: Cell) -> str:
    """Coverage / mean width, and the share refused."""
    text = f"{percent(c.covered)} / {c.width:.2f}" if not math.isnan(c.covered) else "–"
    return text + (f" (refused {c.refused:.2f})" if c.refused else "")


def main() -> int:
    """Run the simulations, print the tables, check the claims."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--scale", type=float, default=1.0, help="factor of the repetitions")
    parser.add_argument("--only", default="", help="run the studies whose title contains this")
    parser.add_argument("--processes", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--write", action="store_true", help="write the tables into docs/trust.md")
    arguments = parser.parse_args()
    started = time.perf_counter()
    sections, failed = [], []
    with multiprocessing.Pool(arguments.processes) as pool:
        for index, study in enumerate(STUDIES):
            if arguments.only.lower() not in study.title.lower():
                continue
            repetitions = max(20, int(study.repetitions * arguments.scale))
            tasks = [(index, name, n, repetitions) for name in study.cases for n in SIZES]
            cells = dict(zip(tasks, pool.map(cell, tasks, chunksize=1), strict=True))
            rows = [[name, *(shown(cells[index, name, n, repetitions]) for n in SIZES)] for name in study.cases]
            covered = [c.covered for c in cells.values() if not math.isnan(c.covered)]
            worst, middle = min(covered), float(np.median(covered))
            # A claim fails if the worst cell is below it by more than chance explains.
            slack = 3 * math.sqrt(study.claim * (1 - study.claim) / repetitions) if not math.isnan(study.claim) else 0.0
            if worst < study.claim - slack:
                failed.append(f"{study.title}: worst coverage {worst:.3f}, claimed {study.claim}")
            text = f"Worst {worst:.3f}, median {middle:.3f}; {repetitions} repetitions per cell."
            sections.append(f"### {study.title}\n\n{text}\n\n" + table(["law", *(f"n = {n}" for n in SIZES)], rows))
            print(sections[-1], f"\n[{time.perf_counter() - started:.0f} s]\n", flush=True)
        if arguments.only.lower() in "exact shares":
            rows = [[percent(x) for x in column] for column in zip(*(binary_worst(n) for n in SIZES), strict=True)]
            rows = [[name, *row] for name, row in zip(("worst", "mean"), rows, strict=True)]
            sections.append(
                "### Shares, exactly\n\nEnumerated over all outcomes and 999 probabilities, no simulation.\n\n"
                + table(["coverage", *(f"n = {n}" for n in SIZES)], rows)
            )
            print(sections[-1], flush=True)
        if arguments.only.lower() in "undefined calibration":
            repetitions = max(20, int(1000 * arguments.scale))
            rates = [1 - _refused(n, repetitions) for n in SIZES]
            sections.append(
                "### Calibration where ceiling and floor are equal in truth\n\n"
                f"Share of runs that still get a calibrated score; {repetitions} repetitions.\n\n"
                + table(["", *(f"n = {n}" for n in SIZES)], [["wrongly defined", *map(percent, rates)]])
            )
            print(sections[-1], flush=True)
        if arguments.only.lower() in "gate":
            repetitions = max(20, int(1000 * arguments.scale))
            jobs = [(name, n, repetitions) for name in GATES for n in GATE_SIZES]
            fired = dict(zip(jobs, pool.map(gate_cell, jobs, chunksize=1), strict=True))
            rows = [[name, *(percent(fired[name, n, repetitions]) for n in GATE_SIZES)] for name in GATES]
            null = max(rate for (name, _, _), rate in fired.items() if name.startswith("null"))
            if null > 0.05 + 3 * math.sqrt(0.05 * 0.95 / repetitions):
                failed.append(f"gate: fires in {null:.3f} of comparisons without a difference")
            sections.append(
                f"### Gate\n\nShare of comparisons in which it fires (p < 0.05); {repetitions} repetitions per cell. "
                f"Largest rate without a difference: {null:.3f}.\n\n"
                + table(["situation", *(f"n = {n}" for n in GATE_SIZES)], rows)
            )
            print(sections[-1], flush=True)
        for module in SECTIONS:
            if arguments.only.lower() in module.TITLE.lower():
                text, broken = module.section(arguments.scale, pool)
                failed += broken
                sections.append(f"### {module.TITLE}\n\n{text}")
                print(sections[-1], f"\n[{time.perf_counter() - started:.0f} s]\n", flush=True)
    print(f"\n{time.perf_counter() - started:.0f} s on {arguments.processes} processes.")
    if arguments.write:
        write("\n\n".join(sections))
    for claim in failed:
        print(f"FAILED {claim}")
    return 1 if failed else 0


def _refused(n: int, repetitions: int) -> float:
    refusals = (isinstance(no_ceiling(generator(i, "no ceiling", n), n)[1], Refusal) for i in range(repetitions))
    return float(np.mean(list(refusals)))


def write(text: str) -> None:
    """Replace the part of the page between the markers."""
    start, end = "<!-- figures: made by make trust -->", "<!-- end of figures -->"
    page = PAGE.read_text()
    before, after = page.split(start)[0], page.split(end)[1]
    PAGE.write_text(f"{before}{start}\n\n{text}\n\n{end}{after}")


if __name__ == "__main__":
    raise SystemExit(main())
