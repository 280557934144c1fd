"""The operations: what an instruction can ask for, and how pairs of each are sampled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pixelproof.contract import PixelProofError
from pixelproof.stats import generator
from pixelproof.world._limits import require_number, require_seed, require_word
from pixelproof.world.language import LANGUAGES, Ranges
from pixelproof.world.solid import KINDS, SPLITS, make_scene

from ._drafts import (
    Sampler,
    Settings,
    draw,
    draw_insertion,
    draw_receptacle,
    draw_stack,
    draw_steps,
    draw_viewpoint,
    is_placement,
    pair_of_steps,
)
from ._impossible import draw_twins, impossible_pair
from ._pair import Pair
from ._situation import Situation, look_at

_SCENES = 12
"""Number of scenes that are tried for a pair."""
_STRIDE = 1_000_000
"""Distance between the indices of scenes that are tried for one pair: sets of pairs share the first ones."""


@dataclass(frozen=True)
class Operation:
    """What an instruction can ask for."""

    name: str
    about: str
    sampler: Sampler | None = None
    """Samples one edit; None for operations with rules of their own."""
    kinds: tuple[str, ...] = KINDS
    """Kinds of scenes."""


_ALL = (
    Operation("move", "move a thing by a distance, in the viewer's or its own frame", draw(("move",))),
    Operation(
        "placement", "place a thing beside another at a distance, or in a corner of it",
        draw(("place", "place", "put"), is_placement),
    ),
    Operation("rotation", "turn a thing about the vertical", draw(("turn",))),
    Operation(
        "receptacle", "put a thing on, or into, another: in the middle, at an end, anywhere",
        draw_receptacle, ("tabletop", "room"),
    ),
    Operation("viewpoint", "move, turn or zoom the camera", draw_viewpoint),
    Operation("removal", "remove the thing that a superlative names", draw(("remove",), forms=("superlative",))),
    Operation("scaling", "scale a thing", draw(("scale",))),
    Operation("insertion", "add a thing beside another at a distance", draw_insertion),
    Operation("swap", "exchange the places of two things", draw(("swap",))),
    Operation("stacking", "put a thing on top of another", draw_stack, ("tabletop",)),
    Operation("multi-step", "two to four edits in a row"),
    Operation("impossible", "an instruction that cannot be carried out, or its possible twin of the same words"),
)  # fmt: skip
OPERATIONS: Mapping[str, Operation] = {operation.name: operation for operation in _ALL}
"""Name → operation."""


@dataclass(frozen=True)
class Preset:
    """Operations and amounts of a set of pairs."""

    about: str
    operations: tuple[str, ...]
    ranges: Ranges


PRESETS: Mapping[str, Preset] = {
    "all": Preset("all operations, with amounts that suit the sizes of things", tuple(OPERATIONS), Ranges()),
    "gsi": Preset(
        "the seven operations of GSI-Bench, with its amounts, in the viewer's frame",
        ("move", "placement", "rotation", "receptacle", "viewpoint", "removal", "scaling"),
        Ranges(
            move=(0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 0.9, 1.1),
            place=(0.05, 0.1, 0.2, 0.3),
            turn=(30.0, 45.0, 60.0, 90.0, 120.0, 150.0, 180.0),
            scale=(0.5, 0.75, 1.5, 2.0),
            scale_furniture=(0.5, 0.75, 1.5, 2.0),
            move_camera=(0.1, 0.2, 0.3),
            turn_camera=(15.0, 30.0),
            zoom_camera=(),
            own_frame=0.0,
        ),
    ),
}
"""Name → operations and amounts that are drawn."""


def sample_pair(
    operation: str,
    seed: int,
    index: int = 0,
    *,
    kind: str | None = None,
    split: str = "train",
    language: str = "en",
    preset: str = "all",
    variant: int = 0,
) -> Pair:
    """Sample a pair of an operation; the same arguments give the same pair.

    Pairs with one index share a scene where they can. Of the operation `impossible`, two neighbouring indices, the even
    one first, are twins with the same text, of which one is possible.

    Args:
        operation: A name in `OPERATIONS`.
        seed: Seed of the scenes and the edits.
        index: Index of the pair.
        kind: Kind of scene; None: depends on the index and the operation.
        split: A name in `SPLITS`.
        language: `en` or `zh`.
        preset: A name in `PRESETS`.
        variant: Number of the pair among those of one scene: further pairs of a scene take a fraction of the time.

    Raises:
        PixelProofError: An argument is invalid, or no scene was found in which the operation is possible.
    """
    require_word("operation", operation, OPERATIONS)
    require_word("split", split, SPLITS)
    require_word("language", language, LANGUAGES)
    require_word("preset", preset, PRESETS)
    require_seed(seed, index)
    require_number("variant of a pair", variant, 0, 1_000_000)
    chosen = OPERATIONS[operation]
    kinds = (kind,) if kind is not None else chosen.kinds
    for word in kinds:
        require_word("kind of scene", word, KINDS)
    number = index - index % 2 if operation == "impossible" else index
    settings = Settings(PRESETS[preset].ranges, language)
    for attempt, (room, place) in enumerate(_places(kinds, number)):
        stream = f"pair/{operation}/{split}/{attempt}" + (f"/{variant}" if variant else "")
        rng = generator(seed, stream, number)
        if pair := _sample(operation, _situation(room, seed, place, split), rng, settings, index % 2):
            return pair
    raise PixelProofError(
        f"No {operation} was found in {_SCENES} scenes ({', '.join(kinds)}): choose another kind, index or preset."
    )


def _places(kinds: Sequence[str], number: int) -> Iterator[tuple[str, int]]:
    """Kinds and indices of the scenes that are tried for a pair: first one of each kind that pairs share.

    All operations begin with the same kind; those that it does not suit take turns among their own kinds.
    """
    block, place = divmod(number, len(KINDS))
    first = kinds.index(KINDS[place]) if KINDS[place] in kinds else block % len(kinds)
    order = [*kinds[first:], *kinds[:first]]
    for attempt in range(_SCENES):
        yield order[attempt % len(order)], number + attempt // len(order) * _STRIDE


@lru_cache(maxsize=8)
def _situation(kind: str, seed: int, index: int, split: str) -> Situation:
    return look_at(make_scene(kind, seed, index, split=split))


def _sample(operation: str, here: Situation, rng: np.random.Generator, settings: Settings, parity: int) -> Pair | None:
    if operation == "multi-step":
        drafts = draw_steps(here, rng, settings)
        return pair_of_steps(drafts, settings.language) if drafts else None
    if operation == "impossible":
        return _one_of_twins(here, rng, settings, parity)
    sampler = OPERATIONS[operation].sampler
    assert sampler is not None
    draft = sampler(here, rng, settings)
    return draft.pair(operation, settings.language) if draft else None


def _one_of_twins(here: Situation, rng: np.random.Generator, settings: Settings, parity: int) -> Pair | None:
    """A possible instruction, or the same words in a scene in which they are impossible."""
    twins = draw_twins(here, rng, settings)
    if twins is None:
        return None
    draft, twin, reason = twins
    if bool(rng.integers(2)) == bool(parity):
        return draft.pair("impossible", settings.language)
    return impossible_pair(draft, twin, reason, settings.language)
