"""Splits: held-out categories, colours of categories, shapes of categories, and layouts."""

from __future__ import annotations

import hashlib

from pixelproof.world._limits import require_word

from ._category import Category, Form

SPLITS = {
    "train": "nothing that is held out",
    "test": "drawn as train is, from other chances",
    "test-category": "at least half of the things are of held-out categories",
    "test-colour": "at least half of the things have a colour that their category never has in train",
    "test-layout": "arranged in a way that train never is",
    "test-shape": "at least half of the things have proportions that their category never has in train",
}

HELD_CATEGORIES = frozenset({
    "teapot", "wine glass", "cooking pot",
    "pineapple", "doughnut", "cheese wedge", "aubergine",
    "rubber duck", "toy train", "drum",
    "hammer", "torch", "bucket",
    "gift", "carton",
    "alarm clock", "cactus", "suitcase", "boot", "soap dispenser",
    "armchair", "bench", "floor lamp", "washing machine",
    "menu board", "speed sign",
})  # fmt: skip
"""Held-out categories: some of every family, so that each kind of scene has some."""
LEAST_HELD = 0.5
"""Minimum share of held-out things in the splits that test categories, colours or shapes."""
SLENDER = 0.3
"""Difference between the places of the first two numbers of a shape in their ranges above which it is held out."""
HELD_LAYOUTS = {"tabletop": "ring", "room": "island", "shelf": "centred"}
"""Kind → held-out layout."""


def check_split(split: str) -> str:
    """Return the name of a split.

    Raises:
        PixelProofError: There is no such split.
    """
    require_word("split", split, SPLITS)
    return split


def held_colours(category: Category) -> frozenset[str]:
    """Held-out colours of a category: one in four; none for a category with fewer than four."""
    colours = category.colours
    count = len(colours) // 4
    start = hashlib.sha256(category.name.encode()).digest()[0]
    return frozenset(colours[(start + 4 * step) % len(colours)] for step in range(count))


def has_held_shapes(category: Category) -> bool:
    """Whether some shapes of a category are held out: those with two numbers or more have proportions."""
    return len(category.ranges) > 1


def is_held_shape(category: Category, form: Form) -> bool:
    """Whether a shape is held out: its first number is high in its range and its second low.

    The numbers of a category are lengths and ratios, so these shapes have proportions of their own, at any scale. They
    are about a quarter of all shapes.

    >>> from pixelproof.world.solid.shapes import category
    >>> mug = {"height": 0.08, "radius": 0.045, "taper": 0.9, "handle": 0.03}
    >>> is_held_shape(category("mug"), mug), is_held_shape(category("mug"), mug | {"height": 0.11, "radius": 0.036})
    (False, True)
    """
    if not has_held_shapes(category):
        return False
    first, second = list(category.ranges.items())[:2]
    shares = [(form[key] - low) / (high - low) for key, (low, high) in (first, second)]
    return shares[0] - shares[1] > SLENDER
