"""Sentences about runs: rules that speak where the intervals allow it, and otherwise say what cannot be told."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NotRequired, TypedDict

from pixelproof.contract import Estimate

AT_FLOOR, AT_CEILING = 0.1, 0.95
"""Calibrated values: an interval that ends below the first is at the floor, one that begins above the second at the
ceiling."""
_MANY_FAULTS = 0.1
_MOST_TIMES = 100
"""How many times as many items a sentence asks for at most; a difference that needs more is no difference."""


@dataclass(frozen=True)
class Finding:
    """A sentence about the runs of a bench."""

    text: str
    certain: bool = True
    """False if the sentence says what these runs cannot show, and why."""


class Interval(TypedDict):
    """A value with the ends of its interval, as in `summary.json`."""

    value: float | None
    lo: float | None
    hi: float | None


class MetricNumbers(Interval):
    """What sentences use of a metric in `summary.json`."""

    n: int
    floor: float | None
    ceiling: float | None
    faults: float | None
    calibrated: Interval | None
    calibrated_reason: str | None
    interval_reason: NotRequired[str | None]
    """Why tables show no interval, such as too few items; sentences rest on none, either."""


class RunSummary(TypedDict):
    """What sentences use of `summary.json`."""

    counts: Mapping[str, int]
    metrics: Mapping[str, MetricNumbers]
    failures: Mapping[str, int]


@dataclass(frozen=True)
class RunNumbers:
    """The numbers of one run that sentences are made of."""

    name: str
    control: bool
    summary: RunSummary

    @property
    def faulty(self) -> bool:
        """Whether there are answers, and all have a model fault."""
        counts = self.summary["counts"]
        return 0 < counts["completed"] == counts["model_faults"]


@dataclass(frozen=True)
class Contrast:
    """The paired test of two runs in one metric."""

    runs: frozenset[str]
    """The names of both."""
    metric: str
    better: str = ""
    """The name of the better run; empty if the test shows no difference."""
    items: int = 0
    items_needed: int | None = None
    """How many items would show the observed difference; None if nothing varies."""


@dataclass(frozen=True)
class Evidence:
    """What a rule may use: the runs on the same items, their paired tests, and the metric that leads."""

    metric: str
    runs: Sequence[RunNumbers]
    contrasts: Sequence[Contrast] = ()

    @property
    def models(self) -> list[RunNumbers]:
        """The runs of models, best first; runs without a value, and of faults alone, come last."""
        models = [run for run in self.runs if not run.control]
        return sorted(models, key=lambda run: (run.faulty, -score_ends(run, self.metric)[0]))


@dataclass(frozen=True)
class Words:
    """How the sentences of a bench call things."""

    floor: str = "the best answer without skill"
    ceiling: str = "a perfect answer"
    achieved: str = ""
    """What a model did, for a share: `solves {k} of {n} drawings`, or `finds {share} of the objects`."""


def describe(evidence: Evidence, words: Words) -> list[Finding]:
    """Where each model stands (of more than three, the best and those with faults alone), and how they rank."""
    models = evidence.models
    if not models:
        return [describe_controls(evidence, words)]
    shown = models if len(models) <= 3 else [models[0], *(run for run in models[1:] if run.faulty)]
    return [*(standing(run, evidence.metric, words) for run in shown), *ranking(evidence)]


def standing(run: RunNumbers, metric: str, words: Words) -> Finding:
    """Where a run stands between floor and ceiling, or why that cannot be told."""
    counts, name = run.summary["counts"], run.name
    if not counts["completed"]:
        return Finding(f"How good {name} is cannot be told: none of its {counts['planned']} answers was scored.", False)
    if run.faulty:
        failures = run.summary["failures"]
        kind = f", most often {max(failures, key=lambda key: failures[key])}" if failures else ""
        answers = f"all {counts['completed']} have" if counts["completed"] > 1 else "its only answer has"
        return Finding(f"{name} gave no usable answer: {answers} a fault{kind}.")
    numbers = run.summary["metrics"].get(metric)
    value, lo, hi = score_ends(run, metric)
    if numbers is None or math.isinf(value):
        reason = (numbers and numbers["calibrated_reason"]) or f"{metric} is not calibrated here"
        return Finding(f"How good {name} is cannot be told: {reason.rstrip('.')}.", False)
    n, faults = numbers["n"], _faults(numbers)
    if hi < 0:
        lead = f"{name} {_achievement(numbers, metric, words)}, worse than {words.floor} ({numbers['floor']:.2f})"
    elif hi < AT_FLOOR:
        lead = f"{name} {_achievement(numbers, metric, words)}, no better than {words.floor}"
    elif lo > AT_CEILING:
        lead = f"{name} {_achievement(numbers, metric, words)}, as good as {words.ceiling}"
    elif lo > 0:
        way = f"{_percent(value)} of the way from {words.floor} to {words.ceiling} ({_percent(lo)} to {_percent(hi)})"
        lead = f"{name} {_achievement(numbers, metric, words)}: {way}{_subset(numbers)}"
    else:
        enough = _enough(
            n, math.ceil(n * ((value - lo) / value) ** 2) if value > 0 and -math.inf < lo < value else None
        )
        answers = f"{n} answers are" if n != 1 else "1 answer is"
        return Finding(f"{answers} too few to tell whether {name} beats {words.floor}{enough}.{faults}", False)
    return Finding(f"{lead}.{faults}")


def ranking(evidence: Evidence) -> list[Finding]:
    """Which of several models is best, or why that cannot be told; empty for one model."""
    models = [run.name for run in evidence.models]
    if len(models) < 2:
        return []
    pairs = {pair.runs: pair for pair in evidence.contrasts if pair.metric == evidence.metric}
    first, second = models[:2]
    pair = pairs.get(frozenset((first, second)))
    if pair is None:
        return [Finding(f"{first} and {second} cannot be ranked: there is no paired test of both.", False)]
    against = [c.metric for c in evidence.contrasts if c.runs == pair.runs and c.better and c.better != pair.better]
    if pair.better and against:
        worse = second if pair.better == first else first
        text = f"Neither {first} nor {second} is better: {pair.better} leads in {pair.metric}, {worse} in {against[0]}."
        return [Finding(text, False)]
    if pair.better:
        rivals = [pairs.get(frozenset((pair.better, name))) for name in models if name != pair.better]
        best = all(rival is not None and rival.better == pair.better for rival in rivals)
        rest = "the others" if best and len(rivals) > 1 else second if pair.better == first else first
        return [Finding(f"{pair.better} is better than {rest} in {pair.metric}, on {pair.items} items.")]
    runs = f"{first} and {second}" if len(models) == 2 else f"the best of these {len(models)} models"
    enough = _enough(pair.items, pair.items_needed)
    if not enough:
        either = f"Which is better, {first} or {second}, cannot be told"
        return [Finding(f"{either}: {pair.items} items show no difference in {pair.metric}.", False)]
    return [Finding(f"{pair.items} items are too few to rank {runs}{enough}.", False)]


def describe_controls(evidence: Evidence, words: Words) -> Finding:
    """What the controls say of a metric where no model was run."""
    for run in evidence.runs:
        numbers = run.summary["metrics"].get(evidence.metric)
        if numbers and numbers["calibrated"] and numbers["floor"] is not None and numbers["ceiling"] is not None:
            ends = f"{numbers['floor']:.2f} for {words.floor} to {numbers['ceiling']:.2f} for {words.ceiling}"
            return Finding(f"No model was run: {evidence.metric} goes from {ends}, on {numbers['n']} items.")
        if numbers and numbers["calibrated_reason"]:
            reason = numbers["calibrated_reason"].rstrip(".")
            return Finding(f"No model was run, and {evidence.metric} cannot tell models apart here: {reason}.", False)
    return Finding(
        f"No model was run, and {evidence.metric} has no floor and ceiling here: nothing can be told.", False
    )


def interval_of(numbers: Interval | None) -> Estimate:
    """A value with its interval; nan where `summary.json` has null."""
    ends = (numbers["value"], numbers["lo"], numbers["hi"]) if numbers else (None, None, None)
    return Estimate(*(math.nan if end is None else float(end) for end in ends))


def score_ends(run: RunNumbers, metric: str) -> tuple[float, float, float]:
    """The calibrated value of a run and its interval; minus infinity where there is none, an endless interval too."""
    numbers = run.summary["metrics"].get(metric)
    score = interval_of(numbers["calibrated"]) if numbers else interval_of(None)
    value = score.value if math.isfinite(score.value) else -math.inf
    shown = math.isfinite(score.lo + score.hi) and not (numbers and numbers.get("interval_reason"))
    return (value, score.lo, score.hi) if shown else (value, -math.inf, math.inf)


def right_answers(run: RunNumbers, metric: str) -> tuple[int, int] | None:
    """Number of right answers and of all, in a metric that is a share of them; None without a value."""
    numbers = run.summary["metrics"].get(metric)
    if not numbers or numbers["value"] is None:
        return None
    return round(numbers["value"] * numbers["n"]), numbers["n"]


def _achievement(numbers: MetricNumbers, metric: str, words: Words) -> str:
    value = numbers["value"] or 0.0  # calibrated, so it has one
    if words.achieved:
        return words.achieved.format(k=round(value * numbers["n"]), n=numbers["n"], share=_percent(value))
    return f"scores {value:.2f} in {metric}"


def _faults(numbers: MetricNumbers) -> str:
    share = numbers["faults"] or 0.0
    return f" {_percent(share)} of its answers have a fault." if share >= _MANY_FAULTS else ""


def _subset(numbers: MetricNumbers) -> str:
    """That a calibrated value is of fewer items, so that it does not follow from the value of all."""
    floor, ceiling, value = numbers["floor"], numbers["ceiling"], numbers["value"]
    if floor is None or ceiling is None or value is None or ceiling == floor:
        return ""
    score = interval_of(numbers["calibrated"]).value
    same = abs((value - floor) / (ceiling - floor) - score) < 0.01
    return "" if same else ", on the items where both were measured"


def _enough(items: int, needed: int | None) -> str:
    """The number of items that would do, in a round number; empty if none is realistic."""
    if needed is None or needed > _MOST_TIMES * items:
        return ""
    needed = max(needed, items + 1)
    step = max(1, 5 * 10 ** (len(str(needed)) - 2))
    return f"; about {math.ceil(needed / step) * step:,} would do"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}\u00a0%".replace("-", "−")
