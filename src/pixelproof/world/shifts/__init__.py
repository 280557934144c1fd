"""Shifts: named, graded, seeded ways in which pictures and worlds get harder, for benches and for training."""

from ._pictures import SHIFTS, Shift, shift_clip
from ._worlds import TURN, WORLD_SHIFTS, WorldShift, prior_weights, turned_palette

__all__ = [
    "SHIFTS",
    "TURN",
    "WORLD_SHIFTS",
    "Shift",
    "WorldShift",
    "prior_weights",
    "shift_clip",
    "turned_palette",
]
