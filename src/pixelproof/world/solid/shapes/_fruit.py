"""Fruit and vegetables, in the colours that they grow in."""

from __future__ import annotations

import math

import numpy as np

from pixelproof.world.solid._category import Category, Form, Paint, Shape
from pixelproof.world.solid._poses import Floats

from . import _kit as kit

STALK = Paint("#5b4326", "organic")
LEAF = Paint("#3f7d2c", "organic")


def _round(profile: kit.Points, radius: float, height: float, segments: int = 48, steps: int = 5) -> kit.Solid:
    """A solid of revolution with a smooth profile, given in shares of its radius and its height."""
    return kit.lathe(np.maximum(kit.curve(profile, steps), [0.0, -1.0]) * [radius, height], segments)


def _leaf(length: float, width: float) -> kit.Solid:
    """A leaf from the origin along +x, folded along its rib and arched."""
    rings = []
    for t in np.linspace(0.02, 1.0, 9):
        half = width / 2 * math.sin(math.pi * t**0.8) + 0.01 * width
        x, z, thick = t * length, 0.4 * length * (t - t**2), 0.02 * length
        edge = z + 0.25 * half
        rings.append([(x, -half, edge), (x, 0.0, z - thick), (x, half, edge), (x, 0.0, z + thick)])
    return kit.skin(rings)


def _stalk(low: float, high: float, radius: float, lean: float) -> kit.Solid:
    path = kit.curve([(0.0, 0.0, low), (0.15 * lean, 0.0, (low + high) / 2), (lean, 0.0, high)], 4)
    return kit.tube(path, np.linspace(radius * 0.8, radius * 1.2, len(path)), sides=10)


def _apple(form: Form) -> Shape:
    radius, height = form["radius"], form["radius"] * form["height"]
    profile = [
        (0.0, 0.07),
        (0.14, 0.035),
        (0.33, 0.0),
        (0.62, 0.08),
        (0.88, 0.27),
        (1.0, 0.56),
        (0.9, 0.84),
        (0.62, 1.0),
        (0.36, 1.0),
        (0.14, 0.9),
        (0.0, 0.82),
    ]
    body = _round(profile, radius, height, steps=4)
    stalk = _stalk(0.78 * height, height + 0.25 * radius, 0.042 * radius, 0.1 * radius)
    leaf = _leaf(0.75 * radius, 0.36 * radius).rotate((0.0, -20.0, 35.0)).translate((0.0, 0.0, 1.02 * height))
    return kit.stood(
        kit.part(body), kit.part(stalk, STALK), kit.part(leaf, LEAF, 60.0), pieces=[body.hull(), kit.hull(stalk, leaf)]
    )


def _pear(form: Form) -> Shape:
    radius, height = form["radius"], form["height"]
    profile = [
        (0.0, 0.04),
        (0.25, 0.0),
        (0.7, 0.08),
        (1.0, 0.32),
        (0.78, 0.6),
        (0.45, 0.78),
        (0.36, 0.92),
        (0.17, 1.0),
        (0.0, 0.985),
    ]
    body = _round(profile, radius, height, steps=4)
    stalk = _stalk(0.95 * height, 1.17 * height, 0.05 * radius, 0.2 * radius)
    leaf = _leaf(0.75 * radius, 0.36 * radius).rotate((0.0, -20.0, 35.0)).translate((0.0, 0.0, 1.02 * height))
    pieces = [*kit.cut(body, [0.6 * height]), kit.hull(stalk, leaf)]
    return kit.stood(kit.part(body), kit.part(stalk, STALK), kit.part(leaf, LEAF, 60.0), pieces=pieces)


def _orange(form: Form) -> Shape:
    radius = form["radius"]
    body = kit.ellipsoid(radius, radius, 0.95 * radius, 40)
    calyx = _round([(0.12, 0.9), (0.11, 0.965), (0.05, 0.97), (0.045, 1.0), (0.0, 1.0)], radius, radius, 24, 3)
    return kit.stood(kit.part(body, Paint("#ee8322", "organic")), kit.part(calyx, LEAF), pieces=[body, calyx.hull()])


def _lemon(form: Form) -> Shape:
    half = [(0.0, 0.0), (0.14, 0.004), (0.24, 0.05), (0.55, 0.14), (0.9, 0.32)]
    profile = [*half, (1.0, 0.5), *((r, 1 - z) for r, z in half[::-1])]
    body = _round(profile, form["radius"], form["length"], steps=4).rotate((0.0, 90.0, 0.0))
    return kit.stood(kit.part(body, Paint("#f3d52f", "organic")))


def _banana(form: Form) -> Shape:
    bend, count = math.radians(form["bend"]), 25
    angles = np.linspace(-bend / 2, bend / 2, count)
    line = np.column_stack([np.sin(angles), np.cos(angles), np.zeros(count)]) * form["length"] / bend
    radii = (
        form["thickness"]
        / 2
        * np.interp(
            np.linspace(0.0, 1.0, count),
            [0, 0.03, 0.06, 0.16, 0.32, 0.5, 0.72, 0.86, 0.93, 0.97, 1.0],
            [0.2, 0.3, 0.42, 0.82, 0.98, 1.0, 0.95, 0.72, 0.36, 0.3, 0.32],
        )
    )
    tips = [
        kit.tube([end + 0.2 * way, end - 0.12 * way], 1.06 * radius, sides=10)
        for end, way, radius in ((line[0], line[1] - line[0], radii[0]), (line[-1], line[-2] - line[-1], radii[-1]))
    ]
    pieces = [kit.tube(line[k : k + 7], radii[k : k + 7], sides=10).hull() for k in range(0, count - 1, 6)]
    return kit.stood(
        kit.part(kit.tube(line, radii, sides=10), Paint("#f2cf3b", "organic"), 30.0), kit.part(kit.join(*tips), STALK),
        pieces=[*pieces, *tips],
    )  # fmt: skip


def _carrot(form: Form) -> Shape:
    length, radius = form["length"], form["radius"]
    profile = [
        (0.0, 0.0),
        (0.1, 0.01),
        (0.3, 0.14),
        (0.62, 0.45),
        (0.92, 0.82),
        (1.0, 0.94),
        (0.75, 0.995),
        (0.25, 1.0),
        (0.0, 0.985),
    ]

    def ringed(at: Floats) -> Floats:
        return np.asarray(at * (1 + np.outer(0.025 * np.sin(70 * at[:, 2] / length) ** 3, (1.0, 1.0, 0.0))))

    root, greens = _round(profile, radius, length, 40).warp_batch(ringed), []
    for index in range(7):
        out = np.array([math.cos(2.4 * index), math.sin(2.4 * index), 0.0]) * radius
        spread, tip = 0.35 + 0.17 * (index % 3), 1.24 + 0.05 * (index % 3)
        path = kit.curve(
            [0.2 * out + [0, 0, 0.97 * length], 0.35 * out + [0, 0, 1.1 * length], spread * out + [0, 0, tip * length]],
            3,
        )
        tuft = kit.ellipsoid(0.22 * radius, 0.22 * radius, 0.45 * radius, 12).translate(tuple(path[-1]))
        greens += [kit.tube(path, np.linspace(0.08, 0.18, len(path)) * radius, sides=8), tuft]
    root, green = kit.laid(*(solid.rotate((0.0, 85.0, 0.0)) for solid in (root, kit.join(*greens))))
    return kit.stood(
        kit.part(root, Paint("#e8761f", "organic")), kit.part(green, LEAF), pieces=[root.hull(), green.hull()]
    )  # fmt: skip


def _pumpkin(form: Form) -> Shape:
    radius, height = form["radius"], form["radius"] * form["height"]
    profile = [
        (0.0, 0.1),
        (0.2, 0.03),
        (0.45, 0.0),
        (0.82, 0.14),
        (1.0, 0.5),
        (0.84, 0.86),
        (0.5, 1.0),
        (0.22, 0.95),
        (0.0, 0.86),
    ]

    def ribbed(at: Floats) -> Floats:
        furrow = np.abs(np.cos(5 * np.arctan2(at[:, 1], at[:, 0]))) ** 6
        return np.asarray(at * (1 - np.outer(0.11 * furrow, (1.0, 1.0, 0.0))))

    body = _round(profile, radius, height, 80, 4).warp_batch(ribbed)
    path = kit.curve([(0.0, 0.0, -0.2), (0.0, 0.0, 0.0), (0.06, 0.0, 0.12), (0.24, 0.0, 0.22)], 4)
    stalk = kit.tube(path * radius + [0.0, 0.0, height], np.linspace(0.17, 0.09, len(path)) * radius, sides=10)
    green = Paint("#66702f", "organic")
    return kit.stood(kit.part(body), kit.part(stalk, green, 25.0), pieces=[body.hull(), stalk.hull()])


def _tomato(form: Form) -> Shape:
    radius, height = form["radius"], form["radius"] * form["height"]
    profile = [(0.0, 0.03), (0.35, 0.0), (0.8, 0.17), (1.0, 0.52), (0.84, 0.86), (0.5, 1.0), (0.22, 0.98), (0.0, 0.9)]
    body = _round(profile, radius, height, steps=4)
    leaf = _leaf(0.75 * radius, 0.22 * radius).rotate((0.0, 2.0, 0.0)).translate((0.0, 0.0, 0.98 * height))
    stem = kit.cylinder(0.06 * radius, 0.16 * height + 0.1 * radius, segments=12).translate((0.0, 0.0, 0.9 * height))
    green = kit.join(stem, *(leaf.rotate((0.0, 0.0, 60.0 * k)) for k in range(6)))
    return kit.stood(kit.part(body), kit.part(green, LEAF, 60.0), pieces=[body.hull(), green.hull()])


def _aubergine(form: Form) -> Shape:
    length, radius = form["length"], form["radius"]
    profile = [
        (0.0, 0.0),
        (0.5, 0.02),
        (0.92, 0.14),
        (1.0, 0.3),
        (0.8, 0.58),
        (0.55, 0.8),
        (0.44, 0.92),
        (0.2, 0.99),
        (0.0, 1.0),
    ]
    body = _round(profile, radius, length, steps=4)
    hood = np.array([(0.0, 0.86), (0.5, 0.88), (0.48, 0.95), (0.28, 1.0), (0.12, 1.03), (0.1, 1.12), (0.0, 1.12)])

    def pointed(at: Floats) -> Floats:
        edge = np.hypot(at[:, 0], at[:, 1]) > 0.45 * radius
        drop = 0.05 * length * np.cos(5 * np.arctan2(at[:, 1], at[:, 0])) * edge
        return np.asarray(at - np.outer(drop, (0.0, 0.0, 1.0)))

    cap = kit.lathe(hood * [radius, length], 40).warp_batch(pointed)
    body, cap = kit.laid(*(solid.rotate((0.0, 95.0, 0.0)) for solid in (body, cap)))
    purple = Paint("#3d1f4d", "ceramic")
    return kit.stood(kit.part(body, purple), kit.part(cap, LEAF), pieces=[*kit.slices(body, 3, axis=0), cap.hull()])


def _pineapple(form: Form) -> Shape:
    height, radius = 0.62 * form["height"], form["radius"]
    profile = kit.curve([(0.0, 0.0), (0.6, 0.0), (0.9, 0.14), (1.0, 0.45), (0.88, 0.82), (0.6, 0.98), (0.0, 1.0)], 2)
    eyes = []
    for row in range(6):
        z = (row + 0.75) / 6.6
        wide = float(np.interp(z, profile[:, 1], profile[:, 0])) * radius
        eye = kit.cone(0.4 * wide, 0.16 * wide, 0.06 * wide, 4).rotate((0.0, 90.0, 0.0))
        eye = eye.translate((0.94 * wide, 0.0, z * height))
        eyes += [eye.rotate((0.0, 0.0, 45.0 * (k + 0.5 * (row % 2)))) for k in range(8)]
    fruit = kit.join(kit.lathe(np.maximum(profile, 0.0) * [radius, height], 24), *eyes)
    crown = []
    for ring, (count, lean, size) in enumerate(((8, 28.0, 0.26), (8, 52.0, 0.34), (4, 76.0, 0.42))):
        leaf = _leaf(size * form["height"], 0.32 * radius).rotate((0.0, -lean, 0.0))
        crown += [leaf.rotate((0.0, 0.0, (k + ring / 2) * 360.0 / count)) for k in range(count)]
    green = kit.join(*crown).translate((0.0, 0.0, 0.97 * height))
    gold = Paint("#c98a2b", "organic")
    return kit.stood(kit.part(fruit, gold, 20.0), kit.part(green, LEAF, 60.0), pieces=[fruit.hull(), green.hull()])


def _mushroom(form: Form) -> Shape:
    radius, height = form["radius"], form["height"]
    foot = kit.curve([(0.46, 0.0), (0.36, 0.3), (0.34, 0.6)], 5) * [radius, height]
    stem = kit.lathe([(0.0, 0.0), *foot, (0.0, 0.6 * height)])
    dome = kit.curve([(0.88, 0.45), (1.0, 0.52), (0.92, 0.72), (0.55, 0.95), (0.0, 1.0)], 6) * [radius, height]
    cap = kit.lathe([(0.0, 0.52 * height), (0.3 * radius, 0.52 * height), *np.maximum(dome, 0.0)])
    return kit.stood(kit.part(cap), kit.part(stem, Paint("#eee2c8", "organic")), pieces=[cap.hull(), stem.hull()])


def _watermelon_slice(form: Form) -> Shape:
    radius, thick = form["radius"], form["thickness"]
    turns = np.linspace(math.pi, 2 * math.pi, 33)
    arc = np.column_stack([np.cos(turns), np.sin(turns)]) * radius
    layers = [
        kit.extrude([*arc, *arc[::-1] * 0.93], thick),
        kit.extrude([*arc * 0.93, *arc[::-1] * 0.88], thick),
        kit.extrude(arc * 0.88, thick),
    ]
    seeds = []
    for share, count in ((0.42, 4), (0.68, 7)):
        for k in range(count):
            turn = 180.0 * (1 + (k + 0.5) / count)
            seed = kit.extrude(kit.circle(0.03 * radius, 12, 0.55), thick + 0.002, 0.0006)  # through to the other side
            seeds.append(seed.translate((share * radius, 0.0, -0.001)).rotate((0.0, 0.0, turn)))
    solids = [solid.rotate((90.0, 0.0, 0.0)) for solid in (*layers, kit.join(*seeds))]
    paints = [Paint(colour, "organic") for colour in ("#2f6b2a", "#dfe8b8", "#dd3b3b", "#2b1a12")]
    return kit.stood(*map(kit.part, solids, paints), pieces=[kit.hull(*solids)])


def _strawberry(form: Form) -> Shape:
    radius, height = form["radius"], form["height"]
    profile = [(0.0, 0.0), (0.25, 0.03), (0.62, 0.3), (0.95, 0.68), (0.92, 0.88), (0.55, 1.0), (0.0, 0.97)]
    flank = kit.curve(profile, 5)[:22]
    seeds = []
    for row, (z, count) in enumerate(((0.16, 4), (0.32, 8), (0.48, 8), (0.64, 12), (0.8, 12))):
        wide = float(np.interp(z, flank[:, 1], flank[:, 0])) * radius
        seed = kit.ellipsoid(0.05 * radius, 0.05 * radius, 0.08 * radius, 8).translate((wide, 0.0, z * height))
        seeds += [seed.rotate((0.0, 0.0, 360.0 * (k + 0.5 * (row % 2)) / count)) for k in range(count)]
    leaf = _leaf(1.05 * radius, 0.45 * radius).rotate((0.0, 12.0, 0.0)).translate((0.0, 0.0, 1.01 * height))
    stem = kit.cylinder(0.09 * radius, 0.45 * radius, segments=12).translate((0.0, 0.0, 0.98 * height))
    green = kit.join(stem, *(leaf.rotate((0.0, 0.0, 60.0 * k)) for k in range(6)))
    solids = [_round(profile, radius, height, steps=4), kit.join(*seeds), green]
    solids = kit.laid(*(solid.rotate((0.0, 105.0, 0.0)) for solid in solids))
    paints = [Paint("#d3202a", "organic"), Paint("#ecd06a", "organic"), LEAF]
    parts = [kit.part(solid, paint, 60.0) for solid, paint in zip(solids, paints, strict=True)]
    return kit.stood(*parts, pieces=[kit.hull(solids[0], solids[1]), solids[2].hull()])


CATEGORIES = (
    Category("apple", "food", {"radius": (0.034, 0.044), "height": (1.65, 1.95)}, _apple, ("organic",),
             ("red", "green", "yellow"), density=800.0),
    Category("pear", "food", {"height": (0.085, 0.105), "radius": (0.033, 0.04)}, _pear, ("organic",),
             ("green", "yellow", "lime"), density=900.0),
    Category("orange", "food", {"radius": (0.034, 0.045)}, _orange, ("organic",), symmetry="Cinf", density=850.0),
    Category("lemon", "food", {"length": (0.085, 0.105), "radius": (0.027, 0.033)}, _lemon, ("organic",),
             symmetry="D2", density=900.0),
    Category("banana", "food", {"length": (0.17, 0.22), "thickness": (0.034, 0.042), "bend": (70.0, 100.0)}, _banana,
             ("organic",), density=900.0),
    Category("carrot", "food", {"length": (0.14, 0.19), "radius": (0.016, 0.021)}, _carrot, ("organic",),
             density=950.0),
    Category("pumpkin", "food", {"radius": (0.09, 0.14), "height": (1.2, 1.55)}, _pumpkin, ("organic",),
             ("orange", "beige", "white"), density=500.0),
    Category("tomato", "food", {"radius": (0.03, 0.042), "height": (1.45, 1.75)}, _tomato, ("ceramic",),
             ("red", "orange", "yellow"), "C6", density=950.0, plural="tomatoes"),
    Category("aubergine", "food", {"length": (0.17, 0.22), "radius": (0.038, 0.048)}, _aubergine, ("organic",),
             density=600.0),
    Category("pineapple", "food", {"height": (0.26, 0.32), "radius": (0.055, 0.068)}, _pineapple, ("organic",),
             symmetry="C4", density=800.0),
    Category("mushroom", "food", {"height": (0.05, 0.075), "radius": (0.026, 0.04)}, _mushroom, ("organic",),
             ("brown", "beige", "white", "red"), "Cinf"),
    Category("watermelon slice", "food", {"radius": (0.1, 0.14), "thickness": (0.022, 0.034)}, _watermelon_slice,
             ("organic",), symmetry="C2", density=900.0),
    Category("strawberry", "food", {"height": (0.036, 0.05), "radius": (0.016, 0.021)}, _strawberry, ("organic",),
             density=900.0, plural="strawberries"),
)  # fmt: skip
"""Of the greengrocer."""
