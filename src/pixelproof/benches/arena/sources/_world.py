"""Solid scenes as a source: tabletops, rooms and shelves, as many of each; endless, or frozen as `arena-v1`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from pixelproof.benches.arena._case import Case
from pixelproof.benches.sources import FrozenSource, SceneFacts, SolidScenes, item_id
from pixelproof.contract import PixelProofError, unknown_name
from pixelproof.store import FrozenSet, digest

from ._generated import Generated, Mention

FROZEN = "arena-v1"
_FROZEN_SEED = 1
_STREAM = "arena/world"
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
        """Objects by expressions that refer to each alone."""
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


@dataclass(frozen=True)
class FrozenWorld(World):
    """The scenes of a frozen set, each verified against its manifest; the seed is that of the set."""

    name = FROZEN

    def cases(self, seed: int) -> Iterator[Case]:
        """The cases of all scenes of the set.

        Raises:
            PixelProofError: The set is of another edition of the solid world, or a scene differs from the frozen one.
        """
        frozen = frozen_source().load()
        for index in range(len(frozen)):
            facts = self.scenes.facts(frozen.seed, index)
            frozen.check(index, content_hash(index, facts))
            yield from self.cases_of(frozen.seed, index, facts)


def frozen_source(path: Path | None = None) -> FrozenSource:
    """The manifest of the frozen set, and the edition of the solid world that generates it."""
    from pixelproof.world.sets import recipe_class

    return FrozenSource(path or Path(__file__).with_name(f"{FROZEN}.json"), recipe_class("room").edition)


def content_hash(index: int, facts: SceneFacts) -> str:
    """Hash of the things of a scene: words and whole numbers, without poses, whose last digits depend on the CPU."""
    from pixelproof.world.solid import Scene

    scene = Scene.from_json(facts.json)
    things = [
        [thing.id, thing.category, thing.colour, thing.material, thing.text, thing.support, round(1000 * thing.scale),
         sorted((key, round(10_000 * value)) for key, value in thing.form.items())]
        for thing in scene.things
    ]  # fmt: skip
    return digest([item_id("arena", FROZEN, 1, index), scene.kind, scene.setting, scene.layout, things])


def freeze_set(scenes: int = 60, path: Path | None = None) -> FrozenSet:
    """Write the manifest of the frozen set; for developers, once."""
    source = SolidScenes(_STREAM)
    facts = [source.facts(_FROZEN_SEED, index) for index in range(scenes)]
    hashes = {item_id("arena", FROZEN, 1, index): content_hash(index, one) for index, one in enumerate(facts)}
    return frozen_source(path).freeze(FROZEN, _FROZEN_SEED, hashes)


def open_frozen(data: Path | None, task: str = "semantic", *, size: int = 512) -> FrozenWorld:
    """The frozen set.

    Args:
        data: Must be None.
        task: Any.
        size: Pixels of a side of the image.
    """
    if data is not None:
        raise PixelProofError(
            f"The source {FROZEN!r} generates its images: leave out {data}, or choose another source."
        )
    frozen_source().load()  # refuses another edition before anything is generated
    return FrozenWorld(task, SolidScenes(_STREAM, size))


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
    return World(task, SolidScenes(_STREAM, size, split))
