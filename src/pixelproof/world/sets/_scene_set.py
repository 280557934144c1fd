"""Random access to the items of a set on disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pixelproof.contract import PixelProofError
from pixelproof.store import local_path

from ._cards import read_card
from ._files import Arrays, read_arrays, read_text
from ._recipe import Row
from ._tables import table_rows


class SceneSet:
    """A set on disk, read lazily: `len(set)`, `set[12]`, and iteration over (item, layers)."""

    def __init__(self, directory: Path) -> None:
        self.directory, self.card = directory, read_card(directory)
        if not self.card.complete:
            raise PixelProofError(
                f"{directory} is not complete: run the command that made the set again, which continues it."
            )

    def __len__(self) -> int:
        return self.card.n

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        """Read an item, such as a `Scene`, and its layers.

        Raises:
            PixelProofError: A file is missing or damaged.
            IndexError: There is no such item.
        """
        text, arrays = self.stored(index)
        return self.card.recipe.parse(text), self.card.recipe.to_layers(arrays)

    def stored(self, index: int) -> tuple[str, Arrays]:
        """The JSON and the arrays of an item, as stored."""
        if not 0 <= index < len(self):
            raise IndexError(f"The set has items 0 to {len(self) - 1}, not {index}.")
        stem, recipe = self.card.stem(self.directory, index), self.card.recipe
        return read_text(stem), read_arrays(stem, recipe.layers, recipe.height if recipe.moving else None)

    def texts(self) -> Iterator[str]:
        """The JSON of every item, in order.

        Raises:
            PixelProofError: A file is missing, or differs from the table of the set.
        """
        for row in table_rows(self.directory, self.card.recipe.items, ["index", "scene"]):
            stem = self.card.stem(self.directory, row["index"])
            if read_text(stem) != row["scene"]:
                raise PixelProofError(
                    f"{stem}.json differs from the table of the set: delete it and run the command that made the set "
                    "again."
                )
            yield row["scene"]

    def parts(self, index: int) -> list[Row]:
        """The table rows of the parts of an item, such as its things."""
        return [row for row in table_rows(self.directory, self.card.recipe.parts) if row["index"] == index]

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        return (self[index] for index in range(len(self)))


def read_set(directory: Path | str) -> SceneSet:
    """Open a set in a folder or at a URL.

    Raises:
        PixelProofError: There is no set, or it is not complete.
    """
    return SceneSet(local_path(directory))
