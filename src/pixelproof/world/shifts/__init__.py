"""Shifts: named, graded, seeded degradations of images and variations of worlds."""

from ._pictures import SHIFTS, Shift, shift_clip
from ._worlds import TURN, TURN_LIMIT, WORLD_SHIFTS, WorldShift, prior_weights, skewed, turned_palette

__all__ = [
    "SHIFTS",
    "TURN",
    "TURN_LIMIT",
    "WORLD_SHIFTS",
    "Shift",
    "WorldShift",
    "prior_weights",
    "shift_clip",
    "skewed",
    "turned_palette",
]
