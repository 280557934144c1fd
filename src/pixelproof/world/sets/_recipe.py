"""The interface of a recipe, which generates, renders and checks the items of one kind of set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pixelproof.contract import PixelProofError
from pixelproof.world._limits import FEWEST_FRAMES, LARGEST, require_seed, require_whole, require_word

from ._files import Arrays

Row = dict[str, Any]
"""A row of a table, by column."""
Finding = tuple[str, str, str]
"""A violated rule, the id of the thing (may be empty), and a message."""

MOST_FRAMES = 10_000
MOST_PIXELS = 60_000_000
"""Limit of width × height × frames of a clip."""


@dataclass(frozen=True)
class Table:
    """A table of a set."""

    name: str
    """File name without `.parquet`, and what messages call the rows, such as `scenes`."""
    schema: pa.Schema


@dataclass(frozen=True)
class SetItem:
    """One generated item, ready to be written."""

    json: str
    """The item, serialised."""
    arrays: Arrays
    """The layers to store."""
    row: Row = field(default_factory=dict)
    """Its row of the item table, without `id`, `shard`, `scene`, `digest` and `sizes`."""
    parts: list[Row] = field(default_factory=list)
    """The rows of its parts, such as things."""


class Recipe(Protocol):
    """What a set is generated from: a frozen data class that, with an index, determines every byte of an item."""

    items: ClassVar[Table]
    """One row per item, with the columns `order`, `id`, `index`, `shard`, `scene` (its JSON), `digest`, `sizes`."""
    parts: ClassVar[Table]
    """Several rows per item, with the columns `order` and `index`."""
    moving: ClassVar[bool]
    """Whether items are clips: the first axis of each layer is then the frame."""
    code: ClassVar[tuple[str, ...]]
    """Sub-packages of `pixelproof.world` whose code determines the pixels."""
    edition: ClassVar[int]
    """Edition of the world. Raise it when a change alters the bytes of a seed."""

    @property
    def kind(self) -> str:
        """A name in `KINDS`."""

    @property
    def seed(self) -> int:
        """The seed of the set."""

    @property
    def height(self) -> int:
        """Height of an image in pixels."""

    @property
    def layers(self) -> tuple[str, ...]:
        """Names of the layers to store."""

    def item_id(self, index: int) -> str:
        """The id of an item, the same in every set that contains it."""

    def item(self, index: int) -> Any:
        """Generate the item with an index, such as a `Scene`."""

    @staticmethod
    def parse(text: str) -> Any:
        """Parse the JSON of an item.

        Raises:
            PixelProofError: The text is not an item of this kind.
        """

    def render(self, index: int, item: Any) -> SetItem:
        """Render an item, with its layers and table rows."""

    def check(self, index: int, item: Any, arrays: Arrays, parts: list[Row]) -> Iterator[Finding]:
        """Compare a stored item with its layers and rows; yields what is wrong."""

    def to_layers(self, arrays: Arrays) -> Any:
        """Stored arrays in the form that the world's renderer returns."""

    def sheet(self, item: Any, arrays: Arrays) -> npt.NDArray[np.uint8]:
        """An image of an item with its ground truth, for inspection."""

    def describe(self, item: Any, parts: list[Row]) -> list[dict[str, str]]:
        """A table for the terminal: for each thing, column heading → text."""


def require_recipe(
    seed: int, width: int, height: int, layers: tuple[str, ...], known: tuple[str, ...], least: int = 1
) -> None:
    """Raise an error for a seed, image size or layer that a kind does not support.

    Args:
        seed: Of the set.
        width: In pixels.
        height: In pixels.
        layers: Names of the layers to store.
        known: Names of the layers that the kind has.
        least: Smallest width and height that the kind supports.
    """
    for layer in layers:
        require_word("layer", layer, known)
    if not layers:
        raise PixelProofError(f"A set needs at least one layer: choose from {', '.join(known)}.")
    require_seed(seed)
    if not least <= width <= LARGEST or not least <= height <= LARGEST:
        raise PixelProofError(
            f"An image of {width} × {height} pixels cannot be made: choose a size from {least} to {LARGEST}."
        )


def require_frames(frames: int, width: int, height: int) -> None:
    """Raise an error for a number of frames that is too small, or too large to be stored as one image."""
    most = min(MOST_FRAMES, MOST_PIXELS // (width * height))
    if most < FEWEST_FRAMES:
        raise PixelProofError(f"A clip of {width} × {height} pixels is too large: choose a smaller size.")
    require_whole(f"frames of a clip of {width} × {height} pixels", frames, FEWEST_FRAMES, most)
