"""Solid scenes as a source: tabletops, rooms and shelves, as many of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from pixelproof.contract import PixelProofError
from pixelproof.stats import generator
from pixelproof.store import digest

from ._generated import Drawn, Generated, Mention
from ._keeping import Arrays

_FEWEST, _MOST = 4, 9
"""Things of a scene that are drawn; no more, or their labels would be more than a person keeps apart."""
_LEAST = 3
"""Things that every kind of scene has room for."""
_FORMS = ("noun", "attribute", "superlative", "relation")
_GROUND = frozenset({"table", "side table", "bench", "bookcase", "cabinet", "chest of drawers"})
"""What the table and the shelf unit that things stand on, which are background, could be called."""


@dataclass(frozen=True)
class World(Generated):
    """Scenes of the solid world; needs the world extra."""

    split: str = "train"

    name = "world"

    @cached_property
    def nouns(self) -> Sequence[str]:
        """The nouns of all categories that are not part of the surroundings."""
        from pixelproof.world.language import view_of
        from pixelproof.world.solid import Camera, Scene

        return view_of(Scene("tabletop", 0, 0, (), Camera.looking_at((0.0, 0.0, 0.0), (0.0, -1.0, 1.0)), ())).nouns

    @cached_property
    def software(self) -> str:
        """Of the solid world and the libraries that it draws with."""
        from pixelproof.world.sets import recipe_class, software

        return digest([software(recipe_class("tabletop")("tabletop", 0)), self.split])

    def draw(self, seed: int, index: int) -> Drawn:
        """A settled scene; one with fewer things where so many find no place."""
        from pixelproof.world.language import view_of
        from pixelproof.world.solid import KINDS, make_scene
        from pixelproof.world.solid.render import render

        kind = _kind(KINDS, seed, index)
        wanted = int(generator(seed, "arena/world/things", index).integers(_FEWEST, _MOST + 1))
        for things in range(wanted, _LEAST - 1, -1):
            try:
                scene = make_scene(kind, seed, index, split=self.split, things=things)
                break
            except PixelProofError:
                if things == _LEAST:
                    raise
        layers = render(scene, self.size, layers=("ids", "visible"))
        nouns = tuple("" if entity.fixed else entity.noun for entity in view_of(scene).entities)
        return Drawn(scene.to_json(), kind, nouns, tuple(float(share) for share in layers.visible))

    def take(self, seed: int, index: int, drawn: Drawn, layers: Sequence[str]) -> Arrays:
        """The picture of a scene by rays."""
        from pixelproof.world.solid import Scene
        from pixelproof.world.solid.render import render

        taken = render(Scene.from_json(drawn.text), self.size, layers=layers)
        return {name: getattr(taken, name) for name in layers}

    def mention(self, drawn: Drawn, rng: np.random.Generator) -> Iterator[Mention]:
        """Expressions that are proven to fit one thing alone."""
        from pixelproof.world.language import refer, view_of
        from pixelproof.world.solid import Scene

        scene = Scene.from_json(drawn.text)
        view = view_of(scene, {thing.id: share for thing, share in zip(scene.things, drawn.visible, strict=True)})
        for place in rng.permutation(len(scene.things)):
            thing = scene.things[place]
            forms = () if thing.fixed else rng.permutation(_FORMS).tolist()
            for form in forms:  # a form at a time, for nouns alone would mostly do
                if expression := refer(view, thing.id, rng, (form,)):
                    yield Mention(int(place) + 1, expression.text, form)
                    break

    def unlike(self, drawn: Drawn) -> frozenset[str]:
        """In rooms all furniture is labelled; elsewhere what carries the things has another name."""
        return frozenset() if drawn.kind == "room" else _GROUND


def _kind(kinds: Sequence[str], seed: int, index: int) -> str:
    """All kinds in every block, in an order by chance: an index that told the kind would tell half of the depth."""
    block, place = divmod(index, len(kinds))
    order = generator(seed, "arena/world/kinds", block).permutation(len(kinds))
    return kinds[int(order[place])]


def open_world(data: Path | None, task: str = "semantic", *, size: int = 512, split: str = "train") -> World:
    """Solid scenes.

    Args:
        data: None; nothing is read.
        task: Any.
        size: Pixels of a side of the picture.
        split: What may be in the scenes, a name in `SPLITS` of the solid world.
    """
    from pixelproof.world.solid import SPLITS

    if data is not None:
        raise PixelProofError(f"The source 'world' makes its own pictures: leave out {data}, or choose another source.")
    if split not in SPLITS:
        raise PixelProofError(f"There is no split {split!r}: choose one of {', '.join(SPLITS)}.")
    return World(task, size, split=split)
