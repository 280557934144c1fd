"""Episodes with tools, and files of what happened in them.

`ToolEpisode` asks a model a question about a picture or clip and executes its calls. `TraceFile` reads and writes
traces with their media; `replay_trace` executes one again and compares; `draw_step` draws its evidence.
"""

from ._drawing import draw_step, evidence_text
from ._episode import FRAMES, SYSTEM, VIEW, ToolEpisode, final_text, first_view, steps_of
from ._files import TraceFile, find_traces, trace_files, with_media
from ._page import Marks, answer_text, trace_fragment, trace_page, write_page
from ._replay import Replay, backends_of, replay_trace

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
