"""Rooms: plausible company, fittings, windows, and a camera that is near."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from pixelproof.stats import generator
from pixelproof.world.solid import Camera, Environment, Light, Scene, make_scene
from pixelproof.world.solid.layouts import _DRAW
from pixelproof.world.solid.layouts._company import SETTINGS
from pixelproof.world.solid.layouts._furnishing import daylight, walls_with_openings
from pixelproof.world.solid.layouts._request import SceneRequest
from pixelproof.world.solid.render import render
from pixelproof.world.solid.shapes import CATEGORIES

SEATS = {"sofa", "armchair", "chair", "bench", "bed"}


@cache
def drawn(count: int = 6) -> tuple[Scene, ...]:
    """Rooms as arranged; settling changes nothing about what is in them."""
    found = (
        _DRAW["room"](generator(8, "test/rooms", index), SceneRequest("room", 8, index, "train", None, 0.5, 0.5))
        for index in range(3 * count)
    )
    return tuple(scene for scene, _ in filter(None, found))[:count]


@pytest.mark.slow
def test_a_room_has_what_its_setting_says() -> None:
    for scene in drawn():
        setting = SETTINGS[scene.setting]
        names = {thing.category for thing in scene.movable}
        assert names <= {*setting.leads, *setting.furniture, *setting.small}
        fitted = {thing.category for thing in scene.things if thing.fixed} & set(CATEGORIES)
        assert bool(setting.fittings) == bool(fitted & set(setting.fittings))


@pytest.mark.slow
def test_no_bread_on_sofas() -> None:
    for scene in drawn():
        for thing in scene.movable:
            host, family = scene.thing(thing.support).category, CATEGORIES[thing.category].family
            if family in ("food", "tableware"):
                assert host not in {*SEATS, "floor", "rug"}, f"{thing.id} on {host}"
            if family == "furniture":
                assert host == "floor"


def test_every_setting_names_categories() -> None:
    for setting in SETTINGS.values():
        assert {*setting.leads, *setting.furniture, *setting.small, *setting.fittings} <= CATEGORIES.keys()
        assert all(CATEGORIES[name].family == "furniture" for name in (*setting.leads, *setting.furniture))
        assert all(CATEGORIES[name].family == "structure" for name in setting.fittings)
    assert {"kitchen", "bathroom"} <= SETTINGS.keys()


@pytest.mark.slow
def test_things_fill_the_picture() -> None:
    """Before they were seen from near, they covered 0.2 of it, and the median small thing 313 of 512 × 512 pixels."""
    cover, small = [], []
    for index in range(5):
        scene = make_scene("room", 31, index)
        ids = render(scene, 128, layers=("ids",)).ids
        pixels = np.bincount(ids.ravel(), minlength=len(scene.things) + 1)[1:]
        cover.append(sum(pixels[k] for k, thing in enumerate(scene.things) if not thing.fixed) / ids.size)
        small += [16 * pixels[k] for k, thing in enumerate(scene.things) if not thing.fixed and max(thing.size) < 0.5]
    assert np.mean(cover) > 0.25 and np.median(small) > 700


def with_window() -> tuple[Scene, object]:
    """An empty room with sun through its window, seen from above."""
    for index in range(40):
        rng = generator(2, "test/window", index)
        things, openings = walls_with_openings(rng, 3.0, 3.0, ("#cfcbc2", "stone"), ("#cfd6d3", "plaster"), 1.0)
        lamp = Light((0.0, -3.0, 3.0), 0.1, (0.0, 0.0, 0.0))
        lights, around = daylight(rng, openings, ((lamp,), Environment()))
        if len(lights) == 2:
            camera = Camera.looking_at((0.2, 0.2, 0.0), (-1.0, -2.5, 3.6), 0.9)
            return Scene("room", 0, 0, tuple(things), camera, lights, around), openings[0]
    raise AssertionError("no sun in forty rooms")


def test_the_sun_shines_through_the_window_alone() -> None:
    """Traced back along the sun's direction, lit points of the floor meet the wall inside the opening, by geometry."""
    scene, opening = with_window()
    side = 96
    lit, dark = (
        render(one, side, quality="draft", layers=("rgb", "ids", "depth")) for one in (scene, without_sun(scene))
    )
    floor = 1 + [thing.id for thing in scene.things].index("floor")
    rows, columns = np.nonzero(lit.ids == floor)
    points = scene.camera.unproject(np.column_stack([columns, rows]) + 0.5, side, side, lit.depth[rows, columns])
    way = np.array(scene.lights[1].position)
    # Both faces of the wall, 10 cm apart, cut the beam.
    inside = np.ones(len(points), bool)
    for depth in (0.0, -0.1):
        distance = (
            ((opening.foot + opening.inward * depth) - points[:, :2]) @ opening.inward / (way[:2] @ opening.inward)
        )
        at = points + distance[:, None] * way
        inside &= np.abs((at[:, :2] - opening.foot) @ opening.along) < opening.width / 2
        inside &= (at[:, 2] > opening.low) & (at[:, 2] < opening.low + opening.rise)
    gain = lit.rgb[rows, columns].astype(int).sum(axis=1) - dark.rgb[rows, columns].astype(int).sum(axis=1)
    assert inside.sum() > 60
    assert np.mean(gain[~inside] < 40) > 0.97, "no sun outside of the beam"
    assert np.mean(gain[inside] > 40) > 0.6, "the rest of the beam falls on bars of the window"


def without_sun(scene: Scene) -> Scene:
    from dataclasses import replace

    return replace(scene, lights=scene.lights[:1])


def test_the_window_is_the_label_of_what_is_seen_through_it() -> None:
    scene, _ = with_window()
    layers = render(scene, 64, quality="draft", layers=("ids", "depth", "rgb"))
    window = 1 + [thing.id for thing in scene.things].index("window")
    assert np.isfinite(layers.depth[layers.ids == window]).all() and (layers.ids == window).sum() > 20
