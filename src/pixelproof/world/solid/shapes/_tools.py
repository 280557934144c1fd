"""Hand tools, as they lie on a bench; what stands around in a workshop is next door."""

from __future__ import annotations

import numpy as np

from pixelproof.world.solid._category import Category, Form, Paint, Shape
from pixelproof.world.solid._poses import Floats

from . import _kit as kit
from ._palette import STEEL
from ._workshop import CATEGORIES as WORKSHOP

GRIPS = ("red", "orange", "yellow", "green", "teal", "blue", "purple", "black", "pink", "lime")


def _hammer(form: Form) -> Shape:
    long, head, r = form["length"], form["head"], form["face"]
    widths = [(0.01, 0.014), (0.1, 0.017), (0.35, 0.015), (0.42, 0.0138)]
    thick = r / (0.85 * 0.017)  # so that the grip is as thick as the head, and the hammer lies level
    grip = kit.skin([_oval(x * long, 1.18 * width, 0.85 / 1.18 * thick, r) for x, width in widths])
    shaft = kit.skin(
        [_oval(x * long, width, 0.85, r) for x, width in ((0.4, 0.0138), (0.6, 0.011), (0.8, 0.0105), (1.0, 0.012))]
    )
    neck = long - 0.012
    line = [(0, 0), (r, 0), (r, 0.02), (0.75 * r, 0.028), (0.75 * r, 0.05), (0, 0.05)]
    face = (
        kit.lathe(kit.rounded(line, 0.002, 2, closed=False), 24).rotate((-90, 0, 0)).translate((neck, -0.42 * head, r))
    )
    cheek = kit.slab(0.03, 0.38 * head, 2 * r, 0.003, 8).translate((neck, 0.06 * head, 0))
    back = kit.curve([(0.015, 0.0), (0.013, 0.25), (-0.004, 0.5), (-0.03, 0.68)], 5)
    belly = kit.curve([(-0.015, 0.0), (-0.013, 0.2), (-0.022, 0.42), (-0.036, 0.66)], 5)
    claw = kit.extrude(np.concatenate([back, belly[::-1]]) * [1.0, head], 2 * r).translate((neck, 0.12 * head, 0))
    claw -= kit.hull(
        kit.slab(0.2, 0.002, 0.0006).translate((long, 0.42 * head, r - 0.0003)),
        kit.slab(0.2, 0.002, r).translate((long, 0.85 * head, 0.5 * r)),
    )
    return kit.stood(
        kit.part(kit.join(grip, shaft)),
        kit.part(kit.join(face, cheek, claw), STEEL, 30),
        pieces=[grip.hull(), shaft.hull(), face.hull(), cheek, *kit.slices(claw, 3, 1)],
    )


def _oval(x: float, width: float, ratio: float, height: float) -> Floats:
    """An upright ring across the x axis around a height."""
    return np.column_stack([np.full(24, x), kit.circle(width, 24, ratio) + [0.0, height]])


def _screwdriver(form: Form) -> Shape:
    long, r, shaft = form["handle"], form["radius"], form["shaft"]
    line = [
        (0, 0),
        (0.8 * r, 0),
        (r, 0.012),
        (r, 0.62 * long),
        (0.66 * r, 0.78 * long),
        (0.9 * r, 0.96 * long),
        (0.55 * r, long),
        (0, long),
    ]
    handle = kit.lathe(kit.rounded(line, 0.012, 5, closed=False), 36)
    ends = [kit.ball(0.24 * r, 12).translate((1.08 * r, 0, share * long)) for share in (0.08, 0.58)]
    for k in range(6):
        handle -= kit.hull(*ends).rotate((0, 0, 60 * k + 30))
    thin, end = 0.17 * r + 0.001, long + shaft
    rod = kit.cylinder(thin, shaft, segments=20).translate((0, 0, long - 0.005))
    tip = kit.hull(
        kit.cylinder(thin, 0.001, segments=20).translate((0, 0, end - 0.006)),
        kit.slab(0.004, 0.5 * r + 0.003, 0.001).translate((0, 0, end + 0.004)),
        kit.slab(0.0012, 0.5 * r + 0.003, 0.002).translate((0, 0, end + 0.012)),
    )
    handle, rod, tip = (solid.rotate((0, 90, 0)) for solid in (handle, rod, tip))
    return kit.stood(kit.part(handle), kit.part(kit.join(rod, tip), STEEL), pieces=[handle.hull(), kit.hull(rod, tip)])


def _spanner(form: Form) -> Shape:
    long, jaw, thick = form["length"], form["jaw"], form["thickness"]
    size, gap = 1.05 * jaw, 0.58 * jaw
    reach = long / 2 + 0.6 * size
    mouth = kit.slab(2 * size, 2 * gap, 2 * thick).translate((size, 0.0, -thick / 2))
    mouth += kit.cylinder(gap, 2 * thick, segments=6).translate((0, 0, -thick / 2))
    mouth = mouth.rotate((0, 0, 15)).translate((reach, 0, 0))
    bore = kit.cylinder(gap, 2 * thick, segments=12).translate((-reach, 0, -thick / 2))
    groove = kit.slab(0.66 * long, 0.3 * jaw, thick, 0.1 * thick, 8).translate((0, 0, 0.8 * thick))
    shank = kit.slab(long, 0.75 * jaw, thick, 0.3 * thick, 8) - mouth - bore - groove
    head = kit.extrude(kit.circle(1.12 * size, 40), thick, 0.1 * thick).translate((reach, 0, 0)) - mouth
    ring = kit.cylinder(size, thick, 0.15 * thick, 40).translate((-reach, 0, 0)) - bore
    return kit.stood(
        kit.part(kit.join(shank, ring, head), crease=30), pieces=[shank.hull(), ring.hull(), *kit.slices(head, 3, 1)]
    )


def _saw(form: Form) -> Shape:
    long, high, thick = form["length"], form["width"], 0.02
    pitch = long / int(long / 0.012)
    teeth = [tooth for x in np.arange(long, pitch / 2, -pitch) for tooth in ((x, 0.0), (x - 0.7 * pitch, 0.006))]
    blade = kit.extrude([(0.0, 0.0), (0.0, high), (long, 0.45 * high), *teeth], 0.0018).translate((0, 0, 0.0004))
    rim = [
        (0.02, 0.0),
        (0.04, 0.55),
        (0.01, 1.05),
        (-0.045, 1.22),
        (-0.06, 1.02),
        (-0.075, 0.5),
        (-0.1, -0.02),
        (-0.075, -0.16),
        (-0.03, -0.08),
    ]
    hole = [(-0.02, 0.2), (-0.012, 0.6), (-0.03, 0.88), (-0.048, 0.62), (-0.058, 0.25), (-0.045, 0.08)]
    handle = kit.extrude(kit.curve(rim, 5, closed=True) * [1.0, high], thick, 0.003)
    handle -= kit.extrude(kit.curve(hole, 5, closed=True) * [1.0, high], 3 * thick).translate((0, 0, -thick))
    screws = [kit.cylinder(0.005, 0.002, 0.0008, 16).translate((0.005, y * high, thick - 0.001)) for y in (0.3, 0.75)]
    return kit.stood(
        kit.part(handle),
        kit.part(kit.join(blade, *screws), STEEL, 20),
        pieces=[blade.hull(), *kit.slices(handle, 2, 0)],
    )


def _scissors(form: Form) -> Shape:
    long, opening, thick = form["length"], form["opening"], 0.004
    foot = 0.024 * long
    edge = kit.rounded([(-0.1, -0.035), (0.0, -0.05), (0.62, -0.006), (0.62, 0.002), (0.0, 0.05), (-0.1, 0.03)], 0.02)
    blade = kit.extrude(edge * long, thick - 0.0005)
    arm = np.array([(-0.05, 0.0, 0.0), (-0.16, 0.01, 0.0), (-0.24, 0.035, 0.0)])
    loop = [(-0.2, 0.01), (-0.27, 0.1), (-0.39, 0.1), (-0.45, 0.035), (-0.39, -0.025), (-0.28, -0.03)]
    bend = np.array([(x, y, 0.0) for x, y in kit.curve(loop, 6, closed=True)])
    ring = kit.tube(bend * long, 0.0205 * long, closed=True, sides=12, ratio=1.17).translate((0, 0, foot))
    neck = kit.tube(arm * long, 0.024 * long, sides=12).translate((0, 0, foot))
    upper = [blade.translate((0, 0, foot)), neck, ring]
    lower = [solid.mirror((0, 1, 0)) for solid in (blade.translate((0, 0, foot - thick + 0.0005)), neck, ring)]
    halves = [
        [solid.rotate((0, 0, turn / 2)) for solid in half] for half, turn in ((upper, opening), (lower, -opening))
    ]
    rivet = kit.cylinder(0.028 * long, 2 * thick + 0.002, 0.0012, 24).translate((0, 0, foot - thick))
    pieces = [piece for blade, neck, ring in halves for piece in (blade.hull(), neck.hull(), *kit.slices(ring, 2, 1))]
    return kit.stood(
        kit.part(kit.join(*halves[0][1:], *halves[1][1:])),
        kit.part(kit.join(halves[0][0], halves[1][0], rivet), STEEL, 20),
        pieces=[*pieces, rivet],
    )


def _paintbrush(form: Form) -> Shape:
    wide, long, thick, hair = form["width"], form["handle"], form["thickness"], form["bristles"]
    side = kit.curve([(0.0, 0.38), (0.18, 0.3), (0.36, 0.16), (0.7, 0.24), (0.94, 0.2), (1.0, 0.06)], 5) * [long, wide]
    handle = kit.extrude(np.concatenate([side, side[::-1] * [1, -1]]), thick, 0.22 * thick)
    handle -= kit.cylinder(0.006, 3 * thick, segments=24).translate((0.9 * long, 0, -thick))
    ferrule = kit.slab(0.036, wide, thick, 0.25 * thick, 12).translate((-0.012, 0, 0))
    ferrule += kit.slab(0.004, 1.03 * wide, 0.98 * thick, 0.25 * thick, 8).translate((-0.024, 0, 0.01 * thick))
    rings = []
    for share, width, height in ((0.0, 0.96, 0.9), (0.5, 1.02, 0.86), (0.85, 1.0, 0.6), (1.0, 0.94, 0.2)):
        x, z = width * wide / 2, height * thick / 2
        ring = kit.rounded([(-x, -z), (x, -z), (x, z), (-x, z)], 0.3 * z)
        rings.append(np.column_stack([np.full(len(ring), -0.02 - share * hair), -ring[:, 0], ring[:, 1] + thick / 2]))
    bristles, paint = kit.skin(rings), kit.slab(0.9 * hair, 1, 1).translate((-0.03 - hair, 0, -0.5))
    return kit.stood(
        kit.part(handle),
        kit.part(bristles ^ paint, crease=50),
        kit.part(bristles - paint, Paint("#c9a56a", "fabric")),
        kit.part(ferrule, STEEL),
        pieces=[*kit.slices(handle, 3, 0), ferrule.hull(), bristles.hull()],
    )


CATEGORIES = (
    *WORKSHOP,
    Category("hammer", "tools", {"length": (0.24, 0.3), "head": (0.1, 0.125), "face": (0.014, 0.017)}, _hammer,
             ("rubber", "plastic"), GRIPS, density=1500),
    Category("screwdriver", "tools", {"handle": (0.085, 0.11), "radius": (0.013, 0.018), "shaft": (0.07, 0.13)},
             _screwdriver, ("plastic",), GRIPS, density=1200),
    Category("spanner", "tools", {"length": (0.12, 0.18), "jaw": (0.014, 0.02), "thickness": (0.008, 0.011)}, _spanner,
             ("metal",), ("grey", "blue", "red", "yellow", "black"), density=5000),
    Category("saw", "tools", {"length": (0.28, 0.4), "width": (0.075, 0.1)}, _saw, ("wooden", "plastic"),
             ("brown", "beige", "red", "orange", "blue", "green", "black"), density=1500),
    Category("scissors", "tools", {"length": (0.15, 0.21), "opening": (14, 46)}, _scissors, ("plastic",), GRIPS,
             density=1500, plural="pairs of scissors", word="pair of scissors"),
    Category("paintbrush", "tools", {"width": (0.035, 0.06), "handle": (0.11, 0.15), "bristles": (0.045, 0.06),
             "thickness": (0.013, 0.018)}, _paintbrush, ("plastic", "wooden"), GRIPS, density=500,
             plural="paintbrushes"),
)  # fmt: skip
