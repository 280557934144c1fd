"""What is kept from training: categories, colours of categories, and arrangements."""

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
"""Some of every family, so that no kind of scene lacks them."""
LEAST_HELD = 0.5
"""Share of things that have what is held out, in a split that tests categories or colours."""
HELD_LAYOUTS = {"tabletop": "ring", "room": "island", "shelf": "centred"}
"""Kind → the arrangement that is held out."""


def check_split(split: str) -> str:
    """The name of a split, if it is one.

    Raises:
        PixelProofError: It is not.
    """
    require_word("split", split, SPLITS)
    return split


def held_colours(category: Category) -> frozenset[str]:
    """The colours of a category that are held out: one in four, none of a category that has fewer than four."""
    colours = category.colours
    count = len(colours) // 4
    start = hashlib.sha256(category.name.encode()).digest()[0]
    return frozenset(colours[(start + 4 * step) % len(colours)] for step in range(count))


def is_held(category: Category, colour: str) -> bool:
    """Whether a thing of this category and colour never appears in train."""
    return category.name in HELD_CATEGORIES or colour in held_colours(category)
