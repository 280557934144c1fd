"""Checks of files of traces: tool use that collapses, replaced results, unfaithful calls, repeats, hops and errors."""

from ._checks import Checks, Finding, Status, check_traces, findings_page, p_larger
from ._measures import footprint, is_hop, is_repeat, mentions, overlap

__all__ = [
    "Checks",
    "Finding",
    "Status",
    "check_traces",
    "findings_page",
    "footprint",
    "is_hop",
    "is_repeat",
    "mentions",
    "overlap",
    "p_larger",
]
