"""Scenes of the solid world: tabletops, rooms and shelves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from pixelproof.contract import PixelProofError
from pixelproof.stats import generator
from pixelproof.store import digest

from ._frame_cache import Arrays
from ._scenes import GeneratedScenes, SceneFacts

_FEWEST_SETTLED = 3
"""Number of objects that every kind of scene has space for."""


@dataclass(frozen=True)
class SolidScenes(GeneratedScenes):
    """Settled scenes, as many of each kind; needs the extra `world`."""

    split: str = "train"
    """Which objects may occur; a name in `pixelproof.world.solid.SPLITS`."""
    things: tuple[int, int] = (4, 9)
    """Smallest and largest number of objects per scene."""

    name: ClassVar[str] = "solid"

    @cached_property
    def software(self) -> str:
        """Hash of the solid world and the libraries that render it."""
        from pixelproof.world.sets import recipe_class, software

        return digest([software(recipe_class("tabletop")("tabletop", 0)), self.split, self.things])

    def describe(self, seed: int, index: int) -> SceneFacts:
        """A settled scene; one with fewer objects if they do not all find a place."""
        from pixelproof.world.language import view_of
        from pixelproof.world.solid import KINDS, make_scene
        from pixelproof.world.solid.render import render

        kind = scene_kind(KINDS, self.stream, seed, index)
        fewest, most = self.things
        wanted = int(generator(seed, f"{self.stream}/things", index).integers(fewest, most + 1))
        for things in range(wanted, _FEWEST_SETTLED - 1, -1):
            try:
                scene = make_scene(kind, seed, index, split=self.split, things=things)
                break
            except PixelProofError:
                if things == _FEWEST_SETTLED:
                    raise
        layers = render(scene, self.size, layers=("ids", "visible"))
        nouns = tuple("" if entity.fixed else entity.noun for entity in view_of(scene).entities)
        return SceneFacts(scene.to_json(), kind, nouns, tuple(float(share) for share in layers.visible))

    def render(self, seed: int, index: int, facts: SceneFacts, layers: Sequence[str]) -> Arrays:
        """Ray-cast layers of a scene."""
        from pixelproof.world.solid import Scene
        from pixelproof.world.solid.render import render

        rendered = render(Scene.from_json(facts.json), self.size, layers=layers)
        return {name: getattr(rendered, name) for name in layers}


def scene_kind(kinds: Sequence[str], stream: str, seed: int, index: int) -> str:
    """The kind of a scene: every kind once per block, in random order, because a fixed order would leak the layout."""
    block, place = divmod(index, len(kinds))
    order = generator(seed, f"{stream}/kinds", block).permutation(len(kinds))
    return kinds[int(order[place])]
