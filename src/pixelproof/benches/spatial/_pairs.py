"""Where pairs come from: sampled from a seed, or read from a set that was made before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from pixelproof.benches.sources import FrameCache
from pixelproof.contract import PixelProofError
from pixelproof.store import cache_root, digest

if TYPE_CHECKING:
    from pixelproof.world.pairs import Pair, PairRecipe

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
        options: `language`, `preset` and `split`, as for `sample_pair`.
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
                split=options["split"],
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
