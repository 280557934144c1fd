"""Edits of solid scenes, with exact values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from pixelproof.contract import PixelProofError
from pixelproof.world._limits import require_word
from pixelproof.world.solid import Scene

Action = Literal["move", "place", "put", "turn", "scale", "remove", "swap", "move camera", "turn camera"]

WAYS: dict[str, tuple[str, ...]] = {
    "move": ("left", "right", "closer", "away"),
    "place": ("left", "right", "front", "behind"),
    "turn": ("clockwise", "anticlockwise"),
    "move camera": ("left", "right", "forward", "back", "up", "down"),
    "turn camera": ("left", "right", "up", "down"),
    "put": ("", "middle", "left", "right", "front", "back"),
    "scale": ("",),
    "remove": ("",),
    "swap": ("",),
}
"""Action → its possible ways (directions or spots)."""
MEASURED = ("move", "place", "turn", "scale", "move camera", "turn camera")
"""Actions with an amount."""
MOST = 1000
"""Largest amount, in metres, degrees or as a factor."""
ANCHORED = ("place", "put", "swap")
"""Actions with an anchor."""


@dataclass(frozen=True)
class Edit:
    """A change of a scene, with exact values.

    | action | target | way | amount | anchor |
    | --- | --- | --- | --- | --- |
    | move | thing | left, right, closer, away | metres | |
    | place | thing | left, right, front, behind | metres between the centres, level | thing beside which |
    | put | thing | middle, left, right, front, back; empty: anywhere | | thing on which |
    | turn | thing | clockwise, anticlockwise as seen from above | degrees | |
    | scale | thing | | factor for every length | |
    | remove | thing | | | |
    | swap | thing | | | thing with which |
    | move camera | | left, right, forward, back, up, down | metres | |
    | turn camera | | left, right, up, down | degrees | |
    """

    action: Action
    target: str = ""
    way: str = ""
    amount: float = 0.0
    anchor: str = ""


def check_edit(scene: Scene, edit: Edit) -> None:
    """Raise an error for an edit that is malformed, or that refers to what the scene does not have.

    Raises:
        PixelProofError: The action, the way, a thing or the amount is invalid.
    """
    require_word("edit action", edit.action, WAYS)
    if edit.way not in WAYS[edit.action]:
        ways = " or ".join(repr(way) for way in WAYS[edit.action])
        raise PixelProofError(f"The edit action {edit.action!r} has no way {edit.way!r}: choose {ways}.")
    if ("camera" in edit.action) == bool(edit.target) or (edit.action in ANCHORED) != bool(edit.anchor):
        raise PixelProofError(f"The edit {edit.action!r} needs another target or anchor: see the table of Edit.")
    ids = [thing.id for thing in scene.things]
    for id in filter(None, (edit.target, edit.anchor)):
        require_word("thing", id, ids)
    if edit.target and edit.target == edit.anchor:
        raise PixelProofError(f"The target and the anchor of the edit {edit.action!r} are both {edit.target}.")
    if edit.target and scene.thing(edit.target).fixed:
        raise PixelProofError(f"{edit.target} is part of the surroundings: choose a thing that can be moved.")
    if not math.isfinite(edit.amount) or edit.amount > MOST or (edit.amount <= 0) == (edit.action in MEASURED):
        expected = f"above 0 and at most {MOST}" if edit.action in MEASURED else "0"
        raise PixelProofError(f"The amount of the edit {edit.action!r} must be {expected}, not {edit.amount}.")
