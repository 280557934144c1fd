"""What tells one kind of set from another: a recipe makes one item of a set, and checks it when it is read back."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pixelproof.contract import PixelProofError
from pixelproof.world._limits import LARGEST
from pixelproof.world._reading import read

from ._files import Arrays

Row = dict[str, Any]
Wrong = tuple[str, str, str]
"""A rule, a thing, a message."""

MOST_PIXELS = 60_000_000
"""Of all frames of a clip together."""

KINDS = {
    "tabletop": "solid.sets:Recipe",
    "room": "solid.sets:Recipe",
    "shelf": "solid.sets:Recipe",
    "flat": "sets._flat:FlatRecipe",
    "clip": "sets._flat:FlatClipRecipe",
    "tabletop-clip": "sets._solid_clips:SolidClipRecipe",
    "room-clip": "sets._solid_clips:SolidClipRecipe",
    "shelf-clip": "sets._solid_clips:SolidClipRecipe",
    "collage": "sets._collages:CollageRecipe",
}
"""Kind → where its recipe is; imported when it is needed, so that no kind asks for the libraries of another."""


@dataclass(frozen=True)
class Table:
    """A table of a set."""

    name: str
    """Of its file, and what its rows are called, such as `scenes`."""
    schema: pa.Schema


@dataclass(frozen=True)
class Made:
    """One item of a set."""

    text: str
    """Itself as JSON."""
    arrays: Arrays
    """The layers to be stored."""
    row: Row = field(default_factory=dict)
    """Its row, less `id`, `shard`, `scene`, `digest` and `sizes`."""
    parts: list[Row] = field(default_factory=list)
    """The rows of what is in it."""


class Recipe(Protocol):
    """What a set is made from: a frozen data class that, with an index, determines every byte of an item."""

    items: ClassVar[Table]
    """A row for each item: `order`, `id`, `index`, `shard`, `scene` (itself as JSON), `digest`, `sizes`, and more."""
    parts: ClassVar[Table]
    """Rows for what is in an item: `order`, `index`, and more."""
    moving: ClassVar[bool]
    """Whether its layers have frames."""
    code: ClassVar[tuple[str, ...]]
    """The folders of the world that can change its pixels."""

    @property
    def kind(self) -> str:
        """A name in `KINDS`."""

    @property
    def seed(self) -> int:
        """The same seed: the same set."""

    @property
    def height(self) -> int:
        """Of a picture, in pixels."""

    @property
    def layers(self) -> tuple[str, ...]:
        """Those that are stored."""

    def item_id(self, index: int) -> str:
        """The name of an item, the same in every set that it is in."""

    def item(self, index: int) -> Any:
        """An item as its world has it, such as a `Scene`."""

    @staticmethod
    def parse(text: str) -> Any:
        """An item from its JSON text.

        Raises:
            PixelProofError: The text is no item of this kind.
        """

    def taken(self, index: int, item: Any) -> Made:
        """The item with an index, with its picture and truth."""

    def check(self, index: int, item: Any, arrays: Arrays, parts: list[Row]) -> Iterator[Wrong]:
        """What is wrong in an item as it was stored."""

    def opened(self, arrays: Arrays) -> Any:
        """Stored layers as the world has them."""

    def sheet(self, item: Any, arrays: Arrays) -> npt.NDArray[np.uint8]:
        """A picture of an item with its truth, to look at."""

    def told(self, item: Any, parts: list[Row]) -> list[dict[str, str]]:
        """What is in an item, to be read: heading → words, for each thing."""


def recipe_class(kind: str) -> type[Any]:
    """The data class of the recipes of a kind.

    Raises:
        PixelProofError: There is no such kind.
    """
    if kind not in KINDS:
        raise PixelProofError(f"There is no kind of scenes {kind!r}: choose from {', '.join(KINDS)}.")
    module, _, name = KINDS[kind].partition(":")
    found: type[Any] = getattr(importlib.import_module(f"pixelproof.world.{module}"), name)
    return found


def kind_of(text: str) -> str:
    """The kind of an item, by the JSON text that its world writes; what cannot be told is taken for a tabletop.

    >>> kind_of('{"sprites": []}'), kind_of('{"moves": [], "scene": {"kind": "room"}}'), kind_of("no JSON")
    ('flat', 'room-clip', 'tabletop')
    """
    try:
        data = json.loads(text)
        marks = {"sprites": "flat", "motions": "clip", "pieces": "collage", "moves": f"{_solid_kind(data)}-clip"}
        return next((kind for key, kind in marks.items() if key in data), _solid_kind(data))
    except (ValueError, TypeError, AttributeError):
        return "tabletop"


def _solid_kind(data: Any) -> str:
    kind = str(data.get("scene", data).get("kind", ""))
    return kind if KINDS.get(kind) == KINDS["tabletop"] else "tabletop"


def read_recipe(data: object, where: str) -> Recipe:
    """The recipe that a JSON object describes.

    Raises:
        PixelProofError: It describes none.
    """
    kind = data.get("kind") if isinstance(data, Mapping) else None
    if not isinstance(kind, str):
        raise PixelProofError(f"{where}.kind must be a text, not {str(kind)[:60]!r}.")
    found: Recipe = read(recipe_class(kind), data, where)
    return found


def require(what: str, word: str, known: tuple[str, ...]) -> None:
    """Refuse a word that is not among those known."""
    if word not in known:
        raise PixelProofError(f"There is no {what} {word!r}: choose from {', '.join(known)}.")


def require_possible(seed: int, width: int, height: int, layers: tuple[str, ...], known: tuple[str, ...]) -> None:
    """Refuse what no kind of set can have."""
    for layer in layers:
        require("layer", layer, known)
    if not layers:
        raise PixelProofError(f"A set without layers is empty: name some of {', '.join(known)}.")
    if not 0 <= seed < 2**63:
        raise PixelProofError(f"A seed is a whole number from 0 to 2**63 - 1, not {seed}.")
    if not 1 <= width <= LARGEST or not 1 <= height <= LARGEST:
        raise PixelProofError(
            f"A picture of {width} × {height} pixels cannot be made: choose a size from 1 to {LARGEST}."
        )


def require_frames(frames: int, width: int, height: int) -> None:
    """Refuse clips that do not fit into one picture."""
    if frames < 1 or frames * width * height > MOST_PIXELS:
        most = max(1, MOST_PIXELS // (width * height))
        raise PixelProofError(f"A clip of {width} × {height} pixels has 1 to {most} frames, not {frames}.")
