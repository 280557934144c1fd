"""`control/NAME`: the floors, ceilings and diagnostic answers of a bench."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pixelproof.contract import Answer, Bench, Control, Item, Player, Prompt, unknown_name
from pixelproof.stats import generator


def find_control(bench: Bench, name: str) -> Control | None:
    """A control that a bench lists, or the ceiling of a channel; None if there is no such control."""
    listed = bench.controls()
    if name in listed:
        return listed[name]
    return bench.ceiling(name.removeprefix("ceiling-")) if name.startswith("ceiling-") else None


class ControlModel:
    """Answers from the item with its truth, or plays its episode; random draws depend on seed, item and sample."""

    spreads = True
    connections = 1

    def __init__(self, name: str, control: str, bench: Bench) -> None:
        found = find_control(bench, control)
        if found is None:
            raise unknown_name(f"{bench.name} control", control, sorted(bench.controls()))
        self.name = name
        self._purpose = f"control/{control}"
        self._control = found

    @property
    def answers_items(self) -> bool:
        """Whether the control answers without an episode."""
        return not isinstance(self._control, Player)

    def answer(self, prompt: Prompt, item: Item, sample: int, seed: int) -> Answer:
        """The control's answer to the item, or its reply to one prompt of the item's episode."""
        if isinstance(self._control, Player):
            turn = f"{self._purpose}/{item.id}/{len(prompt.history)}"
            return self._control.reply(item, prompt, generator(seed, turn, sample))
        return self._control(item, generator(seed, f"{self._purpose}/{item.id}", sample))

    def card(self) -> Mapping[str, Any]:
        """A control is identified by its name and the bench's version."""
        return {"kind": "control"}

    def close(self) -> None:
        """Nothing to release."""
