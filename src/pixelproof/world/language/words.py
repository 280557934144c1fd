"""English vocabulary: words, confusable words and inflection."""

from __future__ import annotations

from functools import cache
from itertools import combinations

COLOURS = (
    "red", "orange", "yellow", "green", "lime", "teal", "cyan", "blue", "navy", "purple", "pink", "brown", "beige",
    "white", "grey", "black",
)  # fmt: skip
BASIC_COLOURS = (
    "red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "white", "grey", "black",
)  # fmt: skip
"""Colours that people name alike without a list to choose from."""
MATERIALS = (
    "plastic", "rubber", "ceramic", "metal", "wooden", "cardboard", "fabric", "leather", "stone", "marble",
    "striped", "checked", "dotted", "glass",
)  # fmt: skip
"""Materials and patterns that are mentioned."""
PATTERNS = ("striped", "checked", "dotted")
"""Patterns: words that do not name a material."""


def _pairs(*groups: str) -> frozenset[tuple[str, str]]:
    """All ordered pairs within each group; the words of a group are separated by commas."""
    found = {pair for group in groups for pair in combinations((word.strip() for word in group.split(",")), 2)}
    return frozenset(found | {(second, first) for first, second in found})


ALIKE_COLOURS = _pairs(
    "navy, blue", "lime, green", "lime, yellow", "teal, green", "teal, cyan", "teal, blue", "cyan, blue",
    "beige, white", "beige, brown", "navy, black", "navy, purple", "grey, white", "orange, red", "orange, yellow",
    "pink, purple", "pink, red", "beige, yellow", "brown, orange",
)  # fmt: skip
"""Pairs of colours that may be confused."""
ALIKE_MATERIALS = _pairs(
    "plastic, rubber, ceramic",
    "stone, marble, ceramic",
    "fabric, leather",
    "leather, plastic",
    "glass, plastic, ceramic",
)
"""Pairs of materials that may be confused."""
ALIKE_NOUNS = _pairs(
    "mug, cup, wine glass, glass, egg cup, jar", "jug, kettle, teapot, watering can", "jar, bottle, vase, jug",
    "bowl, plate, dish, saucer, cooking pot, frying pan", "tray, cutting board, plate",
    "spoon, fork, knife, spatula", "book, notebook, calendar, deck of cards, laptop",
    "chair, armchair, stool, bench, sofa", "table, side table, desk, stool, bench",
    "cabinet, bookcase, chest of drawers, shelf unit",
    "cardboard box, parcel, gift box, milk carton, toolbox, suitcase",
    "letter block, letter tile, toy block, toy brick, die", "stop sign, speed limit sign, warning sign, signpost",
    "name plate, number plate, menu board", "envelope, parcel", "paper bag, basket, bucket, gift box",
    "floor lamp, table lamp, desk lamp, torch, candle", "rug, carpet", "wall, skirting board",
    "lemon, orange, lime", "pumpkin, tomato, orange, apple, pear", "cake, cupcake, doughnut",
    "teddy bear, snowman, toy robot", "toy car, toy train", "toy plane, toy rocket", "chess pawn, chess rook",
    "screwdriver, paintbrush, spanner", "bolt, nut", "potted plant, cactus, vase", "step ladder, stool",
    "picture frame, menu board, television, laptop", "hamburger, hot dog", "trophy, wine glass, vase",
    "turned square, diamond", "refrigerator, cabinet, washing machine, cooker", "kitchen counter, cabinet",
    "kitchen counter, table", "kitchen counter, sink",
    "bathtub, washbasin, sink", "toaster, cooker", "soap dispenser, bottle, jar, jug, vase", "towel, pillow",
)  # fmt: skip
"""Pairs of nouns that may be confused."""

COVERED = "covered "
"""Start of the noun of a flat shape that could be one of several, because a part of it is covered."""
LOOKALIKES = (
    {"circle", "drop", "semicircle", "crescent", "heart", "ring"},
    {"square", "diamond", "bar", "triangle", "pentagon", "hexagon", "arrow"},
    {"star", "cross", "arrow"},
)
"""Flat shapes that are taken for each other if a part is covered: a drop without its tip is a circle."""
TURNED_SQUARE = "turned square"
"""The noun for a square on its corner, which may be called a diamond."""
OBJECT = "object"
"""The noun for any thing that is not part of the surroundings."""
CONTAINERS = ("cardboard box", "basket", "bowl", "mug", "cooking pot", "frying pan", "bucket")
"""Containers: things are `in` these."""
FURNITURE = (
    "table", "side table", "desk", "chair", "stool", "bench", "sofa", "armchair", "bed", "bookcase", "cabinet",
    "chest of drawers", "shelf unit", "floor lamp", "step ladder", "refrigerator", "washing machine",
)  # fmt: skip
"""Nouns of things that stand on floors and rugs only."""
SPOTTED = ("table", "side table", "desk", "bench")
"""Nouns of things with ends and edges to put something at."""
CORNERED = (*SPOTTED, "tray", "cutting board")
"""Nouns of things with corners to put something in."""
MIDDLES = (*SPOTTED, "tray", "cutting board", "bed", "sofa", "rug", "plate")
"""Nouns of things with a middle to put something at."""
STACKED = ("book", "notebook", "parcel", "toy block")
"""Nouns of things with a flat top that others are stacked on."""
SURFACES = (
    *MIDDLES, "floor", "kitchen counter", "washing machine", "stool", "chair", "armchair", "cabinet",
    "chest of drawers", *STACKED,
)  # fmt: skip
"""Nouns of things on which others are put; not bookcases, whose board would have to be named."""
ROOMY = ("table", "desk", "floor", "rug", "kitchen counter")
"""Nouns of things on which another is put even if something stands on them."""
ALL_ROUND = (
    "tomato", "pumpkin", "apple", "orange", "lemon", "pear", "mushroom", "strawberry", "aubergine", "cake", "cupcake",
    "doughnut", "hamburger", "potted plant", "cactus", "candle", "ball",
)  # fmt: skip
"""Nouns of things that look almost the same from all sides: turning them is implausible."""
NO_GROUND = ("wall", "window", "door", "skirting board")
"""Nouns that `on` is not used with."""

BARE_METAL = ("white", "grey")
"""Colours of metal that people call silver."""

OWNERS = (
    "chair", "armchair", "sofa", "toy car", "toy train", "toy plane", "rubber duck", "teddy bear", "toy robot",
    "snowman", "photo camera",
)  # fmt: skip
"""Nouns of things with a left and a right of their own: those that somebody sits in, looks through, or could be."""

NUMBERS = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
SUPERLATIVES = (
    "leftmost", "rightmost", "nearest", "farthest", "largest", "smallest", "tallest", "shortest", "highest", "lowest",
)  # fmt: skip
RELATIONS = {
    "left": "to the left of",
    "right": "to the right of",
    "front": "in front of",
    "behind": "behind",
    "above": "above",
    "below": "below",
    "on": "on",
}
"""Relation → English words; `on` becomes `in` for containers."""

MORE = {
    "leftmost": "further to the left",
    "rightmost": "further to the right",
    "nearest": "closer to the viewer",
    "farthest": "farther from the viewer",
    "highest": "higher up",
    "lowest": "lower down",
    "tallest": "taller",
    "largest": "larger",
    "smallest": "smaller",
}
"""Superlative → comparative of questions and facts."""
MOST = {
    "leftmost": "furthest to the left",
    "rightmost": "furthest to the right",
    "nearest": "closest to the viewer",
    "farthest": "farthest from the viewer",
    "highest": "highest up",
    "lowest": "lowest down",
    "tallest": "the tallest",
    "largest": "the largest",
    "smallest": "the smallest",
}
"""Superlative → predicate of questions with several choices."""

WAYS_OF_MOVES = {
    "left": "to the left",
    "right": "to the right",
    "closer": "towards the viewer",
    "away": "away from the viewer",
    "up": "up",
    "down": "down",
    "forward": "forwards",
    "back": "backwards",
}
"""Direction of a move → English words."""

_IRREGULAR = {"knife": "knives", "loaf": "loaves", "tomato": "tomatoes", "die": "dice", "snowman": "snowmen"}
_AN_AFTER_ALL = ("hour",)
_A_AFTER_ALL = ("uni", "uku", "use", "one")


@cache
def alike(first: str, second: str) -> bool:
    """Whether two nouns may be confused, or one names a kind of the other.

    >>> alike("side table", "table"), alike("notebook", "book"), alike("mug", "fork")
    (True, True, False)
    """
    if first.startswith(COVERED) or second.startswith(COVERED):
        shapes = {first.removeprefix(COVERED), second.removeprefix(COVERED)}
        return len(shapes) == 1 or any(shapes <= group for group in LOOKALIKES)
    return (first, second) in ALIKE_NOUNS or first.endswith(f" {second}") or second.endswith(f" {first}")


def plural(noun: str) -> str:
    """Plural of a noun.

    >>> [plural(noun) for noun in ("mug", "wine glass", "strawberry", "chest of drawers", "tomato", "toy")]
    ['mugs', 'wine glasses', 'strawberries', 'chests of drawers', 'tomatoes', 'toys']
    """
    head, of, rest = noun.partition(" of ")
    *front, last = head.split(" ")
    if last in _IRREGULAR:
        last = _IRREGULAR[last]
    elif last.endswith(("s", "x", "ch", "sh")):
        last += "es"
    elif last.endswith("y") and last[-2] not in "aeiou":
        last = last[:-1] + "ies"
    else:
        last += "s"
    return " ".join([*front, last]) + of + rest


def article(words: str) -> str:
    """Words with the article `a` or `an`.

    >>> article("orange mug"), article("hourglass"), article("blue egg")
    ('an orange mug', 'an hourglass', 'a blue egg')
    """
    vowel = words.startswith(_AN_AFTER_ALL) or (words[0] in "aeiou" and not words.startswith(_A_AFTER_ALL))
    return f"{'an' if vowel else 'a'} {words}"


def listed(parts: list[str]) -> str:
    """Join words with commas and `and`.

    >>> listed(["a mug"]), listed(["a mug", "a jug", "two bowls"])
    ('a mug', 'a mug, a jug and two bowls')
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def sentence(words: str, end: str = ".") -> str:
    """Words with a capital letter and a full stop."""
    return words[0].upper() + words[1:] + end
