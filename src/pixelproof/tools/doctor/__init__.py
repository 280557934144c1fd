"""What goes wrong silently with tools: findings in plain words, and checks of files of traces.

`check_traces` looks for tool use that collapses, results that no execution gives, answers that no evidence carries,
hopping, repeats and errors.
"""

from ._finding import Finding, Status
from ._measures import footprint, is_hop, is_repeat, mentions, overlap, p_larger, used_tools
from ._table import findings_table
from ._traces import Diagnosis, check_traces, traces_lede

__all__ = [
    "Diagnosis",
    "Finding",
    "Status",
    "check_traces",
    "findings_table",
    "footprint",
    "is_hop",
    "is_repeat",
    "mentions",
    "overlap",
    "p_larger",
    "traces_lede",
    "used_tools",
]
