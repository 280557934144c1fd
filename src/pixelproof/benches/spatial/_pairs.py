"""Where pairs come from: sampled from a seed, or read from a set that was made before."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

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


_TRIES, _STRIDE = 6, 10_000
"""Number of pairs that are tried for an item, and the distance between their numbers."""


@lru_cache(maxsize=256)
def read_pair(text: str) -> Pair:
    """Parse a pair; the same text gives the same object, whose scenes keep their ray-casting structure."""
    from pixelproof.world.pairs import Pair

    return Pair.from_json(text)


def sampled_pairs(seed: int, **options: Any) -> Iterator[str]:
    """Endless pairs as JSON: every operation in turn. Those that were sampled before come from the disk.

    Args:
        seed: Seed of scenes and edits.
        options: Fields of `PairRecipe`, such as `language`, `preset` and `split`.
    """
    from pixelproof.world.pairs import PairRecipe
    from pixelproof.world.sets import software

    recipe = PairRecipe("pair", seed, **options)
    folder = digest([software(recipe), seed, options])[:16]
    cache = FrameCache(cache_root() / "scenes" / "spatial-pairs" / folder)
    for index in count():
        sample = partial(_sampled, recipe, index)
        yield str(cache.facts(f"{index // 1000:04d}/{index:06d}", sample)["pair"])


def _sampled(recipe: PairRecipe, index: int) -> dict[str, Any]:
    """The pair with an index; where scenes have no space for its operation, one of the same operation far behind."""
    for attempt in range(_TRIES):
        try:
            return {"pair": recipe.item(index + attempt * _STRIDE * len(recipe.names)).to_json()}
        except PixelProofError:
            if attempt == _TRIES - 1:
                raise
    raise AssertionError("the last attempt returns or raises")


def made_pairs(data: Path | None) -> tuple[PairRecipe, Iterator[str]]:
    """The pairs of a set as JSON, and its recipe.

    Raises:
        PixelProofError: There is no such set, or it is of another kind.
    """
    from pixelproof.world.pairs import PairRecipe
    from pixelproof.world.sets import read_set

    if data is None:
        raise PixelProofError("The source 'made' needs a set of 'pixelproof spatial make': pass it with --data DIR.")
    pairs = read_set(data)
    recipe = pairs.card.recipe
    if not isinstance(recipe, PairRecipe):
        raise PixelProofError(f"{data} is not a set of pairs: make one with 'pixelproof spatial make'.")
    return recipe, (pairs.stored(index)[0] for index in range(len(pairs)))
