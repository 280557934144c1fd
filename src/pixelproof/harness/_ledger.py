"""Tokens, cost and time of a run, and the budget that stops it.

Before a call, its highest possible cost is reserved; when the reply arrives, the reservation is replaced by the actual
cost. So the cost of all replies and of all calls in flight never exceeds the budget, as long as replies keep to their
token limit.
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from pixelproof.contract import PixelProofError, Prompt, Usage

CHARACTERS_PER_TOKEN = 3.0
"""Lower than usual for English (about four), so that costs are overestimated."""
TOKENS_PER_IMAGE = 1_600
DEFAULT_OUTPUT_TOKENS = 4_096
ROOM_TO_THINK = 8_192
"""Tokens that a model behind an API may use for reasoning, besides the reply itself."""


@dataclass(frozen=True)
class Prices:
    """US dollars per million input and output tokens, and per output picture."""

    input: float = 0.0
    output: float = 0.0
    image: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Prices:
        """Read `input=2.5,output=10,image=0.04`.

        >>> Prices.parse("input=2.5,output=10")
        Prices(input=2.5, output=10.0, image=0.0)
        """
        values: dict[str, float] = {}
        for part in filter(None, text.replace(" ", "").split(",")):
            name, _, number = part.partition("=")
            try:
                values[name] = float(number)
            except ValueError:
                values = {}
                break
        legal = set(values) <= {"input", "output", "image"} and all(0 <= v < math.inf for v in values.values())
        if not values or not legal:
            raise PixelProofError(
                f"Cannot read the price {text!r}: write it like 'input=2.5,output=10,image=0.04' "
                "(dollars per million input tokens, per million output tokens, per picture)."
            )
        return cls(**values)

    def cost(self, usage: Usage) -> float:
        """Cost of a call; the cost that the provider reports takes precedence."""
        if usage.cost:
            return usage.cost
        tokens = usage.input_tokens * self.input + usage.output_tokens * self.output
        return tokens / 1e6 + usage.images * self.image


FREE = Prices()


class BudgetSpent(Exception):
    """The next call could cost more than what is left."""


def reply_limit(prompt: Prompt, chosen: int | None = None, thinks: bool = False) -> int:
    """Largest number of tokens of a reply: the user's limit, or else that of the prompt."""
    return chosen or (prompt.max_tokens or DEFAULT_OUTPUT_TOKENS) + (ROOM_TO_THINK if thinks else 0)


def expected_usage(prompt: Prompt, max_tokens: int) -> Usage:
    """Upper estimate of the usage of answering a prompt."""
    parts = [*prompt.parts, *(part for turn in prompt.history for part in turn.parts)]
    texts = [prompt.system, *(part for part in parts if isinstance(part, str))]
    texts += [str(call.arguments) + call.tool for turn in prompt.history for call in turn.calls]
    texts += [tool.name + tool.about + json.dumps(tool.parameters, default=str) for tool in prompt.tools]
    images = sum(not isinstance(part, str) for part in parts)
    return Usage(
        input_tokens=int(sum(map(len, texts)) / CHARACTERS_PER_TOKEN) + 1 + images * TOKENS_PER_IMAGE,
        output_tokens=max_tokens,
        images=int(prompt.wants == "image"),
    )


class Ledger:
    """Adds up usage, and refuses calls that could exceed the budget. Thread-safe."""

    def __init__(self, prices: Prices | None = None, max_cost: float | None = None, spent: Usage | None = None) -> None:
        if max_cost is not None and not 0 <= max_cost < math.inf:
            raise PixelProofError(f"--max-cost must be a number of dollars from 0 upwards, not {max_cost}.")
        if max_cost is not None and prices is None:
            raise PixelProofError(
                "--max-cost needs to know the price of a call: add --price 'input=…,output=…,image=…' "
                "(dollars per million tokens, per picture; 'input=0' for a free model)."
            )
        self.prices = prices
        self.max_cost = max_cost
        self.total = replace(spent or Usage(), cost=(spent.cost if spent else None) or 0.0)
        self.stopped = False
        self._reserved, self._flying = 0.0, 0
        self._settled = threading.Condition()

    def reserve(self, prompt: Prompt, max_tokens: int, wait: bool = True) -> float:
        """Reserve the highest possible cost of a call.

        Calls in flight mostly cost less than reserved, so they are waited for before a call is refused.

        Args:
            prompt: The prompt to be sent.
            max_tokens: The longest reply.
            wait: Wait here for calls in flight; otherwise the caller waits and tries again.

        Raises:
            BudgetSpent: The budget does not allow the call; `stopped` tells whether that is final.
        """
        price = (self.prices or FREE).cost(expected_usage(prompt, max_tokens))
        with self._settled:
            while self.max_cost is not None and self._spent + self._reserved + price > self.max_cost * (1 + 1e-12):
                if not self._flying:
                    self.stopped = True
                if self.stopped or not wait:
                    raise BudgetSpent
                self._settled.wait()
            self._reserved += price
            self._flying += 1
            return price

    def settle(self, reserved: float, usage: Usage) -> Usage:
        """Book a reserved call; returns the usage with its cost (None if no price is known)."""
        with self._settled:
            self._reserved -= reserved
            self._flying -= 1
            self._settled.notify_all()
            return self._book(usage)

    def book(self, usage: Usage) -> Usage:
        """Book usage without a reservation, such as that of an existing answer."""
        with self._settled:
            return self._book(usage)

    def _book(self, usage: Usage) -> Usage:
        cost = usage.cost if self.prices is None else self.prices.cost(usage)
        self.total = self.total + replace(usage, cost=cost or 0.0)
        return replace(usage, cost=cost)

    @property
    def _spent(self) -> float:
        return self.total.cost or 0.0

    def card(self) -> Mapping[str, object]:
        """The entry on the run card."""
        return {
            "prices": None if self.prices is None else asdict(self.prices),
            "max_cost": self.max_cost,
            **asdict(self.total),
        }
