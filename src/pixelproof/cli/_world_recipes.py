"""From the options of `world` to a recipe: what does not apply to a kind is refused, not ignored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
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
        values["shifts"] = dict(_strength(word) for word in values["shifts"])
    if quality and "quality" in known:
        values.setdefault("quality", quality)
    for name in values:
        if name not in known:
            flags = [
                f"--{_OPTIONS.get(word, word)}" for word in sorted(known - {"kind", "height", "content", "layers"})
            ]
            raise PixelProofError(
                f"--{_OPTIONS.get(name, name)} means nothing for --kind {kind}, which takes {', '.join(flags)}: leave "
                "it out."
            )
    recipe: Recipe = cls(kind=kind, **values)
    return recipe


def _strength(word: str) -> tuple[str, float]:
    name, _, strength = word.partition("=")
    try:
        return name, float(strength)
    except ValueError as error:
        raise PixelProofError(f"--shift {word} is not NAME=STRENGTH: write, for example, --shift font=0.5.") from error
