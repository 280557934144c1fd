"""A scene with what can be seen of it, and the rules of visibility that pairs keep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pixelproof.world.language import View, view_of
from pixelproof.world.solid import Scene
from pixelproof.world.solid._rules import visibility

LEAST_VISIBLE = 0.6
"""Least visible share of a thing that an instruction names, before and after."""
LEAST_SHARE = 400 / 512**2
"""Least share of the picture that it fills."""
LEAST_CHANGED = 300 / 512**2
"""Least share of the picture that shows a named thing in one of the two pictures alone."""


@dataclass(frozen=True)
class Situation:
    """A scene, and what can be seen of it."""

    scene: Scene
    view: View
    shares: Mapping[str, float]
    """Thing id → share of the picture."""
    masks: npt.NDArray[np.uint16] = field(repr=False, compare=False)
    """Number of the thing that each pixel shows, from 1; 0 for none."""

    def mask(self, id: str) -> npt.NDArray[np.bool_]:
        """Pixels that show a thing; none if it is not in the scene."""
        number = next((number for number, thing in enumerate(self.scene.things, 1) if thing.id == id), -1)
        return np.asarray(self.masks == number)

    def shows(self, id: str) -> bool:
        """Whether enough of a thing can be seen to edit it."""
        return self.view[id].visible >= LEAST_VISIBLE and self.shares[id] >= LEAST_SHARE


def look_at(scene: Scene) -> Situation:
    """Measure what can be seen of a scene, in a small picture."""
    seen = visibility(scene)
    ids = [thing.id for thing in scene.things]
    visible = dict(zip(ids, seen.visible.tolist(), strict=True))
    counts = np.bincount(seen.ids.ravel(), minlength=len(ids) + 1)[1:] / seen.ids.size
    return Situation(scene, view_of(scene, visible), dict(zip(ids, counts.tolist(), strict=True)), seen.ids)


def is_seen(before: Situation, after: Situation, named: Iterable[str], *, turns: bool = False) -> bool:
    """Whether named things can be seen before and after an edit, as far as they exist, and seen to change.

    Args:
        before: The scene before.
        after: The scene after.
        named: Ids of the things that the edit changes.
        turns: Whether the edit turns things, so that they may fill the same pixels as before.
    """
    for id in named:
        present = [one for one in (before, after) if id in one.shares]
        if not all(one.shows(id) for one in present):
            return False
        changed = before.mask(id) ^ after.mask(id)
        if not turns and changed.mean() < LEAST_CHANGED:
            return False
    return True
