"""From the options of `world` to a recipe: what does not apply to a kind is refused, not ignored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pixelproof.contract import PixelProofError

if TYPE_CHECKING:
    from pixelproof.world.sets import Recipe

_OPTIONS = {"shifts": "shift", "width": "size"}


def make_recipe(kind: str, given: Mapping[str, Any], *, quality: str | None = None) -> Recipe:
    """The recipe that options describe.

    Args:
        kind: Of scenes.
        given: Options by name; those that were not given are None or empty.
        quality: Of pictures, where the kind has qualities and none is given.

    Raises:
        PixelProofError: The kind is not known, or an option is not one of that kind.
    """
    from pixelproof.world.sets import recipe_class

    cls = recipe_class(kind)
    known = {field.name for field in fields(cls)}
    values = {name: value for name, value in given.items() if value not in (None, ())}
    if "layers" in given:
        values["layers"] = given["layers"]
    if "size" in values:
        values["width"], values["height"] = values.pop("size")
    if "shifts" in values:
        pairs = [_strength(word) for word in values["shifts"]]
        names = [name for name, _ in pairs]
        if twice := next((name for name in names if names.count(name) > 1), ""):
            raise PixelProofError(f"--shift {twice} is given twice: give it once.")
        values["shifts"] = dict(pairs)
    if quality and "quality" in known:
        values.setdefault("quality", quality)
    for name in values:
        if name not in known:
            flags = [f"--{_OPTIONS.get(word, word)}" for word in given if word in known or word == "size"]
            raise PixelProofError(
                f"--{_OPTIONS.get(name, name)} means nothing for --kind {kind}, which takes {', '.join(flags)}: leave "
                "it out."
            )
    recipe: Recipe = cls(kind=kind, **values)
    return recipe


def recipe_of_file(path: Path, text: str, given: Mapping[str, Any]) -> Recipe:
    """The recipe by which the item of a file is drawn again.

    The file of a collage does not hold the pixels of its cut-outs: if it is in a set, the set knows where they are.

    Raises:
        PixelProofError: The file is none of an item, or an option is not one of its kind.
    """
    from pixelproof.world.sets import kind_of, read_card, recipe_class

    kind = kind_of(text)
    if kind != "collage":
        return make_recipe(kind, given, quality="beauty")
    try:
        collage = recipe_class(kind).parse(text)
    except PixelProofError as error:
        raise PixelProofError(f"{path}: {error}") from error
    around = path.absolute().parent.parent
    if (around / "card.json").exists() and (recipe := read_card(around).recipe).kind == kind:
        sizes = dict(zip(("width", "height"), given["size"], strict=True)) if given["size"] else {}
        folders = {name: given[name] for name in ("cutouts", "photographs") if given[name]}
        found: Recipe = replace(recipe, **sizes, **folders)  # type: ignore[type-var]  # recipes are data classes
        return found
    size = given["size"] or (512, round(512 / collage.aspect))
    return make_recipe(kind, {**given, "seed": collage.seed, "size": size})


def _strength(word: str) -> tuple[str, float]:
    name, _, strength = word.partition("=")
    try:
        return name, float(strength)
    except ValueError as error:
        raise PixelProofError(f"--shift {word} is not NAME=STRENGTH: write, for example, --shift font=0.5.") from error
