"""From the options of `world` to a recipe. An option that does not apply to the kind is an error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pixelproof.contract import PixelProofError

if TYPE_CHECKING:
    from pixelproof.world.sets import Recipe

_OPTIONS = {"shifts": "shift", "width": "size"}
SPLIT_HELP = "Solid kinds: train (default), test, or test-… for one held-out aspect (see docs/world/solid.md)."
COLLAGE_OPTIONS = (
    click.option("--cutouts", help="Collages: folder of RGBA images, tuxpaint-stamps, or solid."),
    click.option(
        "--photographs", help="Collages: folder of backgrounds, or nature-photographs; default: drawn grounds."
    ),
)


def make_recipe(kind: str, given: Mapping[str, Any], *, quality: str | None = None) -> Recipe:
    """Make a recipe from options.

    Args:
        kind: The kind of scene.
        given: Options by name; options that were not given are None or empty.
        quality: Default quality, for kinds that have one.

    Raises:
        PixelProofError: The kind is unknown, or an option does not apply to it.
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
                f"--{_OPTIONS.get(name, name)} does not apply to --kind {kind}, which takes {', '.join(flags)}: "
                "leave it out."
            )
    recipe: Recipe = cls(kind=kind, **values)
    return recipe


def recipe_of_file(path: Path, text: str, given: Mapping[str, Any]) -> Recipe:
    """The recipe that renders the item of a file.

    The file of a collage does not contain its cut-outs; if it is in a set, the card of the set names their folder.

    Raises:
        PixelProofError: The file is not an item, or an option does not apply to its kind.
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
        moved: Recipe = replace(recipe, **sizes, **folders)  # type: ignore[type-var]  # recipes are data classes
        return moved
    size = given["size"] or (512, round(512 / collage.aspect))
    return make_recipe(kind, {**given, "seed": collage.seed, "size": size})


def _strength(word: str) -> tuple[str, float]:
    name, _, strength = word.partition("=")
    try:
        return name, float(strength)
    except ValueError as error:
        raise PixelProofError(f"--shift {word} is not NAME=STRENGTH: write, for example, --shift font=0.5.") from error
