"""`recorded`: the answers that a data set of replies carries itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pixelproof.contract import Answer, Bench, Item, PixelProofError, Prompt


class RecordedModel:
    """Gives back what the source says somebody answered."""

    answers_items = True
    connections = 1

    def __init__(self, name: str, bench: Bench) -> None:
        self.name = name
        self._bench = bench

    def answer(self, prompt: Prompt, item: Item, sample: int, seed: int) -> Answer:
        """The recorded answer; giving the same one twice would feign a second sample."""
        answer = self._bench.recorded(item, sample)
        if answer is None and sample > 0:
            raise PixelProofError(f"The source has no sample {sample} of {item.id}: ask for fewer samples.")
        if answer is None:
            raise PixelProofError(
                f"{item.id} comes from a source without recorded answers: "
                "choose a source that is a data set of replies, or another model."
            )
        return answer

    def card(self) -> Mapping[str, Any]:
        """The answers belong to the source, which has a fingerprint of its own."""
        return {"kind": "recorded"}

    def close(self) -> None:
        """Nothing to let go of."""
