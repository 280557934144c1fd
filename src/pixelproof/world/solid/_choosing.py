"""Choosing what is in a scene: categories, shapes, colours, materials and words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from pixelproof.stats import generator

from ._category import Category
from ._scene import Thing
from ._splits import HELD_CATEGORIES, held_colours
from .shapes import CATEGORIES, new_thing

VARIANTS = 5
"""Shapes of each category. Scenes share them, so that a process builds each only once; sizes vary freely on top."""
_REPEAT = 0.12
"""How often a thing is of the same category as one before it, in another colour."""
_MOST = 0.75
"""Share of things in a test split that have what is held out, where there is enough of it."""


@dataclass(frozen=True)
class Taste:
    """What suits a scene."""

    split: str
    avoid: Collection[str] = ()
    """Colours that would be lost before the surroundings."""


def variant(category: Category, number: int) -> dict[str, float]:
    """The form of one of a category's shapes; the same in every scene."""
    return category.sample(generator(0, f"shape/{category.name}", number))


def choose(
    rng: np.random.Generator,
    names: Sequence[str],
    count: int,
    taste: Taste,
    fits: Callable[[Thing], bool],
    taken: Sequence[Thing] = (),
    alike: int = 2,
) -> list[Thing]:
    """Draw things that can be told apart; fewer than asked where the names do not offer so many.

    Args:
        rng: Where chance comes from.
        names: Of categories to choose from, each family of which is as likely as another.
        count: How many.
        taste: What suits the scene.
        fits: Whether a thing is of a size for its place.
        taken: Things that the scene has already.
        alike: How many of one category, which then differ in colour.
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
        thing = _draw(rng, category, taste, held, [*taken, *chosen])
        if thing is not None and fits(thing):
            chosen.append(thing)
    return [chosen[index] for index in rng.permutation(len(chosen))]


def _pool(names: Sequence[str], split: str, held: bool) -> list[list[Category]]:
    """The categories that may be drawn next, by family."""
    families: dict[str, list[Category]] = {}
    for name in names:
        category = CATEGORIES[name]
        if (name in HELD_CATEGORIES) == (split == "test-category" and held) and (
            not (split == "test-colour" and held) or held_colours(category)
        ):
            families.setdefault(category.family, []).append(category)
    return list(families.values())


def _draw(
    rng: np.random.Generator, category: Category, taste: Taste, held: bool, others: Sequence[Thing]
) -> Thing | None:
    """A thing of a category at the origin, unless all that it could be is there already."""
    form = variant(category, int(rng.integers(VARIANTS)))
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
