"""Edits of solid scenes, with exact values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, cast, get_args

from pixelproof.contract import PixelProofError
from pixelproof.world._limits import require_word
from pixelproof.world.solid import Scene, Thing

Action = Literal[
    "move", "place", "put", "turn", "scale", "remove", "insert", "swap", "move camera", "turn camera", "zoom camera"
]
Frame = Literal["viewer", "object"]

CORNERS = ("front left", "front right", "back left", "back right")
WAYS: dict[str, tuple[str, ...]] = {
    "move": ("left", "right", "closer", "away", "up", "down"),
    "place": ("left", "right", "front", "behind"),
    "turn": ("clockwise", "anticlockwise"),
    "move camera": ("left", "right", "forward", "back", "up", "down"),
    "turn camera": ("left", "right", "up", "down"),
    "zoom camera": ("in", "out"),
    "put": ("", "middle", "left", "right", "front", "back", *CORNERS),
    "scale": ("",),
    "remove": ("",),
    "insert": ("left", "right", "front", "behind"),
    "swap": ("",),
}
"""Action → its possible ways (directions or spots), in the viewer's frame."""
OWN_WAYS: dict[str, tuple[str, ...]] = {
    "move": ("left", "right", "forward", "back"),
    "place": ("left", "right", "front", "behind"),
}
"""Action → its possible ways in the frame of a thing with a front: the target of a move, the anchor of a place."""
MEASURED = ("move", "place", "turn", "scale", "insert", "move camera", "turn camera", "zoom camera")
"""Actions with an amount."""
MOST = 1000
"""Largest amount, in metres, degrees or as a factor."""
ANCHORED = ("place", "put", "insert", "swap")
"""Actions with an anchor."""


@dataclass(frozen=True)
class Edit:
    """A change of a scene, with exact values.

    | action | target | way | amount | anchor |
    | --- | --- | --- | --- | --- |
    | move | thing | left, right, closer, away, up, down; in its own frame: left, right, forward, back | metres | |
    | place | thing | left, right, front, behind | metres between the centres, level | thing beside which |
    | put | thing | middle, left, right, front, back, a corner such as front left; empty: anywhere | | thing on which |
    | turn | thing | clockwise, anticlockwise as seen from above | degrees | |
    | scale | thing | | factor for every length | |
    | remove | thing | | | |
    | insert | id of the new thing | left, right, front, behind | metres between the centres | thing beside which |
    | swap | thing | | | thing with which |
    | move camera | | left, right, forward, back, up, down | metres | |
    | turn camera | | left, right, up, down | degrees | |
    | zoom camera | | in, out | factor of the focal length, above 1 | |
    """

    content_name: ClassVar[str] = "Edit"

    action: Action
    target: str = ""
    way: str = ""
    amount: float = 0.0
    anchor: str = ""
    frame: Frame = "viewer"
    """Frame of reference of the way: the viewer's, or that of the target of a move or the anchor of a place."""
    thing: Thing | None = None
    """The new thing of an `insert`, in the rotation and scale that it gets; its position does not matter."""


def check_edit(scene: Scene, edit: Edit) -> None:
    """Raise an error for an edit that is malformed, or that refers to what the scene does not have.

    Raises:
        PixelProofError: The action, the way, a thing or the amount is invalid.
    """
    check_fields(edit)
    ids = [thing.id for thing in scene.things]
    new = edit.target if edit.action == "insert" else ""
    for id in filter(None, (edit.target, edit.anchor)):
        if id != new:
            require_word("thing", id, ids)
    if new and (new in ids or edit.thing is None or edit.thing.id != new or edit.thing.fixed):
        raise PixelProofError(f"An insert needs a thing that is not fixed, with the new id {new!r}, in `Edit.thing`.")
    if edit.target and edit.target == edit.anchor:
        raise PixelProofError(f"The target and the anchor of the edit {edit.action!r} are both {edit.target}.")
    if edit.target and not new and scene.thing(edit.target).fixed:
        raise PixelProofError(f"{edit.target} is part of the surroundings: choose a thing that can be moved.")


def check_fields(edit: Edit) -> None:
    """Raise an error for an edit whose fields do not fit together, whatever the scene.

    Raises:
        PixelProofError: The action, the way, the frame or the amount is invalid, or a target or an anchor is missing.
    """
    require_word("edit action", edit.action, WAYS)
    require_word("frame of an edit", edit.frame, get_args(Frame))
    ways = WAYS[edit.action] if edit.frame == "viewer" else OWN_WAYS.get(edit.action, ())
    if edit.way not in ways:
        known = " or ".join(repr(way) for way in ways) or "the viewer's frame"
        own = " in the frame of a thing" if edit.frame == "object" else ""
        raise PixelProofError(f"The edit action {edit.action!r} has no way {edit.way!r}{own}: choose {known}.")
    if ("camera" in edit.action) == bool(edit.target) or (edit.action in ANCHORED) != bool(edit.anchor):
        raise PixelProofError(f"The edit {edit.action!r} needs another target or anchor: see the table of Edit.")
    if (edit.action == "insert") != (edit.thing is not None):
        raise PixelProofError("An insert, and no other edit, has a new thing in `Edit.thing`.")
    require_amount(edit.action, edit.amount, edit.action in MEASURED)
    if edit.action == "zoom camera" and edit.amount <= 1:
        raise PixelProofError(f"A zoom needs a factor above 1, not {edit.amount}: choose the way in or out.")


def require_amount(action: str, amount: object, measured: bool) -> None:
    """Raise an error unless an amount is a number above 0 and at most `MOST`, or 0 if the action has no amount."""
    valid = isinstance(amount, int | float) and not isinstance(amount, bool)
    if not valid or not (0 < cast(float, amount) <= MOST if measured else amount == 0):
        expected = f"a number above 0 and at most {MOST}" if measured else "0"
        raise PixelProofError(f"The amount of the edit {action!r} must be {expected}, not {repr(amount)[:60]}.")
