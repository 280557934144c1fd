"""Episodes with tools, and files of what happened in them.

`ToolEpisode` asks a model a question about a picture or clip and executes its calls. `TraceFile` reads and writes
traces with their media; `replay_trace` executes one again and compares; `draw_step` draws its evidence.
"""

from ._episode import (
    FRAMES,
    SYSTEM,
    VIEW,
    Replay,
    ToolEpisode,
    backends_of,
    final_text,
    first_view,
    replay_trace,
    steps_of,
)
from ._files import TraceFile, find_traces, trace_files, with_media
from ._page import Marks, answer_text, draw_step, evidence_text, trace_fragment, trace_page, write_page

__all__ = [
    "FRAMES",
    "SYSTEM",
    "VIEW",
    "Marks",
    "Replay",
    "ToolEpisode",
    "TraceFile",
    "answer_text",
    "backends_of",
    "draw_step",
    "evidence_text",
    "final_text",
    "find_traces",
    "first_view",
    "replay_trace",
    "steps_of",
    "trace_files",
    "trace_fragment",
    "trace_page",
    "with_media",
    "write_page",
]
