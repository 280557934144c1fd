"""Hand-made scenes of known geometry, and generated ones that are made once."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from pixelproof.world.language import View, view_of
from pixelproof.world.solid import Camera, Environment, Light, Scene, make_scene, yaw
from pixelproof.world.solid._settle import settle
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
def generated(number) -> tuple[Scene, View]:
    """A generated scene with its view."""
    scene = make_scene(*MADE[number])
    shares = render(scene, 128, quality="draft", layers=("visible",)).visible.tolist()
    return scene, view_of(scene, dict(zip((thing.id for thing in scene.things), shares, strict=True)))


def with_camera(scene, **fields):
    return replace(scene, camera=replace(scene.camera, **fields))
