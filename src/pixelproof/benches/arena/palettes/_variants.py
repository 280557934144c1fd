"""Variants of a palette for contamination tests: other colours or names for the same labels."""

from __future__ import annotations

import numpy as np

from pixelproof.pixels import Palette
from pixelproof.stats import generator

from ._blends import least_distance
from ._designed import designed

_JITTER = 0.06


def permuted(palette: Palette, seed: int) -> Palette:
    """The same colours, permuted; never the identity.

    >>> permuted(Palette(("a", "b"), ((0, 0, 0), (9, 9, 9))), 3).colours
    ((9, 9, 9), (0, 0, 0))
    """
    draw = generator(seed, "palette/permuted")
    order = np.arange(len(palette))
    while len(palette) > 1 and np.array_equal(order, np.arange(len(palette))):
        order = draw.permutation(len(palette))
    return Palette(palette.labels, tuple(palette.colours[place] for place in order))


def fresh(palette: Palette, seed: int) -> Palette:
    """New colours of designed quality for the same labels.

    The designed colours are turned by one of the symmetries of the RGB cube, moved a little, and dealt out: distances
    stay what they were but for the little, so the ceiling stays high.

    >>> old = Palette(("a", "b"), ((0, 0, 0), (9, 9, 9)))
    >>> fresh(old, 1).labels, fresh(old, 1) != fresh(old, 2)
    (('a', 'b'), True)
    """
    draw = generator(seed, "palette/fresh")
    colours = np.array(designed(len(palette)), np.float64)
    turned = np.where(draw.integers(2, size=3) == 1, 255 - colours, colours)[:, draw.permutation(3)]
    reach = _JITTER * least_distance(turned)
    moved = np.clip(np.rint(turned + draw.uniform(-reach, reach, turned.shape)), 0, 255).astype(int)
    moved[1:] = moved[1:][draw.permutation(len(moved) - 1)]  # the first stays the sink
    return Palette(palette.labels, tuple((int(red), int(green), int(blue)) for red, green, blue in moved))


def renamed(palette: Palette, seed: int) -> Palette:
    """The same colours under unpublished names: each label is prefixed by a meaningless code.

    The label itself stays readable, because a model needs the name of what it is asked to segment.

    >>> renamed(Palette(("cat", "dog"), ((0, 0, 0), (9, 9, 9))), 1).labels
    ('A cat', 'B dog')
    """
    codes = generator(seed, "palette/renamed").permutation(len(palette))
    names = (f"{_letters(int(code))} {label}" for code, label in zip(codes, palette.labels, strict=True))
    return Palette(tuple(names), palette.colours)


def _letters(place: int) -> str:
    """A to Z, then AA, AB and so on."""
    tail = chr(ord("A") + place % 26)
    return tail if place < 26 else _letters(place // 26 - 1) + tail
