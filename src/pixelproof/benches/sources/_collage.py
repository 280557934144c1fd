"""Scenes of the collage world: cut-outs on backgrounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from pixelproof.store import digest

from ._frame_cache import Arrays
from ._scenes import GeneratedScenes, SceneFacts

_OWN = "solid"


@dataclass(frozen=True)
class CollageScenes(GeneratedScenes):
    """Collages of objects of the solid world, or of the cut-outs of a folder."""

    root: Path | None = None
    """Folder of cut-outs; None: objects of the solid world."""

    name: ClassVar[str] = "collage"

    @property
    def cutouts(self) -> str:
        """The library of cut-outs, as the recipe names it."""
        return _OWN if self.root is None else str(self.root)

    @cached_property
    def software(self) -> str:
        """Hash of the worlds, the libraries that render them, and the cut-outs."""
        from pixelproof.world.sets import software

        return digest([software(self._recipe(0)), self.content])

    @cached_property
    def content(self) -> str:
        """Hash of the cut-outs."""
        return str(self._recipe(0).content)

    def describe(self, seed: int, index: int) -> SceneFacts:
        """Cut-outs of different nouns, each of them well visible."""
        recipe = self._recipe(seed)
        made = recipe.render(index, recipe.item(index))
        nouns = tuple(row["noun"] for row in made.parts)
        return SceneFacts(made.json, "", nouns, tuple(float(row["visible"]) for row in made.parts))

    def render(self, seed: int, index: int, facts: SceneFacts, layers: Sequence[str]) -> Arrays:
        """Render layers of a collage."""
        recipe = self._recipe(seed)
        made = recipe.render(index, recipe.parse(facts.json))
        return {name: made.arrays[name] for name in layers}

    def _recipe(self, seed: int) -> Any:
        from pixelproof.world.sets import recipe_class

        return recipe_class("collage")("collage", seed, self.cutouts, width=self.size, height=self.size)
