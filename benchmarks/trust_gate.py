"""Error rates and power of the gate of `compare --fail-if-worse`."""

from __future__ import annotations

import math
import multiprocessing.pool
from collections.abc import Callable

import numpy as np

from pixelproof.harness import Gate, Losses
from pixelproof.stats import Pairs, clopper_pearson, fall_tests, generator
from trust_laws import Floats, Rng, ratio
from trust_tables import Section, format_share, table

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


LOST_ITEMS = 60
FALL = 0.2
LOSSES: dict[str, Callable[[Floats], Floats]] = {
    "none": lambda difficulty: 0.0 * difficulty,
    "3 % at random": lambda difficulty: 0.03 + 0.0 * difficulty,
    "3 %, the more difficult the likelier": lambda difficulty: 0.12 * difficulty**3,
    "30 % at random": lambda difficulty: 0.3 + 0.0 * difficulty,
    "20 %, the more difficult the likelier": lambda difficulty: 0.8 * difficulty**3,
    "30 %, the most difficult": lambda difficulty: 1.0 * (difficulty > 0.7),
    "50 %, the most difficult": lambda difficulty: 1.0 * (difficulty > 0.5),
}
"""Probability that B's answer to an item of a difficulty from 0 to 1 is lost."""


def lost_cell(task: tuple[str, float, int]) -> Floats:
    """Means of: difference shown, bounds hold the difference of all answers, fires without the rule, fires, no verdict.

    A is right on an item with the probability 1 − 0.6 · difficulty; B falls on the more difficult half alone.
    """
    name, fall, repetitions = task
    rows = []
    for i in range(repetitions):
        rng = generator(i, f"losses/{name}/{fall}", LOST_ITEMS)
        difficulty = rng.random(LOST_ITEMS)
        right = 1 - 0.6 * difficulty
        a = (rng.random(LOST_ITEMS) < right).astype(float)
        b = (rng.random(LOST_ITEMS) < right - 2 * fall * (difficulty > 0.5)).astype(float)
        lost = rng.random(LOST_ITEMS) < LOSSES[name](difficulty)
        if lost.all():
            continue
        kept = ~lost
        ends = [float((np.where(lost, end, b) - a).mean()) for end in (0.0, 1.0)]
        losses = Losses(0, int(lost.sum()), (LOST_ITEMS, LOST_ITEMS))
        gate = Gate(
            {"right": fall_tests([Pairs.of_means(a[kept], b[kept])])[0]}, {"right": (losses, (ends[0], ends[1]))}
        )
        full = float((b - a).mean())
        rows.append(
            (
                float((b - a)[kept].mean()),
                ends[0] - 1e-12 <= full <= ends[1] + 1e-12,
                bool(gate.worse),
                bool(gate.worse) and not gate.incomplete,
                bool(gate.incomplete),
            )
        )
    return np.array(rows, dtype=np.float64).mean(axis=0)


def lost_section(scale: float, pool: multiprocessing.pool.Pool) -> tuple[str, list[str]]:
    """What losses that depend on difficulty do to the gate, with and without its limit."""
    repetitions = max(20, int(400 * scale))
    jobs = [(name, fall, repetitions) for name in LOSSES for fall in (0.0, FALL)]
    cells = dict(zip(jobs, pool.map(lost_cell, jobs, chunksize=1), strict=True))
    rows, failed = [], []
    for name in LOSSES:
        fallen, equal = cells[name, FALL, repetitions], cells[name, 0.0, repetitions]
        passed = [1 - fallen[2], 1 - fallen[3] - fallen[4]]
        rows.append(
            [
                name,
                f"{fallen[0]:+.2f}",
                *(with_interval(share, repetitions) for share in passed),
                with_interval(fallen[4], repetitions),
                with_interval(equal[3], repetitions),
            ]
        )
        if fallen[1] < 1 or equal[1] < 1:
            failed.append(f"losses: the worst case does not hold the difference of all answers ({name})")
    # A gate that has a verdict must not pass clearly more often than without losses.
    most = max(1 - cell[3] - cell[4] for (_, fall, _), cell in cells.items() if fall)
    none = 1 - cells["none", FALL, repetitions][3]
    if most > none + 3 * math.sqrt(none * (1 - none) / repetitions) + 0.05:
        failed.append(f"losses: passes in {most:.3f} of comparisons of a worse model, {none:.3f} without losses")
    text = (
        f"{LOST_ITEMS} items of a difficulty drawn evenly; B is {100 * FALL:.0f} points worse, all of it on the more "
        f"difficult half, and loses answers. {repetitions} repetitions; brackets are 95 % intervals. The worst case "
        "held the difference of all answers in every repetition.\n\n"
        + table(
            [
                "B's losses",
                "mean B − A shown",
                "passes, losses ignored",
                "passes",
                "no verdict (exit code 4)",
                "fires, B equal",
            ],
            rows,
        )
    )
    return text, failed


def with_interval(share: float, repetitions: int) -> str:
    """A share of the repetitions with its interval."""
    interval = clopper_pearson(round(share * repetitions), repetitions)
    return f"{format_share(share)} [{interval.lo:.2f}, {interval.hi:.2f}]"


TEAM_SIZES = (10, 40, 200)
POWER_SIZES = (10, 20, 40, 80, 200)


def models(rng: Rng, n: int, a: float, b: float, size: int) -> dict[str, Pairs]:
    """Three metrics of two models on the same items: right or wrong, a graded score, and a pooled ratio.

    The items have a difficulty in common, shared by the `size` items of a cluster; a and b are the models' levels.
    """
    clusters = np.arange(n) // size
    ease = rng.beta(4, 2, -(-n // size))[clusters]
    sides = []
    for level in (a, b):
        centre = np.clip(ease * level / (2 / 3), 0.0, 1.0)
        graded = np.clip(centre + rng.normal(0, 0.15, n), 0, 1) if level else np.zeros(n)
        weights = rng.uniform(1, 2, n)
        pooled = np.stack([np.clip(centre + rng.normal(0, 0.1, n) * (level > 0), 0, 1) * weights, weights], axis=1)
        sides.append(((rng.random(n) < centre).astype(float), graded, pooled))
    (x, y, z), (u, v, w) = sides
    return {
        "right": Pairs.of_means(x, u, clusters),
        "graded": Pairs.of_means(y, v, clusters),
        "pooled": Pairs(z, w, ratio, clusters),
    }


def team_cell(task: tuple[float, float, int, int, int]) -> float:
    """The share of comparisons in which the gate over three metrics fires."""
    a, b, size, n, repetitions = task
    fired = (
        bool(Gate.test(models(generator(i, f"team/{a}/{b}/{size}", n), n, a, b, size)).worse)
        for i in range(repetitions)
    )
    return sum(fired) / repetitions


def team_section(scale: float, pool: multiprocessing.pool.Pool) -> tuple[str, list[str]]:
    """How often the gate fires on the same model twice, on a collapse, and on falls of 10 and 30 points."""
    null, some = max(20, int(4000 * scale)), max(20, int(300 * scale))
    twice = {(size, n): (0.6, 0.6, size, n, null) for size in (1, 2) for n in TEAM_SIZES}
    collapse = {(size, n): (0.6, 0.0, size, n, some) for size in (1, 2) for n in (10, 40)}
    falls = {(fall, n): (0.6, 0.6 - fall, 1, n, some) for fall in (0.1, 0.3) for n in POWER_SIZES}
    jobs = sorted({*twice.values(), *collapse.values(), *falls.values()}, key=lambda job: -job[3])
    fired = dict(zip(jobs, pool.map(team_cell, jobs, chunksize=1), strict=True))
    failed = []
    rows = []
    for size in (1, 2):
        name = f"the same model twice, {'independent items' if size == 1 else 'clusters of two items'} ({null} pairs)"
        rows.append([name, *(with_interval(fired[twice[size, n]], null) for n in TEAM_SIZES)])
    worst = max(clopper_pearson(round(fired[job] * null), null).hi for job in twice.values())
    if scale >= 1 and worst > 0.07:
        failed.append(f"gate: fires in up to {worst:.3f} of comparisons of a model with itself")
    least = min(fired[job] for job in collapse.values())
    if least < 1:
        failed.append(f"gate: a total collapse fires in {least:.3f} only")
    power = [
        [f"{100 * fall:.0f} points worse", *(with_interval(fired[falls[fall, n]], some) for n in POWER_SIZES)]
        for fall in (0.1, 0.3)
    ]
    text = (
        "Three metrics in one gate: right or wrong, a graded score, a pooled ratio; level 0.6. Share of comparisons in "
        f"which the gate fires, with its 95 % interval. Largest upper limit: {worst:.3f}.\n\n"
        + table(["B", *(f"n = {n}" for n in TEAM_SIZES)], rows)
        + f"\n\nA total collapse (0.6 → 0 in all three) fired in all of {some} comparisons of each of 10 and 40 "
        "independent items, and of 5 and 20 clusters of two.\n\nPower, "
        f"{some} comparisons per cell:\n\n" + table(["B", *(f"n = {n}" for n in POWER_SIZES)], power)
    )
    return text, failed


SECTIONS = (
    Section("Gate", section),
    Section("One model twice, collapse and power", team_section),
    Section("Lost answers", lost_section),
)
