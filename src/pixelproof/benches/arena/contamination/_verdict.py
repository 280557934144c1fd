"""Contamination tests over all items, and the verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Estimate
from pixelproof.stats import (
    FEWEST_CLUSTERS,
    Flips,
    PermutationResult,
    advantage_test,
    fewest_for_exchange,
    holm,
    mean_interval,
    permutation_test,
)

from ._item import KINDS, ItemEvidence, assignments
from ._painted import Floats

ALPHA = 0.05
MARGIN = 0.02
"""Effects up to this never raise an alarm: those of the instrument are smaller (docs/methods/contamination.md)."""
LEAST_COMPARED = 0.1
"""Share of an item that must be painted in flat areas for a test."""


@dataclass(frozen=True)
class ContaminationTest:
    """One test of one kind of condition."""

    kind: str
    """`permuted`, `fresh` or `renamed`."""
    evidence: Literal["accuracy", "colours"]
    """`accuracy`: fall of the accuracy against the published palette. `colours`: share of the picture painted in the
    published colour of the true label instead of the colour asked for, beyond chance."""
    runs: int
    clusters: int
    """Independent items with an answer in the published palette and in another."""
    compared: float
    """Mean share of an item that both answers of a pair paint in flat areas."""
    effect: Estimate | None = None
    """The effect, with an interval whose lower end is above the margin exactly if there is an alarm. It allows for
    falls that did not occur among so few items, so it is wide even where all items agree."""
    p: float | None = None
    """Twice the one-sided p that the effect is no larger than the margin."""
    p_holm: float | None = None
    """The same, corrected for all tests of the model (Holm)."""
    reason: str = ""
    """Why the test cannot be made."""

    @property
    def alarm(self) -> bool:
        """Whether the effect is larger than the margin at p ≤ 0.05 after the correction."""
        return self.p_holm is not None and self.p_holm <= ALPHA


@dataclass(frozen=True)
class Contamination:
    """All contamination tests of a model."""

    tests: Sequence[ContaminationTest]

    @property
    def verdict(self) -> Literal["memorised", "differs", "no alarm", "not testable"]:
        """What the alarms show; `not testable` if no test can be made.

        Only published colours show memory. Accuracy may also differ because some colours or names suit the model.
        """
        if alarms := {test.evidence for test in self.tests if test.alarm}:
            return "memorised" if "colours" in alarms else "differs"
        return "not testable" if all(test.reason for test in self.tests) else "no alarm"

    @property
    def message(self) -> str:
        """The verdict in sentences."""
        alarms = [_sentence(test) for test in self.tests if test.alarm]
        reasons = list(dict.fromkeys(test.reason for test in self.tests if test.reason))
        if alarms:
            reading = (
                ""
                if self.verdict == "memorised"
                else " Either the model remembers the published ones, or they suit it better."
            )
            return f"{self.verdict.capitalize()}. {' '.join(alarms)}{reading}"
        if self.verdict == "not testable":
            return "Not testable. " + " ".join(reasons)
        return f"No alarm: no effect above {MARGIN} is shown (p ≤ {ALPHA}, {len(self.tests)} tests, Holm)."

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        tests = [{**asdict(test), "alarm": test.alarm} for test in self.tests]
        return {"verdict": self.verdict, "message": self.message, "margin": MARGIN, "alpha": ALPHA, "tests": tests}


def judge_contamination(items: Sequence[ItemEvidence]) -> Contamination:
    """Test all kinds of conditions that the items have.

    Two tests for `permuted` and `fresh` (accuracy, colours), one for `renamed` (accuracy). Holm's correction is over
    all of them, so a model that does not know the published colours is called `memorised` in at most 5 % of cases.
    """
    kinds = [kind for kind in KINDS if any(kind in item.differences for item in items)]
    count = sum(2 if kind in KINDS[:2] else 1 for kind in kinds)
    clusters = np.unique([item.cluster for item in items], return_inverse=True)[1].ravel()
    made: list[_Made] = []
    for kind in kinds:
        made.append(_accuracy(kind, items, clusters, count))
        if kind in KINDS[:2]:
            made.append(_colours(kind, items, made[-1].test, count))
    return Contamination(_corrected(made, clusters))


@dataclass(frozen=True)
class _Made:
    """A test before the correction."""

    test: ContaminationTest
    outcome: Flips | PermutationResult | None = None
    by_item: Floats | None = None
    """The effect of each item, for the interval by range."""


def _accuracy(kind: str, items: Sequence[ItemEvidence], clusters: npt.NDArray[np.int64], count: int) -> _Made:
    readings = np.stack([item.differences[kind] for item in items], axis=1)
    paired = np.asarray((~np.isnan(readings[0, :, 0, 1:])).any(axis=1))
    shares = np.stack([item.compared[kind] for item in items])[:, 0, 1:]
    compared = float(np.nanmean(shares)) if paired.any() else 0.0
    conditions, independent = readings.shape[2], len(np.unique(clusters[paired]))
    test = ContaminationTest(kind, "accuracy", conditions - 1, independent, compared)
    fewest = max(FEWEST_CLUSTERS, fewest_for_exchange(conditions, ALPHA / 2 / count))
    if independent < fewest:
        return _Made(replace(test, reason=_too_few(kind, test, fewest)))
    if compared < LEAST_COMPARED:
        return _Made(replace(test, reason=_not_flat(kind, test)))
    # An alarm needs a fall whichever colours the answers are decoded by: the least certain one decides.
    outcomes = [advantage_test(differences, clusters) for differences in readings]
    weakest = max(range(len(outcomes)), key=lambda way: (outcomes[way].p_above(MARGIN), -outcomes[way].difference))
    first = readings[weakest, :, 0, 1:]
    by_item = [float(np.nanmean(row)) if known else math.nan for row, known in zip(first, paired, strict=True)]
    return _Made(test, outcomes[weakest], np.array(by_item))


def _colours(kind: str, items: Sequence[ItemEvidence], accuracy: ContaminationTest, count: int) -> _Made:
    test = replace(accuracy, evidence="colours", reason="")
    if test.clusters < FEWEST_CLUSTERS:
        return _Made(replace(test, reason=_too_few(kind, test, FEWEST_CLUSTERS)))
    permuted = permutation_test(assignments(kind, items))
    if 2 * count / permuted.possible > ALPHA:
        reason = (
            f"{kind}, colours: palettes of so few labels have only {permuted.possible:.0f} possible permutations, so "
            "chance cannot be excluded: use more labels or more runs."
        )
        return _Made(replace(test, reason=reason))
    by_item = [[one.excess for one in item.agreements[kind]] for item in items]
    return _Made(test, permuted, np.array([np.mean(row) if row else math.nan for row in by_item]))


def _corrected(made: Sequence[_Made], clusters: npt.NDArray[np.int64]) -> list[ContaminationTest]:
    p = {i: min(1.0, 2 * one.outcome.p_above(MARGIN)) for i, one in enumerate(made) if one.outcome is not None}
    adjusted = dict(zip(p, holm(list(p.values())).tolist(), strict=True)) if p else {}
    tests = []
    for i, one in enumerate(made):
        if one.outcome is None:
            tests.append(one.test)
            continue
        # The level at which p is just significant after the correction: interval and alarm cannot contradict.
        effect = _effect(one, clusters, ALPHA / 2 * p[i] / adjusted[i])
        tests.append(replace(one.test, effect=effect, p=p[i], p_holm=adjusted[i]))
    return tests


def _effect(made: _Made, clusters: npt.NDArray[np.int64], tail: float) -> Estimate:
    """The hull of the inverted test and of the interval by range, cut so that it agrees with the test.

    The test knows only the differences that occurred, so its inversion is a point where all items are equal.
    """
    assert made.outcome is not None and made.by_item is not None
    lo, hi = made.outcome.interval(tail)
    known = ~np.isnan(made.by_item)
    by_range = mean_interval(made.by_item[known], (-1.0, 1.0), clusters[known], 1 - 2 * tail)
    if isinstance(by_range, Estimate):
        low = min(lo, by_range.lo)
        lo, hi = (lo if lo > MARGIN >= low else low), max(hi, by_range.hi)
    value = made.outcome.excess if isinstance(made.outcome, PermutationResult) else made.outcome.difference
    return Estimate(value, max(-1.0, lo), min(1.0, hi))


def _too_few(kind: str, test: ContaminationTest, fewest: int) -> str:
    if not test.clusters:
        return f"{kind}, {test.evidence}: no item has images under both conditions."
    return (
        f"{kind}, {test.evidence}: {test.clusters} independent items with answers under both conditions are too few; "
        f"at least {fewest} are needed: raise --limit."
    )


def _not_flat(kind: str, test: ContaminationTest) -> str:
    return (
        f"{kind}, {test.evidence}: only {test.compared:.0%} of the pixels lie in flat areas of both answers, so their "
        "labels cannot be read independently of the palette."
    )


def _sentence(test: ContaminationTest) -> str:
    assert test.effect is not None and test.p_holm is not None
    size = f"{test.effect.value:.3f} [{test.effect.lo:.3f}, {test.effect.hi:.3f}], p = {test.p_holm:.2g}"
    condition = {"permuted": "permuted colours", "fresh": "new colours", "renamed": "other names"}[test.kind]
    if test.evidence == "colours":
        return f"With {condition}, the model still paints in the published colours: share beyond chance {size}."
    return f"With {condition}, the accuracy of the model falls by {size}."
