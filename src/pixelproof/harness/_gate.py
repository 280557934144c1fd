"""The gate of `compare --fail-if-worse`: a one-sided test of several metrics, and answers that are missing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from pixelproof.stats import FEWEST_CLUSTERS, Fall

ALPHA = 0.05
MOST_MISSING = 0.05
"""Share of lost answers above which a gate gives no verdict, unless `--allow-missing` says otherwise."""


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

    @property
    def worse(self) -> list[str]:
        """Metrics in which B is worse at p < 0.05."""
        return [metric for metric, fall in self.falls.items() if fall.p < ALPHA]

    @property
    def untestable(self) -> list[str]:
        """Metrics in which not even a fall on every item could be shown."""
        return [metric for metric, fall in self.falls.items() if not fall.testable and not math.isnan(fall.p)]

    @property
    def testable(self) -> bool:
        """Whether a fall on every item would be shown, in each of the metrics."""
        return bool(self.falls) and not self.untestable

    @property
    def incomplete(self) -> list[str]:
        """Metrics in which one of the runs has lost more answers than `allow_missing`."""
        return [metric for metric, (losses, _) in self.losses.items() if losses.share > self.allow_missing]

    @property
    def message(self) -> str:
        """The outcome as a sentence."""
        if not self.falls:
            return "The gate has no metric to test: name one with --metric in which an end is better."
        if self.incomplete:
            lost = max((self.losses[metric][0] for metric in self.incomplete), key=lambda losses: losses.share)
            return (
                f"No verdict: {lost.share:.0%} of the answers of a run are lost, and --allow-missing is "
                f"{self.allow_missing:.0%}. Lost answers may be the difficult ones. {self.worst_case} "
                "Ask for them again: the command of the run with --resume."
            )
        tested = f"one-sided maxT test of {', '.join(self.falls)}"
        if not self.worse and self.untestable:
            return f"{' '.join(map(self._too_few, self.untestable))} Add items, or test a metric alone with --metric."
        if not self.worse:
            return f"No fall shown ({tested})."
        shown = ", ".join(f"{metric} (p = {self.falls[metric].p:.2g})" for metric in self.worse)
        return f"B is worse in {shown} ({tested})."

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

    def _too_few(self, metric: str) -> str:
        """Why a metric is not testable."""
        fall, beside = self.falls[metric], " beside the other metrics" if len(self.falls) > 1 else ""
        return (
            f"{metric}: {fall.clusters} independent items cannot show a fall at p < {ALPHA}{beside} (a fall on all of "
            f"them would get p = {fall.best_p:.2g}); at least {FEWEST_CLUSTERS} are needed."
        )
