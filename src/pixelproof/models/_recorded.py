"""`recorded`: the answers contained in a data set of replies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pixelproof.contract import Answer, Bench, Item, PixelProofError, Prompt


class RecordedModel:
    """Returns the answers recorded in the source."""

    answers_items = True
    spreads = True
    connections = 1

    def __init__(self, name: str, bench: Bench) -> None:
        self.name = name
        self._bench = bench

    def answer(self, prompt: Prompt, item: Item, sample: int, seed: int) -> Answer:
        """The recorded answer to a sample of an item."""
        answer = self._bench.recorded(item, sample)
        if answer is None and sample > 0:
            raise PixelProofError(f"The source has no sample {sample} of {item.id}: ask for fewer samples.")
        if answer is None:
            raise PixelProofError(
                f"{item.id} comes from a source without recorded answers: "
                "give --answers DIR, choose a source that is a data set of replies, or run a model."
            )
        return answer

    def card(self) -> Mapping[str, Any]:
        """The answers belong to the source, whose content has its own hash."""
        return {"kind": "recorded"}

    def close(self) -> None:
        """Nothing to release."""
