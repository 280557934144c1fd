"""The frozen set `spatial-v1`: pairs of the source `world` that never change, each verified before it is used."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pixelproof.benches.sources import FrozenSource, item_id
from pixelproof.benches.spatial._pairs import read_pair, sampled_pairs
from pixelproof.store import FrozenSet, digest

if TYPE_CHECKING:
    from pixelproof.world.edits import Edit
    from pixelproof.world.solid import Scene

FROZEN = "spatial-v1"
OPTIONS = {"language": "en", "preset": "all", "split": "test"}
"""Options of the bench that the set has."""
_SEED, _PAIRS = 1, 240
"""Seed of the set, and number of its pairs: twenty of each operation."""


def frozen_source(path: Path | None = None) -> FrozenSource:
    """The manifest of the frozen set, and the edition of the pairs that generates it."""
    from pixelproof.world.sets import recipe_class

    return FrozenSource(path or Path(__file__).with_name(f"{FROZEN}.json"), recipe_class("pair").edition)


def frozen_pairs(n: int | None = None, path: Path | None = None) -> Iterator[str]:
    """The pairs of the frozen set as JSON, at most n, each checked against the manifest.

    Raises:
        PixelProofError: The set is of another edition, or a pair differs from the frozen one.
    """
    return frozen_source(path).items(lambda seed, _: sampled_pairs(seed, **OPTIONS), content_hash, n)


def content_hash(index: int, text: str) -> str:
    """Hash of a pair: words and whole numbers, without poses, whose last digits depend on the CPU."""
    pair = read_pair(text)
    return digest(
        [
            item_id("spatial", FROZEN, 1, index),
            [pair.operation, pair.text, pair.language, pair.why_not],
            [_edit(step) for step in pair.steps],
            [_scene(scene) for scene in (pair.before, pair.after)],
        ]
    )


def _edit(edit: Edit) -> list[Any]:
    return [edit.action, edit.target, edit.way, round(1000 * edit.amount), edit.anchor, edit.frame]


def _scene(scene: Scene) -> list[Any]:
    things = [
        [thing.id, thing.category, thing.colour, thing.material, thing.text, thing.support, round(1000 * thing.scale)]
        for thing in scene.things
    ]
    return [scene.kind, scene.setting, scene.layout, round(1000 * scene.camera.focal), things]


def freeze_set(pairs: int = _PAIRS, path: Path | None = None) -> FrozenSet:
    """Write the manifest of the frozen set; for developers, once."""
    sampled = zip(range(pairs), sampled_pairs(_SEED, **OPTIONS), strict=False)
    hashes = {item_id("spatial", FROZEN, 1, index): content_hash(index, text) for index, text in sampled}
    return frozen_source(path).freeze(FROZEN, _SEED, hashes)
