"""What every model offers, and the settings of those that generate token by token."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args

from pixelproof.contract import Answer, Item, PixelProofError, Prompt, unknown_name

Arm = Literal["free", "schema", "grammar"]


class Model(Protocol):
    """Somebody who answers. One object may be used from several threads."""

    @property
    def name(self) -> str:
        """The name as the user gave it, such as `gguf/smollm2`."""

    @property
    def answers_items(self) -> bool:
        """Whether it answers from the item alone, so that no prompt need be made and no episode be played."""

    @property
    def spreads(self) -> bool:
        """Whether asks may be spread over processes: opening the model is cheap, and its answers cost nothing."""

    @property
    def connections(self) -> int:
        """How many asks at once serve it best; more do no harm."""

    def answer(self, prompt: Prompt, item: Item, sample: int, seed: int) -> Answer:
        """Answer one prompt; the same arguments give the same answer wherever the model can promise that.

        Whatever the model does wrong is a failure within the answer.

        Raises:
            PixelProofError: The set-up is wrong, and would be for other prompts too.
        """

    def card(self) -> Mapping[str, Any]:
        """Fingerprint for the run card, fit for JSON: what must be equal for a run to be continued."""

    def close(self) -> None:
        """Let go of memory and files; the model cannot answer any more."""


@dataclass(frozen=True)
class Decoding:
    """How a model generates; models behind a service heed temperature and max_tokens alone.

    Raises:
        PixelProofError: A setting is out of range.
    """

    arm: Arm = "free"
    """`free`, or constrained by the prompt's JSON `schema` or by its `grammar`."""
    temperature: float | None = None
    """None: the model's own default."""
    max_tokens: int | None = None
    """None: the prompt's own limit."""
    threads: int = 1

    def __post_init__(self) -> None:
        if self.arm not in get_args(Arm):
            raise unknown_name("decoding", self.arm, get_args(Arm))
        if self.temperature is not None and not 0 <= self.temperature < math.inf:
            raise PixelProofError(f"The temperature must be a number from 0 upwards, not {self.temperature}.")
        if self.max_tokens is not None and self.max_tokens < 1:
            raise PixelProofError(f"The token limit must be at least 1, not {self.max_tokens}.")
        if self.threads < 1:
            raise PixelProofError(f"The number of threads must be at least 1, not {self.threads}.")
