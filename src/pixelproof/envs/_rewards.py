"""The reward of one answer: its metric, exact and calibrated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import fmean

import numpy as np

from pixelproof.contract import Answer, Bench, Control, Failure, Fault, Item, Metric, Player, Result
from pixelproof.harness import Ask, Game, score_answer
from pixelproof.stats import derive_seed, generator


@dataclass(frozen=True)
class Scale:
    """Where a metric begins and ends: expected values over items, not of one item."""

    floor: float
    """Mean of the best floor control: the best strategy that does not look."""
    ceiling: float
    """Mean of the perfect answer."""
    blind: str = ""
    """Name of that floor control."""

    def place(self, value: float) -> float:
        """A value between floor (0) and ceiling (1); not clipped.

        >>> Scale(0.25, 1.0).place(0.0)
        -0.3333333333333333
        """
        return (value - self.floor) / (self.ceiling - self.floor)


@dataclass(frozen=True)
class Reward:
    """What an answer is paid. `exact` and `calibrated` are None where a fault is not the model's: no reward, not 0."""

    exact: float | None
    """The metric as a run measures it; the worst value after a fault of the model."""
    calibrated: float | None
    """The same, with the best blind strategy at 0 and the perfect answer at 1; not clipped."""
    metric: str
    shaped: Mapping[str, float]
    """Terms from -0.1 to 0, to be added to the reward by who wants to; see `shaping_terms`."""
    result: Result

    def of(self, kind: str) -> float | None:
        """The reward of a kind: `exact` or `calibrated`."""
        return self.exact if kind == "exact" else self.calibrated


def score_item(bench: Bench, item: Item, answer: Answer) -> Result:
    """The result of an answer, as a run would store it; a crash of the scorer is an instrument fault."""
    return score_answer(bench, Ask(0, item, 0, 0), answer, {})


def value_of(bench: Bench, result: Result, name: str, floor: float) -> float | None:
    """The value that a result is rewarded by, so that higher is better; None where there is none.

    A fault of the model counts as the worst value, so that it is never better than a wrong answer. An abstention of the
    scorer counts as the floor.
    """
    metric = _metric(bench, name)
    raw = result.metrics.get(name)
    if raw is not None:
        numbers = np.asarray(raw, np.float64)
        value = float(metric.pool(numbers) if metric.pool else numbers)
        if isfinite(value):
            return value
    if result.abstained:
        return floor
    if result.failure is not None and result.failure.fault is Fault.MODEL:
        return metric.range[0] if metric.range else floor
    return None


def _metric(bench: Bench, name: str) -> Metric:
    return next(metric for metric in bench.metrics if metric.name == name)


def answer_of_control(bench: Bench, item: Item, control: Control, rng: np.random.Generator) -> Answer:
    """The answer of a control, which plays the episode if it is a player."""
    if not isinstance(control, Player):
        return control(item, rng)
    game = Game(bench, item)
    while not game.over:
        game.proceed(control.reply(item, game.prompt, rng))
    return game.played.answer


def measure_scales(bench: Bench, items: Iterable[Item], seed: int = 0) -> dict[str, Scale]:
    """Reward metric → its scale, measured with the controls of the bench on these items.

    The floor is the expected value of the best single strategy over the items, not the best of each item.
    """
    grouped: dict[str, list[Item]] = {}
    for item in items:
        if name := bench.reward(item):
            grouped.setdefault(name, []).append(item)
    return {name: _measure(bench, name, group, seed) for name, group in grouped.items()}


def _measure(bench: Bench, name: str, items: list[Item], seed: int) -> Scale:
    controls, metric = bench.controls(), _metric(bench, name)
    floors = metric.floors if metric.floors is not None else [n for n in controls if n.startswith("floor-")]
    worst = metric.range[0] if metric.range else 0.0
    played = {}
    for control in ("ceiling-truth", *floors):
        results = (score_item(bench, item, control_answer(bench, item, control, seed)) for item in items)
        values = (value_of(bench, result, name, worst) for result in results)
        played[control] = [value for value in values if value is not None]
    return scale_of(played, len(items), worst)


def scale_of(played: Mapping[str, Sequence[float]], items: int, worst: float) -> Scale:
    """The scale of a metric.

    Args:
        played: `ceiling-truth` and the floors → their values. A floor that lacks items, for tools that are missing, is
            measured on others than the rest, and does not count unless all floors do.
        items: Number of items.
        worst: The floor where there is none.
    """
    ceiling = fmean(played["ceiling-truth"]) if played["ceiling-truth"] else worst
    floors = {name: values for name, values in played.items() if name != "ceiling-truth" and values}
    whole = {name: values for name, values in floors.items() if len(values) == items} or floors
    means = {name: fmean(values) for name, values in whole.items()}
    blind = max(means, key=means.__getitem__, default="")
    return Scale(means.get(blind, worst), ceiling, blind)


def control_answer(bench: Bench, item: Item, name: str, seed: int) -> Answer:
    """The answer of a control by name, with draws of its own; what it cannot answer is an instrument fault."""
    control = bench.controls()[name]
    draws = generator(derive_seed(seed, name), item.id)
    try:
        return answer_of_control(bench, item, control, draws)
    except Exception as error:  # a control that is not for this item says nothing about the others
        return Answer(failure=Failure(Fault.INSTRUMENT, "control-crashed", repr(error)))
