"""What one cooks, pours and carries with."""

from __future__ import annotations

import numpy as np

from pixelproof.world.solid._category import Category, Form, Shape, Surface

from . import _kit as kit
from ._common import ANY, BLACK
from ._fittings import KITCHEN


def _teapot(form: Form) -> Shape:
    height, radius = form["height"], form["radius"]
    top = 0.8 * height
    side = kit.curve(
        [
            (0.55 * radius, 0.0),
            (0.62 * radius, 0.006),
            (radius, 0.42 * top),
            (0.72 * radius, 0.9 * top),
            (0.5 * radius, top),
        ],
        6,
    )
    body = kit.lathe([(0.0, 0.0), *side, (0.0, top)])
    dome = kit.curve(
        [
            (0.53 * radius, top - 0.001),
            (0.5 * radius, top + 0.006),
            (0.2 * radius, top + 0.05 * height),
            (0.06 * radius, top + 0.07 * height),
        ],
        5,
    )
    lid = kit.lathe([(0.0, top - 0.004), (0.53 * radius, top - 0.004), *dome, (0.0, top + 0.07 * height)])
    knob = kit.ball(0.16 * radius).translate((0.0, 0.0, height - 0.16 * radius))
    spine = kit.curve(
        [
            (-0.75 * radius, 0.0, 0.3 * top),
            (-1.25 * radius, 0.0, 0.42 * top),
            (-1.5 * radius, 0.0, 0.78 * top),
            (-1.85 * radius, 0.0, 0.98 * top),
        ],
        5,
    )
    spout = kit.tube(spine, np.linspace(0.27, 0.12, len(spine)) * radius)
    spine = kit.curve(
        [
            (0.7 * radius, 0.0, 0.86 * top),
            (1.3 * radius, 0.0, 0.95 * top),
            (1.62 * radius, 0.0, 0.62 * top),
            (1.3 * radius, 0.0, 0.28 * top),
            (0.8 * radius, 0.0, 0.25 * top),
        ],
        5,
    )
    handle = kit.tube(spine, 0.09 * radius, sides=14, ratio=1.4)
    pieces = [body.hull(), (lid + knob).hull(), *kit.slices(spout, 2), *kit.slices(handle, 3)]
    return kit.stood(kit.part(kit.join(body, lid, knob, spout, handle)), pieces=pieces)


def _kettle(form: Form) -> Shape:
    height, radius = form["height"], form["radius"]
    top = 0.58 * height
    side = kit.rounded(
        [(radius * 0.7, 0.0), (radius, 0.0), (radius * 0.98, 0.4 * top), (0.45 * radius, top)], 0.35 * top, closed=False
    )
    body = kit.lathe([(0.0, 0.0), *side, (0.0, top)])
    lid = kit.lathe([(0.0, top), (0.47 * radius, top), (0.46 * radius, top + 0.006), (0.0, top + 0.012)])
    knob = kit.ball(0.13 * radius).translate((0.0, 0.0, top + 0.012 + 0.07 * radius))
    spine = kit.curve([(-0.7 * radius, 0.0, 0.4 * top), (-1.1 * radius, 0.0, 0.65 * top), (-1.4 * radius, 0.0, top)], 5)
    spout = kit.tube(spine, np.linspace(0.24, 0.13, len(spine)) * radius)
    grip = height - 0.06 * radius
    spine = kit.curve(
        [
            (0.75 * radius, 0.0, 0.72 * top),
            (0.92 * radius, 0.0, 0.62 * height),
            (0.6 * radius, 0.0, grip),
            (-0.3 * radius, 0.0, grip),
            (-0.62 * radius, 0.0, 0.62 * height),
            (-0.6 * radius, 0.0, 0.8 * top),
        ],
        5,
    )
    handle = kit.tube(spine, 0.09 * radius, sides=14, ratio=1.3)
    pieces = [body.hull(), (lid + knob).hull(), *kit.slices(spout, 2), *kit.slices(handle, 4, axis=0)]
    return kit.stood(kit.part(kit.join(body, spout, lid)), kit.part(kit.join(handle, knob), BLACK), pieces=pieces)


def _pan(form: Form) -> Shape:
    radius, height, length = form["radius"], form["height"], form["handle"]
    side = kit.rounded([(0.75 * radius, 0.0), (0.82 * radius, 0.0), (radius, height)], 0.02, closed=False)
    body, cavity = kit.vessel([(0.0, 0.0), *side], 0.004, 0.004)
    spine = kit.curve(
        [
            (0.95 * radius, 0.0, 0.7 * height),
            (radius + 0.25 * length, 0.0, height + 0.008),
            (radius + length, 0.0, height + 0.016),
        ],
        5,
    )
    handle = (
        kit.tube(
            spine, np.interp(np.linspace(0, 1, len(spine)), [0, 0.35, 0.9, 1], [0.006, 0.008, 0.011, 0.006]), ratio=1.5
        )
        - cavity
    )
    whole = [*kit.cut(body, [0.006]), *kit.slices(handle, 2, axis=0)]
    return kit.stood(kit.part(body), kit.part(handle, BLACK), pieces=whole)


def _pot(form: Form) -> Shape:
    radius, height = form["radius"], form["height"]
    rim = 0.78 * height
    body = kit.lathe(kit.rounded([(0.0, 0.0), (radius, 0.0), (radius, rim), (0.0, rim)], 0.012, closed=False))
    edge = kit.cylinder(radius + 0.004, 0.006, 0.002).translate((0.0, 0.0, rim - 0.004))
    dome = kit.curve(
        [(radius * 0.98, rim + 0.002), (0.75 * radius, rim + 0.07 * height), (0.0, rim + 0.11 * height)], 6
    )
    lid = kit.lathe([(0.0, rim), (radius * 0.98, rim), *dome])
    knob = kit.lathe(
        kit.rounded(
            [
                (0.0, 0.85 * height),
                (0.1 * radius, 0.85 * height),
                (0.24 * radius, 0.94 * height),
                (0.24 * radius, height),
                (0.0, height),
            ],
            0.005,
            closed=False,
        )
    )
    ears = []
    for side in (-1.0, 1.0):
        x, y, z = side * (radius - 0.004), 0.3 * radius, 0.82 * rim
        spine = [
            (x, -y, z),
            (x + side * 0.03, -0.85 * y, z),
            (x + side * 0.036, 0.0, z),
            (x + side * 0.03, 0.85 * y, z),
            (x, y, z),
        ]
        ears.append(kit.tube(kit.curve(spine, 4), 0.005, sides=12, ratio=1.4))
    pieces = [(body + edge).hull(), (lid + knob).hull(), *(ear.hull() for ear in ears)]
    return kit.stood(
        kit.part(kit.join(body, edge)), kit.part(lid), kit.part(kit.join(knob, *ears), BLACK), pieces=pieces
    )


def _cutting_board(form: Form) -> Shape:
    length, width, thick = form["length"], form["length"] * form["width"], form["thickness"]
    half, grip, neck = width / 2, width * 0.17, 0.28 * length
    outline = [
        (half, 0.0),
        (half, length - neck),
        (grip, length - 0.8 * neck),
        (grip, length),
        (-grip, length),
        (-grip, length - 0.8 * neck),
        (-half, length - neck),
        (-half, 0.0),
    ]
    board = kit.extrude(kit.rounded(outline, 0.025, 5), thick, 0.0015)
    hole = kit.cylinder(grip * 0.45, 1.0).translate((0.0, length - 1.5 * grip, -0.5))
    top = Surface("board", (0.0, (length - neck) / 2, thick), 0.8 * width, 0.8 * (length - neck))
    return kit.stood(
        kit.part(board - hole, crease=30.0), pieces=kit.cut(board, [length - neck], axis=1), surfaces=[top]
    )


def _tray(form: Form) -> Shape:
    x, y, height, floor = form["width"], form["width"] * form["depth"], form["height"], 0.006
    outline = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])

    def bowl(inset: float, low: float) -> kit.Solid:
        """A block with sides that lean outwards."""
        size = np.array([x, y]) - 2 * inset
        foot = kit.extrude(kit.rounded(outline * (size - 0.036), 0.03, 5), 0.001).translate((0.0, 0.0, low))
        return kit.hull(
            foot, kit.extrude(kit.rounded(outline * size, 0.045, 6), 0.001).translate((0.0, 0.0, height - 0.001))
        )

    inside = bowl(0.006, floor)
    shell = bowl(0.0, 0.0) - kit.hull(inside, inside.translate((0.0, 0.0, 0.01)))
    grips = []
    for side in (-1.0, 1.0):
        spine = [(side * (x / 2 - 0.004), -0.05, height - 0.004), (side * (x / 2 - 0.002), -0.042, height + 0.022),
                 (side * (x / 2 - 0.002), 0.042, height + 0.022), (side * (x / 2 - 0.004), 0.05, height - 0.004)]  # fmt: skip # noqa: E501
        grips.append(kit.tube(kit.rounded(spine, 0.016, 5, closed=False), 0.005, sides=12))
    rim, bottom = shell.split_by_plane((0.0, 0.0, 1.0), floor + 0.0002)
    near = 0.05
    sides = [rim.trim_by_plane((way, 0.0, 0.0), x / 2 - near).hull() for way in (-1.0, 1.0)]
    middle = rim.trim_by_plane((1.0, 0.0, 0.0), near - x / 2).trim_by_plane((-1.0, 0.0, 0.0), near - x / 2)
    ends = [middle.trim_by_plane((0.0, way, 0.0), 0.0).hull() for way in (-1.0, 1.0)]
    top = Surface("tray", (0.0, 0.0, floor), x - 2 * near - 0.012, y - 0.07)
    pieces = [bottom.hull(), *sides, *ends, *(piece for grip in grips for piece in kit.slices(grip, 3, axis=1))]
    return kit.stood(
        kit.part(shell, crease=30.0), kit.part(kit.join(*grips), crease=60.0), pieces=pieces, surfaces=[top]
    )


def _vase(form: Form) -> Shape:
    height, radius = form["height"], form["radius"]
    neck = radius * form["neck"]
    side = kit.curve(
        [
            (0.6 * radius, 0.0),
            (0.72 * radius, 0.06 * height),
            (radius, 0.4 * height),
            (neck, 0.82 * height),
            (neck * 1.45, height),
        ],
        5,
    )
    body, _ = kit.vessel([(0.0, 0.0), *side], 0.004, 0.01)
    return kit.stood(kit.part(body), pieces=kit.cut(body, [0.4 * height, 0.62 * height, 0.82 * height]))


CATEGORIES = (
    *KITCHEN,
    Category("teapot", "tableware", {"height": (0.13, 0.18), "radius": (0.062, 0.08)}, _teapot,
             ("ceramic", "metal", "striped", "dotted"), ANY, density=800.0),
    Category("kettle", "tableware", {"height": (0.2, 0.26), "radius": (0.085, 0.105)}, _kettle,
             ("metal", "ceramic"), ANY, density=500.0),
    Category("frying pan", "tableware", {"radius": (0.1, 0.15), "height": (0.035, 0.055), "handle": (0.15, 0.2)}, _pan,
             ("metal", "ceramic"), ANY, density=900.0),
    Category("cooking pot", "tableware", {"radius": (0.09, 0.13), "height": (0.13, 0.19)}, _pot,
             ("metal", "ceramic"), ANY, "C2", density=500.0),
    Category("cutting board", "tableware", {"length": (0.28, 0.4), "width": (0.5, 0.66), "thickness": (0.012, 0.02)},
             _cutting_board, ("wooden", "plastic", "marble"), ("beige", "brown", "white", "green", "red"),
             density=700.0),
    Category("tray", "tableware", {"width": (0.32, 0.45), "depth": (0.62, 0.75), "height": (0.035, 0.055)}, _tray,
             ("wooden", "plastic", "metal"), ANY, "C2", density=700.0),
    Category("vase", "tableware", {"height": (0.18, 0.3), "radius": (0.05, 0.075), "neck": (0.35, 0.55)}, _vase,
             ("ceramic", "glass", "marble", "striped", "metal"), ANY, "Cinf", density=600.0),
)  # fmt: skip
"""Of the kitchen and the sideboard."""
