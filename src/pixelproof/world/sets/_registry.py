"""The kinds of sets, and where the recipe of each is defined."""

from __future__ import annotations

import importlib
import json
from typing import Any

from pixelproof.contract import unknown_name

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
