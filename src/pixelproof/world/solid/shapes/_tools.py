"""Hand tools, as they lie on a bench, and what lies and stands around in a workshop."""

from __future__ import annotations

import math

import numpy as np

from pixelproof.world.solid._category import Category, Form, Paint, Shape, Surface
from pixelproof.world.solid._poses import Floats

from . import _kit as kit
from ._common import BRASS, GLOW, RUBBER, STEEL, WHITE, board

METALS = ("grey", "yellow", "black")


def _bolt(form: Form) -> Shape:
    r, long = form["radius"], form["length"]
    high, thread = 1.3 * r, 0.62 * long
    rim = kit.lathe([(0, 0), (1.75 * r, 0), (2.05 * r, 0.2 * r), (2.05 * r, high), (0, high)])
    head = kit.extrude(kit.circle(2 * r, 6), high) ^ rim
    collar = kit.cylinder(1.7 * r, 0.15 * r).translate((0, 0, high - 0.01 * r))
    count = int(thread / (0.32 * r))
    pitch, top = thread / count, high + long
    line = [(0.0, high), (r, high)]
    for k in range(count):
        low = top - thread + k * pitch
        line += [(r, low), (0.86 * r, low + 0.35 * pitch), (r, low + 0.8 * pitch)]
    shank = kit.lathe([*line, (0.8 * r, top + 0.15 * r), (0, top + 0.15 * r)], 24)
    return kit.stood(kit.part(kit.join(head, collar, shank), crease=25), pieces=[head, collar, shank.hull()])


def _nut(form: Form) -> Shape:
    r, high, turns = form["radius"], form["height"] * form["radius"], 4
    rim = [(0, 0), (0.86 * r, 0), (1.02 * r, 0.1 * r), (1.02 * r, high - 0.1 * r), (0.86 * r, high), (0, high)]
    block = kit.extrude(kit.circle(r, 6), high) ^ kit.lathe(rim)
    bore = [(0.0, -0.01), (0.56 * r, -0.01), (0.56 * r, 0.0)]
    for k in range(turns):
        bore += [(0.5 * r, (k + 0.5) * high / turns), (0.56 * r, (k + 1) * high / turns)]
    hole = kit.lathe([*bore, (0.56 * r, high + 0.01), (0.0, high + 0.01)])
    return kit.stood(kit.part(block - hole, crease=25), pieces=[block.hull()])


def _torch(form: Form) -> Shape:
    long, r, head = form["length"], form["radius"], form["head"]
    body = kit.lathe(kit.rounded([(0, 0), (r, 0), (r, long), (0, long)], 0.003, 3, closed=False), 32)
    ring = kit.lathe([(0.9 * r, 0), (1.06 * r, 0), (1.06 * r, 0.006), (0.9 * r, 0.006)], 32)
    rings = kit.join(*(ring.translate((0, 0, share * long)) for share in (0.1, 0.22, 0.34)))
    line = np.array(
        [(0, -0.002), (r, -0.002), (head, 0.04), (head, 0.058), (0.88 * head, 0.058), (0.8 * head, 0.05), (0, 0.05)]
    )
    reflector = kit.lathe(line + [0.0, long], 32)
    collar = kit.extrude(kit.circle(1.12 * head, 8), 0.012, 0.002).rotate((0, 0, 22.5)).translate((0, 0, long + 0.044))
    collar -= kit.cylinder(0.88 * head, 0.1).translate((0, 0, long))
    lens = kit.cylinder(0.86 * head, 0.004).translate((0, 0, long + 0.0495))
    switch = kit.slab(0.012, 0.006, 0.028, 0.0025, 8).translate((0, r + 0.0025, 0.55 * long))
    lying = [solid.rotate((90, 0, 0)).rotate((0, 0, -90)) for solid in (body, rings, reflector, collar, lens, switch)]
    body, rings, reflector, collar, lens, switch = kit.laid(*lying)
    return kit.stood(
        kit.part(kit.join(body, reflector)),
        kit.part(kit.join(rings, collar, switch), RUBBER, 30),
        kit.part(lens, GLOW),
        pieces=[kit.hull(body, rings), reflector.hull(), collar.hull(), switch],
    )


def _bucket(form: Form) -> Shape:
    r, z, foot, wall = form["radius"], form["height"], 0.74 * form["radius"], 0.0025
    pail = kit.lathe(
        [
            (0, 0),
            (foot, 0),
            (r, z - 0.006),
            (r + 0.004, z - 0.006),
            (r + 0.004, z),
            (r - wall, z),
            (foot - wall, wall),
            (0, wall),
        ]
    )
    t = np.linspace(0, math.pi, 25)
    arc = np.column_stack([np.cos(t), 0 * t, form["handle"] * np.sin(t)]) * (r + 0.007) + [0, 0, z - 0.016]
    wire, grip = kit.tube(arc, 0.0025, sides=10), kit.tube(arc[8:17], 0.007, sides=12)
    ear = kit.cylinder(0.011, 0.01, 0.002, 20).rotate((0, 90, 0)).translate((r - 0.001, 0, z - 0.016))
    ears = [ear, ear.rotate((0, 0, 180))]
    pieces = [pail.hull(), *ears, *kit.slices(wire, 8, 0), *kit.slices(grip, 3, 0)]
    return kit.stood(kit.part(pail), kit.part(kit.join(wire, *ears), STEEL), kit.part(grip, RUBBER), pieces=pieces)


def _ladder(form: Form) -> Shape:
    z, wide, deep, steps = form["height"], form["width"], 0.28 * form["height"], int(form["steps"])
    beam = kit.slab(0.02, 0.028, 0.002)
    frame = [
        kit.hull(beam.translate((a * wide / 2, b * deep, 0)), beam.translate((a * 0.42 * wide, b * 0.02, z - 0.002)))
        for a in (-1, 1)
        for b in (-1, 1)
    ]
    frame.append(board(0.96 * wide, 0.016, 0.02, (0.0, 0.75 * deep, 0.25 * z)))
    treads = [board(0.96 * wide, 0.14, 0.024, (0.0, 0.0, z - 0.012), 0.005)]
    for k in range(1, steps + 1):
        share = k / (steps + 1)
        at = (0.0, -deep * (1 - share) - 0.012, share * z - 0.018)
        treads.append(board(wide * (1 - 0.16 * share), 0.075, 0.018, at))
    surface = Surface("top", (0.0, 0.0, z + 0.012), 0.96 * wide - 0.01, 0.13)
    return kit.stood(
        kit.part(kit.join(*frame), crease=30),
        kit.part(kit.join(*treads), RUBBER, 30),
        pieces=[*frame, *treads],
        surfaces=[surface],
    )


def _traffic_cone(form: Form) -> Shape:
    r, z, foot = form["radius"], form["height"], 0.045 * form["height"]

    def ring(low: float, high: float, swell: float = 0.0) -> kit.Solid:
        """What lies between two shares of the height."""
        (a, b), (c, d) = ((r * (1 - 0.84 * share) + swell, foot + share * (z - foot)) for share in (low, high))
        return kit.lathe([(0, b), (a, b), (c, d), (0, d)])

    base, body = kit.slab(2.6 * r, 2.6 * r, 0.05 * z, 0.02 * z, 8), ring(0.0, 1.0)
    bands = [ring(0.3, 0.48, 0.0006), ring(0.64, 0.8, 0.0006)]
    return kit.stood(
        kit.part(kit.join(base, body), crease=30),
        kit.part(kit.join(*bands), WHITE),
        pieces=[base, kit.hull(body, *bands)],
    )


def _toolbox(form: Form) -> Shape:
    x, y, z = form["width"], form["depth"], form["height"]
    chest = kit.slab(x, y, 0.72 * z, 0.008, 12)
    lid = kit.hull(
        kit.slab(1.01 * x, 1.02 * y, 0.1 * z, 0.006, 12).translate((0, 0, 0.7 * z)),
        kit.slab(0.97 * x, 0.6 * y, 0.06 * z, 0.006, 12).translate((0, 0, 0.94 * z)),
    )
    bow = kit.rounded(
        np.array([(-0.28, 0.95), (-0.24, 1.24), (0.24, 1.24), (0.28, 0.95)]) * [x, z], 0.03, 5, closed=False
    )
    handle = kit.tube(np.column_stack([bow[:, 0], 0 * bow[:, 0], bow[:, 1]]), 0.008, sides=14)
    latch = kit.slab(0.034, 0.008, 0.2 * z, 0.002, 8)
    latches = [latch.translate((a * 0.3 * x, b * 0.505 * y, 0.6 * z)) for a in (-1, 1) for b in (-1, 1)]
    return kit.stood(
        kit.part(chest),
        kit.part(lid, crease=30),
        kit.part(handle, RUBBER),
        kit.part(kit.join(*latches), STEEL),
        pieces=[chest, lid, *latches, *kit.slices(handle, 5, 0)],
    )


def _magnifying_glass(form: Form) -> Shape:
    r, long, thick = form["radius"], form["handle"], 0.0085
    rim = kit.lathe(kit.circle(0.006, 16, thick / 0.006) + [r, thick])
    line = [(0, 0.0025), (0.5 * r, 0.0035), (r - 0.001, 0.007), (r - 0.001, 0.01), (0.5 * r, 0.0135), (0, 0.0145)]
    glass = kit.lathe(line, 48)
    neck = kit.cylinder(0.0046, 0.03, segments=20).rotate((0, 90, 0)).translate((r, 0, thick))
    collar = kit.lathe(
        kit.rounded([(0, 0), (0.0072, 0), (0.0078, 0.006), (0.0066, 0.012), (0, 0.012)], 0.002, closed=False), 24
    )
    collar = collar.rotate((0, 90, 0)).translate((r + 0.016, 0, thick))
    ring = [(0.0062, 0.0), (thick, 0.12), (0.0062, 0.22), (0.0075, 0.4), (thick, 0.75), (thick, 0.92), (0.005, 1.0)]
    side = np.minimum(kit.curve([(size, share * long) for size, share in ring], 4), [thick, long])
    line = [(0, 0), *side, (0, long)]
    grip = kit.lathe(line, 24).rotate((0, 90, 0)).translate((r + 0.025, 0, thick))
    return kit.stood(
        kit.part(kit.join(grip, rim), crease=50),
        kit.part(glass, Paint("#e6f2f4", "pane"), 60),
        kit.part(kit.join(neck, collar), BRASS),
        pieces=[rim.hull(), kit.hull(neck, collar), grip.hull()],
    )


WORKSHOP = (
    Category("bolt", "tools", {"radius": (0.007, 0.012), "length": (0.04, 0.07)}, _bolt, ("metal",), METALS, "C6",
             density=5000),
    Category("nut", "tools", {"radius": (0.018, 0.032), "height": (0.7, 0.95)}, _nut, ("metal",), METALS, "D6",
             density=5000),
    Category("torch", "tools", {"length": (0.11, 0.16), "radius": (0.014, 0.019), "head": (0.024, 0.031)}, _torch,
             ("metal", "plastic"), ("red", "blue", "yellow", "green", "grey", "orange", "teal"), density=1200,
             plural="torches"),
    Category("bucket", "tools", {"radius": (0.11, 0.15), "height": (0.2, 0.28), "handle": (0.85, 1.1)}, _bucket,
             ("plastic", "metal"), ("red", "blue", "yellow", "green", "grey", "teal", "pink", "orange", "white"), "C2",
             density=150),
    Category("ladder", "tools", {"height": (0.7, 1.2), "width": (0.38, 0.46), "steps": (2, 4.999)}, _ladder,
             ("metal", "wooden"), ("grey", "red", "yellow", "blue", "orange", "beige"), front=True, density=400,
             word="step ladder"),
    Category("traffic cone", "tools", {"radius": (0.045, 0.075), "height": (0.16, 0.28)}, _traffic_cone,
             ("plastic", "rubber"), ("orange", "red", "lime", "blue"), "C4", density=400),
    Category("toolbox", "tools", {"width": (0.28, 0.38), "depth": (0.14, 0.18), "height": (0.13, 0.18)}, _toolbox,
             ("metal", "plastic"), ("red", "blue", "yellow", "green", "orange", "teal"), "C2", density=300,
             plural="toolboxes"),
    Category("magnifying glass", "tools", {"radius": (0.035, 0.05), "handle": (0.08, 0.11)}, _magnifying_glass,
             ("wooden", "plastic"), ("brown", "black", "red", "blue", "green", "purple"), density=1000,
             plural="magnifying glasses"),
)  # fmt: skip


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
