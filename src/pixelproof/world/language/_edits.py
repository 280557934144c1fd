"""Edit instructions in English and Chinese."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pixelproof.contract import PixelProofError
from pixelproof.world.edits import CORNERS, Edit, check_fields

from ._chinese import CHINESE, chinese_expression, chinese_way
from ._facts import metres
from ._frames import has_two_frames
from ._numbers import number
from ._plausibility import implausibility
from ._refer import FORMS, Expression, a, plain, refer, relation_words
from ._solid import height_of, words_of
from ._validation import expect, expect_arguments, require_number, require_word
from .view import AMOUNTS, Sentence, View
from .words import WAYS_OF_MOVES

LANGUAGES = ("en", "zh")
_ENGLISH: dict[str, tuple[str, ...]] = {
    "move": (
        "Move {target} {amount} {way}{frame}.",
        "Shift {target} {amount} {way}{frame}.",
        "Slide {target} {way} by {amount}{frame}.",
        "Move {target} {way} by exactly {amount}{frame}.",
    ),
    "place": (
        "Place {target} {amount} {way} {anchor}{frame}, measured between their centres.",
        "Put {target} {way} {anchor}{frame}, with their centres {amount} apart.",
        "Move {target} so that it is {way} {anchor}{frame}, {amount} from centre to centre.",
    ),
    "put": (
        "Put {target} {way} {anchor}.",
        "Place {target} {way} {anchor}.",
        "Move {target} so that it is {way} {anchor}.",
    ),
    "turn": (
        "Rotate {target} {way} by {amount} degrees, as seen from above.",
        "Turn {target} {amount} degrees {way} (seen from above).",
        "Seen from above, rotate {target} {amount} degrees {way}.",
    ),
    "scale": (
        "Scale {target} by a factor of {amount}.",
        "Make {target} {amount} times its current size in every dimension.",
        "Resize {target} to {percent} % of its current height, width and depth.",
    ),
    "remove": (
        "Remove {target}.",
        "Take away {target}.",
        "Delete {target} from the scene.",
        "Take {target} out of the picture.",
    ),
    "insert": (
        "Add {new}, {height} tall, {amount} {way} {anchor}{frame}, measured between their centres.",
        "Insert {new} that is {height} tall {way} {anchor}{frame}, with their centres {amount} apart.",
        "Add {new} of {height} in height, so that it is {way} {anchor}{frame}, {amount} from centre to centre.",
    ),
    "swap": (
        "Swap {target} and {anchor}.",
        "Exchange the positions of {target} and {anchor}.",
        "Let {target} and {anchor} trade places.",
    ),
    "move camera": (
        "Move the camera {amount} {way}.",
        "Shift the camera {way} by {amount}.",
        "Take the picture again with the camera {amount} further {way}.",
    ),
    "turn camera": ("Turn the camera {amount} degrees {way}.", "Rotate the camera {way} by {amount} degrees."),
    "zoom camera": (
        "Zoom {way} by a factor of {amount}.",
        "Zoom the camera {way} by a factor of {amount}, without moving it.",
    ),
}

_WAYS: dict[str, dict[str, str]] = {
    "move": WAYS_OF_MOVES,
    "place": {"left": "to the left of", "right": "to the right of", "front": "in front of", "behind": "behind"},
    "turn": {"clockwise": "clockwise", "anticlockwise": "anticlockwise"},
    "move camera": {
        "left": "to the left",
        "right": "to the right",
        "forward": "forwards",
        "back": "backwards",
        "up": "up",
        "down": "down",
    },
    "turn camera": {"left": "to the left", "right": "to the right", "up": "up", "down": "down"},
    "zoom camera": {"in": "in", "out": "out"},
}
_WAYS["insert"] = _WAYS["place"]
_SPOTS = {
    "middle": "in the middle of",
    "left": "at the left end of",
    "right": "at the right end of",
    "front": "at the front edge of",
    "back": "at the back edge of",
} | {corner: f"in the {corner} corner of" for corner in CORNERS}
_VIEWERS = ", from the viewer's point of view"


def instruct(
    view: View, edit: Edit, rng: np.random.Generator, language: str = "en", forms: Sequence[str] | None = None
) -> Sentence | None:
    """Word an edit as an instruction.

    A direction that could be that of the viewer or that of a thing with a front names its point of view.

    Args:
        view: The scene before the edit.
        edit: The edit with its exact values; the text rounds them by less than half a percent.
        rng: Random generator.
        language: `en` or `zh`.
        forms: Forms of the expressions that name things, as in `refer`; None: all, without relations where two things
            are named.

    Returns:
        The instruction; None if a thing of the edit, or the camera, cannot be referred to unambiguously.

    Raises:
        PixelProofError: The edit, a thing or the language is unknown, or the edit is implausible.
    """
    worded = word_edit(view, edit, rng, language, forms)
    return worded[0] if worded else None


def word_edit(
    view: View, edit: Edit, rng: np.random.Generator, language: str = "en", forms: Sequence[str] | None = None
) -> tuple[Sentence, tuple[Expression, ...]] | None:
    """As `instruct`, with the expressions that name the things of the edit in the sentence."""
    expect_arguments(view, rng)
    expect(edit, Edit, "Give an Edit")
    require_word("language", language, LANGUAGES)
    _check(view, edit)
    if "camera" in edit.action and any("camera" in entity.noun for entity in view.entities):
        return None
    two = bool(edit.anchor)
    allowed = forms or (FORMS[:3] if two else FORMS)
    old = edit.target and edit.action != "insert"
    target = refer(view, edit.target, rng, allowed) if old else None
    anchor = _anchor(view, edit, rng, allowed) if two else None
    if (old and not target) or (two and not anchor):
        return None
    templates = (_ENGLISH if language == "en" else CHINESE)[edit.action]
    template = templates[int(rng.integers(len(templates)))]
    values = _english(view, edit) if language == "en" else chinese_way(view, edit)
    for name, expression in (("target", target), ("anchor", anchor)):
        if expression:
            values[name] = expression.text if language == "en" else chinese_expression(expression)
    about = tuple(id for id in (edit.target if old else "", edit.anchor) if id)
    sentence = Sentence("edit", edit.action, template.format(**values), about=about, edit=edit, language=language)
    return sentence, tuple(expression for expression in (target, anchor) if expression)


def _anchor(view: View, edit: Edit, rng: np.random.Generator, forms: Sequence[str]) -> Expression | None:
    """Expression for the anchor of an edit; a support is named by its noun, so that `in` or `on` fits."""
    if edit.action == "put":
        return plain(view, view[edit.anchor])
    return refer(view, edit.anchor, rng, [form for form in forms if form != "relation"])


def _english(view: View, edit: Edit) -> dict[str, str]:
    way = _WAYS.get(edit.action, {}).get(edit.way, "")
    if edit.action == "put":
        way = _SPOTS[edit.way] if edit.way else relation_words("on", view[edit.anchor].noun)
    length = edit.action in ("move", "place", "insert", "move camera")
    amount = metres(edit.amount) if length else number(edit.amount)
    values = {"way": way, "amount": amount, "percent": number(100 * edit.amount), "frame": ""}
    if edit.frame == "object":
        noun = f"that {view[edit.anchor].noun}'s" if edit.anchor else "its"
        values["frame"] = f", from {noun} own point of view"
    elif has_two_frames(view, edit):
        values["frame"] = _VIEWERS
    if edit.thing is not None:
        values |= {"new": a(words_of(edit.thing)), "height": metres(height_of(edit.thing))}
    return values


def _check(view: View, edit: Edit) -> None:
    check_fields(edit)
    if edit.target and edit.target == edit.anchor:
        raise PixelProofError(f"The target and the anchor of the edit {edit.action!r} are both {edit.target}.")
    if edit.target and edit.action != "insert" and view[edit.target].fixed:
        raise PixelProofError(f"{edit.target} is part of the surroundings: choose a thing that can be moved.")
    require_number(f"amount of the edit {edit.action!r}", edit.amount, *AMOUNTS.get(edit.action, (0.0, 0.0)))
    if why := implausibility(view, edit):
        raise PixelProofError(f"{why}.")
