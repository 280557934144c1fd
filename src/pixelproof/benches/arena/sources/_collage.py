"""Collages as a source: cut-outs before grounds, with the exact mask of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from pixelproof.contract import PixelProofError
from pixelproof.store import digest

from ._generated import Drawn, Generated, Mention
from ._keeping import Arrays

_OURS = "solid"


@dataclass(frozen=True)
class Collages(Generated):
    """Collages of our own solid things, or of the cut-outs of a folder."""

    name = "collage"

    @property
    def cutouts(self) -> str:
        """The folder, or the name of our own."""
        return _OURS if self.root is None else str(self.root)

    def _recipe(self, seed: int) -> Any:
        from pixelproof.world.sets import recipe_class

        return recipe_class("collage")("collage", seed, self.cutouts, width=self.size, height=self.size)

    @cached_property
    def nouns(self) -> Sequence[str]:
        """The nouns of all cut-outs."""
        from pixelproof.world.collage import Folder
        from pixelproof.world.solid.shapes import CATEGORIES

        if self.cutouts == _OURS:  # of which every seed draws some
            kinds = [kind for kind in CATEGORIES.values() if kind.family not in ("furniture", "structure")]
            return sorted({kind.word or kind.name for kind in kinds})
        return sorted({cutout.noun for cutout in Folder(self.cutouts).cutouts.values()})

    @cached_property
    def software(self) -> str:
        """Of the worlds and the libraries that they draw with, and the content of the cut-outs."""
        from pixelproof.world.sets import software

        return digest([software(self._recipe(0)), self.stuff])

    @cached_property
    def stuff(self) -> str:
        """Hash of the cut-outs."""
        return str(self._recipe(0).content)

    def draw(self, seed: int, index: int) -> Drawn:
        """Pieces of different nouns, each of them well seen."""
        recipe = self._recipe(seed)
        made = recipe.render(index, recipe.item(index))
        nouns = tuple(row["noun"] for row in made.parts)
        return Drawn(made.json, "", nouns, tuple(float(row["visible"]) for row in made.parts))

    def take(self, seed: int, index: int, drawn: Drawn, layers: Sequence[str]) -> Arrays:
        """The picture of a collage."""
        recipe = self._recipe(seed)
        made = recipe.render(index, recipe.parse(drawn.text))
        return {name: made.arrays[name] for name in layers}

    def mention(self, drawn: Drawn, rng: np.random.Generator) -> Iterator[Mention]:
        """Pieces by their nouns, which are all different; none whose noun could also mean another piece."""
        for place in rng.permutation(len(drawn.nouns)):
            noun = drawn.nouns[place]
            others = drawn.nouns[:place] + drawn.nouns[place + 1 :]
            if not any(f" {noun} " in f" {other} " for other in others):
                yield Mention(int(place) + 1, f"the {noun}", "noun")


def open_collage(data: Path | None, task: str = "semantic", *, size: int = 512) -> Collages:
    """Collages.

    Args:
        data: A folder of cut-outs (PNG or WebP with transparency, and captions); None: things of the solid world.
        task: `semantic` or `referring`.
        size: Pixels of a side of the picture.
    """
    if task not in ("semantic", "referring"):
        raise PixelProofError(f"Collages have no {task}: choose semantic or referring, or the source 'world'.")
    source = Collages(task, size, root=data and data.absolute())
    if len(source.nouns) > 254:
        raise PixelProofError(
            f"The cut-outs of {data} have {len(source.nouns)} different nouns, and a label map holds 254: give fewer."
        )
    return source
