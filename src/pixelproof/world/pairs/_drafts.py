"""Pairs of one edit or of several in a row: drawn, worded, carried out and checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pixelproof.world.edits import CORNERS, Edit, Outcome, apply, edit_direction, load_of, pivot
from pixelproof.world.edits._transforms import moved_camera
from pixelproof.world.language import Expression, Ranges, draw_amount, draw_edit, is_plausible, unique, word_edit
from pixelproof.world.language.words import STACKED
from pixelproof.world.solid._rules import IN_VIEW, in_view, sight

from ._pair import Pair
from ._situation import LEAST_SHARE, Situation, is_seen, look_at, with_one_of

_TRIES = 160
_CARRIED_OUT = 10
"""Number of edits that are carried out for a pair at most; the others are refused before."""
_MOST_ALIGNED = math.cos(math.radians(60.0))
"""Largest cosine between the direction of a thing from an anchor and the one that is asked for, before a place."""
TOPS = (*STACKED, "plate", "tray", "cutting board")
"""Nouns of things that can be moved and have a top to put another on."""
ADDED_TOPS = ("book", "notebook", "parcel", "tray", "cutting board", "plate")
_ADDED_CONTAINERS = ("bowl", "bowl", "cardboard box", "frying pan", "basket")
"""Categories that are added to scenes to put something on or into; what is in a mug or a bucket can rarely be seen."""
_CONTAINED = 0.35
"""Share of scenes in which a container is added, for things to be put into."""
_ROOM = (1.0, 0.8, 0.65, 0.5)
"""Factors of the focal length before an edit of the camera."""


@dataclass(frozen=True)
class Settings:
    """What pairs are drawn with."""

    ranges: Ranges = Ranges()
    language: str = "en"
    forms: tuple[str, ...] | None = None
    """Forms of the expressions that name things; None: all."""


@dataclass(frozen=True)
class Draft:
    """A pair of one edit, with what was seen and said."""

    before: Situation
    after: Situation
    outcome: Outcome
    text: str
    expressions: tuple[Expression, ...]

    def pair(self, operation: str, language: str) -> Pair:
        """The pair."""
        return Pair(
            operation,
            self.before.scene,
            self.after.scene,
            (self.outcome.edit,),
            self.text,
            language,
            difficulty=difficulty_of([self]),
        )


Accepts = Callable[[Situation, Edit], bool]
Sampler = Callable[[Situation, np.random.Generator, Settings], Draft | None]


def draw(
    actions: Sequence[str],
    accepts: Accepts | None = None,
    forms: tuple[str, ...] | None = None,
    most: int = _CARRIED_OUT,
) -> Sampler:
    """A sampler of edits of some actions that keep a condition, and name things in some forms.

    It carries out `most` edits at most until one is possible.
    """

    def attempts(here: Situation, rng: np.random.Generator, settings: Settings) -> Iterator[Draft | bool]:
        for _ in range(_TRIES):
            edit = draw_edit(here.view, rng, str(rng.choice(actions)), settings.ranges)
            if edit is not None and _shown(here, edit) and (accepts is None or accepts(here, edit)):
                yield attempt(here, edit, rng, replace(settings, forms=forms or settings.forms))

    return lambda here, rng, settings: _first_draft(attempts(here, rng, settings), most)


def _first_draft(attempts: Iterable[Draft | bool], most: int = _CARRIED_OUT) -> Draft | None:
    """The first attempt that succeeds; None if there is none, or after `most` that were refused after physics."""
    left = most
    for draft in attempts:
        if isinstance(draft, Draft):
            return draft
        left -= draft
        if not left:
            break
    return None


def attempt(here: Situation, edit: Edit, rng: np.random.Generator, settings: Settings) -> Draft | bool:
    """Word and carry out an edit; False if it was refused without physics, True if it was refused after."""
    if not is_plausible(here.view, edit):
        return False
    worded = word_edit(here.view, edit, rng, settings.language, settings.forms)
    if worded is None:
        return False
    outcome = apply(here.scene, edit)
    if outcome.after is None:
        return outcome.rule != "place"  # no free place is found quickly
    there = look_at(outcome.after)
    if not is_seen(here, there, _named(edit), turns=edit.action == "turn"):
        return True
    return Draft(here, there, outcome, worded[0].text, worded[1])


def _named(edit: Edit) -> tuple[str, ...]:
    return tuple(id for id in (edit.target, edit.anchor if edit.action == "swap" else "") if id)


def _shown(here: Situation, edit: Edit) -> bool:
    """Whether the things that an edit names can be seen; of a support, a part is enough."""
    if edit.target and edit.action != "insert" and not here.shows(edit.target):
        return False
    if not edit.anchor:
        return True
    return here.shares[edit.anchor] >= LEAST_SHARE if edit.action == "put" else here.shows(edit.anchor)


def is_new_relation(here: Situation, edit: Edit) -> bool:
    """Whether a thing is not yet on the side of the anchor where it is to be placed."""
    if edit.action != "place":
        return True
    way = edit_direction(here.scene, edit)
    now = pivot(here.scene.thing(edit.target))[:2] - pivot(here.scene.thing(edit.anchor))[:2]
    length = float(np.linalg.norm(now))
    return way is not None and (length < 1e-9 or float(way[:2] @ now) / length < _MOST_ALIGNED)


def is_placement(here: Situation, edit: Edit) -> bool:
    """A place beside a thing, or in a corner of one."""
    return is_new_relation(here, edit) if edit.action == "place" else edit.way in CORNERS


def is_receptacle(here: Situation, edit: Edit) -> bool:
    """Whether a thing is put on furniture or the ground, or into a container; not into a corner."""
    return edit.way not in CORNERS and here.view[edit.anchor].noun not in TOPS


def draw_receptacle(here: Situation, rng: np.random.Generator, settings: Settings) -> Draft | None:
    """A thing is put on furniture, on the ground or into a container; containers are added to some scenes."""
    added = with_one_of(here, _ADDED_CONTAINERS, rng) if rng.random() < _CONTAINED else None
    draft = _put_on(added[0], [added[1]], rng, settings) if added else None
    return draft or draw(("put",), is_receptacle)(here, rng, settings)


def draw_stack(here: Situation, rng: np.random.Generator, settings: Settings) -> Draft | None:
    """A thing is put on top of another that can be moved; if the scene has none with a flat top, it is added."""
    tops = [entity.id for entity in here.view.things if entity.noun in TOPS]
    draft = _put_on(here, tops, rng, settings)
    added = with_one_of(here, ADDED_TOPS, rng) if draft is None else None
    return _put_on(added[0], [added[1]], rng, settings) if added else draft


def _put_on(here: Situation, anchors: Sequence[str], rng: np.random.Generator, settings: Settings) -> Draft | None:
    """Any thing that can be put on one of some others."""
    edits = [Edit("put", thing.id, "", 0.0, id) for thing in here.scene.movable for id in anchors if id != thing.id]
    order = (edits[index] for index in rng.permutation(len(edits)))
    return _first_draft(attempt(here, edit, rng, settings) for edit in order if _shown(here, edit))


def draw_viewpoint(here: Situation, rng: np.random.Generator, settings: Settings) -> Draft | None:
    """An edit of the camera; it often begins with a shorter focal length, which leaves room around the things.

    All things stay in the picture, which they fill otherwise; so the focal length is one at which they do.
    """
    actions = [
        action
        for action in ("move camera", "turn camera", "zoom camera")
        if getattr(settings.ranges, action.replace(" ", "_"))
    ]
    for action in rng.permutation(actions):
        for _ in range(_CARRIED_OUT):
            edit = draw_edit(here.view, rng, str(action), settings.ranges)
            start = _with_room(here, edit, rng) if edit else None
            draft = attempt(start, edit, rng, settings) if start and edit else None
            if isinstance(draft, Draft):
                return draft
    return None


def _with_room(here: Situation, edit: Edit, rng: np.random.Generator) -> Situation | None:
    """A scene with a focal length at which an edit of the camera keeps all things in the picture; None if none does."""
    for factor in rng.permutation(_ROOM):
        camera = replace(here.scene.camera, focal=round(here.scene.camera.focal * float(factor), 4))
        start = here.scene if factor == 1 else replace(here.scene, camera=camera)
        moved = replace(start, camera=moved_camera(start.camera, edit, 1.0))
        if all(in_view(moved, thing) >= IN_VIEW for thing in start.movable) and not sight(start, 0.0):
            return here if factor == 1 else look_at(start)
    return None


def draw_insertion(here: Situation, rng: np.random.Generator, settings: Settings) -> Draft | None:
    """An insertion of a thing of the scene, which is absent before."""
    return _first_draft(_insertions(here, rng, settings))


def _insertions(here: Situation, rng: np.random.Generator, settings: Settings) -> Iterator[Draft | bool]:
    things = [thing for thing in here.scene.movable if not load_of(here.scene, thing.id) and not thing.text]
    for index in rng.permutation(len(things))[:3]:
        new = things[index]
        without = look_at(here.scene.without(new.id))
        anchors = [other for other in without.scene.movable if without.shows(other.id)]
        for _ in range(_TRIES // 4 if anchors else 0):
            anchor = anchors[int(rng.integers(len(anchors)))]
            way = str(rng.choice(("left", "right", "front", "behind")))
            like = Edit("place", new.id, way, 0.0, anchor.id)
            amount = draw_amount(here.view, rng, like, settings.ranges)
            if not is_plausible(here.view, replace(like, amount=amount)):  # there is no free place for it
                continue
            edit = Edit("insert", new.id, way, amount, anchor.id, thing=replace(new, support=None))
            yield attempt(without, edit, rng, settings)


def difficulty_of(drafts: Sequence[Draft]) -> dict[str, float]:
    """What makes a pair of one or more edits hard; `hard_parts` has the list."""
    first, last = drafts[0], drafts[-1]
    named = {id for draft in drafts for id in _named(draft.outcome.edit)}
    sizes = [first.before.shares.get(id, last.after.shares.get(id, 0.0)) for id in named]
    shares = [one.view[id].visible for one in (first.before, last.after) for id in named if id in one.shares]
    parts = {
        "things": float(len(first.before.scene.movable)),
        "change": min(_change(draft.outcome) for draft in drafts),
        "words": float(any(one.form in ("superlative", "relation") for draft in drafts for one in draft.expressions)),
        "own_frame": float(any(draft.outcome.edit.frame == "object" for draft in drafts)),
        "steps": float(len(drafts)),
    }
    if named:
        parts |= {"size": min(sizes), "visible": min(shares)}
    return {name: round(value, 4) for name, value in parts.items()}


def _change(outcome: Outcome) -> float:
    """Amount of an edit: metres, half-turns, or the absolute logarithm of a factor; 1 if a thing comes or goes."""
    change = outcome.camera if "camera" in outcome.edit.action else outcome.changes[outcome.edit.target]
    if change.removed or change.inserted:
        return 1.0
    if change.turn_deg:
        return abs((change.turn_deg + 180) % 360 - 180) / 180
    if change.factor != 1 and not any(change.shift):
        return abs(math.log(change.factor))
    return float(np.linalg.norm(change.shift))


_ACTIONS = ("move", "place", "put", "turn", "scale", "remove", "swap")
_COUNTS = (2, 3, 4)
_WEIGHTS = (0.5, 0.3, 0.2)
_NAMES = ("noun", "attribute")
"""Forms of expressions whose meaning does not depend on where things are, which changes from step to step."""
_TRIES_PER_STEP = 4


def draw_steps(here: Situation, rng: np.random.Generator, settings: Settings) -> list[Draft] | None:
    """Two to four edits, each of another thing, and each of the scene that the one before leaves.

    Things are named by words that fit them, and nothing else, in the first scene as in the one that a step begins with.
    """
    count = int(rng.choice(_COUNTS, p=_WEIGHTS))
    drafts: list[Draft] = []
    for _ in range(_TRIES_PER_STEP * count):
        start = drafts[-1].after if drafts else here
        sampler = draw((str(rng.choice(_ACTIONS)),), is_new_relation, most=3)
        draft = sampler(start, rng, replace(settings, forms=_NAMES))
        if draft is None:
            continue
        edit = draft.outcome.edit
        edited = {id for other in drafts for id in _edited(other)}
        named = all(unique(here.view, expression) for expression in draft.expressions)
        if named and not edited & _edited(draft) and not (edit.action == "remove" and edit.target in _anchors(drafts)):
            drafts.append(draft)
        if len(drafts) == count:
            return drafts if _lasts(here, drafts) else None
    return None


def _edited(draft: Draft) -> set[str]:
    edit = draft.outcome.edit
    return {edit.target, *draft.outcome.changes, *([edit.anchor] if edit.action == "swap" else [])}


def _anchors(drafts: list[Draft]) -> set[str]:
    return {draft.outcome.edit.anchor for draft in drafts}


def _lasts(here: Situation, drafts: list[Draft]) -> bool:
    """Whether the result of each step can be seen at the end."""
    named = {id for draft in drafts for id in _edited(draft)}
    turned = {draft.outcome.edit.target for draft in drafts if draft.outcome.edit.action == "turn"}
    last = drafts[-1].after
    return is_seen(here, last, named - turned) and is_seen(here, last, turned, turns=True)


def pair_of_steps(drafts: list[Draft], language: str) -> Pair:
    """The pair of several edits."""
    return Pair(
        "multi-step",
        drafts[0].before.scene,
        drafts[-1].after.scene,
        tuple(draft.outcome.edit for draft in drafts),
        joined([draft.text for draft in drafts], language),
        language,
        difficulty=difficulty_of(drafts),
    )


def joined(texts: list[str], language: str) -> str:
    """Instructions as one text that says in which order they are carried out.

    >>> joined(["Remove the mug.", "Turn the key 90 degrees clockwise (seen from above)."], "en")
    'First, remove the mug. Then, turn the key 90 degrees clockwise (seen from above).'
    """
    last = len(texts) - 1
    if language == "zh":
        marks = ["首先，" if not number else "最后，" if number == last > 1 else "然后，" for number in range(last + 1)]
        return "".join(mark + text for mark, text in zip(marks, texts, strict=True))
    marks = ["First, " if not number else "Finally, " if number == last > 1 else "Then, " for number in range(last + 1)]
    return " ".join(mark + text[0].lower() + text[1:] for mark, text in zip(marks, texts, strict=True))
