"""Edit instructions in English and Chinese."""

from __future__ import annotations

import numpy as np

from pixelproof.contract import PixelProofError
from pixelproof.world.edits import WAYS, Edit

from ._chinese import CHINESE, chinese_expression, chinese_way
from ._facts import metres
from ._numbers import number
from ._plausibility import implausibility
from ._refer import FORMS, Expression, plain, refer, relation_words
from ._validation import expect, expect_arguments, require_number, require_word
from ._view import AMOUNTS, Sentence, View

LANGUAGES = ("en", "zh")
_ENGLISH: dict[str, tuple[str, ...]] = {
    "move": (
        "Move {target} {amount} {way}.",
        "Shift {target} {amount} {way}.",
        "Slide {target} {way} by {amount}.",
        "Move {target} {way} by exactly {amount}.",
    ),
    "place": (
        "Place {target} {amount} {way} {anchor}, measured between their centres.",
        "Put {target} {way} {anchor}, with their centres {amount} apart.",
        "Move {target} so that it is {way} {anchor}, {amount} from centre to centre.",
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
}

_WAYS: dict[str, dict[str, str]] = {
    "move": {
        "left": "to the left",
        "right": "to the right",
        "closer": "towards the viewer",
        "away": "away from the viewer",
    },
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
}
_SPOTS = {
    "middle": "in the middle of",
    "left": "at the left end of",
    "right": "at the right end of",
    "front": "at the front edge of",
    "back": "at the back edge of",
}


def instruct(view: View, edit: Edit, rng: np.random.Generator, language: str = "en") -> Sentence | None:
    """Word an edit as an instruction.

    Args:
        view: The scene before the edit.
        edit: The edit with its exact values; the text rounds them by less than half a percent.
        rng: Random generator.
        language: `en` or `zh`.

    Returns:
        The instruction; None if a thing of the edit, or the camera, cannot be referred to unambiguously.

    Raises:
        PixelProofError: The edit, a thing or the language is unknown, or the edit is implausible.
    """
    expect_arguments(view, rng)
    expect(edit, Edit, "Give an Edit")
    require_word("language", language, LANGUAGES)
    _check(view, edit)
    if "camera" in edit.action and any("camera" in entity.noun for entity in view.entities):
        return None
    two = bool(edit.anchor)
    target = refer(view, edit.target, rng, FORMS[:3] if two else FORMS) if edit.target else None
    anchor = _anchor(view, edit, rng) if two else None
    if (edit.target and not target) or (two and not anchor):
        return None
    forms = (_ENGLISH if language == "en" else CHINESE)[edit.action]
    form = forms[int(rng.integers(len(forms)))]
    values = _english(view, edit) if language == "en" else chinese_way(view, edit)
    for name, expression in (("target", target), ("anchor", anchor)):
        if expression:
            values[name] = expression.text if language == "en" else chinese_expression(expression)
    about = tuple(id for id in (edit.target, edit.anchor) if id)
    return Sentence("edit", edit.action, form.format(**values), about=about, edit=edit, language=language)


def _anchor(view: View, edit: Edit, rng: np.random.Generator) -> Expression | None:
    """Expression for the anchor of an edit; a support is named by its noun, so that `in` or `on` fits."""
    if edit.action == "put":
        return plain(view, view[edit.anchor])
    return refer(view, edit.anchor, rng, FORMS[:3])


def _english(view: View, edit: Edit) -> dict[str, str]:
    way = _WAYS.get(edit.action, {}).get(edit.way, "")
    if edit.action == "put":
        way = _SPOTS[edit.way] if edit.way else relation_words("on", view[edit.anchor].noun)
    length = edit.action in ("move", "place", "move camera")
    amount = metres(edit.amount) if length else number(edit.amount)
    return {"way": way, "amount": amount, "percent": number(100 * edit.amount)}


def _check(view: View, edit: Edit) -> None:
    require_word("edit action", edit.action, WAYS)
    if edit.way not in WAYS[edit.action]:
        ways = " or ".join(repr(way) for way in WAYS[edit.action])
        raise PixelProofError(f"The edit action {edit.action!r} has no way {edit.way!r}: choose {ways}.")
    needs_target, needs_anchor = "camera" not in edit.action, edit.action in ("place", "put", "swap")
    if needs_target != bool(edit.target) or needs_anchor != bool(edit.anchor) or edit.target == edit.anchor != "":
        raise PixelProofError(f"The edit {edit.action!r} needs another target or anchor: see the table of Edit.")
    if edit.target and view[edit.target].fixed:
        raise PixelProofError(f"{edit.target} is part of the surroundings: choose a thing that can be moved.")
    require_number(f"amount of the edit {edit.action!r}", edit.amount, *AMOUNTS.get(edit.action, (0.0, 0.0)))
    if why := implausibility(view, edit):
        raise PixelProofError(f"{why}.")
