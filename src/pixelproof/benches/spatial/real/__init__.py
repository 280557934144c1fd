"""Edits of real photographs: proposals by rule from lifted things, for a gate and a reviewer.

Steps, each of which can be replaced: frames (`photo_frames`, `clip_frames`, `collage_frames`), `sharpness`, lifters
(`open_lifter`), `propose_edits`, `draw_edit` and `ask_gate`. `find_candidates` runs them.
"""

from ._boxes import LiftedBox, RealEdit, as_matrix, intersect, project
from ._collages import collage_frames
from ._frames import (
    Frame,
    Lifter,
    OracleLifter,
    clip_frames,
    open_lifter,
    photo_frames,
    sample_places,
    scene_frame,
    sharpness,
)
from ._overlay import draw_edit
from ._pipeline import (
    Candidate,
    GateVerdict,
    Rejected,
    Settings,
    annotation_of,
    ask_gate,
    find_candidates,
    gate_prompt,
    read_verdict,
    says_the_same,
)
from ._proposals import name_of, propose_edits, view_axes

__all__ = [
    "Candidate",
    "Frame",
    "GateVerdict",
    "LiftedBox",
    "Lifter",
    "OracleLifter",
    "RealEdit",
    "Rejected",
    "Settings",
    "annotation_of",
    "as_matrix",
    "ask_gate",
    "clip_frames",
    "collage_frames",
    "draw_edit",
    "find_candidates",
    "gate_prompt",
    "intersect",
    "name_of",
    "open_lifter",
    "photo_frames",
    "project",
    "propose_edits",
    "read_verdict",
    "says_the_same",
    "sample_places",
    "scene_frame",
    "sharpness",
    "view_axes",
]
