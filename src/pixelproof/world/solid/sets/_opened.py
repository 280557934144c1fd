"""Reading of sets, one scene at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pixelproof.contract import PixelProofError
from pixelproof.world.solid._scene import Scene

from ._cards import read_card
from ._files import layers_of, read_arrays, read_scene

if TYPE_CHECKING:
    from pixelproof.world.solid.render import Layers


class SceneSet:
    """A set on disk, read as it is used: its length, `set[12]`, and iteration over pairs of a scene and its layers."""

    def __init__(self, directory: Path) -> None:
        self.directory, self.card = directory, read_card(directory)
        if not self.card.complete:
            raise PixelProofError(
                f"{directory} is not complete: give the pixelproof world make command again, which goes on from there."
            )

    def __len__(self) -> int:
        return self.card.n

    def __getitem__(self, index: int) -> tuple[Scene, Layers]:
        """A scene and its stored layers.

        Raises:
            PixelProofError: A file is missing or damaged.
            IndexError: There is no such scene.
        """
        if not 0 <= index < len(self):
            raise IndexError(f"There are scenes 0 to {len(self) - 1}, and no {index}.")
        stem = self.card.stem(self.directory, index)
        return read_scene(stem.with_suffix(".json")), layers_of(read_arrays(stem, self.card.recipe.layers))

    def __iter__(self) -> Iterator[tuple[Scene, Layers]]:
        return (self[index] for index in range(len(self)))


def read_set(directory: Path | str) -> SceneSet:
    """Open a set of scenes.

    Raises:
        PixelProofError: There is none, or it is not complete.
    """
    return SceneSet(Path(directory))
