"""`control/NAME`: the floors, ceilings and diagnostic answers that a bench itself provides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pixelproof.contract import Answer, Bench, Item, PixelProofError, Prompt
from pixelproof.stats import generator


class ControlModel:
    """Answers with a function of the item and its truth; chance depends on seed, item and sample alone."""

    answers_items = True
    connections = 1

    def __init__(self, name: str, control: str, bench: Bench) -> None:
        controls = bench.controls()
        if control not in controls:
            raise PixelProofError(
                f"{bench.name} has no control {control!r}; it has: {', '.join(sorted(controls)) or 'none at all'}."
            )
        self.name = name
        self._purpose = f"control/{control}"
        self._control = controls[control]

    def answer(self, prompt: Prompt, item: Item, sample: int, seed: int) -> Answer:
        """The control's answer; the prompt plays no part."""
        return self._control(item, generator(seed, f"{self._purpose}/{item.id}", sample))

    def card(self) -> Mapping[str, Any]:
        """A control is known by its name and by the bench's version."""
        return {"kind": "control"}

    def close(self) -> None:
        """Nothing to let go of."""
