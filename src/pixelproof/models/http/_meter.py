"""Which requests of a call a service may bill; the harness sets the meter, and the transport reports to it."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Protocol

from pixelproof.contract import Usage


class Meter(Protocol):
    """Counts the requests of one call that may be billed."""

    @property
    def limited(self) -> bool:
        """Whether there is a budget, so that nothing may be sent that is not metered."""

    def sending(self) -> bool:
        """A request is about to be sent; False if the budget does not allow one more."""

    def declined(self) -> None:
        """The request was not sent, or declined with an error status: it is not billed, unless it reported usage."""

    def report_usage(self, least: Usage) -> None:
        """The reply to the request, perhaps an error, states this usage: at least that is billed."""

    def drew_nothing(self) -> None:
        """The reply states that it has no image, so none is billed."""


METER: ContextVar[Meter | None] = ContextVar("pixelproof_meter", default=None)
"""The meter of the call in progress, if there is a budget."""
