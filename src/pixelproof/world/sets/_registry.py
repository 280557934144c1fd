"""The kinds of sets, where the recipe of each is defined, and recipes as JSON in cards and manifests."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Mapping
from dataclasses import field, fields
from pathlib import Path
from typing import Any

from pixelproof.contract import PixelProofError, unknown_name
from pixelproof.store import plain
from pixelproof.world._reading import read

from ._recipe import Recipe

_SOLID = "solid:SolidRecipe"
KINDS = {
    "tabletop": _SOLID,
    "room": _SOLID,
    "shelf": _SOLID,
    "flat": "flat._recipe:FlatRecipe",
    "clip": "flat._recipe:FlatClipRecipe",
    "tabletop-clip": "solid.clips:SolidClipRecipe",
    "room-clip": "solid.clips:SolidClipRecipe",
    "shelf-clip": "solid.clips:SolidClipRecipe",
    "collage": "collage._recipe:CollageRecipe",
    "pair": "pairs._recipe:PairRecipe",
}
"""Kind → module of `pixelproof.world` and class. Imported on use, so that no kind needs the libraries of another."""


def recipe_class(kind: str) -> type[Any]:
    """The recipe class of a kind.

    >>> recipe_class("flat").__name__
    'FlatRecipe'

    Raises:
        PixelProofError: There is no such kind.
    """
    if kind not in KINDS:
        raise unknown_name("kind of scene", kind, KINDS)
    module, _, name = KINDS[kind].partition(":")
    recipe: type[Any] = getattr(importlib.import_module(f"pixelproof.world.{module}"), name)
    return recipe


def kind_of(text: str) -> str:
    """The kind of an item, recognised by the keys of its JSON; `tabletop` if the text is not recognised.

    >>> kind_of('{"sprites": []}'), kind_of('{"moves": [], "scene": {"kind": "room"}}'), kind_of("no JSON")
    ('flat', 'room-clip', 'tabletop')
    """
    try:
        data = json.loads(text)
        solid = _solid_kind(data)
        kinds = {"sprites": "flat", "motions": "clip", "pieces": "collage", "moves": f"{solid}-clip", "steps": "pair"}
        return next((kind for key, kind in kinds.items() if key in data), solid)
    except (ValueError, TypeError, AttributeError):
        return "tabletop"


def _solid_kind(data: Any) -> str:
    kind = str(data.get("scene", data).get("kind", ""))
    return kind if KINDS.get(kind) == _SOLID else "tabletop"


def folder() -> Any:
    """A field of a recipe that holds the path of a folder; it is ignored when recipes are compared."""
    return field(default="", compare=False, metadata={"folder": True})


def folders_of(recipe: Recipe | type[Any]) -> list[str]:
    """Names of the fields of a recipe that hold paths of folders."""
    return [each.name for each in fields(recipe) if each.metadata.get("folder")]  # type: ignore[arg-type]


def stored_recipe(recipe: Recipe, directory: Path) -> dict[str, Any]:
    """Serialise a recipe for a file in a directory, with paths relative to it, so that both can be moved together."""
    data: dict[str, Any] = plain(recipe)
    for name in folders_of(recipe):
        if os.path.isabs(data[name]):
            data[name] = _relative_path(directory, data[name])
    return data


def _relative_path(directory: Path, folder: str) -> str:
    try:
        path = Path(os.path.relpath(os.path.realpath(folder), os.path.realpath(directory))).as_posix()
    except ValueError:  # on another drive
        return folder
    return path if path.startswith(".") else f"./{path}"  # a bare word is the name of a library


def read_recipe(data: object, where: str, directory: Path | str = ".") -> Recipe:
    """Read a recipe from the JSON object of a file in a directory.

    Args:
        data: The parsed JSON object.
        where: What error messages call it.
        directory: Relative paths start here.

    Raises:
        PixelProofError: The object is not a recipe.
    """
    kind = data.get("kind") if isinstance(data, Mapping) else None
    if not isinstance(data, Mapping) or not isinstance(kind, str):
        raise PixelProofError(f"{where}.kind must be a text, not {str(kind)[:60]!r}.")
    cls = recipe_class(kind)
    paths = {name: data[name] for name in folders_of(cls) if str(data.get(name, "")).startswith(".")}
    paths = {name: os.path.join(os.path.realpath(directory), path) for name, path in paths.items()}
    recipe: Recipe = read(cls, {**data, **paths}, where)
    return recipe
