"""Frames of reference: the viewer's, and that of a thing that has a front."""

from __future__ import annotations

from pixelproof.world.edits import Edit

from .view import OWN_FRAME, Entity, View
from .words import OWNERS

_WAYS = {
    "left": (-1, 0),
    "right": (1, 0),
    "closer": (0, -1),
    "front": (0, -1),
    "away": (0, 1),
    "behind": (0, 1),
}
"""Way of a move or a place of the viewer → direction: to the right, and away from the viewer."""
_OWN_WAYS = {"forward": (1, 0), "front": (1, 0), "back": (-1, 0), "behind": (-1, 0), "left": (0, 1), "right": (0, -1)}
"""Way in the frame of a thing → direction: the way that it faces, and its own left."""
_SIDES = {"move": ("left", "right"), "place": ("left", "right", "front", "behind")}
_SIDES["insert"] = _SIDES["place"]
"""Action → ways that have another meaning in the frame of a thing with a front."""


def owner_of(view: View, edit: Edit) -> Entity:
    """The thing whose frame an edit may refer to: the target of a move, the anchor of a place."""
    return view[edit.target if edit.action == "move" else edit.anchor]


def has_own_frame(entity: Entity) -> bool:
    """Whether a thing has a left and a front of its own that people would name, and that can be seen."""
    large = max(entity.reach[0] + entity.reach[1], entity.reach[2] + entity.reach[3]) >= OWN_FRAME
    return entity.front is not None and entity.noun in OWNERS and large


def has_two_frames(view: View, edit: Edit) -> bool:
    """Whether the way of an edit could be that of the viewer or that of a thing, so that a text must say which."""
    return edit.way in _SIDES.get(edit.action, ()) and owner_of(view, edit).front is not None


def way_on_ground(view: View, edit: Edit) -> tuple[float, float]:
    """Unit direction of an edit along the ground, to the viewer's right and away; zero for other ways."""
    if edit.frame == "viewer":
        return _WAYS.get(edit.way, (0, 0))
    x, y = owner_of(view, edit).front or (0.0, 0.0)
    forward, left = _OWN_WAYS[edit.way]
    return forward * x - left * y, forward * y + left * x
