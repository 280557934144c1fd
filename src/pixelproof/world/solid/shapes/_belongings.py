"""Devices of a household, and belongings: what people wear, carry, win and train with."""

from __future__ import annotations

import math

import numpy as np

from pixelproof.world.solid._category import Category, Form, Paint, Shape
from pixelproof.world.solid._poses import Floats

from . import _kit as kit
from ._common import BLACK, DARK_WOOD, GLOW, LIVELY, PLAIN, RUBBER, STEEL, WHITE, corners


def _table_lamp(form: Form) -> Shape:
    z, r, foot, low = form["height"], form["shade"], form["foot"], 0.52 * form["height"]
    line = [(0.75 * foot, 0.0), (0.72 * foot, 0.015), (foot, 0.35 * low), (0.45 * foot, 0.8 * low), (0.2 * foot, low)]
    body = kit.lathe([(0.0, 0.0), *kit.curve(line, 5), (0.0, low)])
    pole = kit.cylinder(0.006, 0.4 * z, segments=16).translate((0, 0, low - 0.005))
    shade = kit.lathe([(r, low), (0.62 * r, z), (0.62 * r - 0.003, z), (r - 0.003, low)])
    bulb = kit.ball(0.028, 20).translate((0, 0, low + 0.06))
    return kit.stood(
        kit.part(body),
        kit.part(shade, Paint(material="fabric")),
        kit.part(pole, STEEL),
        kit.part(bulb, GLOW),
        pieces=[body.hull(), pole, shade.hull()],
    )


def _desk_lamp(form: Form) -> Shape:
    r, lower, upper, head = form["foot"], form["lower"], form["upper"], form["head"]
    base = kit.lathe(kit.rounded([(0, 0), (r, 0), (r, 0.018), (0.3 * r, 0.028), (0, 0.028)], 0.008, closed=False))
    foot = np.array([0.0, 0.02, 0.02])
    knee = foot + [0.0, 0.34 * lower, 0.94 * lower]
    tip = knee + [0.0, -0.82 * upper, 0.57 * upper]
    hinge = kit.cylinder(0.012, 0.024, 0.003, 20).rotate((0, 90, 0)).translate((-0.012, 0, 0))
    arms = [kit.tube([foot, knee], 0.006, sides=14), kit.tube([knee, tip], 0.006, sides=14)]
    arms += [hinge.translate(tuple(at)) for at in (foot + [0, 0, 0.008], knee, tip)]
    line = [(0.0, 0.03), (0.24, 0.03), (0.3, 0.0), (0.36, -0.35), (1.0, -1.2), (0.96, -1.2), (0.3, -0.4), (0.0, -0.4)]
    shade, bulb = (
        solid.rotate((-32, 0, 0)).translate(tuple(tip + [0, -0.006, -0.002]))
        for solid in (kit.lathe(np.array(line) * head), kit.ball(0.36 * head, 20).translate((0, 0, -0.75 * head)))
    )
    return kit.stood(
        kit.part(kit.join(base, shade)),
        kit.part(kit.join(*arms), STEEL),
        kit.part(bulb, GLOW),
        pieces=[kit.cylinder(r, 0.028, segments=24), *arms, shade.hull()],
    )


def _alarm_clock(form: Form) -> Shape:
    r, deep, lift = form["radius"], form["depth"], 1.22 * form["radius"]
    front = -deep / 2

    def upright(solid: kit.Solid, back: float) -> kit.Solid:
        """What was built lying, before the wall at a depth, around the middle of the face."""
        return solid.rotate((90, 0, 0)).translate((0, back, lift))

    case = upright(kit.cylinder(r, deep, 0.006), -front) - upright(kit.cylinder(0.9 * r, 0.006), front + 0.004)
    face = upright(kit.cylinder(0.89 * r, 0.003), front + 0.006)
    mark = kit.slab(0.05 * r, 0.14 * r, 0.001).translate((0, 0.74 * r, 0))
    short = kit.slab(0.07 * r, 0.48 * r, 0.001).translate((0, 0.2 * r, 0.001)).rotate((0, 0, 30 * form["hour"]))
    long = kit.slab(0.05 * r, 0.7 * r, 0.001).translate((0, 0.3 * r, 0.0015)).rotate((0, 0, -30 * form["hour"]))
    marks = [mark.rotate((0, 0, 30 * k)) for k in range(12)]
    ink = upright(kit.join(*marks, short, long, kit.cylinder(0.06 * r, 0.003)), front + 0.0034)
    bell = kit.ball(0.42 * r, 28).trim_by_plane((0, 0, 1), 0.05 * r) + kit.ball(0.07 * r, 12).translate(
        (0, 0, 0.44 * r)
    )
    bell = bell.translate((0, 0, 1.08 * r)) + kit.cylinder(0.05 * r, 0.3 * r, segments=12).translate((0, 0, 0.9 * r))
    bells = [bell.rotate((0, side * 32, 0)).translate((0, 0, lift)) for side in (-1, 1)]
    bow = [(-0.5, 0, 1.35), (-0.32, 0, 1.68), (0.0, 0, 1.78), (0.32, 0, 1.68), (0.5, 0, 1.35)]
    handle = kit.tube(kit.curve(bow, 5) * r + [0, 0, lift], 0.05 * r, sides=10)
    hip, sole = (
        kit.ball(0.09 * r, 12).translate((0, 0, lift - 0.8 * r)),
        kit.ball(0.08 * r, 12).translate((0, 0, 0.08 * r)),
    )
    feet = [
        kit.hull(hip.translate((a * 0.5 * r, 0, 0)), sole.translate((a * 0.72 * r, b * 0.3 * deep, 0)))
        for a in (-1, 1)
        for b in (-1, 1)
    ]
    hammer = kit.ball(0.11 * r, 12).translate((0, 0, 0.38 * r)) + kit.cylinder(0.03 * r, 0.35 * r, segments=10)
    hammer = hammer.translate((0, 0, lift + 0.9 * r))
    return kit.stood(
        kit.part(case),
        kit.part(face, WHITE),
        kit.part(ink, BLACK),
        kit.part(kit.join(*bells, *feet, handle, hammer), STEEL),
        pieces=[case.hull(), *(bell.hull() for bell in bells), *feet, *kit.slices(handle, 4, 0), hammer.hull()],
    )


def _telephone(form: Form) -> Shape:
    x, y, z = form["width"], form["depth"], form["height"]
    crown = kit.slab(0.6 * x, 0.4 * y, 0.02, 0.008, 12).translate((0, 0.22 * y, z - 0.02))
    body = kit.hull(kit.slab(x, y, 0.02, 0.008, 12), crown)
    dial = kit.lathe(kit.rounded([(0, 0), (0.24 * x, 0), (0.235 * x, 0.009), (0, 0.009)], 0.002, 2, closed=False))
    hole = kit.cylinder(0.034 * x, 0.02, segments=16).translate((0.175 * x, 0, 0.004))
    dial -= kit.join(*(hole.rotate((0, 0, 28 * k - 36)) for k in range(10)))
    disc = kit.cylinder(0.09 * x, 0.002, segments=32).translate((0, 0, 0.0085))
    slope = math.degrees(math.atan2(z - 0.02, 0.52 * y))
    dial, disc = (solid.rotate((slope, 0, 0)).translate((0.0, -0.27 * y, 0.5 * z)) for solid in (dial, disc))
    bow = [(-0.52, 0.0, 0.0), (-0.4, 0.0, 0.13), (0.0, 0.0, 0.17), (0.4, 0.0, 0.13), (0.52, 0.0, 0.0)]
    bar = kit.tube(kit.curve(bow, 5) * x + [0, 0.22 * y, z + 0.012], 0.075 * x, sides=16, ratio=1.15)
    line = [(0, 0), (0.15 * x, 0), (0.15 * x, 0.014), (0.09 * x, 0.04), (0, 0.04)]
    cup = kit.lathe(kit.rounded(line, 0.006, 3, closed=False), 28)
    cups = [cup.rotate((0, -s * 18, 0)).translate((s * 0.5 * x, 0.22 * y, z - 0.03)) for s in (-1, 1)]
    peg = kit.slab(0.05 * x, 0.25 * y, 0.03, 0.006, 8).translate((0.2 * x, 0.22 * y, z - 0.012))
    pegs = [peg, peg.mirror((1, 0, 0))]
    return kit.stood(
        kit.part(body, crease=50),
        kit.part(kit.join(bar, *cups, *pegs), crease=50),
        kit.part(dial, WHITE),
        kit.part(disc, BLACK),
        pieces=[body, *kit.slices(bar, 4, 0), *(cup.hull() for cup in cups), *pegs, kit.hull(dial, disc)],
    )


def _camera(form: Form) -> Shape:
    x, y, z, r = form["width"], form["depth"], form["height"], form["lens"]
    body, top = kit.slab(x, y, 0.74 * z, 0.01), kit.slab(x, y, 0.28 * z, 0.008).translate((0, 0, 0.72 * z))
    hump = kit.hull(
        kit.slab(0.36 * x, 0.8 * y, 0.02, 0.004, 8).translate((0, 0, 0.95 * z)),
        kit.slab(0.24 * x, 0.6 * y, 0.02, 0.004, 8).translate((0, 0, 1.12 * z)),
    )
    line = [
        (0, 0),
        (1.1 * r, 0),
        (1.1 * r, 0.012),
        (r, 0.014),
        (r, 0.034),
        (0.86 * r, 0.034),
        (0.6 * r, 0.024),
        (0, 0.024),
    ]
    ring = [(0.9 * r, 0.018), (1.03 * r, 0.018), (1.03 * r, 0.024), (0.9 * r, 0.024)]
    glass = kit.rounded([(0, 0.02), (0.62 * r, 0.02), (0.62 * r, 0.025), (0, 0.03)], 0.01, closed=False)
    barrel, trim, eye = (
        kit.lathe(profile).rotate((90, 0, 0)).translate((0, 0.002 - y / 2, 0.44 * z)) for profile in (line, ring, glass)
    )
    knobs = [
        kit.cylinder(radius, high, 0.002, 24).translate((at * x, 0, 0.98 * z))
        for radius, high, at in ((0.011, 0.012, 0.33), (0.014, 0.008, -0.34))
    ]
    finder = kit.slab(0.16 * x, 0.003, 0.11 * z).translate((0, -0.4 * y, z))
    flash = kit.slab(0.15 * x, 0.003, 0.13 * z, 0.001, 8).translate((-0.36 * x, -y / 2, 0.8 * z))
    return kit.stood(
        kit.part(kit.join(body, top)),
        kit.part(kit.join(hump, *knobs, trim), STEEL),
        kit.part(kit.join(barrel, finder), BLACK),
        kit.part(eye, Paint("#203a5c", "ceramic")),
        kit.part(flash, WHITE),
        pieces=[body, kit.hull(top, flash), kit.hull(hump, finder), *knobs, kit.hull(barrel, trim, eye)],
    )


def _laptop(form: Form) -> Shape:
    x, y, thick = form["width"], form["width"] * form["ratio"], 0.014
    outline, pitch = kit.rounded(corners(x, y), 0.012), 0.86 * x / 12
    base, key = kit.extrude(outline, thick, 0.002), kit.slab(0.84 * pitch, 0.84 * pitch, 0.002)
    spots = [((k - 5.5) * pitch, 0.34 * y - row * pitch, thick - 0.001) for k in range(12) for row in range(4)]
    keys = [key.translate(spot) for spot in spots]
    keys.append(kit.slab(5 * pitch, 0.84 * pitch, 0.002).translate((0, 0.34 * y - 4 * pitch, thick - 0.001)))
    pad = kit.slab(0.3 * x, 0.22 * y, 0.0006).translate((0, -0.32 * y, thick - 0.0002))
    lid = kit.extrude(outline + [0, y / 2], 0.008, 0.002)
    screen = kit.slab(0.94 * x, 0.88 * y, 0.001).translate((0, 0.52 * y, 0.0075))
    panes = kit.slab(0.42 * x, 0.46 * y, 0.001).translate((-0.18 * x, 0.58 * y, 0.008))
    panes += kit.slab(0.34 * x, 0.3 * y, 0.001).translate((0.24 * x, 0.44 * y, 0.0082))
    bars = kit.slab(0.42 * x, 0.05 * y, 0.001).translate((-0.18 * x, 0.79 * y, 0.0083))
    bars += kit.slab(0.34 * x, 0.05 * y, 0.001).translate((0.24 * x, 0.57 * y, 0.0085))
    opened = [
        solid.rotate((180 - form["opening"], 0, 0)).translate((0, y / 2 - 0.006, thick + 0.001))
        for solid in (lid, screen, panes, bars)
    ]
    hinge = kit.cylinder(0.005, 0.6 * x, segments=12).rotate((0, 90, 0)).translate((-0.3 * x, y / 2 - 0.006, thick))
    return kit.stood(
        kit.part(kit.join(base, opened[0]), crease=30),
        kit.part(kit.join(*keys, hinge), BLACK, 20),
        kit.part(pad, STEEL),
        kit.part(opened[1], Paint("#2d6fc4", "ceramic")),
        kit.part(opened[2], WHITE),
        kit.part(opened[3], Paint("orange", "plastic")),
        pieces=[kit.slab(x, y, thick + 0.001), hinge, kit.hull(*opened)],
    )


def _television(form: Form) -> Shape:
    x, z, lift = form["width"], form["width"] * form["ratio"], 0.09 * form["width"]
    case = kit.slab(x, 0.05, z, 0.008, 12).translate((0, 0, lift))
    low, wide = lift + 0.05 * z, 0.95 * x
    screen = kit.slab(wide, 0.002, 0.92 * z).translate((0, -0.0255, low))
    t = np.linspace(0.5, -0.5, 25)
    hills = []
    for level, waves, shift, before in ((0.42, 7.0, 0.4, 0.0263), (0.24, 5.0, 2.4, 0.0268)):
        ridge = np.column_stack([wide * t, z * (level + 0.1 * np.sin(waves * t + shift))])
        hill = kit.extrude([*ridge, (-wide / 2, 0.0), (wide / 2, 0.0)], 0.001)
        hills.append(hill.rotate((90, 0, 0)).translate((0, -before, low)))
    sun = kit.cylinder(0.1 * z, 0.001).rotate((90, 0, 0)).translate((0.26 * x, -0.026, low + 0.66 * z))
    foot = kit.slab(0.45 * x, 0.2, 0.014, 0.005, 8)
    neck = kit.slab(0.1 * x, 0.03, lift + 0.02).translate((0, 0.01, 0.005))
    return kit.stood(
        kit.part(kit.join(case, foot, neck), crease=30),
        kit.part(screen, Paint("#8cc4ea", "ceramic")),
        kit.part(sun, Paint("yellow", "ceramic")),
        kit.part(hills[0], Paint("#5a9a6a", "ceramic")),
        kit.part(hills[1], Paint("#2f7a44", "ceramic")),
        pieces=[kit.hull(case, screen, sun, *hills), foot, neck],
    )


DEVICES = (
    Category("table lamp", "household", {"height": (0.32, 0.45), "shade": (0.1, 0.15), "foot": (0.05, 0.075)},
             _table_lamp, ("ceramic", "metal", "wooden"), LIVELY + PLAIN, "Cinf", density=900),
    Category("desk lamp", "household", {"foot": (0.075, 0.095), "lower": (0.16, 0.22), "upper": (0.15, 0.2),
             "head": (0.045, 0.055)}, _desk_lamp, ("metal", "plastic"), LIVELY + PLAIN, front=True, density=1500),
    Category("alarm clock", "household", {"radius": (0.045, 0.06), "depth": (0.035, 0.05), "hour": (1.0, 4.0)},
             _alarm_clock, ("metal", "plastic"), LIVELY, front=True, density=1000),
    Category("telephone", "household", {"width": (0.17, 0.21), "depth": (0.15, 0.19), "height": (0.08, 0.1)},
             _telephone, ("plastic",), ("red", "black", "green", "teal", "beige", "yellow", "pink", "navy"),
             front=True, density=700),
    Category("camera", "household", {"width": (0.12, 0.15), "depth": (0.04, 0.052), "height": (0.07, 0.085),
             "lens": (0.024, 0.03)}, _camera, ("leather", "plastic"),
             ("black", "brown", "red", "teal", "navy", "green", "orange"), front=True, density=1000),
    Category("laptop", "household", {"width": (0.29, 0.36), "ratio": (0.64, 0.72), "opening": (100, 120)}, _laptop,
             ("metal", "plastic"), ("grey", "white", "navy", "pink", "teal", "red"), front=True, density=1500),
    Category("television", "household", {"width": (0.7, 1.1), "ratio": (0.56, 0.62)}, _television, ("plastic",),
             ("black", "grey", "white", "red"), front=True, density=600),
)  # fmt: skip


def _hat(form: Form) -> Shape:
    crown, brim, z = form["crown"], form["brim"], form["height"]
    line = [(0.0, z), (0.55 * crown, 0.99 * z), (0.86 * crown, 0.9 * z), (0.95 * crown, 0.6 * z), (crown, 0.014)]
    shell = kit.lathe([*kit.curve(line, 5), (brim, 0.008), (brim, 0.0), (0.0, 0.0)])
    high = 0.24 * z
    band = kit.lathe([(0.5 * crown, 0.014), (1.012 * crown, 0.014), (0.992 * crown, high), (0.5 * crown, high)])
    pieces = kit.cut(kit.join(shell, band), [0.0085])
    return kit.stood(kit.part(shell, crease=50), kit.part(band, Paint("#2c2622", "fabric")), pieces=pieces)


def _boot(form: Form) -> Shape:
    long, r, z = form["length"], form["shaft"], form["height"]
    half, heel, reach = 0.19 * long, long / 2 - r, long - r
    levels = [  # height, and how far it goes forwards, backwards and sideways
        (0.015, 1.0 * reach, r, 0.95 * half),
        (0.035, 1.01 * reach, 1.02 * r, half),
        (0.058, 0.97 * reach, r, 0.98 * half),
        (0.075, 0.86 * reach, 0.98 * r, 0.94 * half),
        (0.092, 0.68 * reach, 0.97 * r, 0.92 * half),
        (0.112, 0.48 * reach, 0.96 * r, 0.93 * half),
        (0.14, 1.15 * r, 0.95 * r, 0.95 * r),
        (0.17, 1.02 * r, 0.96 * r, 0.98 * r),
        (z, 1.08 * r, 1.08 * r, 1.08 * r),
    ]
    upper = kit.skin([_boot_slice(*level, heel) for level in levels])
    shell = upper - kit.cylinder(0.94 * r, z, segments=32).translate((0, heel, 0.17))
    rim = kit.lathe(kit.circle(0.006, 12) + [1.06 * r, 0.0], 32).translate((0, heel, z - 0.004))
    sole = kit.extrude(_boot_slice(0.0, 1.02 * reach, 1.03 * r, 1.02 * half, heel)[:, :2], 0.022, 0.003)
    sole -= kit.slab(long, 0.16 * long, 0.01).translate((0, 0.14 * long, -0.001))
    block = kit.extrude(_boot_slice(0.0, 0.9 * r, 1.03 * r, 1.0 * half, heel)[:, :2], 0.03, 0.003)  # the heel
    laces = []
    for share in (0.0, 0.22, 0.44, 0.66):
        wide = r * (1.02 + 0.06 * share)
        band = kit.torus(wide, 0.0032, 48, 8).translate((0, heel, 0.175 + share * (z - 0.185)))
        laces.append(band.trim_by_plane((0.0, -1.0, 0.0), 0.72 * wide - heel))
    pieces = [
        *kit.cut(upper, [0.065, 0.085, 0.105, 0.14]),
        rim.hull(),
        kit.hull(sole, block),
        *(lace.hull() for lace in laces),
    ]
    return kit.stood(
        kit.part(shell, crease=60),
        kit.part(rim),
        kit.part(kit.join(sole, block), RUBBER),
        kit.part(kit.join(*laces), Paint("#e8dfc8", "fabric")),
        pieces=pieces,
    )


def _boot_slice(height: float, front: float, back: float, half: float, heel: float) -> Floats:
    """A level slice of a boot: round behind, and blunt in front where it is long."""
    angles = np.linspace(0, 2 * math.pi, 41)[:-1]
    across, along = np.cos(angles), np.sin(angles)
    blunt = np.where(along < 0, 1 - 0.3 * (front > 1.3 * back), 1.0)
    x = half * np.sign(across) * np.abs(across) ** blunt
    y = np.where(along < 0, front, back) * along
    return np.column_stack([x, y + heel, np.full(len(x), height)])


def _key(form: Form) -> Shape:
    long, bow, thick = form["length"], form["bow"], form["thickness"]
    ring = kit.cylinder(bow, thick, 0.2 * thick, 40)
    solids = [ring, kit.slab(long, 0.34 * bow, thick, 0.2 * thick, 8).translate((long / 2 + 0.8 * bow, 0, 0))]
    solids.append(kit.slab(0.22 * bow, 0.62 * bow, thick, 0.2 * thick, 8).translate((1.3 * bow, 0, 0)))
    for back, wide, deep in ((0.25, 0.26, 0.85), (0.62, 0.22, 0.6), (0.98, 0.26, 0.75)):
        tooth = kit.slab(wide * bow, deep * bow, 0.8 * thick)
        solids.append(tooth.translate((long + (0.8 - back) * bow, -deep * bow / 2, 0.1 * thick)))
    hole = kit.cylinder(0.58 * bow, 3 * thick, segments=40).translate((0, 0, -thick))
    return kit.stood(kit.part(kit.join(*solids) - hole, crease=30), pieces=solids)


def _dumbbell(form: Form) -> Shape:
    grip, r, wide = form["grip"], form["radius"], form["plate"]
    head = kit.extrude(kit.circle(r, 6), wide, 0.1 * r).rotate((90, 0, 90)).translate((grip / 2, 0, 0))
    hub = kit.cylinder(0.5 * r, wide + 0.008, 0.002, 24).rotate((0, 90, 0)).translate((grip / 2 - 0.004, 0, 0))
    line = [(0, 0), (0.012, 0), (0.0165, grip / 2), (0.012, grip), (0, grip)]
    bar = kit.lathe(kit.rounded(line, 0.04, 5, closed=False), 24).rotate((0, 90, 0)).translate((-grip / 2, 0, 0))
    heads, hubs = ([solid, solid.rotate((0, 0, 180))] for solid in (head, hub))
    return kit.stood(
        kit.part(kit.join(*heads), crease=30), kit.part(kit.join(bar, *hubs), STEEL), pieces=[*heads, bar.hull(), *hubs]
    )


def _trophy(form: Form) -> Shape:
    r, z, foot = form["radius"], form["height"], form["base"]
    stem = kit.curve([(0.62, 0.14), (0.56, 0.17), (0.2, 0.22), (0.13, 0.28), (0.24, 0.31), (0.16, 0.36)], 4)
    bowl = kit.curve([(0.16, 0.36), (0.2, 0.42), (0.7, 0.5), (0.98, 0.72), (1.0, 1.0)], 5)
    inside = [(1.06, 1.0), (0.92, 1.0), (0.86, 0.74), (0.0, 0.55)]
    cup = kit.lathe(np.array([(0.0, 0.14), *stem, *bowl[1:], *inside]) * [r, z])
    bow = kit.curve([(0.93, 0.0, 0.9), (1.3, 0.0, 0.92), (1.48, 0.0, 0.78), (1.2, 0.0, 0.6), (0.78, 0.0, 0.55)], 5)
    ear = kit.tube(bow * [r, r, z], 0.07 * r, sides=12)
    ears = [ear, ear.rotate((0, 0, 180))]
    base = kit.slab(foot, foot, 0.15 * z, 0.004, 8)
    pieces = [base, *kit.slices(cup, 5), *(piece for ear in ears for piece in kit.slices(ear, 3))]
    return kit.stood(kit.part(kit.join(cup, *ears)), kit.part(base, DARK_WOOD, 30), pieces=pieces)


def _padlock(form: Form) -> Shape:
    x, z, y = form["width"], form["height"], form["depth"]
    body = kit.slab(x, y, z, 0.16 * y)
    bow = [(0.3, -0.1), (0.3, 0.3), (0.22, 0.52), (0.0, 0.62), (-0.22, 0.52), (-0.3, 0.3), (-0.3, -0.1)]
    shackle = kit.tube(kit.curve([(a, 0.0, b) for a, b in bow], 5) * x + [0, 0, z], 0.09 * x, sides=16)
    plate = kit.cylinder(0.2 * x, 0.002).rotate((90, 0, 0)).translate((0, 0.0008 - y / 2, 0.5 * z))
    slit = np.array([(-0.02, 0.0), (-0.05, -0.14), (0.05, -0.14), (0.02, 0.0)]) * x
    hole = kit.cylinder(0.065 * x, 0.002, segments=24) + kit.extrude(slit, 0.002)
    hole = hole.rotate((90, 0, 0)).translate((0, -0.0002 - y / 2, 0.52 * z))
    return kit.stood(
        kit.part(body),
        kit.part(kit.join(shackle, plate), STEEL),
        kit.part(hole, RUBBER),
        pieces=[kit.hull(body, plate, hole), *kit.slices(shackle, 6, 0)],
    )


def _suitcase(form: Form) -> Shape:
    x, y, z, lift = form["width"], form["depth"], form["height"], 0.025
    shell = kit.slab(x, y, z, 0.03).translate((0, 0, lift))
    rib = kit.slab(0.03 * x, y + 0.008, 0.84 * z, 0.006, 8).translate((0, 0, lift + 0.08 * z))
    ribs = [rib.translate((share * x, 0, 0)) for share in (-0.3, -0.15, 0.0, 0.15, 0.3)]
    seam = kit.slab(x + 0.003, 0.008, z + 0.003, 0.002, 8).translate((0, 0, lift - 0.0015))
    bow = kit.rounded([(-0.16 * x, 0.0), (-0.15 * x, 0.035), (0.15 * x, 0.035), (0.16 * x, 0.0)], 0.02, 5, closed=False)
    handle = kit.tube(np.column_stack([bow[:, 0], 0 * bow[:, 0], bow[:, 1] + lift + z - 0.004]), 0.008, sides=12)
    wheel, fork = kit.cylinder(0.016, 0.016, 0.003, 20).rotate((0, 90, 0)), kit.slab(0.026, 0.02, 0.026)
    places = [(a * 0.4 * x, b * 0.32 * y) for a in (-1, 1) for b in (-1, 1)]
    wheels = [wheel.translate((a - 0.008, b, 0.016)) for a, b in places]
    forks = [fork.translate((a, b, 0.018)) for a, b in places]
    return kit.stood(
        kit.part(kit.join(shell, *ribs), crease=50),
        kit.part(kit.join(seam, *forks), STEEL),
        kit.part(kit.join(handle, *wheels), RUBBER),
        pieces=[kit.hull(shell, *ribs), seam, *kit.slices(handle, 3, 0), *wheels, *forks],
    )


def _bell(form: Form) -> Shape:
    r, z, long = form["radius"], form["height"], form["handle"]
    line = kit.curve([(1.0, 0.0), (0.86, 0.12), (0.68, 0.36), (0.58, 0.66), (0.42, 0.9), (0.1, 1.0)], 5)
    body = kit.lathe(np.array([(0.0, 0.0), *line, (0.0, 1.0)]) * [r, z])
    body += kit.torus(0.9 * r, 0.03 * r, 48, 10).translate((0, 0, 0.13 * z))
    grip = kit.curve([(0.007, 0.0), (0.009, 0.2), (0.013, 0.65), (0.007, 0.85), (0.011, 0.94), (0.0, 1.0)], 5)
    handle = kit.lathe(np.array([(0.0, 0.0), *grip]) * [1.0, long], 28).translate((0, 0, z - 0.004))
    return kit.stood(kit.part(body), kit.part(handle, DARK_WOOD), pieces=[*kit.slices(body, 5), handle.hull()])


BELONGINGS = (
    Category("hat", "household", {"crown": (0.085, 0.1), "brim": (0.14, 0.19), "height": (0.1, 0.13)}, _hat,
             ("fabric", "leather"), ("beige", "red", "teal", "green", "pink", "yellow", "grey", "navy", "white",
             "brown"), "Cinf", density=150),
    Category("boot", "household", {"length": (0.25, 0.3), "shaft": (0.055, 0.065), "height": (0.24, 0.34)}, _boot,
             ("rubber", "leather"), (*LIVELY, "white", "grey", "brown"), front=True, density=300),
    Category("key", "household", {"length": (0.05, 0.075), "bow": (0.015, 0.02), "thickness": (0.005, 0.007)}, _key,
             ("metal",), ("yellow", "grey", "brown", "black"), density=5000),
    Category("dumbbell", "household", {"grip": (0.1, 0.13), "radius": (0.04, 0.065), "plate": (0.04, 0.07)}, _dumbbell,
             ("rubber", "plastic"), LIVELY + PLAIN, "D2", density=3000),
    Category("trophy", "household", {"radius": (0.05, 0.065), "height": (0.2, 0.28), "base": (0.08, 0.1)}, _trophy,
             ("metal",), ("yellow", "grey", "orange"), "C2", density=1500, plural="trophies"),
    Category("padlock", "household", {"width": (0.05, 0.07), "height": (0.045, 0.06), "depth": (0.02, 0.026)},
             _padlock, ("metal", "plastic"), ("yellow", "red", "blue", "green", "black", "purple", "orange"),
             front=True, density=4000),
    Category("suitcase", "household", {"width": (0.34, 0.44), "depth": (0.2, 0.25), "height": (0.46, 0.62)}, _suitcase,
             ("plastic", "metal"), LIVELY + PLAIN, "C2", density=150),
    Category("bell", "household", {"radius": (0.045, 0.06), "height": (0.065, 0.085), "handle": (0.07, 0.09)}, _bell,
             ("metal",), ("yellow", "grey", "orange"), "Cinf", density=3000),
)  # fmt: skip
