"""The interface of models, and the decoding settings of those that generate token by token."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args

from pixelproof.contract import Answer, Item, PixelProofError, Prompt, unknown_name

MACHINE = "machine"
"""Entry of a model's card for what is known of the machine, such as the instructions of its processor."""
Arm = Literal["free", "schema", "grammar"]


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


@dataclass(frozen=True)
class Decoding:
    """Decoding settings; models behind a service support only temperature and max_tokens.

    Raises:
        PixelProofError: A setting is out of range.
    """

    arm: Arm = "free"
    """`free`, or constrained by the prompt's JSON `schema` or by its `grammar`."""
    temperature: float | None = None
    """None: the model's own default."""
    max_tokens: int | None = None
    """None: the limit of the prompt."""
    threads: int = 1

    def __post_init__(self) -> None:
        if self.arm not in get_args(Arm):
            raise unknown_name("decoding", self.arm, get_args(Arm))
        if self.temperature is not None and not 0 <= self.temperature < math.inf:
            raise PixelProofError(f"The temperature must be a finite number, 0 or more, not {self.temperature}.")
        if self.max_tokens is not None and self.max_tokens < 1:
            raise PixelProofError(f"The token limit must be at least 1, not {self.max_tokens}.")
        if self.threads < 1:
            raise PixelProofError(f"The number of threads must be at least 1, not {self.threads}.")
