"""Questions that ask for a number, and questions about a scene after a move that is only imagined.

What the words say must not tell the answer. A *distance* is drawn first, and then two things that are about so far
apart: all kinds of scenes ask for the same distances. A *count* is asked for where another scene of the kind has some
of the things, too, but not as many. An *imagined move* is asked about where the moved thing passes one other thing and
does not pass a second one, and a coin decides which of the two is named; before the move it is ahead of neither.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from pixelproof.world.edits import Edit, apply
from pixelproof.world.solid import Scene

from ._comparisons import PLAIN, quality
from ._draft import Counted, Draft, Length, Word
from ._edits import LANGUAGES
from ._refer import Expression, refer
from ._space import distances
from ._truth import Phrase, count
from ._validation import expect, expect_arguments, require_word
from .view import FRAME, SEEN, Entity, Sentence, View

NUMBERS_ASKED = ("count", "distance")
"""Forms of `measure_question`."""
DISTANCES_CM = (15.0, 90.0)
"""Least and largest distance that is asked for as a number, in centimetres: all kinds of scenes have these."""
ABOUT = 1.15
"""Largest ratio between the distance that is drawn and that of the two things."""
MOVED_CM = (10, 15, 20, 30, 40, 50)
"""Lengths of imagined moves in centimetres."""
NOTICED = 1.25
"""Least ratio between a distance before and after an imagined move."""
_BEYOND = {
    "left": ("leftmost", "rightmost"),
    "right": ("rightmost", "leftmost"),
    "closer": ("nearest", "farthest"),
    "away": ("farthest", "nearest"),
}
"""Direction of an imagined move → what the thing then has more of, and what it has less of."""
_STEPS = {"left": (-1.0, 0.0), "right": (1.0, 0.0), "closer": (0.0, -1.0), "away": (0.0, 1.0)}
_TRIES = 12
"""Number of moves, or of distances, that are drawn for a question."""
_CARRIED_OUT = 8
"""Number of moves that are carried out until one is possible."""


def measure_question(
    view: View, foil: View, rng: np.random.Generator, form: str, language: str = "en"
) -> Sentence | None:
    """Generate a question whose answer is a number; None if there is none.

    Args:
        view: The scene to ask about.
        foil: Another view from the same distribution, for counts.
        rng: Random generator.
        form: `distance` (between centres, in centimetres) or `count`.
        language: `en` or `zh`.

    Raises:
        PixelProofError: There is no such form or language, or the foil is not a view.
    """
    expect_arguments(view, rng)
    expect(foil, View, "Give a second View as foil, such as that of the next scene")
    require_word("form of questions", form, NUMBERS_ASKED)
    require_word("language", language, LANGUAGES)
    draft = _ask_count(view, foil, rng) if form == "count" else _ask_apart(view, rng)
    return draft.sentence(language) if draft else None


def what_if_question(
    view: View, scene: Scene, rng: np.random.Generator, kind: str = "yes-no", language: str = "en"
) -> Sentence | None:
    """Generate a question about a scene after an imagined move, which is possible; None if there is none.

    Args:
        view: The scene to ask about.
        scene: The same scene, in which the move must be possible.
        rng: Random generator.
        kind: `yes-no` (is it then further to the left than another?) or `number` (how far is it then from another?).
        language: `en` or `zh`.

    Raises:
        PixelProofError: There is no such kind or language.
    """
    expect_arguments(view, rng)
    require_word("kind of question", kind, ("yes-no", "number"))
    require_word("language", language, LANGUAGES)
    draft = (_ask_if_apart if kind == "number" else _ask_if_more)(view, scene, rng)
    return draft.sentence(language) if draft else None


def centre_distance_cm(view: View, first: Entity, second: Entity) -> float | None:
    """Distance between the centres of two things in centimetres; None if they touch, or carry each other."""
    if first.id == second.id or view.stacked(first.id, second.id):
        return None
    centres, gap = distances(first, second)
    return 100 * centres if gap > 0 else None


def _names(view: View, rng: np.random.Generator) -> list[Expression]:
    """Expressions for all things that are clearly visible and can be named plainly, in random order."""
    things = [entity for entity in view.things if entity.visible >= SEEN]
    named = [refer(view, things[int(index)].id, rng, PLAIN) for index in rng.permutation(len(things))]
    return [name for name in named if name]


def _drawn_distance(rng: np.random.Generator) -> float:
    """A distance in centimetres; its logarithm is uniform."""
    low, high = (math.log(end) for end in DISTANCES_CM)
    return math.exp(float(rng.uniform(low, high)))


def _ask_apart(view: View, rng: np.random.Generator) -> Draft | None:
    """How far apart are the centres of the mug and the bowl, in centimetres?"""
    names = _names(view, rng)
    known = [
        (abs(length), one, other)
        for at, one in enumerate(names)
        for other in names[at + 1 :]
        if (length := centre_distance_cm(view, view[one.id], view[other.id]))
    ]
    drawn = _drawn_distance(rng)
    fits = [found for found in known if _about(found[0], drawn)]
    if not fits:
        return None
    length, *ends = fits[int(rng.integers(len(fits)))]
    first, second = (ends[int(index)] for index in rng.permutation(2))
    return Draft("number", "distance", "apart", {"x": first, "y": second}, round(length))


def _about(length: float, drawn: float) -> bool:
    return DISTANCES_CM[0] <= length <= DISTANCES_CM[1] and max(length, drawn) <= ABOUT * min(length, drawn)


def _ask_count(view: View, foil: View, rng: np.random.Generator) -> Draft | None:
    """How many mugs are there? There are some in both views, but not as many."""
    nouns = sorted({entity.noun for entity in (*view.things, *foil.things)})
    counts = [(Phrase(noun), count(view, Phrase(noun)), count(foil, Phrase(noun))) for noun in nouns]
    fits = [(phrase, here) for phrase, here, there in counts if here and there and here != there]
    if not fits:
        return None
    phrase, here = fits[int(rng.integers(len(fits)))]
    return Draft("number", "count", "count", {"many": Counted(phrase)}, here)


@lru_cache(maxsize=512)
def moved_view(view: View, id: str, way: str, metres: float) -> View | None:
    """The view with one thing moved along the ground; None if its centre leaves the picture.

    The thing keeps its size and its support; its extent in the picture changes with its distance.
    """
    thing = view[id]
    if view.picture is None or thing.fixed:
        return None
    step = np.array([*_STEPS[way], 0.0]) * metres
    start, end = (np.array(view.picture) @ (np.array(thing.centre) + part) for part in (0 * step, step))
    if end[2] <= 0 or start[2] <= 0:
        return None
    pixel = end[:2] / end[2]
    if not all(FRAME <= share <= 1 - FRAME for share in pixel):
        return None
    nearer = float(start[2] / end[2])
    x, y, z = (float(value) for value in np.array(thing.centre) + step)
    left, right, up, down = (nearer * side for side in thing.reach)
    there = replace(thing, centre=(x, y, z), pixel=(float(pixel[0]), float(pixel[1])), reach=(left, right, up, down))
    return replace(view, entities=tuple(there if entity.id == id else entity for entity in view.entities))


def _movable(view: View, names: Sequence[Expression], way: str) -> list[Expression]:
    """Things that can be said to be moved: they carry nothing, and have no left and right of their own."""
    carrying = {entity.support for entity in view.entities}
    return [
        name
        for name in names
        if name.id not in carrying and not (way in ("left", "right") and view[name.id].front is not None)
    ]


def _drawn_move(rng: np.random.Generator) -> tuple[str, int]:
    """Direction and length in centimetres of an imagined move."""
    return tuple(_STEPS)[int(rng.integers(len(_STEPS)))], MOVED_CM[int(rng.integers(len(MOVED_CM)))]


def _possible(scene: Scene, id: str, way: str, metres: float) -> bool:
    return apply(scene, Edit("move", id, way, metres)).after is not None


def _ask_if_more(view: View, scene: Scene, rng: np.random.Generator) -> Draft | None:
    """If the mug were moved 30 cm to the left, would it be further to the left than the bowl?"""
    names, left = _names(view, rng), _CARRIED_OUT
    for _ in range(_TRIES):
        way, cm = _drawn_move(rng)
        beyond = quality(_BEYOND[way][0]).compare
        for thing in _movable(view, names, way):
            there = moved_view(view, thing.id, way, cm / 100)
            if there is None:
                continue
            passed: dict[bool, list[Expression]] = {True: [], False: []}
            for other in names:
                if other.id == thing.id or view.stacked(thing.id, other.id):
                    continue
                truths = [beyond(seen, seen[thing.id], seen[other.id]) for seen in (view, there)]
                if truths[0] is False and truths[1] is not None:
                    passed[truths[1]].append(other)
            if not (passed[True] and passed[False]):
                continue
            if not _possible(scene, thing.id, way, cm / 100):
                left -= 1
                if not left:
                    return None
                continue
            return _if_more(there, thing, way, cm, passed, rng)
    return None


def _if_more(
    there: View, thing: Expression, way: str, cm: int, passed: dict[bool, list[Expression]], rng: np.random.Generator
) -> Draft | None:
    """The question about a move, with one of the things that it passes or does not pass; None if neither is certain."""
    passes = bool(rng.integers(2))
    other = passed[passes][int(rng.integers(len(passed[passes])))]
    more = int(rng.integers(2))
    if quality(_BEYOND[way][more]).compare(there, there[thing.id], there[other.id]) is None:
        return None
    slots: dict[str, Word] = {"x": thing, "length": Length(cm), "way": way, "more": _BEYOND[way][more], "y": other}
    return Draft("yes-no", "what-if", "if-more", slots, "yes" if passes is (more == 0) else "no")


def _ask_if_apart(view: View, scene: Scene, rng: np.random.Generator) -> Draft | None:
    """If the mug were moved 30 cm to the left, how far would its centre be from the centre of the bowl?"""
    names, left = _names(view, rng), _CARRIED_OUT
    for _ in range(_TRIES):
        way, cm = _drawn_move(rng)
        drawn = _drawn_distance(rng)
        for thing in _movable(view, names, way):
            there = moved_view(view, thing.id, way, cm / 100)
            fits = [] if there is None else _at_distance(view, there, thing, names, drawn)
            if not fits:
                continue
            if not _possible(scene, thing.id, way, cm / 100):
                left -= 1
                if not left:
                    return None
                continue
            length, other = fits[int(rng.integers(len(fits)))]
            slots: dict[str, Word] = {"x": thing, "length": Length(cm), "way": way, "y": other}
            return Draft("number", "what-if", "if-apart", slots, round(length))
    return None


def _at_distance(
    view: View, there: View, thing: Expression, names: Sequence[Expression], drawn: float
) -> list[tuple[float, Expression]]:
    """Things at the asked distance after the move, but not before."""
    found = []
    for other in names:
        before, after = (centre_distance_cm(seen, seen[thing.id], seen[other.id]) for seen in (view, there))
        if before and after and _about(after, drawn) and max(before, after) >= NOTICED * min(before, after):
            found.append((after, other))
    return found
