"""`nets/NAME`: small models of `pixelproof.nets`, which read machine-readable inputs of the prompt."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from threading import Lock
from typing import Any

from pixelproof.contract import Answer, Item, PixelProofError, Prompt, Usage
from pixelproof.nets import get_net
from pixelproof.stats import generator


class NetsModel:
    """Asks a net; randomness depends on seed, item and sample.

    Raises:
        PixelProofError: There is no such net, or its weights or libraries are missing.
    """

    answers_items = False
    spreads = True
    connections = 1

    def __init__(self, name: str, net: str) -> None:
        self.name = name
        self._purpose = f"nets/{net}"
        self._net = get_net(net)
        self.gpus = float(getattr(self._net, "gpus", 0))
        self._lock = Lock()  # two at once would need twice the memory, and one keeps all cores busy

    def answer(self, prompt: Prompt, item: Item, sample: int, seed: int) -> Answer:
        """The net's answer to the prompt; of the item only its id is used, as a part of the seed."""
        rng = generator(seed, f"{self._purpose}/{item.id}", sample)
        with self._lock:
            began = time.perf_counter()
            try:
                answer = self._net.answer(prompt, rng)
            except PixelProofError as error:
                raise PixelProofError(f"{self.name} cannot answer {item.id}: {error}") from error
            seconds = time.perf_counter() - began
        return replace(answer, usage=Usage(images=len(answer.images), cost=0.0, seconds=seconds))

    def card(self) -> Mapping[str, Any]:
        """The net's fingerprint."""
        return {"kind": "nets", **self._net.card()}

    def close(self) -> None:
        """Release the weights; may be called twice."""
        vars(self).pop("_net", None)
