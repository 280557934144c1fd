"""A scene with what can be seen of it, the rules of visibility that pairs keep, and things that are added before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, islice

import numpy as np
import numpy.typing as npt

from pixelproof.world.edits._apply import problems
from pixelproof.world.edits._spots import spots
from pixelproof.world.edits._transforms import turned_about
from pixelproof.world.language import View, view_of
from pixelproof.world.solid import Scene
from pixelproof.world.solid._rules import visibility
from pixelproof.world.solid._sampling import Taste, choose

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


_PLACES = 5
"""Number of free places that are tried."""
_LARGEST = 0.45
"""Longest side of a thing that is added, in metres."""


def with_one_of(here: Situation, names: Sequence[str], rng: np.random.Generator) -> tuple[Situation, str] | None:
    """A scene with one more thing of some categories, and its id; None if there is no free place for it.

    It stands on what carries most things, near the middle, and follows the rules of the split.
    """
    scene = here.scene
    holders = Counter(thing.support for thing in scene.movable if thing.support)
    taste = Taste(scene.split, seed=scene.seed, index=scene.index)
    drawn = choose(rng, [str(rng.choice(names))], 1, taste, lambda thing: max(thing.size) <= _LARGEST, scene.movable)
    if not holders or not drawn:
        return None
    holder = scene.thing(holders.most_common(1)[0][0])
    named = replace(drawn[0], id=_free_id(scene, drawn[0].id))
    thing = turned_about(named, np.zeros(3), float(rng.uniform(0, 360)))
    for there in islice(spots(scene, thing, holder, ""), _PLACES):
        more = replace(scene, things=(*scene.things, there))
        if next(problems(scene, more), None) is None and (seen := _seen(more, there.id)):
            return seen, there.id
    return None


def _free_id(scene: Scene, id: str) -> str:
    """An id, with the next number that no thing of a scene has."""
    used, (name, _, number) = {thing.id for thing in scene.things}, id.rpartition("-")
    return next(free for n in count(int(number)) if (free := f"{name}-{n}") not in used)


def _seen(scene: Scene, id: str) -> Situation | None:
    """What is seen of a scene, if a thing can be seen."""
    there = look_at(scene)
    return there if there.view[id].visible >= LEAST_VISIBLE and there.shares[id] >= LEAST_SHARE else None
