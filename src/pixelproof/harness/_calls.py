"""The table of calls: what each call of a model or a judge may cost, stored before it is sent.

A call that was in flight when the process was killed, a reply that was lost or not stored, and a retry are in no table
of answers, but may be billed. So a run that is resumed adds up its calls, not its answers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from pixelproof.contract import Usage
from pixelproof.store import Records

State = Literal["open", "billed", "assumed", "declined", "lost"]
"""`open`: sent, and nothing known yet; `billed`: the reply stated its usage; `assumed`: it did not, or there was none,
so the reservation counts; `declined`: not billed; `lost`: its row was damaged, and no reservation is known."""
SHORTEST_LINE = 150
"""Bytes of a row in a journal, at least: so many rows may have been where bytes are damaged."""

CALL_SCHEMA = pa.schema(
    [
        ("order", pa.int64()),
        ("state", pa.string()),
        ("input_tokens", pa.int64()),
        ("output_tokens", pa.int64()),
        ("image_count", pa.int64()),
        ("cost", pa.float64()),
        ("seconds", pa.float64()),
        ("reserved_input", pa.int64()),
        ("reserved_output", pa.int64()),
        ("reserved_images", pa.int64()),
    ]
)
"""Usage as the reply stated it, cost as it was booked, and the reservation."""


class CallTable:
    """The calls of a run directory; thread-safe."""

    def __init__(self, directory: Path) -> None:
        self._records = Records(directory, "calls", CALL_SCHEMA)
        self._writing = threading.Lock()
        self._last = max(self._records, default=0)

    def open(self, expected: Usage, cost: float | None) -> int:
        """Store the reservation of a call that is about to be sent; returns the call's number."""
        with self._writing:
            self._last += 1
            self._put(self._last, "open", Usage(), cost, expected, sync=True)
            return self._last

    def close(self, number: int, state: State, usage: Usage, cost: float | None, expected: Usage) -> None:
        """Store what became of a call; until that is on the disk, the reservation counts."""
        with self._writing:
            self._put(number, state, usage, cost, expected)

    def _put(
        self, number: int, state: State, usage: Usage, cost: float | None, expected: Usage, sync: bool = False
    ) -> None:
        row = {
            "order": number,
            "state": state,
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "image_count": usage.images,
            "cost": cost,
            "seconds": usage.seconds,
            "reserved_input": expected.input_tokens,
            "reserved_output": expected.output_tokens,
            "reserved_images": expected.images,
        }
        self._records.put(row, sync=sync and cost != 0)  # what costs nothing need not wait for the disk

    def spent(self, price: Callable[[Usage], float | None]) -> tuple[Usage, int]:
        """Usage of all calls, and the number of those that count with their reservation.

        Args:
            price: Cost of a usage; for calls that were made when no price was known.
        """
        total, assumed = Usage(), 0
        for row in self._records.rows():
            total = total + replace(_usage_of(row), cost=_cost_of(row, price))
            assumed += row["state"] in ("open", "assumed", "lost")
        return total, assumed

    def rows(self) -> Iterator[dict[str, Any]]:
        """All calls, by number."""
        return self._records.rows()

    def add(self, rows: Iterable[dict[str, Any]]) -> None:
        """Append calls of other runs under new numbers."""
        for row in rows:
            self._last += 1
            self._records.put({**row, "order": self._last})

    def replace_lost(self, at_least: int, unknown: bool = False) -> int:
        """Add rows for calls that are lost: each counts with the largest reservation of those that are left.

        Args:
            at_least: How many rows may be lost; numbers that are missing count in any case.
            unknown: Whether further rows are lost, of an unknown number.

        Returns:
            How many rows were added.
        """
        if unknown:
            self._last += 1
            self._put(self._last, "lost", Usage(), None, Usage())
        missing = [number for number in range(1, self._last + 1) if number not in self._records]
        beyond = range(self._last + 1, self._last + 1 + max(0, at_least - len(missing)))
        names = ("reserved_input", "reserved_output", "reserved_images")
        largest = [max((row[name] for row in self._records.rows([name])), default=0) for name in names]
        state: State = "assumed" if any(largest) else "lost"
        for number in (*missing, *beyond):
            self._last = max(self._last, number)
            self._put(number, state, Usage(), None, Usage(*largest))
        return len(missing) + len(beyond) + unknown

    def unpriced(self) -> bool:
        """Whether it is not known of some call what it could have cost."""
        return any(row["state"] == "lost" for row in self._records.rows(["state"]))

    def may_be_billed(self) -> bool:
        """Whether any call has a cost, or had one that is lost."""
        return any(row["cost"] or row["state"] == "lost" for row in self._records.rows(["cost", "state"]))

    def __len__(self) -> int:
        return len(self._records)

    def compact(self) -> None:
        """Turn the table into one file."""
        if len(self._records):
            self._records.compact()

    def close_files(self) -> None:
        """Let go of the files."""
        self._records.close()


def _usage_of(row: dict[str, Any]) -> Usage:
    return Usage(row["input_tokens"], row["output_tokens"], row["image_count"], None, row["seconds"])


def _cost_of(row: dict[str, Any], price: Callable[[Usage], float | None]) -> float:
    if row["state"] == "declined":
        return 0.0
    if row["cost"] is not None:
        return float(row["cost"])
    if row["state"] == "billed":
        return price(_usage_of(row)) or 0.0
    return price(Usage(row["reserved_input"], row["reserved_output"], row["reserved_images"])) or 0.0
