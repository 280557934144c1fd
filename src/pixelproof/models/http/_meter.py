"""Which requests of a call a service may bill; the harness sets the meter, and the transport reports to it."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Protocol


class Meter(Protocol):
    """Counts the requests of one call that may be billed."""

    def sending(self) -> bool:
        """A request is about to be sent; False if the budget does not allow one more."""

    def declined(self) -> None:
        """The request was not sent, or was declined with an error status: it is not billed."""


METER: ContextVar[Meter | None] = ContextVar("pixelproof_meter", default=None)
"""The meter of the call in progress, if there is a budget."""
