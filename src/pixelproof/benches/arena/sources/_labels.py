"""Labels offered for an image: those present, and some that are certainly absent."""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set

import numpy as np

from pixelproof.pixels import Palette

BACKGROUND = "background"
LINES = Palette(("everything else", "contour"), ((0, 0, 0), (255, 255, 255)))
"""Palette of the edge task: white lines on black."""
_FEWEST, _MOST = 8, 12
"""Smallest and largest number of labels of an image, background included; more if more are present."""
_ABSENT = 2
"""Smallest number of absent labels."""

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
"""Groups of similar objects: if one of a group is present, no other is offered as absent."""


def offered(
    present: Set[str], vocabulary: Sequence[str], rng: np.random.Generator, never: Collection[str] = ()
) -> tuple[str, ...]:
    """Labels of an image: background first, then present and absent ones, in alphabetical order.

    Args:
        present: Labels of the objects in the image.
        vocabulary: All labels.
        rng: Draws the absent labels.
        never: Labels that are not offered unless they are present.

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
    """Whether a word also names an object that is present, as `pear` names a yellow pear."""
    return any(f" {word} " in f" {other} " or f" {other} " in f" {word} " for other in present)
