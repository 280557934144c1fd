"""Belongings: what people wear, carry, win and train with."""

from __future__ import annotations

import math

import numpy as np

from pixelproof.world.solid._category import Category, Form, Paint, Shape
from pixelproof.world.solid._poses import Floats

from . import _kit as kit
from ._palette import DARK_WOOD, LIVELY, PLAIN, RUBBER, STEEL


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


CATEGORIES = (
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
