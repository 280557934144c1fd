"""Tokens, money and time of a run, and the budget that stops it.

A call is paid for before it is made: its highest possible price is reserved, and the reservation is swapped for the
true price when the reply is there. So the sum of what was spent and what is in flight never passes the budget, as long
as the reply keeps to its token limit.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from pixelproof.contract import PixelProofError, Prompt, Usage

CHARACTERS_PER_TOKEN = 3.0
"""On the low side for English (about four), so that estimates err towards the expensive side."""
TOKENS_PER_IMAGE = 1_600
DEFAULT_OUTPUT_TOKENS = 4_096
ROOM_TO_THINK = 8_192
"""Tokens that a model behind an API may use besides the reply itself: many count their reasoning in."""


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
        """Price of a call; what the provider itself billed wins."""
        if usage.cost:
            return usage.cost
        tokens = usage.input_tokens * self.input + usage.output_tokens * self.output
        return tokens / 1e6 + usage.images * self.image


FREE = Prices()


class BudgetSpent(Exception):
    """The next call could cost more than what is left."""


def reply_limit(prompt: Prompt, chosen: int | None = None, thinks: bool = False) -> int:
    """How many tokens a reply may have: what the user chose, or else what the prompt allows."""
    return chosen or (prompt.max_tokens or DEFAULT_OUTPUT_TOKENS) + (ROOM_TO_THINK if thinks else 0)


def expected_usage(prompt: Prompt, max_tokens: int) -> Usage:
    """The most that answering a prompt is expected to use."""
    pictures = sum(not isinstance(part, str) for part in prompt.parts)
    text = len(prompt.text) + len(prompt.system)
    return Usage(
        input_tokens=int(text / CHARACTERS_PER_TOKEN) + 1 + pictures * TOKENS_PER_IMAGE,
        output_tokens=max_tokens,
        images=int(prompt.wants == "image"),
    )


class Ledger:
    """Adds up usage, and says no when the next call could break the budget. Safe to use from threads."""

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
        """Set the highest price of a coming call aside.

        Calls in flight mostly turn out cheaper than what is set aside for them, so they are waited for before a call is
        refused for good.

        Args:
            prompt: What will be asked.
            max_tokens: The longest reply.
            wait: Wait here for calls in flight; otherwise the caller does, and tries again.

        Raises:
            BudgetSpent: The budget does not allow the call. `stopped` says whether nothing in flight can change that.
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
        """Book a call that was reserved; gives the usage with its price filled in (None when no price is known)."""
        with self._settled:
            self._reserved -= reserved
            self._flying -= 1
            self._settled.notify_all()
            return self._book(usage)

    def book(self, usage: Usage) -> Usage:
        """Book what was used without asking, such as an answer that existed already."""
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
        """What the run card says about money."""
        return {
            "prices": None if self.prices is None else asdict(self.prices),
            "max_cost": self.max_cost,
            **asdict(self.total),
        }
