"""The interface of models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from pixelproof.contract import Answer, Item, Prompt

MACHINE = "machine"
"""Entry of a model's card for what is known of the machine, such as the instructions of its processor."""


class Model(Protocol):
    """A model that answers prompts or items; thread-safe."""

    @property
    def name(self) -> str:
        """The name as the user gave it, such as `gguf/smollm2`."""

    @property
    def answers_items(self) -> bool:
        """Whether it answers from the item alone, without a prompt or an episode."""

    @property
    def spreads(self) -> bool:
        """Whether asks may be spread over processes: opening the model is cheap, and its answers cost nothing."""

    @property
    def connections(self) -> int:
        """The number of concurrent requests that suits it best."""

    def answer(self, prompt: Prompt, item: Item, sample: int, seed: int) -> Answer:
        """Answer a prompt: the system text, the turns of its history, then its parts as a user message.

        Equal arguments give equal answers where the model is deterministic. A fault of the model is a failure of the
        answer.

        Raises:
            PixelProofError: The configuration is wrong, so that other prompts would fail too.
        """

    def card(self) -> Mapping[str, Any]:
        """Settings for the run card, as JSON values; a run can be resumed only with an equal card.

        What is known of the machine is under the name `MACHINE`, and may differ between parts of a run.
        """

    def close(self) -> None:
        """Release memory and files; the model cannot be used afterwards."""


def gpus_of(model: Model) -> float:
    """GPUs that each worker of a cluster reserves for a model: its attribute `gpus`, or none."""
    return float(getattr(model, "gpus", 0))
