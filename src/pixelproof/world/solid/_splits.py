"""Splits: held-out categories, colours of categories, and layouts."""

from __future__ import annotations

import hashlib

from pixelproof.world._limits import require_word

from ._category import Category

SPLITS = {
    "train": "nothing that is held out",
    "test": "drawn as train is, from other chances",
    "test-category": "at least half of the things are of held-out categories",
    "test-colour": "at least half of the things have a colour that their category never has in train",
    "test-layout": "arranged in a way that train never is",
}

HELD_CATEGORIES = frozenset({
    "teapot", "wine glass", "cooking pot",
    "pineapple", "doughnut", "cheese wedge", "aubergine",
    "rubber duck", "toy train", "drum",
    "hammer", "torch", "bucket",
    "gift", "carton",
    "alarm clock", "cactus", "suitcase", "boot",
    "armchair", "bench", "floor lamp",
    "menu board", "speed sign",
})  # fmt: skip
"""Held-out categories: some of every family, so that each kind of scene has some."""
LEAST_HELD = 0.5
"""Minimum share of held-out things in the splits that test categories or colours."""
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


def is_held(category: Category, colour: str) -> bool:
    """Whether a thing of this category and colour never appears in train."""
    return category.name in HELD_CATEGORIES or colour in held_colours(category)
