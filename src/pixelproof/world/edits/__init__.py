"""Edits that are carried out: the exact scene after an edit, what changed, and which pixels show it.

The module `stage`, which draws, is not imported here: its loops need numba, and sentences about edits do not.
"""

from pixelproof.world.solid.layouts._placing import Ground

from ._apply import SHARES, apply
from ._edit import CORNERS, OWN_WAYS, WAYS, Action, Edit, check_fields
from ._flat_apply import propose_flat
from ._flat_edit import FLAT_WAYS, FlatAction, FlatChange, FlatEdit, FlatOutcome
from ._flat_pairs import FlatPairs, RenderedPairs, lower_pairs, render_pairs
from ._mask import ChangeMask, change_mask, edit_panels
from ._outcome import Change, Outcome
from ._spots import level_surfaces, rests_on
from ._transforms import edit_direction, front_of, load_of, pivot, placed, transformed, turn_difference, without

__all__ = [
    "CORNERS",
    "FLAT_WAYS",
    "OWN_WAYS",
    "SHARES",
    "WAYS",
    "Action",
    "Change",
    "ChangeMask",
    "Edit",
    "FlatAction",
    "FlatChange",
    "FlatEdit",
    "FlatOutcome",
    "FlatPairs",
    "Ground",
    "Outcome",
    "RenderedPairs",
    "apply",
    "change_mask",
    "check_fields",
    "edit_direction",
    "edit_panels",
    "front_of",
    "level_surfaces",
    "load_of",
    "lower_pairs",
    "pivot",
    "placed",
    "propose_flat",
    "render_pairs",
    "rests_on",
    "transformed",
    "turn_difference",
    "without",
]
