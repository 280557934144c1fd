"""Coverage of intervals: how often the 95 % interval of a simulated data set holds the true value."""

from __future__ import annotations

import functools
import math
import multiprocessing.pool
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

from pixelproof.stats import Undefined, generator, mean_interval
from trust_laws import (
    DEPENDENT,
    LAWS,
    MACRO,
    QUALITIES,
    SITUATIONS,
    UNIT,
    Case,
    clustered,
    four,
    hard_clusters,
    no_ceiling,
    of_calibrated,
    of_calibrated_macro,
    of_calibrated_pooled,
    of_comparison,
    of_difference,
    of_inverted,
    of_macro,
    of_mean,
    of_miou,
    of_pq,
    of_ratio,
    of_unbounded,
    one_or_twenty,
    one_to_five,
    pooled_difference,
    unbounded_clustered,
)
from trust_tables import Section, format_share, table

SIZES = (2, 3, 5, 7, 20, 100)
MACRO_SIZES = (3, 6, 15, 20, 40, 100)


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
    cases: dict[str, Case]
    repetitions: int
    sizes: tuple[int, ...] = SIZES


STUDIES = (
    Study("Means of bounded values", 0.93, {name: of_mean(name) for name in LAWS}, 600),
    Study(
        "Clustered bounded values",
        0.93,
        {
            f"{sizes.__name__.replace('_', ' ')}, {'share' if binary else 'continuous'}": clustered(sizes, binary)
            for sizes in (four, one_to_five, one_or_twenty)
            for binary in (True, False)
        },
        600,
    ),
    Study(
        "Clusters whose size depends on the value (no promise)",
        math.nan,
        {f"every fifth of {size}, mostly wrong": hard_clusters(size) for size in (2, 5, 20)},
        600,
    ),
    Study(
        "Pooled ratio",
        0.93,
        {
            f"{name}, {'uneven' if heavy else 'even'} sizes": of_ratio(name, heavy)
            for name in ("share 0.9", "near 1", "5 % crashes", "at both bounds")
            for heavy in (False, True)
        },
        600,
    ),
    Study("Pooled ratio whose value depends on the size (no promise)", math.nan, DEPENDENT, 600),
    Study(
        "Mean of ratios (mean IoU, panoptic quality)",
        0.93,
        {
            **{name: of_miou(name) for name in QUALITIES},
            **{f"panoptic quality, {name}": of_pq(name) for name in QUALITIES},
            **{name: of_macro(name) for name in MACRO},
        },
        300,
        MACRO_SIZES,
    ),
    Study(
        "Calibrated means of ratios",
        0.93,
        {name: of_calibrated_macro(name) for name in ("19 classes", "4 classes, 5 % crashes")},
        300,
        MACRO_SIZES,
    ),
    Study(
        "Pooled metrics whose ratios are not declared",
        0.93,
        {
            **{f"mean IoU, {name}": of_miou(name, opaque=True) for name in QUALITIES},
            "ratio, 5 % crashes": of_ratio("5 % crashes", False, opaque=True),
            "ratio, at both bounds": of_ratio("at both bounds", True, opaque=True),
        },
        200,
    ),
    Study("Calibrated means", 0.93, {name: of_calibrated(name) for name in SITUATIONS}, 600),
    Study("Calibrated pooled ratios", 0.93, {name: of_calibrated_pooled(name) for name in SITUATIONS}, 400),
    Study(
        "Calibrated means without a declared range (no promise)",
        math.nan,
        {name: of_calibrated(name, None) for name in ("half way", "crashes", "noisy ceiling")},
        600,
    ),
    Study(
        "Means without a declared range, symmetric",
        0.93,
        {
            "normal": of_unbounded(lambda rng, n: rng.normal(size=n), 0.0),
            "Student's t, 3 degrees": of_unbounded(lambda rng, n: rng.standard_t(3, n), 0.0),
            "normal, clusters of 1 to 5": unbounded_clustered,
        },
        600,
    ),
    Study(
        "Means without a declared range, skewed (no promise)",
        math.nan,
        {
            "exponential": of_unbounded(lambda rng, n: rng.exponential(size=n), 1.0),
            "lognormal": of_unbounded(lambda rng, n: rng.lognormal(size=n), math.exp(0.5)),
        },
        600,
    ),
    Study(
        "Paired differences",
        0.93,
        {
            **{name: of_difference(name) for name in ("5 % of B crash", "shares", "symmetric noise")},
            "mean IoU": pooled_difference,
        },
        300,
    ),
    Study(
        "Differences that compare shows",
        0.93,
        {name: of_comparison(name) for name in ("5 % of B crash", "shares", "symmetric noise")},
        300,
    ),
    Study(
        "Inverted sign-flip test",
        math.nan,
        {name: of_inverted(name) for name in ("5 % of B crash", "shares", "symmetric noise")},
        300,
    ),
)


def cell(task: tuple[int, str, int, int]) -> Cell:
    """Run one cell: study, law, number of items, repetitions."""
    index, name, n, repetitions = task
    study = STUDIES[index]
    held, widths, refused = 0, [], 0
    for i in range(repetitions):
        truth, interval = study.cases[name](generator(i, f"{study.title}/{name}", n), n)
        if isinstance(interval, Undefined):
            refused += 1
            continue
        held += interval.lo - 1e-9 <= truth <= interval.hi + 1e-9
        widths.append(interval.hi - interval.lo)
    given = repetitions - refused
    return Cell(
        held / given if given else math.nan, float(np.mean(widths)) if widths else math.nan, refused / repetitions
    )


def binary_worst(n: int) -> tuple[float, float]:
    """Exact coverage of shares: the worst over 999 probabilities, and the mean."""
    intervals = [mean_interval([1.0] * k + [0.0] * (n - k), UNIT) for k in range(n + 1)]
    p = np.arange(1, 1000) / 1000
    masses = binom.pmf(np.arange(n + 1)[:, None], n, p)
    inside = np.array([(interval.lo <= p) & (p <= interval.hi) for interval in intervals])
    coverage = (masses * inside).sum(axis=0)
    return float(coverage.min()), float(coverage.mean())


def coverage(index: int, scale: float, pool: multiprocessing.pool.Pool) -> tuple[str, list[str]]:
    """The table of one study, and its claim if it failed."""
    study = STUDIES[index]
    repetitions = max(20, int(study.repetitions * scale))
    tasks = [(index, name, n, repetitions) for name in study.cases for n in study.sizes]
    cells = dict(zip(tasks, pool.map(cell, tasks, chunksize=1), strict=True))
    rows = [[name, *(show(cells[index, name, n, repetitions]) for n in study.sizes)] for name in study.cases]
    covered = [c.covered for c in cells.values() if not math.isnan(c.covered)]
    worst, middle = min(covered), float(np.median(covered))
    # A claim fails if the worst cell is below it by more than chance explains.
    slack = 0.0 if math.isnan(study.claim) else 3 * math.sqrt(study.claim * (1 - study.claim) / repetitions)
    failed = (
        [f"{study.title}: worst coverage {worst:.3f}, claimed {study.claim}"] if worst < study.claim - slack else []
    )
    text = f"Worst {worst:.3f}, median {middle:.3f}; {repetitions} repetitions per cell."
    return f"{text}\n\n" + table(["law", *(f"n = {n}" for n in study.sizes)], rows), failed


def show(c: Cell) -> str:
    """Coverage / mean width, and the share refused."""
    text = "–" if math.isnan(c.covered) else f"{format_share(c.covered)} / {c.width:.2f}"
    return text + (f" (refused {c.refused:.2f})" if c.refused >= 0.005 else "")


def exact_shares(scale: float, pool: multiprocessing.pool.Pool) -> tuple[str, list[str]]:
    """The coverage of shares without simulation."""
    rows = zip(("worst", "mean"), zip(*(binary_worst(n) for n in SIZES), strict=True), strict=True)
    return (
        "Enumerated over all outcomes and 999 probabilities, no simulation.\n\n"
        + table(["coverage", *(f"n = {n}" for n in SIZES)], [[name, *map(format_share, row)] for name, row in rows])
    ), []


def undefined_calibration(scale: float, pool: multiprocessing.pool.Pool) -> tuple[str, list[str]]:
    """How often a calibrated score is given where ceiling and floor are equal in truth."""
    repetitions = max(20, int(1000 * scale))
    rates = pool.map(functools.partial(given_without_ceiling, repetitions=repetitions), SIZES, chunksize=1)
    return (
        f"Share of runs that still get a calibrated score; {repetitions} repetitions.\n\n"
        + table(["", *(f"n = {n}" for n in SIZES)], [["wrongly defined", *map(format_share, rates)]])
    ), []


def given_without_ceiling(n: int, repetitions: int) -> float:
    """The share of data sets with equal floor and ceiling that are not refused."""
    draws = (no_ceiling(generator(i, "no ceiling", n), n)[1] for i in range(repetitions))
    return float(np.mean([not isinstance(interval, Undefined) for interval in draws]))


SECTIONS = (
    *(Section(study.title, functools.partial(coverage, index)) for index, study in enumerate(STUDIES)),
    Section("Shares, exactly", exact_shares),
    Section("Calibration where ceiling and floor are equal in truth", undefined_calibration),
)
