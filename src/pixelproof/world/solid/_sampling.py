"""Sampling of things: category, shape, colour, material and text, with what splits hold out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from pixelproof.stats import generator
from pixelproof.world._limits import require_word

from ._category import Category, Form
from ._scene import Thing
from .shapes import CATEGORIES, new_thing

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


VARIANTS, BLOCK = 4, 256
"""Number of shapes per category that a block of scenes has, and of scenes per block.

Every block of every seed has shapes of its own; scales vary. Scenes of a block share shapes, because building all anew
would take longer than rendering them.
"""
_REPEAT = 0.12
"""Probability that a thing repeats an earlier category, in another colour."""
_MOST = 0.75
"""Share of things with a held-out property in a test split, if enough are available."""


@dataclass(frozen=True)
class Taste:
    """Constraints on the things of a scene."""

    split: str
    avoid: Collection[str] = ()
    """Colours with too little contrast to the surroundings."""
    seed: int = 0
    """Seed of the set, which its shapes are sampled from."""
    index: int = 0
    """Index of the scene in the set."""


def variant(category: Category, taste: Taste, number: int, held: bool = False) -> dict[str, float]:
    """Parameters of one of the shapes of a category in a block of scenes.

    Args:
        category: The category.
        taste: The scene.
        number: Number of the shape, below `VARIANTS`.
        held: Whether the shape is one of those that are held out of train, or none of them.
    """
    stream = f"shape/{taste.split}/{category.name}{'/held' if held else ''}"
    rng = generator(taste.seed, stream, taste.index // BLOCK * VARIANTS + number)
    while True:
        form = category.sample(rng)
        if is_held_shape(category, form) == (held and has_held_shapes(category)):
            return form


def choose(
    rng: np.random.Generator,
    names: Sequence[str],
    count: int,
    taste: Taste,
    fits: Callable[[Thing], bool],
    taken: Sequence[Thing] = (),
    alike: int = 2,
) -> list[Thing]:
    """Sample distinguishable things; fewer than `count` if the names do not allow more.

    Args:
        rng: Random generator.
        names: Categories to choose from; families are sampled uniformly.
        count: Number of things.
        taste: Constraints of the scene.
        fits: Whether a thing has a suitable size.
        taken: Things that are already in the scene.
        alike: Maximum number per category; these differ in colour.
    """
    chosen: list[Thing] = []
    for attempt in range(count * 16):
        if len(chosen) == count:
            break
        held = len(chosen) < _MOST * count and attempt < count * 8
        if chosen and rng.random() < _REPEAT:
            category = CATEGORIES[chosen[int(rng.integers(len(chosen)))].category]
        else:
            pool = _pool(names, taste.split, held) or _pool(names, taste.split, False)
            if not pool:
                break
            family = pool[int(rng.integers(len(pool)))]
            category = family[int(rng.integers(len(family)))]
        if sum(thing.category == category.name for thing in chosen) == alike:
            continue
        if not fits(_typical(category.name)):  # saves building a shape that would hardly fit
            continue
        thing = _draw(rng, category, taste, held, [*taken, *chosen])
        if thing is not None and fits(thing):
            chosen.append(thing)
    return [chosen[index] for index in rng.permutation(len(chosen))]


@cache
def _typical(name: str) -> Thing:
    """A thing of a category with the mean of all parameters."""
    form = {key: sum(ends) / 2 for key, ends in CATEGORIES[name].ranges.items()}
    return new_thing(name, name, form, colour="", material="", position=(0.0, 0.0, 0.0))


def _pool(names: Sequence[str], split: str, held: bool) -> list[list[Category]]:
    """Categories that may be sampled next, grouped by family."""
    families: dict[str, list[Category]] = {}
    for name in names:
        category = CATEGORIES[name]
        if (name in HELD_CATEGORIES) == (split == "test-category" and held) and (
            not (split == "test-colour" and held) or held_colours(category)
        ):
            if split == "test-shape" and held and not has_held_shapes(category):
                continue
            families.setdefault(category.family, []).append(category)
    return list(families.values())


def _draw(
    rng: np.random.Generator, category: Category, taste: Taste, held: bool, others: Sequence[Thing]
) -> Thing | None:
    """A thing of a category at the origin; None if all its variants are in the scene already."""
    form = variant(category, taste, int(rng.integers(VARIANTS)), held and taste.split == "test-shape")
    material = str(rng.choice(category.materials)) if rng.random() < 0.4 else category.materials[0]
    text = str(rng.choice(category.texts)) if category.texts else ""
    scale = round(float(rng.uniform(0.88, 1.12)), 3)
    kept = held_colours(category)
    colours = kept if taste.split == "test-colour" and held else set(category.colours or ("",)) - kept
    colours = colours - set(taste.avoid) - {other.colour for other in others if other.category == category.name}
    if not colours:
        return None
    colour = str(rng.choice(sorted(colours)))
    number = 1 + sum(other.category == category.name for other in others)
    return new_thing(
        f"{category.name}-{number}".replace(" ", "-"),
        category.name,
        form,
        colour=colour,
        material=material,
        position=(0.0, 0.0, 0.0),
        scale=scale,
        text=text,
    )
