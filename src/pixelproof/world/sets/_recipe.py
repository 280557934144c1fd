"""What tells one kind of set from another: a recipe makes one item of a set, and checks it when it is read back."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pixelproof.contract import PixelProofError
from pixelproof.store import plain
from pixelproof.world._limits import FEWEST_FRAMES, LARGEST, require_seed, require_whole
from pixelproof.world._reading import read

from ._files import Arrays

Row = dict[str, Any]
Wrong = tuple[str, str, str]
"""A rule, a thing, a message."""

MOST_FRAMES = 10_000
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


def folder() -> Any:
    """A field of a recipe that names a folder: where that is does not tell one set from another."""
    return field(default="", compare=False, metadata={"folder": True})


def folders_of(recipe: Recipe | type[Any]) -> list[str]:
    """The fields of a recipe that name folders."""
    return [each.name for each in fields(recipe) if each.metadata.get("folder")]  # type: ignore[arg-type]


def stored_recipe(recipe: Recipe, directory: Path) -> dict[str, Any]:
    """A recipe as a file in a directory has it: with paths from there, so that all can be moved together."""
    data: dict[str, Any] = plain(recipe)
    for name in folders_of(recipe):
        if os.path.isabs(data[name]):
            data[name] = _path_from(directory, data[name])
    return data


def _path_from(directory: Path, folder: str) -> str:
    try:
        path = Path(os.path.relpath(os.path.realpath(folder), os.path.realpath(directory))).as_posix()
    except ValueError:  # on another drive
        return folder
    return path if path.startswith(".") else f"./{path}"  # a bare word is the name of a library


def read_recipe(data: object, where: str, directory: Path | str = ".") -> Recipe:
    """The recipe that a JSON object describes, which is in a file in a directory.

    Raises:
        PixelProofError: It describes none.
    """
    kind = data.get("kind") if isinstance(data, Mapping) else None
    if not isinstance(data, Mapping) or not isinstance(kind, str):
        raise PixelProofError(f"{where}.kind must be a text, not {str(kind)[:60]!r}.")
    cls = recipe_class(kind)
    paths = {name: data[name] for name in folders_of(cls) if str(data.get(name, "")).startswith(".")}
    paths = {name: os.path.join(os.path.realpath(directory), path) for name, path in paths.items()}
    found: Recipe = read(cls, {**data, **paths}, where)
    return found


def require(what: str, word: str, known: tuple[str, ...]) -> None:
    """Refuse a word that is not among those known."""
    if word not in known:
        raise PixelProofError(f"There is no {what} {word!r}: choose from {', '.join(known)}.")


def require_possible(
    seed: int, width: int, height: int, layers: tuple[str, ...], known: tuple[str, ...], least: int = 1
) -> None:
    """Refuse what no kind of set can have, or, below the least size, not this one."""
    for layer in layers:
        require("layer", layer, known)
    if not layers:
        raise PixelProofError(f"A set without layers is empty: name some of {', '.join(known)}.")
    require_seed(seed)
    if not least <= width <= LARGEST or not least <= height <= LARGEST:
        raise PixelProofError(
            f"A picture of {width} × {height} pixels cannot be made: choose a size from {least} to {LARGEST}."
        )


def require_frames(frames: int, width: int, height: int) -> None:
    """Refuse clips in which nothing can happen, and those that do not fit into one picture."""
    most = min(MOST_FRAMES, MOST_PIXELS // (width * height))
    if most < FEWEST_FRAMES:
        raise PixelProofError(f"A clip of {width} × {height} pixels takes too much room: choose a smaller size.")
    require_whole(f"frames of a clip of {width} × {height} pixels", frames, FEWEST_FRAMES, most)
