"""Pairs of scenes before and after edits with an instruction, sampled by operation."""

from ._operations import OPERATIONS, PRESETS, Operation, Preset, sample_pair
from ._pair import REASONS, Pair, hard_parts
from ._recipe import PairLayers, PairRecipe, caption_of, pair_panels, pair_sheet
from ._situation import LEAST_CHANGED, LEAST_SHARE, LEAST_VISIBLE, Situation, look_at

__all__ = [
    "LEAST_CHANGED",
    "LEAST_SHARE",
    "LEAST_VISIBLE",
    "OPERATIONS",
    "PRESETS",
    "REASONS",
    "Operation",
    "Pair",
    "PairLayers",
    "PairRecipe",
    "Preset",
    "Situation",
    "caption_of",
    "hard_parts",
    "look_at",
    "pair_panels",
    "pair_sheet",
    "sample_pair",
]
