"""Sentences about an item of any kind of set.

Solid scenes get every form of sentence. Flat scenes and collages have no metres, no materials and no supporting
surfaces: sentences about them state what is present and what is to the left or right in the image. Nothing is said to
be absent from a collage, because its captions may use other words for the same thing (a poodle is a dog). Sentences
about a clip are about its first frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError
from pixelproof.stats import generator
from pixelproof.world.sets import Recipe, recipe_class

from ._ask import ask
from ._captions import caption_key, captions
from ._facts import fact_key, facts
from ._questions import questions
from ._solid import view_of
from .view import SEEN, Entity, Sentence, View
from .words import COVERED, TURNED_SQUARE

_FORMS = {
    "flat": {
        "questions": ("exists", "count", "colour", "relation", "which"),
        "captions": ("short", "compositional"),
        "facts": ("count", "relation", "colour"),
    },
    "collage": {
        "questions": ("relation", "which", "rank"),
        "captions": ("short", "compositional"),
        "facts": ("relation",),
    },
}
"""Forms of sentences that bounding boxes can prove."""
_AMBIGUOUS = {"flat": ("object", "photo"), "collage": ("most object",)}
"""Words that are ambiguous for a kind: in a flat scene, plates and noise could be called objects too."""
_RECOGNISABLE = {"flat": 0.9, "collage": 0.6}
"""Visible share of a shape or a cut-out from which it counts as recognisable: a drop without its tip is a circle."""
_TILT = 20.0
"""Largest angle in degrees between the sides of a square, or the diagonals of a diamond, and those of the image.

A square on its corner may be called a diamond, and a diamond on its side a parallelogram.
"""
_ROUNDS = 6
"""How often sentences are generated until enough have an allowed form."""


def ask_about(recipe: Recipe, index: int, n: int, what: str = "questions", language: str = "en") -> list[Sentence]:
    """Generate up to n sentences about an item; about the first frame of a clip.

    Args:
        recipe: Recipe of the set that contains the item.
        index: Index of the item in the set.
        n: Maximum number of sentences.
        what: `questions`, `captions` or `facts`; for solid scenes also `edits`.
        language: `en`; for edits also `zh`.

    Raises:
        PixelProofError: The kind has no such sentences, or there is no such item.
    """
    split = getattr(recipe, "split", "train")
    if "solid" in recipe.code and not recipe.moving and recipe.kind != "collage":
        return ask(recipe.kind, recipe.seed, index, n, split, what, language)
    if what not in _FORMS["flat"] or language != "en":
        raise PixelProofError(
            f"The kind {recipe.kind} has {', '.join(_FORMS['flat'])}, in English: choose one of these, or another "
            "--kind."
        )
    still, item = first_still(recipe, index)
    rng = generator(recipe.seed, f"{what}/{recipe.kind}/{split}", index)
    view = _view(still, index, item)
    if what == "questions" and recipe.kind != "collage":  # no question about a collage depends on the foil
        next_still, next_item = first_still(recipe, index + 1)
        foil = _view(next_still, index + 1, next_item)
    else:
        foil = view
    if what == "questions":
        known = _FORMS.get(still.kind, {}).get(what)
        return questions(view, foil, rng, n, forms=known, accept=lambda q: _is_allowed(still.kind, what, view, q))
    make, key = (captions, caption_key) if what == "captions" else (facts, fact_key)
    sentences: dict[object, Sentence] = {}
    for _ in range(_ROUNDS):
        batch = make(view, rng, n)
        for sentence in batch:
            if _is_allowed(still.kind, what, view, sentence):
                sentences.setdefault(key(sentence), sentence)
        if len(sentences) >= n or not batch:
            break
    return list(sentences.values())[:n]


def first_still(recipe: Recipe, index: int) -> tuple[Recipe, Any]:
    """An item of a set without motion, or the first frame of a clip; with a recipe that renders it."""
    item = recipe.item(index)
    if not recipe.moving:
        return recipe, item
    kind = "flat" if recipe.kind == "clip" else recipe.kind.removesuffix("-clip")
    names = ("seed", "split", "quality", "width", "height")
    still: Recipe = recipe_class(kind)(kind, **{name: getattr(recipe, name) for name in names if hasattr(recipe, name)})
    return still, item.frame(0)


def item_view(recipe: Recipe, index: int, item: Any = None) -> View:
    """The view that sentences about an item refer to; `item` is another still scene of the recipe's kind to view."""
    if item is not None:
        return _view(recipe, index, item)
    still, first = first_still(recipe, index)
    return _view(still, index, first)


def still_image(recipe: Recipe, index: int) -> npt.NDArray[np.uint8]:
    """Render the image that sentences about an item refer to."""
    still, item = first_still(recipe, index)
    return np.asarray(_with_layers(still, "rgb").render(index, item).arrays["rgb"], np.uint8)


def _with_layers(recipe: Recipe, *layers: str) -> Recipe:
    return replace(recipe, layers=layers)  # type: ignore[type-var]  # recipes are data classes


def _view(still: Recipe, index: int, item: Any) -> View:
    rows = _with_layers(still, "visible").render(index, item).parts
    if still.kind not in _FORMS:
        return view_of(item, {row["thing"]: row["visible"] or 0.0 for row in rows})
    width = getattr(still, "width", still.height)
    if still.kind == "flat":
        shapes = [row for row in rows if row["shape"] not in ("plate", "noise")]
        return View(tuple(_entity(row, *_shape(row), row["colour"], row["whole_box"], width) for row in shapes))
    seen = [_recognised(row["visible"], "collage") for row in rows]
    return View(
        tuple(
            _entity(row, row["noun"], share, "", row["amodal_box"], width)
            for row, share in zip(rows, seen, strict=True)
        )
    )


def _recognised(visible: float, kind: str) -> float:
    """Visible share as language has it: 1 if it is enough to recognise something, else too little to be certain."""
    return 1.0 if visible >= _RECOGNISABLE[kind] else min(visible, SEEN / 2)


def _shape(row: dict[str, Any]) -> tuple[str, float]:
    """Noun of a shape and its visible share; one that could be taken for another is too little visible."""
    share = _recognised(row["visible"], "flat")
    level = {"square": 45.0, "diamond": 0.0}.get(row["shape"])  # at angle 0, both stand on a corner
    turned = level is not None and abs((row["angle"] - level + 45) % 90 - 45) > _TILT
    if share < SEEN <= row["visible"]:
        return f"{COVERED}{row['shape']}", SEEN / 2
    if turned:
        return {"square": TURNED_SQUARE}.get(row["shape"], row["shape"]), min(share, SEEN / 2)
    return row["shape"], share


def _entity(
    row: dict[str, Any], noun: str, visible: float, colour: str, box: Sequence[int] | None, width: int
) -> Entity:
    """An entity known only from its bounding box: lengths in image widths, all sizes and depths equal."""
    left, top, right, bottom = (side / width for side in box or (0, 0, 0, 0))
    x, y, half_width, half_height = (left + right) / 2, (top + bottom) / 2, (right - left) / 2, (bottom - top) / 2
    return Entity(
        row["thing"],
        noun,
        centre=(x, 1.0, 0.0),
        extent=(2 * half_width, 0.0, 0.0),
        size=(1.0, 1.0, 1.0),
        pixel=(x, y),
        reach=(half_width, half_width, half_height, half_height),
        colour=colour,
        visible=visible,
    )


def _is_allowed(kind: str, what: str, view: View, sentence: Sentence) -> bool:
    if kind not in _FORMS:
        return True
    nouns = {entity.noun for entity in view.entities}
    plurals = {noun for noun in nouns if noun.endswith("s") and not noun.endswith(("ss", "us"))}  # *is the grapes*
    text = sentence.text.lower()
    excluded = {*_AMBIGUOUS[kind], *(plurals if kind == "collage" else ())}
    return sentence.form in _FORMS[kind][what] and not any(word.lower() in text for word in excluded)
