"""Composed subjects: recognised things, and stated conditions on them that are checked cell by cell."""

from pixelproof.benches.pixelart.subjects.composed._kind import WORDS, Composed, on_ground
from pixelproof.benches.pixelart.subjects.composed._several import GroupAndThing, SameThings, SizedThings, TwoThings
from pixelproof.benches.pixelart.subjects.composed._single import (
    ColouredThing,
    FramedThing,
    OutlinedThing,
    PlacedThing,
    StandingThing,
)
from pixelproof.benches.pixelart.subjects.composed._sprites import Artist, Sprite, Style, draw_plan, draw_sprite

COMPOSED: tuple[Composed, ...] = (
    TwoThings(),
    SameThings(),
    GroupAndThing(),
    SizedThings(),
    ColouredThing(),
    OutlinedThing(),
    PlacedThing(),
    FramedThing(),
    StandingThing(),
)

__all__ = ["COMPOSED", "WORDS", "Artist", "Composed", "Sprite", "Style", "draw_plan", "draw_sprite", "on_ground"]
