"""Plausible company: kinds of rooms, what belongs into them, and what stands on what."""

from __future__ import annotations

from dataclasses import dataclass

from pixelproof.world.solid.shapes import CATEGORIES

from ._surroundings import FLOORS, TILES, WALLS, WET_WALLS, Look


def _family(*names: str) -> tuple[str, ...]:
    return tuple(name for name, category in CATEGORIES.items() if category.family in names)


FOOD = frozenset(_family("food"))
TABLEWARE = frozenset(_family("tableware"))
_TOYS = _family("toys")
_DISHES = tuple(name for name in (*_family("tableware", "food"), "carton") if name != "egg cup")


@dataclass(frozen=True)
class Setting:
    """A kind of room."""

    leads: tuple[str, ...]
    """Furniture of which one piece is always there."""
    furniture: tuple[str, ...]
    """Other furniture."""
    small: tuple[str, ...]
    """Categories of small things."""
    fittings: tuple[str, ...] = ()
    """What is built in, along the walls."""
    floors: tuple[Look, ...] = FLOORS
    walls: tuple[Look, ...] = WALLS
    rug: bool = True


SETTINGS: dict[str, Setting] = {
    "living room": Setting(
        ("sofa", "armchair"),
        ("side table", "cabinet", "bookcase", "armchair", "floor lamp", "stool", "chest of drawers"),
        ("book", "vase", "candle", "picture frame", "table lamp", "potted plant", "cactus", "telephone", "television",
         "camera", "pillow", "teddy bear", "hourglass", "trophy", "basket", "mug", "teapot", "wine glass", "laptop",
         "gift", "hat", "jug", "tray", "bowl", "notebook", "alarm clock", "suitcase"),
    ),
    "bedroom": Setting(
        ("bed",),
        ("side table", "chest of drawers", "chair", "stool", "floor lamp", "cabinet", "armchair", "bench"),
        ("book", "alarm clock", "table lamp", "pillow", "teddy bear", "picture frame", "hat", "boot", "suitcase",
         "candle", "mug", "notebook", "cactus", "potted plant", "telephone", "laptop", "basket", "gift", "paper bag",
         "towel", "vase", "jug"),
    ),
    "dining room": Setting(
        ("table",),
        ("chair", "bench", "cabinet", "stool", "side table"),
        (*_DISHES, "candle", "vase", "potted plant", "basket", "paper bag"),
    ),
    "study": Setting(
        ("table",),
        ("chair", "armchair", "bookcase", "chest of drawers", "cabinet", "floor lamp", "stool"),
        ("book", "notebook", "laptop", "desk lamp", "calendar", "telephone", "mug", "camera", "picture frame", "trophy",
         "hourglass", "name plate", "parcel", "cardboard box", "cactus", "alarm clock", "potted plant", "suitcase",
         "table lamp", "gift", "torch", "teapot"),
    ),
    "playroom": Setting(
        ("chest of drawers", "bookcase", "side table", "bench"),
        ("stool", "chair", "armchair", "bookcase", "bed", "side table"),
        (*_TOYS, "letter block", "pillow", "cardboard box", "basket", "book", "gift", "boot"),
    ),
    "kitchen": Setting(
        ("refrigerator", "table", "washing machine"),
        ("table", "stool", "chair", "side table", "bench"),
        (*_DISHES, "basket", "paper bag", "potted plant", "menu board", "bucket"),
        ("kitchen sink", "cooker", "kitchen counter"),
        TILES,
        WET_WALLS,
        rug=False,
    ),
    "bathroom": Setting(
        ("washing machine", "cabinet", "stool"),
        ("stool", "chest of drawers", "side table", "bench"),
        ("towel", "soap dispenser", "toilet roll", "rubber duck", "bucket", "basket", "candle", "vase", "potted plant",
         "cactus", "bottle", "jar", "toy boat", "boot", "jug", "picture frame"),
        ("bathtub", "washbasin", "toilet"),
        TILES,
        WET_WALLS,
    ),
    "workshop": Setting(
        ("table", "bench"),
        ("stool", "cabinet", "bookcase", "chest of drawers", "bench"),
        (*_family("tools", "signs"), "cardboard box", "parcel", "desk lamp", "boot", "suitcase", "watering can"),
        rug=False,
    ),
}  # fmt: skip

TOPS = frozenset({"table", "side table", "cabinet", "chest of drawers", "bookcase", "washing machine"})
"""Furniture that carries small things of any kind."""
_SEATS = frozenset({"chair", "bench", "sofa", "armchair", "bed", "stool"})
_SOFT = frozenset({"pillow", "teddy bear", "towel"})
"""Small things for sofas, armchairs and beds alone, and shelves."""
_ON_SEATS = _SOFT | {
    "book", "notebook", "laptop", "hat", "camera", "basket", "paper bag", "gift", "parcel", "cardboard box", "toolbox",
    "suitcase", "toy robot", "drum",
}  # fmt: skip
_ON_STOOLS = (_ON_SEATS - {"pillow", "suitcase"}) | {
    "potted plant", "candle", "soap dispenser", "rubber duck", "watering can", "bucket", "table lamp", "vase", "mug",
    "alarm clock", "cactus", "toilet roll", "toy boat",
}  # fmt: skip
_ON_FLOORS = frozenset(_TOYS) - {"die", "chess pawn", "chess rook"} | {
    "basket", "bucket", "boot", "suitcase", "toolbox", "cardboard box", "parcel", "dumbbell", "potted plant", "gift",
    "watering can", "ladder", "traffic cone", "paper bag", "stop sign", "speed sign", "warning sign", "signpost",
    "letter block",
}  # fmt: skip
_NOT_ON_TOPS = frozenset({"boot", "suitcase", "pillow", "dumbbell", "ladder", "traffic cone", "bucket", "signpost"})
_ON_HOBS = frozenset({"cooking pot", "frying pan", "kettle"})
_BEARERS = {"plate": FOOD, "cutting board": FOOD | {"cooking pot"}, "tray": FOOD | TABLEWARE | {"candle", "vase"}}
"""Small things that carry others → what they carry."""


def suits(host: str, name: str) -> bool:
    """Whether people would put a thing of a category on a host of another category.

    >>> suits("table", "bread loaf"), suits("sofa", "bread loaf"), suits("sofa", "pillow"), suits("plate", "boot")
    (True, False, True, False)
    """
    if host in ("floor", "rug"):
        return name in _ON_FLOORS
    if host in _SEATS:
        return name in (_ON_STOOLS if host == "stool" else _ON_SEATS if host != "chair" else _ON_SEATS - {"suitcase"})
    if host == "cooker":
        return name in _ON_HOBS
    return name in _BEARERS[host] if host in _BEARERS else name not in _NOT_ON_TOPS
