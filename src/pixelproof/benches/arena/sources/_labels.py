"""Which labels are offered for a picture: what is there, and some that are surely not."""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set

import numpy as np

BACKGROUND = "background"
_FEWEST, _MOST = 8, 12
"""Labels of a picture, the background included; more where more is there."""
_ABSENT = 2
"""Labels at least that name nothing in the picture."""

_ALIKE = (
    ("parcel", "cardboard box", "gift box", "envelope"),
    ("toy block", "toy brick", "letter block", "letter tile", "die"),
    ("book", "notebook"),
    ("desk lamp", "table lamp", "floor lamp"),
    ("table", "side table", "stool", "bench"),
    ("bookcase", "cabinet", "chest of drawers"),
    ("sofa", "armchair", "bed"),
    ("jug", "vase", "jar", "bottle", "watering can"),
    ("mug", "egg cup", "bowl", "cooking pot", "bucket"),
    ("kettle", "teapot"),
    ("stop sign", "warning sign", "speed limit sign", "signpost"),
    ("menu board", "picture frame", "name plate", "number plate", "calendar", "television"),
    ("apple", "tomato", "orange", "lemon", "ball", "pumpkin"),
    ("chess pawn", "chess rook", "bowling pin", "salt shaker"),
    ("plate", "tray", "cutting board"),
    ("cake", "cupcake", "cheese wedge"),
    ("hamburger", "bread loaf", "hot dog"),
    ("nut", "bolt"),
    ("cactus", "potted plant"),
    ("suitcase", "toolbox", "basket"),
)  # fmt: skip
"""Things that are not always told apart by sight: where one of them is seen, no other is offered as absent."""


def offered(
    present: Set[str], vocabulary: Sequence[str], rng: np.random.Generator, never: Collection[str] = ()
) -> tuple[str, ...]:
    """The labels of a picture: background first, then what is there and what is not, in the order of the alphabet.

    Args:
        present: What is in the picture.
        vocabulary: What could be.
        rng: Where variety comes from.
        never: What must not be offered unless it is there.

    >>> labels = offered({"apple", "mug"}, ["apple", "bowl", "cactus", "mug", "tomato"], np.random.default_rng(0))
    >>> labels  # a bowl may be taken for a mug, a tomato for an apple
    ('background', 'apple', 'cactus', 'mug')
    """
    alike = {word for group in _ALIKE if not present.isdisjoint(group) for word in group}
    absent = [word for word in vocabulary if word not in alike and word not in never and not _said(word, present)]
    count = max(_ABSENT, int(rng.integers(_FEWEST, _MOST + 1)) - 1 - len(present))
    drawn = rng.permutation(len(absent))[:count]
    return (BACKGROUND, *sorted({*present, *(absent[place] for place in drawn)}))


def _said(word: str, present: Collection[str]) -> bool:
    """Whether a word also means something that is there, as `pear` means a yellow pear."""
    return any(f" {word} " in f" {other} " or f" {other} " in f" {word} " for other in present)
