"""Tokens, cost and time of a run, and the budget that stops it.

Before a call, its highest possible cost is reserved, and the reservation is stored; when the reply arrives, it is
replaced by the actual cost, unless the reply states none. So the cost of all replies and of all calls in flight never
exceeds the budget, as long as replies keep to their token limit; each call in flight can exceed it once.
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from pixelproof.contract import Answer, PixelProofError, Prompt, Usage
from pixelproof.harness._calls import CallTable, State
from pixelproof.harness._rows import MAX_COUNT

BYTES_PER_TOKEN = 3.0
"""Lower than usual for English (about four), so that costs are overestimated; other scripts have more bytes per
letter."""
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
        if usage.cost and 0 < usage.cost < math.inf:
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
    size = sum(len(text.encode("utf-8", "replace")) for text in texts)
    images = sum(not isinstance(part, str) for part in parts)
    return Usage(
        input_tokens=int(size / BYTES_PER_TOKEN) + 1 + images * TOKENS_PER_IMAGE,
        output_tokens=max_tokens,
        images=int(prompt.wants == "image"),
    )


class Reservation:
    """The reserved cost of a call, which is also the meter of its requests."""

    def __init__(self, ledger: Ledger, expected: Usage, price: float) -> None:
        self.expected, self.price = expected, price
        self._ledger = ledger
        self.number = 0
        """Number in the table of calls."""
        self.metered = False
        """Whether the model reports its requests."""
        self.in_flight = True
        """Whether a request may be billed that has not been booked yet."""
        self.least = Usage()
        """What the reply to the last request states, perhaps as an error: at least this is billed."""
        self.refused = False
        """Whether a retry was refused: nothing is reserved any more, so nothing may be sent."""

    @property
    def limited(self) -> bool:
        """Whether there is a budget."""
        return self._ledger.max_cost is not None

    def sending(self) -> bool:
        """A request is about to be sent; before a retry, the one before is booked and another cost reserved."""
        if self.metered and self.in_flight and not self.refused:
            self.refused = not self._ledger.renew(self)
        if self.refused:
            return False
        self.metered = self.in_flight = True
        return True

    def declined(self) -> None:
        """The request will not be billed, unless it has reported usage."""
        self.in_flight = self.least != Usage()

    def report_usage(self, least: Usage) -> None:
        """At least this usage is billed."""
        self.least = plausible(least)

    def drew_nothing(self) -> None:
        """The reply states that it has no image, so none is billed."""
        self.expected = replace(self.expected, images=0)


class Ledger:
    """Adds up usage, and refuses calls that could exceed the budget. Thread-safe."""

    def __init__(
        self,
        prices: Prices | None = None,
        max_cost: float | None = None,
        spent: Usage | None = None,
        calls: CallTable | None = None,
        assumed: int = 0,
    ) -> None:
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
        self.assumed = assumed
        """Calls that count with their reservation, because they stated no usage."""
        self.stopped = self._ended = False
        self._calls = calls
        self._reserved, self._flying = 0.0, 0
        self._settled = threading.Condition()

    def stop(self) -> None:
        """Refuse every further call, turn and retry; calls in flight are settled."""
        with self._settled:
            self.stopped = self._ended = True
            self._settled.notify_all()

    def reserve(self, prompt: Prompt, max_tokens: int, wait: bool = True) -> Reservation:
        """Reserve the highest possible cost of a call, and store the reservation.

        Calls in flight mostly cost less than reserved, so they are waited for before a call is refused.

        Args:
            prompt: The prompt to be sent.
            max_tokens: The longest reply.
            wait: Wait here for calls in flight; otherwise the caller waits and tries again.

        Raises:
            BudgetSpent: The budget does not allow the call; `stopped` tells whether that is final.
            PixelProofError: The reservation cannot be stored.
        """
        expected = expected_usage(prompt, max_tokens)
        reservation = Reservation(self, expected, (self.prices or FREE).cost(expected))
        with self._settled:
            while not self._affordable(reservation.price):
                if not self._flying:
                    self.stopped = True
                if self.stopped or not wait:
                    raise BudgetSpent
                self._settled.wait()
            self._reserved += reservation.price
            self._flying += 1
        try:
            self._open(reservation)
        except BaseException:
            with self._settled:
                self._release(reservation)
            raise
        return reservation

    def renew(self, reservation: Reservation) -> bool:
        """Book a request that may be billed, and reserve the cost of its retry; False if the budget does not allow it.

        Raises:
            PixelProofError: The reservation cannot be stored.
        """
        owed, reservation.least = self._owed(reservation, Usage()), Usage()
        with self._settled:
            self._book(Usage(), owed)
            self.assumed += 1
            self._reserved -= reservation.price
            allowed = self._affordable(reservation.price)
            if allowed:
                self._reserved += reservation.price
        self._close(reservation, "assumed", Usage(), owed)
        if allowed:
            self._open(reservation)
        else:
            reservation.price, reservation.number, reservation.in_flight = 0.0, 0, False
        return allowed

    def settle(self, reservation: Reservation, answer: Answer | None) -> Usage:
        """Book a reserved call; returns the usage with its cost (None if no price is known).

        Args:
            reservation: The reservation of the call.
            answer: The reply, if there is one; what it does not state counts as reserved, or as reported if more.
        """
        usage = plausible(answer.usage) if answer is not None else Usage()
        state: State = "billed"
        if not usage.input_tokens and not usage.output_tokens and not usage.cost:
            state = "assumed" if reservation.in_flight else "declined"
        cost = usage.cost if self.prices is None else self.prices.cost(usage)
        if self.prices is not None and state != "declined":
            stated = max(cost or 0.0, reservation.least.cost or 0.0)
            cost = self._owed(reservation, usage, answer is not None and bool(answer.calls))
            state = "billed" if cost == stated else "assumed"
        if reservation.number:
            self._close(reservation, state, usage, cost)
        with self._settled:
            self._release(reservation)
            self.assumed += state == "assumed"
            return self._book(usage, cost)

    def book(self, usage: Usage) -> Usage:
        """Book usage without a reservation, such as that of an existing answer."""
        usage = plausible(usage)
        with self._settled:
            return self._book(usage, usage.cost if self.prices is None else self.prices.cost(usage))

    def _owed(self, reservation: Reservation, usage: Usage, calls_tools: bool = False) -> float | None:
        """The cost of a call: what a reply does not state counts as reserved, and zero tokens are no statement.

        An image that was asked for may be billed although it is not in the reply, unless tools are called first.
        """
        if self.prices is None:
            return usage.cost
        expected, least = reservation.expected, reservation.least
        charged = replace(
            usage,
            input_tokens=max(usage.input_tokens or expected.input_tokens, least.input_tokens),
            output_tokens=max(usage.output_tokens or expected.output_tokens, least.output_tokens),
            images=max(usage.images, 0 if calls_tools else expected.images),
        )
        return max(self.prices.cost(charged), least.cost or 0.0)

    def _price(self, reservation: Reservation) -> float | None:
        return None if self.prices is None else reservation.price

    def _affordable(self, price: float) -> bool:
        if self.max_cost is None:
            return not self._ended
        return not self._ended and (self.total.cost or 0.0) + self._reserved + price <= self.max_cost * (1 + 1e-12)

    def _open(self, reservation: Reservation) -> None:
        if self._calls is not None:
            reservation.number = self._calls.open(reservation.expected, self._price(reservation))

    def _close(self, reservation: Reservation, state: State, usage: Usage, cost: float | None) -> None:
        if self._calls is not None and reservation.number:
            self._calls.close(reservation.number, state, usage, cost, reservation.expected)

    def _release(self, reservation: Reservation) -> None:
        self._reserved -= reservation.price
        self._flying -= 1
        self._settled.notify_all()

    def _book(self, usage: Usage, cost: float | None) -> Usage:
        self.total = self.total + replace(usage, cost=cost or 0.0)
        return replace(usage, cost=cost)

    def card(self) -> Mapping[str, object]:
        """The entry on the run card."""
        return {
            "prices": None if self.prices is None else asdict(self.prices),
            "max_cost": self.max_cost,
            "assumed_calls": self.assumed,
            **asdict(self.total),
        }


def plausible(usage: Usage) -> Usage:
    """Usage without impossible values, which would disable the budget: negative, infinite, not a number, beyond 2^53.

    >>> plausible(Usage(-5, 7, cost=float("nan")))
    Usage(input_tokens=0, output_tokens=7, images=0, cost=None, seconds=0.0)
    """
    cost, seconds = usage.cost, usage.seconds
    counts = (usage.input_tokens, usage.output_tokens, usage.images)
    read, written, images = (min(max(int(count), 0), MAX_COUNT) for count in counts)
    cost = cost if cost is not None and 0 <= cost < math.inf else None
    return Usage(read, written, images, cost, seconds if 0 <= seconds < math.inf else 0.0)
