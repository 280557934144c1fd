"""What is held out stays out, and is in where it should be: over many draws, without rendering."""

from __future__ import annotations

import numpy as np
import pytest

from pixelproof.contract import PixelProofError
from pixelproof.stats import generator
from pixelproof.world.solid import KINDS, SPLITS, Scene
from pixelproof.world.solid._sampling import (
    BLOCK,
    HELD_CATEGORIES,
    HELD_LAYOUTS,
    VARIANTS,
    Taste,
    check_split,
    has_held_shapes,
    held_colours,
    is_held_shape,
    variant,
)
from pixelproof.world.solid.layouts import _DRAW
from pixelproof.world.solid.layouts._request import SceneRequest
from pixelproof.world.solid.shapes import CATEGORIES
from sweeps import sweep


def drawn(kind: str, split: str, count: int) -> list[Scene]:
    """Scenes as arranged, before anything settles: that changes nothing about what is in them."""
    scenes, index = [], 0
    while len(scenes) < count:
        request = SceneRequest(kind, 4, index, split, None, 0.5, 0.5)
        found = _DRAW[kind](generator(4, f"test/{kind}/{split}", index), request)
        scenes += [found[0]] if found is not None else []
        index += 1
        assert index < 4 * count + 4, "most draws find no place"
    return scenes


def held_shares(scene: Scene) -> tuple[float, float]:
    """The shares of things of held-out categories, and of held-out colours."""
    things = scene.movable
    by_category = [thing.category in HELD_CATEGORIES for thing in things]
    by_colour = [thing.colour in held_colours(CATEGORIES[thing.category]) for thing in things]
    return sum(by_category) / len(things), sum(by_colour) / len(things)


def held_shapes(scene: Scene) -> float:
    """The share of things whose first number is far higher in its range than the second, by interpolation."""
    held = []
    for thing in scene.movable:
        ranges = list(CATEGORIES[thing.category].ranges.items())
        places = [float(np.interp(thing.form[key], ends, (0, 1))) for key, ends in ranges[:2]]
        held.append(len(places) > 1 and places[0] - places[1] > 0.3)
    return sum(held) / len(held)


def check(kind: str, split: str, count: int) -> None:
    scenes = drawn(kind, split, count)
    shares = [held_shares(scene) for scene in scenes]
    categories, colours = [share[0] for share in shares], [share[1] for share in shares]
    shapes = [held_shapes(scene) for scene in scenes]
    assert (min(shapes) >= 0.5 and sum(shapes) / count > 0.5) if split == "test-shape" else max(shapes) == 0
    layouts = {scene.layout == HELD_LAYOUTS[kind] for scene in scenes}
    assert layouts == {split == "test-layout"}
    if split == "test-category":
        assert min(categories) >= 0.5 and sum(categories) / count > 0.5
        assert max(colours) == 0
    elif split == "test-colour":
        assert min(colours) >= 0.5 and sum(colours) / count > 0.5
        assert max(categories) == 0
    else:
        assert max(categories) == max(colours) == 0


@pytest.mark.slow
@sweep("kind, split", [(kind, split) for kind in KINDS for split in SPLITS])
def test_many_scenes_have_what_their_split_says(kind: str, split: str) -> None:
    check(kind, split, 3)


def test_every_family_has_held_out_categories_and_more_that_are_not() -> None:
    families: dict[str, list[bool]] = {}
    for category in CATEGORIES.values():
        if category.family != "structure":
            families.setdefault(category.family, []).append(category.name in HELD_CATEGORIES)
    assert HELD_CATEGORIES <= CATEGORIES.keys()
    for family, held in families.items():
        assert 0 < sum(held) <= 0.35 * len(held), family


def test_one_colour_in_four_is_held_out_of_each_category() -> None:
    for category in CATEGORIES.values():
        held = held_colours(category)
        assert held <= set(category.colours)
        assert len(held) == len(category.colours) // 4


@pytest.mark.slow
def test_test_scenes_are_not_train_scenes() -> None:
    things = [{(thing.category, thing.colour) for thing in drawn("tabletop", split, 1)[0].movable} for split in ("train", "test")]  # fmt: skip # noqa: E501
    assert things[0] != things[1]


@pytest.mark.slow
def test_a_quarter_of_all_shapes_is_held_out() -> None:
    for category in CATEGORIES.values():
        rng = generator(6, "test/shapes")
        share = np.mean([is_held_shape(category, category.sample(rng)) for _ in range(200)])
        assert 0.14 < share < 0.36 if has_held_shapes(category) else share == 0, category.name


def test_shapes_are_fresh_by_seed_and_by_block() -> None:
    mug = CATEGORIES["mug"]

    def forms(**taste: object) -> list[dict[str, float]]:
        return [variant(mug, Taste("train", **taste), number) for number in range(VARIANTS)]  # type: ignore[arg-type]

    assert forms(seed=1) == forms(seed=1, index=BLOCK - 1)
    different = [*forms(seed=1), *forms(seed=2), *forms(seed=1, index=BLOCK)]
    assert len({tuple(form.items()) for form in different}) == 3 * VARIANTS


def test_an_unknown_split_is_said() -> None:
    with pytest.raises(PixelProofError, match="test-layout"):
        check_split("validation")
