"""Error rates and power of the gate of `compare --fail-if-worse`."""

from __future__ import annotations

import math
import multiprocessing.pool
from collections.abc import Callable

import numpy as np

from pixelproof.stats import Pairs, fall_tests, generator
from trust_laws import Floats, Rng, ratio
from trust_tables import format_share, table

TITLE = "Gate"
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


def section(scale: float, pool: multiprocessing.pool.Pool) -> tuple[str, list[str]]:
    """The text of the section, and the claims that failed."""
    repetitions = max(20, int(1000 * scale))
    jobs = [(name, n, repetitions) for name in GATES for n in GATE_SIZES]
    fired = dict(zip(jobs, pool.map(gate_cell, jobs, chunksize=1), strict=True))
    rows = [[name, *(format_share(fired[name, n, repetitions]) for n in GATE_SIZES)] for name in GATES]
    null = max(rate for (name, _, _), rate in fired.items() if name.startswith("null"))
    failed = []
    if null > 0.05 + 3 * math.sqrt(0.05 * 0.95 / repetitions):
        failed.append(f"gate: fires in {null:.3f} of comparisons without a difference")
    text = (
        f"Share of comparisons in which it fires (p < 0.05); {repetitions} repetitions per cell. "
        f"Largest rate without a difference: {null:.3f}.\n\n"
        + table(["situation", *(f"n = {n}" for n in GATE_SIZES)], rows)
    )
    return text, failed
