"""Edits of flat scenes, with exact values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pixelproof.contract import PixelProofError
from pixelproof.world._limits import require_word
from pixelproof.world.flat import FlatScene, Sprite, rgb

from ._edit import require_amount

FlatAction = Literal["move", "turn", "scale", "remove", "insert", "swap", "recolour"]

FLAT_WAYS: dict[str, tuple[str, ...]] = {
    "move": ("left", "right", "up", "down"),
    "turn": ("clockwise", "anticlockwise"),
    "scale": ("",),
    "remove": ("",),
    "insert": ("",),
    "swap": ("",),
    "recolour": ("",),
}
"""Action of a flat edit → its possible ways."""


@dataclass(frozen=True)
class FlatEdit:
    """A change of a flat scene, with exact values.

    | action | target | way | amount | other fields |
    | --- | --- | --- | --- | --- |
    | move | sprite | left, right, up, down | share of the shorter side of the picture | |
    | turn | shape | clockwise, anticlockwise | degrees | |
    | scale | shape | | factor for its size | |
    | remove | sprite | | | |
    | insert | | | | sprite: the new sprite, painted on top |
    | swap | sprite | | | anchor: the sprite with which |
    | recolour | shape or plate | | | colour: a colour word or #rrggbb |
    """

    action: FlatAction
    target: str = ""
    way: str = ""
    amount: float = 0.0
    anchor: str = ""
    colour: str = ""
    sprite: Sprite | None = None


@dataclass(frozen=True)
class FlatChange:
    """How a sprite changed."""

    shift: tuple[float, float] = (0.0, 0.0)
    """Displacement to the right and down, in units of the shorter side of the picture."""
    turn_deg: float = 0.0
    """Rotation in degrees, clockwise."""
    factor: float = 1.0
    colour: str = ""
    """The new colour; empty: the old one."""
    removed: bool = False
    inserted: bool = False


@dataclass(frozen=True)
class FlatOutcome:
    """What became of an edit of a flat scene."""

    edit: FlatEdit
    share: float
    """How much of the edit was carried out: 1 for all of it."""
    before: FlatScene = field(repr=False)
    after: FlatScene | None = field(repr=False)
    """The scene after the edit; None if the edit cannot be carried out."""
    changes: Mapping[str, FlatChange] = field(default_factory=dict)
    """Sprite id → its change; sprites without a change are not listed."""
    why_not: str = ""
    """Why the edit cannot be carried out; empty if it was."""

    @property
    def possible(self) -> bool:
        """Whether the edit was carried out."""
        return self.after is not None


_NEEDS = {"insert": ("sprite",), "swap": ("target", "anchor"), "recolour": ("target", "colour")}


def check_flat_edit(scene: FlatScene, edit: FlatEdit) -> None:
    """Raise an error for an edit that is malformed, or that refers to what the scene does not have.

    Raises:
        PixelProofError: The action, the way, a sprite, the colour or the amount is invalid.
    """
    require_word("edit action of flat scenes", edit.action, FLAT_WAYS)
    if edit.way not in FLAT_WAYS[edit.action]:
        ways = " or ".join(repr(way) for way in FLAT_WAYS[edit.action])
        raise PixelProofError(f"The edit action {edit.action!r} has no way {edit.way!r}: choose {ways}.")
    given = tuple(name for name in ("target", "anchor", "colour", "sprite") if getattr(edit, name))
    if set(given) != set(_NEEDS.get(edit.action, ("target",))) or (edit.target and edit.target == edit.anchor):
        raise PixelProofError(f"The edit {edit.action!r} has other fields than it needs: see the table of FlatEdit.")
    for id in filter(None, (edit.target, edit.anchor)):
        scene.sprite(id)
    require_amount(edit.action, edit.amount, edit.action in ("move", "turn", "scale"))
    if edit.colour:
        rgb(edit.colour)
    if edit.sprite is not None and edit.sprite.id in {sprite.id for sprite in scene.sprites}:
        raise PixelProofError(f"The scene has a sprite {edit.sprite.id!r} already: give the new one another id.")
