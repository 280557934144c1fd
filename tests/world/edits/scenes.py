"""Hand-made scenes of known geometry, and generated ones that are made once."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from pixelproof.world.language import View, view_of
from pixelproof.world.solid import Camera, Environment, Light, Scene, make_scene, yaw
from pixelproof.world.solid._settle import settle
from pixelproof.world.solid.layouts._placing import grounds
from pixelproof.world.solid.layouts._surroundings import fixture
from pixelproof.world.solid.render import render
from pixelproof.world.solid.shapes import category, new_thing

TOP = 0.05
"""Height of the tabletop."""
MADE = (("tabletop", 7, 1), ("room", 7, 1), ("shelf", 7, 1))


def block(id, at, name="toy block", z=TOP, turn=0.0, scale=1.0, **form):
    """A thing of a category in the middle of its ranges."""
    kind = category(name)
    numbers = {key: sum(ends) / 2 for key, ends in kind.ranges.items()} | form
    colour = kind.colours[0] if kind.colours else ""
    return new_thing(
        id, name, numbers, colour=colour, material=kind.materials[0], position=(*at, z), rotation=yaw(turn), scale=scale
    )


@lru_cache(maxsize=8)
def desk(stacked=False):
    """Two toy blocks, a mug and a book on a table; if stacked, the first block is on the book."""
    floor = fixture("floor", "floor", {"width": 5.0, "depth": 5.0}, ("#b08a63", "wooden"), (0.0, 0.0, -0.8))
    table = fixture(
        "table", "tabletop", {"width": 1.2, "depth": 0.8, "thickness": TOP}, ("#c9cfcb", "plastic"), (0.0,) * 3
    )
    book = block("book", (-0.3, 0.0), "book")
    high = book.size[2]
    things = [
        floor,
        table,
        book,
        block("one", (-0.3, 0.0) if stacked else (0.0, 0.0), z=TOP + (high if stacked else 0.0), scale=1.7),
        block("two", (0.25, 0.1), scale=1.9),
        block("mug", (0.0, 0.25), "mug", turn=40.0),
    ]
    rested = settle(things)
    camera = Camera.looking_at((0.0, 0.05, TOP), (0.0, -1.3, 1.0), 1.3)
    light = Light((0.8, -0.6, 1.6), 0.1, (2.4, 2.4, 2.4))
    return Scene("tabletop", 0, 0, rested, camera, (light,), Environment())


@lru_cache(maxsize=8)
def toys():
    """A toy car that faces the viewer's right, a mug, a die and a bowl on a table, and a small tray."""
    scene = desk()
    things = [
        *scene.things[:2],
        block("car", (-0.2, 0.1), "toy car", turn=90.0, scale=1.4),
        block("mug", (0.1, 0.2), "mug"),
        block("die", (0.0, -0.1), "die", scale=1.5),
        block("bowl", (0.3, -0.05), "bowl", scale=1.2),
    ]
    return replace(scene, things=settle(things))


@lru_cache(maxsize=8)
def boards():
    """Two toy blocks on the lower board of a shelf unit with two boards."""
    form = {"width": 0.8, "depth": 0.32, "height": 0.67, "shelves": 2.0}
    floor = fixture("floor", "floor", {"width": 5.0, "depth": 5.0}, ("#b08a63", "wooden"), (0.0, 0.0, -1.0))
    unit = fixture("unit", "shelf unit", form, ("#c9cfcb", "wooden"), (0.0, 0.0, 0.0))
    low = grounds(unit)[0].centre[2]
    things = [floor, unit, block("one", (-0.2, 0.0), z=low, scale=1.9), block("two", (0.2, 0.0), z=low, scale=1.9)]
    camera = Camera.looking_at((0.0, 0.0, 0.3), (0.0, -1.7, 0.55), 1.3)
    light = Light((0.8, -1.2, 1.6), 0.1, (2.4, 2.4, 2.4))
    return Scene("shelf", 0, 0, settle(things), camera, (light,), Environment())


@lru_cache(maxsize=8)
def generated(number) -> tuple[Scene, View]:
    """A generated scene with its view."""
    scene = make_scene(*MADE[number])
    shares = render(scene, 128, quality="draft", layers=("visible",)).visible.tolist()
    return scene, view_of(scene, dict(zip((thing.id for thing in scene.things), shares, strict=True)))


def with_camera(scene, **fields):
    return replace(scene, camera=replace(scene.camera, **fields))
