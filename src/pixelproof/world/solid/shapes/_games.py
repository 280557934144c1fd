"""Balls, blocks, dice, chessmen and other toys of plain geometry."""

from __future__ import annotations

import numpy as np

from pixelproof.world.solid._category import Category, Form, Paint, Shape

from . import _kit as kit
from ._common import ANY, TOY_WOOD, WHITE

PIPS = {
    1: [(0, 0)], 2: [(-1, -1), (1, 1)], 3: [(-1, -1), (0, 0), (1, 1)], 4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
    5: [(-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)], 6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}  # fmt: skip


def _ball(form: Form) -> Shape:
    return kit.stood(kit.part(kit.ball(form["radius"], 48)))


def _block(form: Form) -> Shape:
    side = form["side"]
    return kit.stood(kit.part(kit.slab(side, side, side, 0.06 * side), crease=30.0))


def _ring_stacker(form: Form) -> Shape:
    thick, base = form["thickness"], form["radius"]
    foot = kit.cylinder(base, 0.9 * thick, 0.3 * thick)
    colours = ("red", "orange", "yellow", "green", "blue")
    rings = []
    for index in range(5):
        ring = kit.torus(base * (0.92 - 0.11 * index) - 0.62 * thick, 0.62 * thick, 36, 12).scale((1.0, 1.0, 0.85))
        rings.append(ring.translate((0.0, 0.0, thick * (1.4 + 1.02 * index))))
    post = kit.cylinder(0.16 * base, 6.6 * thick, segments=32).translate((0.0, 0.0, 0.5 * thick))
    knob = kit.ball(0.75 * thick, 28).translate((0.0, 0.0, 6.8 * thick))
    return kit.stood(
        kit.part(kit.join(foot, post, knob), TOY_WOOD),
        *(kit.part(ring, Paint(colour, "plastic")) for ring, colour in zip(rings, colours, strict=True)),
        pieces=[foot, *(ring.hull() for ring in rings), kit.hull(post, knob)],
    )


def _die(form: Form) -> Shape:
    """Opposite faces have seven pips, and 1, 2, 3 run anticlockwise around their corner."""
    turns = {1: (0.0, 0.0), 6: (180.0, 0.0), 2: (90.0, 0.0), 5: (-90.0, 0.0), 3: (90.0, 90.0), 4: (90.0, -90.0)}
    spot = kit.ball(0.21, 20).scale((1.0, 1.0, 0.06))
    pips = [
        spot.translate((0.5 * x, 0.5 * y, 1.0)).rotate((tilt, 0.0, 0.0)).rotate((0.0, 0.0, turn))
        for number, (tilt, turn) in turns.items()
        for x, y in PIPS[number]
    ]
    body = kit.slab(2.0, 2.0, 2.0, 0.24).translate((0.0, 0.0, -1.0))
    pieces = [kit.hull(body, *pips)]
    return kit.stood(
        kit.part(body, crease=30.0), kit.part(kit.join(*pips), WHITE), pieces=pieces, scale=form["side"] / 2
    )


def _brick(form: Form) -> Shape:
    """Two by four studs, built with studs at a distance of 1."""
    body = kit.slab(3.98, 1.98, 1.2, 0.02, 8)
    stud = kit.cylinder(0.31, 0.24, 0.03, 32)
    studs = [stud.translate((x, y, 1.19)) for x in (-1.5, -0.5, 0.5, 1.5) for y in (-0.5, 0.5)]
    return kit.stood(kit.part(kit.join(body, *studs), crease=30.0), pieces=[body, kit.hull(*studs)], scale=form["stud"])


def _chess_foot(neck: float) -> list[tuple[float, float]]:
    """The turned foot that chessmen share, in shares of its radius and of its height up to the neck."""
    base = [(0.85, 0.0), (1.0, 0.0), (1.0, 0.14), (0.9, 0.2), (0.92, 0.28)]
    flow = kit.curve([(0.78, 0.34), (1.12 * neck, 0.62), (neck, 1.0)], 5)
    return [(0.0, 0.0), *map(tuple, kit.rounded(base, 0.06, 3, closed=False)), *map(tuple, flow)]


def _pawn(form: Form) -> Shape:
    height, radius = form["height"], form["radius"]
    collar = 0.62 * height
    neck = np.array([*_chess_foot(0.36), (0.66, 1.025), (0.66, 1.075), (0.4, 1.11), (0.0, 1.11)])
    body = kit.lathe(neck * [radius, collar]) + kit.ball(0.56 * radius, 36).translate(
        (0.0, 0.0, height - 0.56 * radius)
    )
    return kit.stood(kit.part(body), pieces=kit.cut(body, [0.28 * collar, 0.62 * collar, collar]))


def _rook(form: Form) -> Shape:
    height, radius = form["height"], form["radius"]
    collar = 0.66 * height
    tower = np.array(
        [
            *_chess_foot(0.55),
            (0.8, 1.045),
            (0.8, 1.105),
            (0.74, 1.15),
            (0.78, 1.515),
            (0.5, 1.515),
            (0.5, 1.33),
            (0.0, 1.33),
        ]
    )
    notch = kit.slab(0.26 * radius, 2 * radius, height).translate((0.0, 0.0, 0.9 * height))
    body = kit.lathe(tower * [radius, collar]) - kit.join(*(notch.rotate((0.0, 0.0, 60.0 * k)) for k in range(3)))
    return kit.stood(kit.part(body), pieces=kit.cut(body, [0.28 * collar, 0.62 * collar, collar]))


def _drum(form: Form) -> Shape:
    """Built with a radius of 1."""
    height = form["height"]
    shell = kit.cylinder(1.0, 0.98 * height, segments=64)
    rim = [(0.0, 0.0), (1.06, 0.0), (1.06, 0.1 * height), (0.0, 0.1 * height)]
    hoop = kit.lathe(kit.rounded(rim, 0.03 * height, 3, closed=False), 64)
    hoops = [hoop, hoop.translate((0.0, 0.0, 0.9 * height))]
    head = kit.cylinder(0.95, 0.02 * height, segments=64).translate((0.0, 0.0, 0.996 * height))
    turns = [(x, y, (0.09, 0.91)[k % 2] * height) for k, (x, y) in enumerate(kit.circle(1.03, 16))]
    cords = [kit.tube([turns[k - 1], turns[k]], 0.018, sides=8) for k in range(16)]
    return kit.stood(
        kit.part(shell), kit.part(kit.join(*hoops), Paint(material="wooden")),
        kit.part(head, Paint("white", "leather")),
        kit.part(kit.join(*cords), WHITE), pieces=[kit.hull(shell, head, *hoops)], scale=form["radius"],
    )  # fmt: skip


def _bowling_pin(form: Form) -> Shape:
    height, radius = form["height"], form["radius"]
    line = kit.curve(
        [
            (0.52, 0.0),
            (0.58, 0.02),
            (0.94, 0.2),
            (1.0, 0.31),
            (0.78, 0.5),
            (0.45, 0.67),
            (0.42, 0.75),
            (0.52, 0.87),
            (0.42, 0.97),
            (0.0, 1.0),
        ],
        5,
    ) * [radius, height]
    line = np.maximum(line, 0.0)
    body, around = kit.lathe([(0.0, 0.0), *line]), kit.lathe([(0.0, 0.0), *(line + [0.0004, 0.0])])
    bands = kit.join(
        *(
            around.trim_by_plane((0.0, 0.0, 1.0), low * height).trim_by_plane((0.0, 0.0, -1.0), -high * height)
            for low, high in ((0.655, 0.69), (0.72, 0.755))
        )
    )
    pieces = kit.cut(body + bands, [0.31 * height, 0.5 * height, 0.7 * height])
    return kit.stood(kit.part(body, WHITE), kit.part(bands, Paint("red", "plastic")), pieces=pieces)


def _xylophone(form: Form) -> Shape:
    colours = ("red", "orange", "yellow", "green", "cyan", "blue", "purple")
    length, depth, rail, narrow = form["length"], form["length"] * form["depth"], 0.022, 0.06
    step = length / len(colours)
    bars, pins = [], []
    for index in range(len(colours)):
        x, long = (index + 0.5) * step - length / 2, depth * (1.0 - narrow * index)
        bars.append(kit.slab(0.78 * step, long, 0.006, 0.002, 8).translate((x, 0.0, rail - 0.001)))
        pins += [kit.cylinder(0.003, 0.003, segments=16).translate((x, y * long, rail + 0.004)) for y in (-0.36, 0.36)]
    post = kit.slab(0.012, 0.014, rail, 0.003)
    ends = [(-length / 2 - 0.004, depth), (length / 2 + 0.004, depth * (1.0 - narrow * 6))]
    rails = [kit.hull(*(post.translate((x, y * long, 0.0)) for x, long in ends)) for y in (-0.36, 0.36)]
    return kit.stood(
        kit.part(kit.join(*rails), TOY_WOOD), kit.part(kit.join(*pins), Paint("grey", "metal")),
        *(kit.part(bar, Paint(colour, "metal")) for bar, colour in zip(bars, colours, strict=True)),
        pieces=[kit.hull(*bars, *pins), *rails],
    )  # fmt: skip


CATEGORIES = (
    Category("ball", "toys", {"radius": (0.03, 0.06)}, _ball, ("rubber", "plastic", "leather"), ANY, "SO3",
             density=200.0),
    Category("toy block", "toys", {"side": (0.03, 0.06)}, _block, ("wooden", "plastic", "metal"), ANY, "O",
             density=600.0),
    Category("ring stacker", "toys", {"radius": (0.045, 0.06), "thickness": (0.016, 0.021)}, _ring_stacker,
             ("plastic",), symmetry="Cinf"),
    Category("die", "toys", {"side": (0.02, 0.045)}, _die, ("plastic", "wooden"),
             ("red", "blue", "green", "black", "purple", "orange", "teal", "navy", "brown"), density=900.0,
             plural="dice"),
    Category("toy brick", "toys", {"stud": (0.012, 0.02)}, _brick, ("plastic",), ANY, "C2"),
    Category("chess pawn", "toys", {"height": (0.045, 0.09), "radius": (0.014, 0.02)}, _pawn,
             ("wooden", "plastic", "marble", "metal"), ANY, "Cinf", density=700.0),
    Category("chess rook", "toys", {"height": (0.05, 0.1), "radius": (0.017, 0.024)}, _rook,
             ("wooden", "plastic", "marble", "metal"), ANY, "C6", density=700.0),
    Category("drum", "toys", {"radius": (0.06, 0.09), "height": (1.0, 1.3)}, _drum, ("plastic", "wooden", "metal"),
             ANY, "C8", density=200.0),
    Category("bowling pin", "toys", {"height": (0.2, 0.32), "radius": (0.035, 0.05)}, _bowling_pin, ("plastic",),
             symmetry="Cinf"),
    Category("xylophone", "toys", {"length": (0.2, 0.28), "depth": (0.5, 0.65)}, _xylophone, ("metal",),
             density=600.0),
)  # fmt: skip
"""Of the games cupboard."""
