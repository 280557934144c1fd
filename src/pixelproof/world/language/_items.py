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
from ._captions import captions
from ._facts import facts
from ._questions import questions
from ._solid import view_of
from ._view import SEEN, Entity, Sentence, View

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
_RECOGNISABLE = 0.6
"""Visible share of a shape or a cut-out from which it counts as recognisable."""
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
    sentences: dict[str, Sentence] = {}
    for _ in range(_ROUNDS):
        if what == "questions":
            batch = questions(view, foil, rng, n, forms=_FORMS.get(still.kind, {}).get(what))
        else:
            batch = (captions if what == "captions" else facts)(view, rng, n)
        sentences |= {sentence.text: sentence for sentence in batch if _is_allowed(still.kind, what, view, sentence)}
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
        return View(tuple(_entity(row, row["shape"], row["colour"], row["whole_box"], width) for row in shapes))
    return View(tuple(_entity(row, row["noun"], "", row["amodal_box"], width) for row in rows))


def _entity(row: dict[str, Any], noun: str, colour: str, box: Sequence[int] | None, width: int) -> Entity:
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
        visible=1.0 if row["visible"] >= _RECOGNISABLE else min(row["visible"], SEEN / 2),
    )


def _is_allowed(kind: str, what: str, view: View, sentence: Sentence) -> bool:
    if kind not in _FORMS:
        return True
    nouns = {entity.noun for entity in view.entities}
    plurals = {noun for noun in nouns if noun.endswith("s") and not noun.endswith(("ss", "us"))}  # *is the grapes*
    text = sentence.text.lower()
    excluded = {*_AMBIGUOUS[kind], *(plurals if kind == "collage" else ())}
    return sentence.form in _FORMS[kind][what] and not any(word.lower() in text for word in excluded)
