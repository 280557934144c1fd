"""Sentences about an item of any kind: of solid scenes all that language has, of flat pictures what boxes can prove.

Flat scenes and collages have no metres, no materials and no ground that things stand on. Of them it is said what is
there and what is to the left or to the right, in the picture; of collages not what is absent, because nothing is known
of the words in which their captions were written: a poodle is a dog. A clip is spoken of as it is in its first frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError
from pixelproof.stats import generator
from pixelproof.world.language import Entity, Sentence, View, ask, captions, facts, questions, view_of
from pixelproof.world.language._view import SEEN
from pixelproof.world.sets import Recipe, recipe_class

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
"""Forms of sentences that boxes can prove."""
_UNFIT = {"flat": ("object", "photo"), "collage": ("most object",)}
"""Words that would be unclear or say nothing: of a flat scene, plates and noise may be called objects too."""
_KNOWN = 0.6
"""Share of a shape or a cut-out that must be seen before it is surely known for what it is."""
_ROUNDS = 6
"""How often sentences are made, of which those of other forms are left out."""


def ask_about(recipe: Recipe, index: int, n: int, what: str = "questions", language: str = "en") -> list[Sentence]:
    """Up to n sentences about an item; of a clip, about its first frame.

    Args:
        recipe: Of the set that it is in.
        index: In the set.
        n: How many sentences.
        what: `questions`, `captions` or `facts`; of solid scenes also `edits`.
        language: `en`, or for edits also `zh`.

    Raises:
        PixelProofError: There are no such sentences about this kind, or no such item.
    """
    split = getattr(recipe, "split", "train")
    if "solid" in recipe.code and not recipe.moving and recipe.kind != "collage":
        return ask(recipe.kind, recipe.seed, index, n, split, what, language)
    if what not in _FORMS["flat"] or language != "en":
        raise PixelProofError(
            f"Of the kind {recipe.kind} there are {', '.join(_FORMS['flat'])}, in English: choose one of these, or "
            "another --kind."
        )
    still, item = first_still(recipe, index)
    rng = generator(recipe.seed, f"{what}/{recipe.kind}/{split}", index)
    view = _view(still, index, item)
    if what == "questions" and recipe.kind != "collage":  # of collages nothing is asked that a foil decides
        other, item = first_still(recipe, index + 1)
        foil = _view(other, index + 1, item)
    else:
        foil = view
    found: dict[str, Sentence] = {}
    for _ in range(_ROUNDS):
        if what == "questions":
            said = questions(view, foil, rng, n)
        else:
            said = (captions if what == "captions" else facts)(view, rng, n)
        found |= {sentence.text: sentence for sentence in said if _fits(still.kind, what, view, sentence)}
        if len(found) >= n or not said:
            break
    return list(found.values())[:n]


def first_still(recipe: Recipe, index: int) -> tuple[Recipe, Any]:
    """The scene or collage with an index, or the first frame of a clip, with a recipe that draws it."""
    item = recipe.item(index)
    if not recipe.moving:
        return recipe, item
    kind = "flat" if recipe.kind == "clip" else recipe.kind.removesuffix("-clip")
    names = ("seed", "split", "quality", "width", "height")
    still: Recipe = recipe_class(kind)(kind, **{name: getattr(recipe, name) for name in names if hasattr(recipe, name)})
    return still, item.frame(0)


def picture_of_still(recipe: Recipe, index: int) -> npt.NDArray[np.uint8]:
    """The picture that sentences are about."""
    still, item = first_still(recipe, index)
    bare: Recipe = replace(still, layers=("rgb",))  # type: ignore[type-var]  # recipes are data classes
    return np.asarray(bare.taken(index, item).arrays["rgb"], np.uint8)


def _view(still: Recipe, index: int, item: Any) -> View:
    bare: Recipe = replace(still, layers=("visible",))  # type: ignore[type-var]  # recipes are data classes
    rows = bare.taken(index, item).parts
    if still.kind not in _FORMS:
        return view_of(item, {row["thing"]: row["visible"] or 0.0 for row in rows})
    width = getattr(still, "width", still.height)
    if still.kind == "flat":
        shapes = [row for row in rows if row["shape"] not in ("plate", "noise")]
        return View(tuple(_entity(row, row["shape"], row["colour"], row["whole_box"], width) for row in shapes))
    return View(tuple(_entity(row, row["noun"], "", row["amodal_box"], width) for row in rows))


def _entity(row: dict[str, Any], noun: str, colour: str, box: Sequence[int] | None, width: int) -> Entity:
    """A thing of which only the picture is known: metres are widths of it, and all sizes and depths are the same."""
    left, top, right, bottom = (side / width for side in box or (0, 0, 0, 0))
    x, y, half, high = (left + right) / 2, (top + bottom) / 2, (right - left) / 2, (bottom - top) / 2
    return Entity(
        row["thing"],
        noun,
        centre=(x, 1.0, 0.0),
        extent=(2 * half, 0.0, 0.0),
        size=(1.0, 1.0, 1.0),
        pixel=(x, y),
        reach=(half, half, high, high),
        colour=colour,
        visible=1.0 if row["visible"] >= _KNOWN else min(row["visible"], SEEN / 2),
    )


def _fits(kind: str, what: str, view: View, sentence: Sentence) -> bool:
    if kind not in _FORMS:
        return True
    nouns = {entity.noun for entity in view.entities}
    several = {noun for noun in nouns if noun.endswith("s") and not noun.endswith(("ss", "us"))}  # *is the grapes*
    said = sentence.text.lower()
    unfit = {*_UNFIT[kind], *(several if kind == "collage" else ())}
    return sentence.form in _FORMS[kind][what] and not any(word.lower() in said for word in unfit)
