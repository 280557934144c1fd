"""Scenes of the flat world: coloured shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar

from pixelproof.contract import PixelProofError
from pixelproof.stats import derive_seed, generator
from pixelproof.store import digest

from ._frame_cache import Arrays
from ._scenes import GeneratedScenes, SceneFacts

_FEWEST = 4


@dataclass(frozen=True)
class FlatScenes(GeneratedScenes):
    """Four to nine shapes on a background; no two share colour and shape, and nothing covers them. Needs no extra."""

    name: ClassVar[str] = "flat"

    @cached_property
    def software(self) -> str:
        """Hash of the flat world and the libraries that render it."""
        from pixelproof.world.sets import recipe_class, software

        return digest([software(recipe_class("flat")("flat", 0))])

    def describe(self, seed: int, index: int) -> SceneFacts:
        """A scene of shapes without codes; one with fewer shapes if they do not all fit."""
        from pixelproof.world.flat import make_flat, truth

        draw_shapes = partial(
            make_flat, derive_seed(seed, self.stream), index, side=self.size,
            plates=0, pair=False, hop=False, noise=0, distractors=0,
        )  # fmt: skip
        count = int(generator(seed, f"{self.stream}/things", index).integers(_FEWEST, 10))
        while True:
            try:
                scene = draw_shapes(things=count)
                break
            except PixelProofError:  # they do not fit
                if count == _FEWEST:
                    raise
                count -= 1
        known = truth(scene)
        visible = tuple(known.seen[sprite.id].visibility for sprite in scene.sprites)
        return SceneFacts(scene.to_json(), "", tuple(sprite.shape for sprite in scene.sprites), visible)

    def render(self, seed: int, index: int, facts: SceneFacts, layers: Sequence[str]) -> Arrays:
        """Render layers of a scene; there are `rgb` and `ids`."""
        from pixelproof.world.flat import FlatScene, draw, truth

        scene = FlatScene.from_json(facts.json)
        return {name: draw(scene) if name == "rgb" else truth(scene).labels for name in layers}
