"""An environment: the items of a split of a bench, each a conversation with a reward."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from pixelproof.benches import get_bench
from pixelproof.contract import Answer, Bench, Call, Item, PixelProofError, Prompt, Source, Tool
from pixelproof.harness import TRAINING_SEEDS, Game, list_split
from pixelproof.models import Json, Message, chat_messages

from ._rewards import Reward, Scale, measure_scales, score_item, value_of
from ._shaping import shaping_terms

_ENDLESS = 1 << 40
_FURTHEST = 1 << 16
"""Items that are searched for an id before it counts as unknown: generated sources have no end."""


class Play:
    """One item's conversation, advanced by the caller."""

    def __init__(self, bench: Bench, item: Item) -> None:
        """Begin it.

        Raises:
            PixelProofError: The item cannot be asked here.
        """
        self._game = Game(bench, item)
        self.done = self._game.over
        """Whether there is a final answer."""
        self._prompt = Prompt(()) if self.done else self._game.prompt

    @property
    def prompt(self) -> Prompt:
        """The prompt with the whole conversation so far; once it is over, the last one."""
        return self._prompt

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What may be called."""
        return self._prompt.tools

    def step(self, reply: str | Answer | Sequence[Call]) -> Prompt:
        """Reply with text, an answer or calls; returns what is new, as a prompt of tool turns and parts.

        Nothing is new once the conversation is over.
        """
        if self.done:
            return Prompt(())
        known = len(self._prompt.history) + bool(self._prompt.parts) + 1  # the reply is a turn, too
        if not isinstance(reply, str | Answer):
            reply = Answer(calls=tuple(reply))
        self._game.proceed(reply)
        self.done = self._game.over
        if self._game.over:
            return Prompt(())
        self._prompt = self._game.prompt
        return replace(self._prompt, system="", history=self._prompt.history[known:])

    def call(self, tool: str, arguments: Mapping[str, Json] | str) -> Prompt:
        """Make one call, under an id that is new; returns what is new."""
        number = sum(len(turn.calls) for turn in self._prompt.history)
        return self.step([Call(f"call-{number}", tool, arguments)])

    @property
    def answer(self) -> Answer:
        """The final answer, once the conversation is over."""
        if not self.done:
            raise PixelProofError("The conversation goes on: reply until done.")
        return self._game.played.answer


@dataclass(frozen=True)
class Environment:
    """Items of a split of a bench, their conversations, and their rewards."""

    bench: Bench
    source: Source
    seed: int = TRAINING_SEEDS
    split: str = "train"
    calibrate: int = 64
    """Number of items, from the first, that floors and ceilings are measured on."""
    _items: list[Item] = field(default_factory=list, repr=False, compare=False)
    _lock: Any = field(default_factory=threading.RLock, repr=False, compare=False)

    def items(self) -> Iterator[Item]:
        """Items that can be asked here and have a reward, in order; generated sources have no end."""
        place = 0
        while True:
            with self._lock:
                if place == len(self._items) and not self._list_next():
                    return
                item = self._items[place]
            place += 1
            yield item

    def _list_next(self) -> bool:
        """List one more item; False if there is none."""
        for item in self._source_items:
            if self.bench.reward(item) and self._can_ask(item):
                self._items.append(item)
                return True
        return False

    def _can_ask(self, item: Item) -> bool:
        try:
            self.bench.check_item(item)
        except PixelProofError:
            return False
        return True

    @cached_property
    def _source_items(self) -> Iterator[Item]:
        return list_split(self.bench, self.source, self.seed, _ENDLESS, self.split)

    def first(self, n: int) -> list[Item]:
        """The first items, at most n.

        Raises:
            PixelProofError: There is none.
        """
        items = list(islice(self.items(), n))
        if not items:
            raise PixelProofError(f"No item of {self.bench.name} from {self.source.name!r} has a reward here.")
        return items

    def item(self, id: str) -> Item:
        """The item with an id.

        Raises:
            PixelProofError: It is not one of this environment.
        """
        item = next((item for item in islice(self.items(), _FURTHEST) if item.id == id), None)
        if item is None:
            raise PixelProofError(f"{id} is no item of {self.bench.name} in the split {self.split!r} of this seed.")
        return item

    def play(self, item: Item) -> Play:
        """Begin the conversation of an item."""
        return Play(self.bench, item)

    def messages(self, item: Item) -> list[Message]:
        """The first chat messages of an item, with images as data URIs."""
        return chat_messages(self.bench.prompt(item))

    def reward(self, item: Item, answer: Answer) -> Reward:
        """What an answer is paid."""
        result, name = score_item(self.bench, item, answer), self.bench.reward(item)
        scale = self._scale(name)
        value = value_of(self.bench, result, name, scale.floor)
        shaped = {} if value is None else shaping_terms(answer, result, value)
        return Reward(value, None if value is None else scale.place(value), name, shaped, result)

    def _scale(self, name: str) -> Scale:
        if name not in self.scales:
            raise PixelProofError(f"{name!r} was not measured: none of the first {self.calibrate} items has it.")
        return self.scales[name]

    @cached_property
    def scales(self) -> dict[str, Scale]:
        """Reward metric → floor and ceiling, measured on the first items."""
        with self._lock:
            scales = measure_scales(self.bench, self.first(self.calibrate))
        for name, scale in scales.items():
            if scale.ceiling <= scale.floor:
                raise PixelProofError(
                    f"{name}: the perfect answer ({scale.ceiling:.3g}) is not better than {scale.blind} "
                    f"({scale.floor:.3g}) on {self.calibrate} items, so it cannot be a reward."
                )
        return scales


def open_environment(
    bench: str | Bench,
    source: str | None = None,
    data: str | Path | None = None,
    seed: int | None = None,
    split: str = "train",
    calibrate: int = 64,
    **options: Any,
) -> Environment:
    """A bench as an environment.

    Args:
        bench: Its name, or the bench.
        source: Name of the source; by default the first that training may use.
        data: Directory or file of a data set.
        seed: Seed of the source; by default the first one of the split.
        split: `train`, `eval` or `all`.
        calibrate: Number of items that floors and ceilings are measured on.
        options: Of the bench.

    Raises:
        PixelProofError: The bench has no reward, or the set-up is wrong.
    """
    opened = get_bench(bench, **options) if isinstance(bench, str) else bench
    if type(opened).reward is Bench.reward:
        raise PixelProofError(
            f"{opened.name} has no reward: its answers are measured by a judge. Choose another bench, or write its "
            "reward()."
        )
    name = source or next((name for name in opened.sources if name not in opened.reserved), opened.default_source())
    if seed is None:
        seed = TRAINING_SEEDS if split == "train" else 0
    place = None if data is None else Path(data)
    return Environment(opened, Source(name, place), seed, split, calibrate)
