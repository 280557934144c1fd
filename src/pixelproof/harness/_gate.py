"""Gates for continuous integration: is run B worse than run A, and is a run worse than a limit?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from pixelproof.contract import Bench, PixelProofError, unknown_name
from pixelproof.stats import FEWEST_CLUSTERS, Fall, Pairs, fall_tests

if TYPE_CHECKING:
    from pixelproof.harness._opened import Run

ALPHA = 0.05
MOST_MISSING = 0.05
"""Share of lost answers above which a gate gives no verdict, unless `--allow-missing` says otherwise."""


class Outcome(StrEnum):
    """What a gate says of one metric, or of all together."""

    PASSED = "passed"
    WORSE = "worse"
    INCONCLUSIVE = "inconclusive"
    NO_VERDICT = "no verdict"


@dataclass(frozen=True)
class Check:
    """The outcome of a gate in one metric."""

    metric: str
    outcome: Outcome
    message: str


@dataclass(frozen=True)
class Verdict:
    """The outcome of a gate: one check per metric, unless a problem makes them meaningless."""

    checks: Sequence[Check]
    problem: str = ""
    """Why there is no verdict: too many answers are lost, or every answer is a fault."""

    @property
    def outcome(self) -> Outcome:
        """The outcome of all checks together."""
        if self.problem:
            return Outcome.NO_VERDICT
        outcomes = {check.outcome for check in self.checks}
        return next((o for o in (Outcome.WORSE, Outcome.INCONCLUSIVE) if o in outcomes), Outcome.PASSED)


@dataclass(frozen=True)
class Losses:
    """Answers that are lost in one of two runs: infrastructure or instrument faults, and those never asked for.

    Only items of both plans count that have a value in either run: answers that both lack, and metrics that do not
    apply, say nothing about the difference.
    """

    a: int = 0
    b: int = 0
    planned: tuple[int, int] = (0, 0)
    """Answers that A and B should have to these items."""

    @property
    def share(self) -> float:
        """The larger share of the two runs."""
        return max(lost / max(1, planned) for lost, planned in zip((self.a, self.b), self.planned, strict=True))


@dataclass(frozen=True)
class Gate:
    """The test behind `compare --fail-if-worse`: is B worse than A in any of these metrics?"""

    falls: Mapping[str, Fall]
    """Metric → one-sided p, adjusted for all metrics of the gate together, and the clusters that have the metric."""
    losses: Mapping[str, tuple[Losses, tuple[float, float] | None]] = field(default_factory=dict)
    """Metric → answers lost in one of the runs, and the ends of the difference that they leave open."""
    allow_missing: float = MOST_MISSING
    """Largest share of lost answers with which there is a verdict."""
    by: float = 0.0
    """How much worse B may be."""
    only_faults: str = ""
    """Why the answers of a run say nothing: all of them are model faults."""
    undefined: Mapping[str, str] = field(default_factory=dict)
    """Metric that cannot be compared → why."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """Metric → what this many items can show, in a sentence."""

    @classmethod
    def test(cls, pairs: Mapping[str, Pairs], by: float = 0.0, **rest: Any) -> Gate:
        """Test metrics together; those with too few clusters are left out, and so do not raise the p of the others.

        A metric in which a fall could not be shown beside the others, because these rise equally in all clusters, is
        tested alone.
        """
        large = {name: pair for name, pair in pairs.items() if len(np.unique(pair.clusters)) >= FEWEST_CLUSTERS}
        falls = dict(zip(large, fall_tests(list(large.values()), by=by), strict=True))
        hidden = [name for name, fall in falls.items() if not fall.testable and not math.isnan(fall.p)]
        alone = {name: fall_tests([pairs[name]], by=by)[0] for name in pairs if name in hidden or name not in large}
        return cls({name: (falls | alone)[name] for name in pairs}, by=by, **rest)

    @property
    def worse(self) -> list[str]:
        """Metrics in which B is worse at p < 0.05."""
        return [metric for metric, fall in self.falls.items() if fall.testable and fall.p < ALPHA]

    @property
    def untestable(self) -> list[str]:
        """Metrics in which not even a fall on every item could be shown."""
        return [metric for metric, fall in self.falls.items() if not fall.testable]

    @property
    def incomplete(self) -> list[str]:
        """Metrics in which one of the runs has lost more answers than `allow_missing`."""
        return [metric for metric, (losses, _) in self.losses.items() if losses.share > self.allow_missing]

    @property
    def verdict(self) -> Verdict:
        """A check per metric, and why there is no verdict if there is none."""
        if not self.falls and not self.undefined:
            return Verdict((), "The gate has no metric to test: name one with --metric in which an end is better.")
        checks = [self._check(metric) for metric in self.falls]
        checks += [Check(metric, Outcome.INCONCLUSIVE, f"left out: {why}.") for metric, why in self.undefined.items()]
        if self.only_faults:
            return Verdict(checks, self.only_faults)
        if not self.incomplete:
            return Verdict(checks)
        lost = max(self.losses[metric][0].share for metric in self.incomplete)
        problem = (
            f"{lost:.0%} of the answers of a run are lost, and --allow-missing is {self.allow_missing:.0%}. Lost "
            "answers may be the difficult ones. Ask for them again: the command of the run with --resume."
        )
        return Verdict(checks, problem)

    def _check(self, metric: str) -> Check:
        fall = self.falls[metric]
        beyond = f" by more than {self.by:g}" if self.by else ""
        if not fall.testable:
            items = f"{fall.clusters} independent item{'s' if fall.clusters != 1 else ''}"
            text = f"left out: {items} cannot show a fall at p < {ALPHA}; at least {FEWEST_CLUSTERS} are needed."
            return Check(metric, Outcome.INCONCLUSIVE, text)
        if fall.p < ALPHA:
            return Check(metric, Outcome.WORSE, f"B is worse than A{beyond} (one-sided p = {fall.p:.2g}).")
        text = f"no fall{beyond} shown (one-sided p = {fall.p:.2g}). {self.notes.get(metric, '')}"
        return Check(metric, Outcome.PASSED, text.strip())

    @property
    def worst_case(self) -> str:
        """What the lost answers leave open, as sentences; empty without losses."""
        texts = []
        for metric, (losses, bounds) in self.losses.items():
            if losses.share:
                ends = "cannot be bounded" if bounds is None else f"is between {bounds[0]:+.2f} and {bounds[1]:+.2f}"
                texts.append(
                    f"{metric}: A lost {losses.a} of {losses.planned[0]} answers, B {losses.b} of {losses.planned[1]}; "
                    f"B − A {ends}, whatever they were."
                )
        return " ".join(texts)


def check_limits(
    run: Run, limits: Mapping[str, float], bench: Bench | None = None, allow_missing: float = MOST_MISSING
) -> Verdict:
    """Check metrics of one run against limits: `compare RUN --fail-under METRIC=X`.

    A metric is worse if its whole 95 % interval is on the worse side of the limit, and inconclusive if only its value
    is. Where lower is better, the worse side is above.

    Args:
        run: The run.
        limits: Metric → limit.
        bench: The bench of the run, if it is not an installed one.
        allow_missing: Largest share of lost answers with which there is a verdict.

    Raises:
        PixelProofError: The bench has no such metric, or neither of its ends is better.
    """
    from pixelproof.harness._opened import bench_of  # which imports the notebook's tables

    bench = bench or bench_of(run.card.card)
    metrics = {metric.name: metric for metric in bench.metrics}
    checks = []
    for name, limit in limits.items():
        if name not in metrics:
            raise unknown_name(f"metric of {bench.name}", name, list(metrics))
        if (better := metrics[name].higher_is_better) is None:
            raise PixelProofError(f"Neither end of {name} is better, so it cannot be worse than {limit:g}.")
        checks.append(_check_limit(name, run.summary["metrics"].get(name) or {}, limit, 1.0 if better else -1.0))
    lacking = [check for check in checks if check.outcome is Outcome.NO_VERDICT]
    counts = run.summary["counts"]
    missing = counts["planned"] - counts["completed"]
    problem = run.only_faults
    if not problem and missing > allow_missing * counts["planned"]:
        problem = (
            f"{missing} of {counts['planned']} answers are lost, and --allow-missing is {allow_missing:.0%}. Ask for "
            "them again: the command of the run with --resume."
        )
    if not problem and lacking:
        problem = f"{lacking[0].metric} has {lacking[0].message}"
    return Verdict(checks, problem)


def _check_limit(name: str, summary: Any, limit: float, sign: float) -> Check:
    value, ends = summary.get("value"), (summary.get("lo"), summary.get("hi"))
    if value is None:
        return Check(name, Outcome.NO_VERDICT, f"no value: {summary.get('interval_reason') or 'no answer has it'}.")
    text = f"{value:.3f}" + ("" if None in ends else f" [{ends[0]:.3f}, {ends[1]:.3f}]")
    short = sign * (limit - value)
    if short <= 0:
        return Check(name, Outcome.PASSED, f"{text}, and {limit:g} is required.")
    end = ends[1] if sign > 0 else ends[0]
    if end is not None and sign * (limit - end) > 0:
        return Check(name, Outcome.WORSE, f"{text} is worse than {limit:g}.")
    needed = (
        "" if end is None else f"; about {math.ceil(summary['n'] * ((end - value) / short) ** 2)} answers would show it"
    )
    return Check(name, Outcome.INCONCLUSIVE, f"{text} is not clearly worse than {limit:g}{needed}.")
