"""Where pairs come from: sampled from a seed, read from a set made before, or of the frozen set `spatial-v1`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pixelproof.benches.sources import FrameCache, FrozenSource, item_id
from pixelproof.contract import PixelProofError
from pixelproof.store import FrozenSet, cache_root, digest

if TYPE_CHECKING:
    from pixelproof.world.edits import Edit
    from pixelproof.world.pairs import Pair, PairRecipe
    from pixelproof.world.solid import Scene

IMPOSSIBLE = "impossible"
"""The operation of impossible edits and their possible twins, which have a metric of their own."""
OPERATIONS = (
    "move", "placement", "rotation", "receptacle", "viewpoint", "removal", "scaling", "insertion", "swap", "stacking",
    "multi-step",
)  # fmt: skip
"""Operations that scores are averaged over, in the order of their counts."""


_FORMAT = 2
"""Format of the cache on disk."""
_TRIES, _STRIDE = 6, 100_000
"""Number of pairs that are tried for an item, and the distance between their numbers."""


@lru_cache(maxsize=256)
def read_pair(text: str) -> Pair:
    """Parse a pair; the same text gives the same object, whose scenes keep their ray-casting structure."""
    from pixelproof.world.pairs import Pair

    return Pair.from_json(text)


def sampled_pairs(seed: int, **options: str) -> Iterator[str]:
    """Endless pairs as JSON: every operation in turn, each in a scene of its own. Those sampled before are on disk.

    Args:
        seed: Seed of scenes and edits.
        options: `language` and `preset` as for `sample_pair`; `world_split`, which is its `split`.
    """
    from pixelproof.world.pairs import PRESETS, PairRecipe
    from pixelproof.world.sets import software

    folder = digest([_FORMAT, software(PairRecipe("pair", seed)), seed, options])[:16]
    cache = FrameCache(cache_root() / "scenes" / "spatial-pairs" / folder)
    operations = PRESETS[options["preset"]].operations
    for index in count():
        block, place = divmod(index, len(operations))
        # The next block begins one scene later: kinds of scenes take turns, and an operation would meet one kind alone.
        number = block if operations[place] == IMPOSSIBLE else index + block
        sample = partial(_sampled, operations[place], seed, number, options)
        yield str(cache.facts(f"{index // 1000:04d}/{index:06d}", sample)["pair"])


def _sampled(operation: str, seed: int, number: int, options: Mapping[str, str]) -> dict[str, str]:
    """The pair with a number; where scenes have no space for the operation, one with a number far behind."""
    from pixelproof.world.pairs import sample_pair

    for attempt in range(_TRIES):
        try:
            pair = sample_pair(
                operation,
                seed,
                number + attempt * _STRIDE,
                language=options["language"],
                preset=options["preset"],
                split=options["world_split"],
            )
            return {"pair": pair.to_json()}
        except PixelProofError:
            if attempt == _TRIES - 1:
                raise
    raise AssertionError("the last attempt returns or raises")


def made_pairs(data: Path | None) -> tuple[PairRecipe, Iterator[str]]:
    """The pairs of a set as JSON, and its recipe.

    Raises:
        PixelProofError: There is no such set, or it is of another kind; while it is read: a file is damaged.
    """
    from pixelproof.world.pairs import PairRecipe
    from pixelproof.world.sets import read_set

    if data is None:
        raise PixelProofError("The source 'made' needs a set of 'pixelproof spatial make': pass it with --data DIR.")
    pairs = read_set(data)
    recipe = pairs.card.recipe
    if not isinstance(recipe, PairRecipe):
        raise PixelProofError(f"{data} is not a set of pairs: make one with 'pixelproof spatial make'.")
    return recipe, pairs.texts()


FROZEN = "spatial-v1"
OPTIONS = {"language": "en", "preset": "all", "world_split": "test"}
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
