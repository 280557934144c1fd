"""Solid scenes as a source: tabletops, rooms and shelves, as many of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from pixelproof.benches.sources import SceneFacts, SolidScenes
from pixelproof.contract import PixelProofError, unknown_name

from ._generated import Generated, Mention

_FORMS = ("noun", "attribute", "superlative", "relation")
_GROUND = frozenset({"table", "side table", "bench", "bookcase", "cabinet", "chest of drawers"})
"""Nouns that could also name the table or shelf unit in the background."""
_FITTED = frozenset({"cabinet", "chest of drawers"})
"""Nouns that could also name the kitchen counter of a room, which is background."""


@dataclass(frozen=True)
class World(Generated):
    """Scenes of the solid world; needs the extra `world`."""

    name = "world"

    @cached_property
    def nouns(self) -> Sequence[str]:
        """The nouns of all categories that are not part of the surroundings."""
        from pixelproof.world.language import view_of
        from pixelproof.world.solid import Camera, Scene

        return view_of(Scene("tabletop", 0, 0, (), Camera.looking_at((0.0, 0.0, 0.0), (0.0, -1.0, 1.0)), ())).nouns

    def mention(self, facts: SceneFacts, rng: np.random.Generator) -> Iterator[Mention]:
        """Objects by expressions that are proven to refer to each alone."""
        from pixelproof.world.language import refer, view_of
        from pixelproof.world.solid import Scene

        scene = Scene.from_json(facts.json)
        view = view_of(scene, {thing.id: share for thing, share in zip(scene.things, facts.visible, strict=True)})
        for place in rng.permutation(len(scene.things)):
            thing = scene.things[place]
            forms = () if thing.fixed else rng.permutation(_FORMS).tolist()
            for form in forms:  # one form at a time, because nouns alone would usually do
                if expression := refer(view, thing.id, rng, (form,)):
                    yield Mention(int(place) + 1, expression.text, form)
                    break

    def unlike(self, facts: SceneFacts) -> frozenset[str]:
        """In rooms all furniture but fittings is labelled; elsewhere the support of the objects is background."""
        return _FITTED if facts.kind == "room" else _GROUND


def open_world(data: Path | None, task: str = "semantic", *, size: int = 512, split: str = "train") -> World:
    """Solid scenes.

    Args:
        data: Must be None.
        task: Any.
        size: Pixels of a side of the image.
        split: Which objects may occur, a name in `SPLITS` of the solid world.
    """
    from pixelproof.world.solid import SPLITS

    if data is not None:
        raise PixelProofError(f"The source 'world' generates its images: leave out {data}, or choose another source.")
    if split not in SPLITS:
        raise unknown_name("split", split, SPLITS)
    return World(task, SolidScenes("arena/world", size, split))
