"""The metrics of the bench."""

from __future__ import annotations

from typing import Any

from pixelproof.contract import Metric


def share(sums: Any) -> Any:
    """First count over the second, as a pooled metric."""
    return sums[..., 0] / sums[..., 1]


def _described(name: str, about: str, higher_is_better: bool | None = None, pooled: bool = False) -> Metric:
    """A metric of the chain of calls, which has no floor and no ceiling."""
    return Metric(
        name,
        about,
        calibrated=False,
        higher_is_better=higher_is_better,
        pool=share if pooled else None,
        range=None if name == "calls" else (0, 1),
        floors=(),
    )


METRICS = (
    Metric("accuracy", "right answers", range=(0, 1)),
    _described("visfid", "fidelity of the evidence: what the calls returned against the truth", True),
    _described("uses_tools", "answers with at least one call (RaPR)"),
    _described("uses_valid", "answers with at least one successful call that is no repeat (RaPR-valid)"),
    _described("composite", "answers with two successful calls of different tools that build on each other (RaCPR)"),
    _described("faithful", "right answers whose evidence contains all targets, of right answers", True, pooled=True),
    _described("calls", "calls per answer"),
    _described("success", "successful calls, of all calls", True, pooled=True),
    _described("repeats", "repeated calls, of all calls", False, pooled=True),
    _described("hops", "neighbouring calls that share neither place, reference nor tool", pooled=True),
    _described("stays", "neighbouring calls at one place without new evidence", pooled=True),
)
