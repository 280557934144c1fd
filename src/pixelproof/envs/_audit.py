"""What cheats are paid: controls, and strategies that any policy can find without the skill of a bench."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from pixelproof.contract import Answer, Artefact, Bench, Call, Item, Prompt, Tool
from pixelproof.models import Json
from pixelproof.pixels import answer_image, encode_png
from pixelproof.stats import Undefined, derive_seed, mean_interval
from pixelproof.store import digest

from ._environment import Environment
from ._rewards import control_answer

Strategy = Callable[[Item], Answer]
_LOOKS = 7
"""Calls of the cheat that looks everywhere."""


@dataclass(frozen=True)
class Payment:
    """What one strategy is paid for one metric."""

    metric: str
    strategy: str
    kind: str
    """`ceiling`, `floor` of this metric, `cheat`, or `diagnostic`: a control that knows the truth."""
    n: int
    """Items that the strategy was paid for; others are without a reward."""
    exact: float
    calibrated: float
    lo: float
    hi: float
    """The 95 % interval of `calibrated`."""
    shaped: float
    """Mean sum of the shaped terms."""


@dataclass(frozen=True)
class Audit:
    """The payments of all strategies."""

    bench: str
    items: int
    payments: tuple[Payment, ...]

    def above(self, limit: float) -> list[Payment]:
        """Cheats whose upper limit is above this calibrated reward."""
        return [payment for payment in self.payments if payment.kind == "cheat" and not payment.hi <= limit]


@dataclass(frozen=True)
class _Cheater:
    """Answers items without the skill; what it knows of all items is what a policy learns from its rewards."""

    environment: Environment
    items: Sequence[Item]
    seed: int
    truths: dict[str, Answer] = field(default_factory=dict)

    def truth(self, item: Item) -> Answer:
        """The perfect answer."""
        if item.id not in self.truths:
            self.truths[item.id] = control_answer(self.environment.bench, item, "ceiling-truth", self.seed)
        return self.truths[item.id]

    def others(self, item: Item) -> list[Item]:
        """All further items with the same reward, in order."""
        reward = self.environment.bench.reward
        return [each for each in self.items if each is not item and reward(each) == reward(item)]

    def one_answer(self, item: Item) -> Answer:
        """One answer for all items, the perfect one of the first: one drawing, one image, one word."""
        return _visible(self.truth(next(iter(self.others(item)), item)))

    def format_only(self, item: Item) -> Answer:
        """An answer of perfect form: that of an item drawn by chance."""
        others = self.others(item) or [item]
        return _visible(self.truth(others[derive_seed(self.seed, item.id) % len(others)]))

    def most_frequent(self, item: Item) -> Answer:
        """The answer that is right most often in the other half of the items, among those with the same tags.

        Not among all others: without one of two balanced answers, the other one is always more frequent.
        """
        halves = {each.id: place % 2 for place, each in enumerate(self.items)}
        half = 1 - halves[item.id]
        alike = [each for each in self.others(item) if each.tags == item.tags and halves[each.id] == half]
        answers = [_visible(self.truth(each)) for each in alike]
        counts = Counter((answer.text, answer.images) for answer in answers)
        return Answer(*counts.most_common(1)[0][0]) if counts else self.one_answer(item)

    def words_only(self, item: Item) -> Answer:
        """The words of the prompt, repeated."""
        return Answer(self.prompt(item).text)

    def refuse(self, item: Item) -> Answer:
        """Polite words instead of an answer."""
        return Answer("I am sorry, but that is not possible.")

    def copy(self, item: Item) -> Answer:
        """The last image of the prompt."""
        images = [part for part in self.prompt(item).parts if isinstance(part, Artefact)]
        return Answer(images=tuple(images[-1:])) if images else Answer()

    def delete(self, item: Item) -> Answer:
        """The image in one colour, the mean of its own; without an image, nothing at all."""
        copied = self.copy(item)
        rgb = answer_image(copied)
        if not isinstance(rgb, np.ndarray):
            return Answer()
        return Answer(images=(encode_png(np.broadcast_to(rgb.mean(axis=(0, 1)).astype(np.uint8), rgb.shape).copy()),))

    def look_everywhere(self, item: Item) -> Answer:
        """Calls of every tool in turn, then the most frequent answer."""
        play = self.environment.play(item)
        for number in range(_LOOKS):
            if play.done or not play.tools:
                break
            tool = play.tools[number % len(play.tools)]
            play.step([Call(f"look-{number}", tool.name, _any_arguments(tool, number))])
        play.step(self.most_frequent(item))
        return play.answer

    def prompt(self, item: Item) -> Prompt:
        return self.environment.bench.prompt(item)


def _visible(answer: Answer) -> Answer:
    """An answer without a trace that a scorer could believe."""
    return Answer(answer.text, answer.images, failure=answer.failure)


def _any_arguments(tool: Tool, number: int) -> dict[str, Json]:
    """Required arguments of a tool by its schema; places differ from call to call."""
    properties = tool.parameters.get("properties", {})
    return {name: _any_value(properties.get(name, {}), number) for name in tool.parameters.get("required", ())}


def _any_value(schema: Mapping[str, Json], number: int) -> Json:
    if schema.get("type") == "array":  # a box, or a point
        left, top = 500 * (number % 2), 500 * (number // 2 % 2)
        return [left, top, left + 500, top + 500][: int(str(schema.get("minItems", 4)))]
    return schema.get("minimum", 0) if schema.get("type") in ("integer", "number") else ""


CHEATS: Mapping[str, Callable[[_Cheater, Item], Answer]] = {
    "one-answer": _Cheater.one_answer,
    "format-only": _Cheater.format_only,
    "most-frequent": _Cheater.most_frequent,
    "words-only": _Cheater.words_only,
    "refuse": _Cheater.refuse,
    "copy": _Cheater.copy,
    "delete": _Cheater.delete,
    "look-everywhere": _Cheater.look_everywhere,
}
"""Strategies that need no skill, with any bench."""


def audit(
    environment: Environment, n: int = 200, seed: int = 0, progress: Callable[[str], None] = lambda strategy: None
) -> Audit:
    """Play controls and cheats on the first items, and say what each is paid.

    Args:
        environment: Whose rewards; its `calibrate` should be the same number of items.
        n: Number of items.
        seed: Of the draws of controls.
        progress: Called with the name of each strategy before it plays.
    """
    items, bench = environment.first(n), environment.bench
    cheater = _Cheater(environment, items, seed)
    strategies: dict[str, Strategy] = {
        **{name: partial(_control, bench, name, seed) for name in bench.controls()},
        **{name: partial(cheat, cheater) for name, cheat in CHEATS.items()},
    }
    if not bench.prompt(items[0]).tools:
        del strategies["look-everywhere"]
    payments: list[Payment] = []
    for name, answer_of in strategies.items():
        progress(name)
        payments += _payments(environment, name, items, answer_of)
    return Audit(bench.name, len(items), tuple(sorted(payments, key=lambda p: (p.metric, -p.calibrated))))


def _control(bench: Bench, name: str, seed: int, item: Item) -> Answer:
    return control_answer(bench, item, name, seed)


def _payments(environment: Environment, name: str, items: Sequence[Item], answer_of: Strategy) -> Iterator[Payment]:
    rewards: dict[str, list[tuple[float, float, float, str]]] = {}
    for item in items:
        reward = environment.reward(item, answer_of(item))
        if reward.exact is not None and reward.calibrated is not None:
            row = (
                reward.exact,
                reward.calibrated,
                sum(reward.shaped.values()),
                digest(environment.bench.content(item)),
            )
            rewards.setdefault(reward.metric, []).append(row)
    for metric, rows in rewards.items():
        exact, calibrated, shaped = (np.array([row[place] for row in rows]) for place in range(3))
        clusters = np.unique([row[3] for row in rows], return_inverse=True)[1]
        scale = environment.scales[metric]
        limits = (scale.place(0.0), scale.place(1.0))
        estimate = mean_interval(calibrated, limits, clusters)
        yield Payment(
            metric,
            name,
            _kind(environment, metric, name),
            len(rows),
            float(exact.mean()),
            float(calibrated.mean()),
            *((math.nan, math.nan) if isinstance(estimate, Undefined) else (float(estimate.lo), float(estimate.hi))),
            float(shaped.mean()),
        )


def _kind(environment: Environment, metric: str, name: str) -> str:
    if name.startswith("ceiling-"):
        return "ceiling"
    floors = next(m.floors for m in environment.bench.metrics if m.name == metric)
    if name in CHEATS or (name.startswith("floor-") and floors is not None and name not in floors):
        return "cheat"
    return "floor" if name.startswith("floor-") else "diagnostic"
