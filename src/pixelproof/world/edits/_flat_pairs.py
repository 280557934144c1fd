"""Pairs of flat pictures in batches, before and after edits, on a CPU or a GPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError
from pixelproof.world.flat import DisplayList, FlatScene, label_maps, lower, render
from pixelproof.world.flat._display import Array, count

from ._flat_edit import FlatOutcome


@dataclass(frozen=True, eq=False)
class FlatPairs:
    """A batch of edits of flat scenes of one size, as arrays for the renderer."""

    before: DisplayList
    after: DisplayList
    edited_before: Array
    """(n, sprites + 1) bool: whether the edit of a scene changes the sprite with a label, before the edit."""
    edited_after: Array

    def map(self, move: Callable[[npt.NDArray[Any]], Array]) -> FlatPairs:
        """A copy with each array converted: `pairs.map(lambda array: torch.as_tensor(array, device="cuda"))`."""
        return FlatPairs(self.before.map(move), self.after.map(move), move(self.edited_before), move(self.edited_after))


class RenderedPairs(NamedTuple):
    """Pictures before and after edits, with their change masks."""

    before: Array
    """uint8 (n, height, width, 3)."""
    after: Array
    object: Array
    """bool (n, height, width): pixels that show an edited sprite, before or after the edit."""
    edge: Array
    """bool (n, height, width): other pixels that changed."""


def lower_pairs(outcomes: Sequence[FlatOutcome]) -> FlatPairs:
    """Arrays of a batch of edits that were carried out, in scenes of one size.

    Raises:
        PixelProofError: There are none, one could not be carried out, or the sizes differ.
    """
    afters = [outcome.after for outcome in outcomes if outcome.after is not None]
    if not outcomes or len(afters) < len(outcomes):
        raise PixelProofError("A batch of pairs needs edits, all of which were carried out: leave out the others.")
    befores = [outcome.before for outcome in outcomes]
    tables = [_edited(scenes, outcomes) for scenes in (befores, afters)]
    return FlatPairs(lower(befores), lower(afters), *tables)


def _edited(scenes: Sequence[FlatScene], outcomes: Sequence[FlatOutcome]) -> npt.NDArray[np.bool_]:
    table = np.zeros((len(scenes), 1 + max(len(scene.sprites) for scene in scenes)), np.bool_)
    for row, (scene, outcome) in enumerate(zip(scenes, outcomes, strict=True)):
        for label, sprite in enumerate(scene.sprites, 1):
            table[row, label] = sprite.id in outcome.changes
    return table


def render_pairs(pairs: FlatPairs, compile: Callable[..., Any] | None = None) -> RenderedPairs:
    """Render a batch of pairs with their change masks, on the device of its arrays.

    Args:
        pairs: From `lower_pairs`; for a GPU, its arrays moved there with `map`.
        compile: `torch.compile`, as for `render`.
    """
    one, other = render(pairs.before, compile), render(pairs.after, compile)
    old, new = label_maps(pairs.before), label_maps(pairs.after)
    scene = count(len(old), pairs.edited_before, "int64")[:, None, None]
    shown = pairs.edited_before[scene, old] | pairs.edited_after[scene, new]
    differs = (one != other).any(-1)
    return RenderedPairs(one, other, shown, differs & ~shown)
