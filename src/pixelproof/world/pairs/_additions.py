"""Things that are added to a scene before a pair is drawn, where the scene has none that an operation needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import count, islice

import numpy as np

from pixelproof.world.edits._spots import spots
from pixelproof.world.edits._transforms import turned_about
from pixelproof.world.edits._verify import problems
from pixelproof.world.solid import Scene
from pixelproof.world.solid._sampling import Taste, choose

from ._situation import LEAST_SHARE, LEAST_VISIBLE, Situation, look_at

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
