"""Impossible instructions: each has a twin, a scene in which the same words are possible.

A possible edit is drawn and worded first. Then the scene is changed so that the words still name the same things, or
certainly nothing, and the edit can no longer be carried out. So no text tells whether it is possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from pixelproof.world.edits import Edit, apply, edit_direction, load_of, pivot
from pixelproof.world.edits._apply import problems
from pixelproof.world.edits._transforms import move_group
from pixelproof.world.language import Expression, count, unique
from pixelproof.world.solid import Scene
from pixelproof.world.solid.layouts._placing import grounds

from ._drafts import ADDED_TOPS, TOPS, Draft, Sampler, Settings, draw, draw_insertion, is_new_relation
from ._pair import Pair, Reason
from ._situation import Situation, look_at, with_one_of

_ABSENT = 0.2
"""Share of scenes in which no other reason than `absent` is tried."""
_WIDE = 0.7
"""Factor of the focal length for things that would fall: the edge of what they stand on comes into the picture."""
_BYSTANDERS = 4
"""Number of things that are tried as obstacles."""
_SHIFTS = (0.08, 0.15, 0.25, 0.4, 0.6, 0.9)
"""Distances in metres by which a thing is brought closer to an edge."""
_BEYOND = 0.03
"""Least distance beyond the edge of its support at which a thing would hang in the air, in metres."""
_FRAME = 0.04
"""Margin of the picture in which it would hang, as a share of the side."""
_FALLS = ("support", "floor", "drift", "turn")


def draw_twins(here: Situation, rng: np.random.Generator, settings: Settings) -> tuple[Draft, Situation, Reason] | None:
    """A possible edit, a scene in which its words are impossible, and why; None if none was found.

    The other reasons are tried first in most scenes; `absent`, which nearly always works, replaces them.
    """
    named = replace(settings, forms=("noun", "attribute"))
    others = [] if rng.random() < _ABSENT else rng.permutation([name for name in _MAKERS if name != "absent"]).tolist()
    for reason in (*others, "absent"):
        start = _start(here, reason, rng)
        draft = _SAMPLERS[reason][int(rng.integers(len(_SAMPLERS[reason])))](start, rng, named) if start else None
        for scene in _MAKERS[reason](draft, rng) if draft else ():
            there = look_at(scene)
            if draft and _named(there, draft, reason):
                return draft, there, reason
    return None


def _start(here: Situation, reason: Reason, rng: np.random.Generator) -> Situation | None:
    """The scene to begin with: one with a flat thing to stand on, or with more of the surroundings in the picture."""
    if reason == "carries" and not any(_has_top(here, thing.id) for thing in here.scene.movable):
        added = with_one_of(here, ADDED_TOPS, rng)
        return added[0] if added else None
    if reason == "unsupported" and here.scene.kind != "shelf":
        wide = replace(here.scene.camera, focal=round(_WIDE * here.scene.camera.focal, 4))
        return look_at(replace(here.scene, camera=wide))
    return here


def _has_top(here: Situation, id: str) -> bool:
    return here.view[id].noun in TOPS and here.shows(id)


def impossible_pair(draft: Draft, twin: Situation, reason: Reason, language: str) -> Pair:
    """The pair of an impossible instruction: nothing changes."""
    possible = draft.pair("impossible", language)
    parts = {"things": float(len(twin.scene.movable))}
    return replace(
        possible, before=twin.scene, after=twin.scene, why_not=reason, difficulty={**possible.difficulty, **parts}
    )


def _named(there: Situation, draft: Draft, reason: Reason) -> bool:
    """Whether the words of a draft name the same things in another scene; where one is absent, certainly nothing."""
    absent = 0
    for expression in draft.expressions:
        if expression.id not in there.shares:
            absent += 1
            if not _fits_nothing(there, expression):
                return False
        elif not unique(there.view, expression) or not (
            there.scene.thing(expression.id).fixed or there.shows(expression.id)
        ):
            return False
    return absent == (reason == "absent")


def _fits_nothing(there: Situation, expression: Expression) -> bool:
    return not expression.superlative and not expression.relation and count(there.view, expression.phrase) == 0


def _refused(scene: Scene, edit: Edit, rules: tuple[str, ...]) -> bool:
    outcome = apply(scene, edit)
    return outcome.after is None and outcome.rule in rules


def _absent(draft: Draft, rng: np.random.Generator) -> Iterator[Scene]:
    """A named thing is not there."""
    scene = draft.before.scene
    ids = [expression.id for expression in draft.expressions]
    for index in rng.permutation(len(ids)):
        thing = scene.thing(ids[index])
        if not thing.fixed and not load_of(scene, thing.id):
            yield scene.without(thing.id)


def _bystanders(draft: Draft, rng: np.random.Generator) -> list[str]:
    scene, edit = draft.before.scene, draft.outcome.edit
    named = {edit.target, edit.anchor}
    ids = [one.id for one in scene.movable if one.id not in named and not load_of(scene, one.id)]
    return [ids[index] for index in rng.permutation(len(ids))[:_BYSTANDERS]]


def _blocked(draft: Draft, rng: np.random.Generator) -> Iterator[Scene]:
    """Another thing is where the edited thing would be."""
    edit, before = draft.outcome.edit, draft.before.scene
    if edit.action not in ("move", "place", "insert"):
        return
    end = draft.after.scene.thing(edit.target)
    for id in _bystanders(draft, rng):
        shift = pivot(end) - pivot(before.thing(id))
        moved = move_group(before, id, shift)
        scene = moved.with_thing(replace(moved.thing(id), support=end.support))
        if next(problems(before, scene), None) is None and _refused(scene, edit, ("overlap",)):
            yield scene


def _unsupported(draft: Draft, rng: np.random.Generator) -> Iterator[Scene]:
    """The edited thing would hang in the air beside its support, in the picture."""
    edit, before = draft.outcome.edit, draft.before.scene
    if edit.action != "move":
        return
    if edit.way in ("up", "down"):
        if _refused(draft.after.scene, edit, _FALLS):
            yield draft.after.scene
        return
    way = edit_direction(before, edit)
    for shift in _SHIFTS if way is not None else ():
        if _hangs(move_group(before, edit.target, shift * np.asarray(way)), edit):
            scene = apply(before, replace(edit, amount=shift)).after
            if scene is not None and _refused(scene, edit, _FALLS):
                yield scene


def _hangs(scene: Scene, edit: Edit) -> bool:
    """Whether the centre of a thing would be well beyond its support after a move, and in the picture."""
    thing, way = scene.thing(edit.target), edit_direction(scene, edit)
    if way is None or thing.support is None:
        return False
    end = pivot(thing) + edit.amount * way
    x, y, depth = scene.camera.project([end], 1, 1)[0]
    if depth <= 0 or min(x, y) < _FRAME or max(x, y) > 1 - _FRAME:
        return False
    levels = [ground for ground in grounds(scene.thing(thing.support)) if abs(ground.centre[2] - end[2]) < 0.05]
    return all(ground.inset(end[None, :2]) < -_BEYOND for ground in levels)


def _carries(draft: Draft, rng: np.random.Generator) -> Iterator[Scene]:
    """Another thing stands on the one that is to be removed or scaled."""
    edit, before = draft.outcome.edit, draft.before.scene
    if edit.action not in ("remove", "scale"):
        return
    for id in _bystanders(draft, rng):
        outcome = apply(before, Edit("put", id, "", 0.0, edit.target))
        if outcome.after is not None and _refused(outcome.after, edit, ("carries",)):
            yield outcome.after


_SAMPLERS: dict[Reason, tuple[Sampler, ...]] = {
    "absent": (
        *(draw((action,), is_new_relation) for action in ("move", "place", "turn", "put", "remove", "scale", "swap")),
        draw_insertion,
    ),
    "blocked": (draw(("move",)), draw(("place",), is_new_relation), draw_insertion),
    "unsupported": (draw(("move",)),),
    "carries": (draw(("remove", "scale"), lambda here, edit: _has_top(here, edit.target)),),
}
"""Reason → samplers of edits that may be impossible for it."""
_MAKERS: dict[Reason, Callable[[Draft, np.random.Generator], Iterator[Scene]]] = {
    "absent": _absent,
    "blocked": _blocked,
    "unsupported": _unsupported,
    "carries": _carries,
}
"""Reason → scenes in which an edit is impossible for it."""
