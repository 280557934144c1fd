"""Contamination tests over all items, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from pixelproof.contract import Estimate
from pixelproof.stats import FEWEST_CLUSTERS, Flips, Redealt, advantage_test, fewest_for_exchange, holm, redeal_test

from ._item import KINDS, ItemEvidence, dealings

ALPHA = 0.05
MARGIN = 0.02
"""Effects up to this never raise an alarm, however certain they are: instrument effects are smaller (docs/trust.md)."""
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
    """The effect, with an interval whose lower end is above the margin exactly if there is an alarm."""
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
    def verdict(self) -> Literal["alarm", "no alarm", "not testable"]:
        """`alarm` if any test raises one; `not testable` if none can be made."""
        if any(test.alarm for test in self.tests):
            return "alarm"
        return "not testable" if all(test.reason for test in self.tests) else "no alarm"

    @property
    def message(self) -> str:
        """The verdict in sentences."""
        alarms = [_sentence(test) for test in self.tests if test.alarm]
        reasons = list(dict.fromkeys(test.reason for test in self.tests if test.reason))
        if alarms:
            return "Alarm. " + " ".join(alarms)
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
    all of them, so a model whose labels do not depend on the palette raises an alarm in at most 5 % of cases.
    """
    kinds = [kind for kind in KINDS if any(kind in item.differences for item in items)]
    count = sum(2 if kind in KINDS[:2] else 1 for kind in kinds)
    clusters = np.unique([item.cluster for item in items], return_inverse=True)[1].ravel()
    made: list[tuple[ContaminationTest, Flips | Redealt | None]] = []
    for kind in kinds:
        made.append(_accuracy(kind, items, clusters, count))
        if kind in KINDS[:2]:
            made.append(_colours(kind, items, made[-1][0], count))
    return Contamination(_corrected(made))


def _accuracy(
    kind: str, items: Sequence[ItemEvidence], clusters: np.ndarray[Any, Any], count: int
) -> tuple[ContaminationTest, Flips | None]:
    differences = np.stack([item.differences[kind] for item in items])
    paired = (~np.isnan(differences[:, 0, 1:])).any(axis=1)
    shares = np.stack([item.compared[kind] for item in items])[:, 0, 1:]
    compared = float(np.nanmean(shares)) if paired.any() else 0.0
    conditions, independent = differences.shape[1], len(np.unique(clusters[paired]))
    test = ContaminationTest(kind, "accuracy", conditions - 1, independent, compared)
    fewest = max(FEWEST_CLUSTERS, fewest_for_exchange(conditions, ALPHA / 2 / count))
    if independent < fewest:
        return replace(test, reason=_too_few(kind, test, fewest)), None
    if compared < LEAST_COMPARED:
        return replace(test, reason=_not_flat(kind, test)), None
    return test, advantage_test(differences, clusters)


def _colours(
    kind: str, items: Sequence[ItemEvidence], accuracy: ContaminationTest, count: int
) -> tuple[ContaminationTest, Redealt | None]:
    test = replace(accuracy, evidence="colours", reason="")
    if test.clusters < FEWEST_CLUSTERS:
        return replace(test, reason=_too_few(kind, test, FEWEST_CLUSTERS)), None
    redealt = redeal_test(dealings(kind, items))
    if 2 * count / redealt.possible > ALPHA:
        reason = (
            f"{kind}, colours: palettes of so few labels have only {redealt.possible:.0f} possible deals, so chance "
            "cannot be excluded: use more labels or more runs."
        )
        return replace(test, reason=reason), None
    return test, redealt


def _corrected(made: Sequence[tuple[ContaminationTest, Flips | Redealt | None]]) -> list[ContaminationTest]:
    p = {i: min(1.0, 2 * outcome.p_above(MARGIN)) for i, (_, outcome) in enumerate(made) if outcome is not None}
    adjusted = dict(zip(p, holm(list(p.values())).tolist(), strict=True)) if p else {}
    tests = []
    for i, (test, outcome) in enumerate(made):
        if outcome is not None:
            # The level at which p is just significant after the correction: interval and alarm cannot contradict.
            lo, hi = outcome.interval(ALPHA / 2 * p[i] / adjusted[i])
            value = outcome.excess if isinstance(outcome, Redealt) else outcome.difference
            ends = [min(1.0, max(-1.0, end)) for end in (lo, hi)]
            test = replace(test, effect=Estimate(value, *ends), p=p[i], p_holm=adjusted[i])
        tests.append(test)
    return tests


def _too_few(kind: str, test: ContaminationTest, fewest: int) -> str:
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
    return f"With {condition}, the accuracy falls by {size}."
