"""Limits on how many requests a visitor or an address may send."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

_MOST_KEYS = 10_000


class RateLimit:
    """Token buckets: each key may send `burst` requests at once, and `per_second` on average."""

    def __init__(self, per_second: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        """Set the limit of every key.

        Args:
            per_second: Requests that are allowed again each second.
            burst: Requests after a pause.
            clock: Seconds.
        """
        self._rate, self._burst, self._clock = per_second, float(burst), clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def wait(self, key: str) -> float:
        """Count a request and return 0, or return the seconds until one is allowed again.

        >>> limit = RateLimit(2, 1, clock=lambda: 0.0)
        >>> limit.wait("a"), limit.wait("a"), limit.wait("b")
        (0.0, 0.5, 0.0)
        """
        now = self._clock()
        if len(self._buckets) >= _MOST_KEYS:
            self._forget(now)
        left, then = self._buckets.get(key, (self._burst, now))
        left = min(self._burst, left + (now - then) * self._rate)
        if left < 1:
            return (1 - left) / self._rate
        self._buckets[key] = left - 1, now
        return 0.0

    def _forget(self, now: float) -> None:
        """Drop the keys whose bucket is full again, or else all of them: memory is bounded."""
        refill = self._burst / self._rate
        self._buckets = {key: one for key, one in self._buckets.items() if now - one[1] < refill}
        if len(self._buckets) >= _MOST_KEYS:
            self._buckets.clear()


@dataclass(frozen=True)
class Limits:
    """The limits of a server that people on other machines use."""

    visitor: RateLimit = field(default_factory=lambda: RateLimit(10, 100))
    """Per token."""
    address: RateLimit = field(default_factory=lambda: RateLimit(300, 1500))
    """Per address: many visitors may share one, such as that of a proxy."""
    stranger: RateLimit = field(default_factory=lambda: RateLimit(1, 60))
    """Per address, for requests without access."""
