"""Food from the baker, the dairy and the snack bar."""

from __future__ import annotations

import math

import numpy as np

from pixelproof.world.solid._category import Category, Form, Paint, Shape
from pixelproof.world.solid._poses import Floats

from . import _kit as kit

GOLDEN = 180.0 * (3 - math.sqrt(5))
"""The turn from seed to seed, in degrees, that strews evenly and never repeats."""
CRUST = Paint("#b8752f", "organic")
CRUMB = Paint("#f0dcae", "organic")
CREAM = Paint("#f6ead2", "ceramic")
CHERRY = Paint("#b3122a", "ceramic")
UP = (0.0, 0.0, 1.0)


def _wedge(angle: float, radius: float, height: float) -> kit.Solid:
    """A piece of a round cake, its tip on the z axis and its middle along +y."""
    turns = np.radians(np.linspace(90 - angle / 2, 90 + angle / 2, 13))
    return kit.extrude([(0.0, 0.0), *np.column_stack([np.cos(turns), np.sin(turns)]) * radius], height)


def _disc(radius: float, height: float, rounding: float, segments: int = 48) -> kit.Solid:
    """A patty: a cylinder on z = 0 with a round rim."""
    corners = [(0.0, 0.0), (radius, 0.0), (radius, height), (0.0, height)]
    return kit.lathe(kit.rounded(corners, rounding, 3, closed=False), segments)


def _bread(form: Form) -> Shape:
    length, half, height = form["length"], form["width"] / 2, form["height"]
    angles = 2 * math.pi * np.arange(48) / 48
    # A cross-section with a flat base and full sides; its size falls off round at both ends.
    waves = (np.cos(angles), 0.72), (np.sin(angles), 0.8)
    full, high = (np.sign(wave) * np.abs(wave) ** power for wave, power in waves)
    rings = []
    for place in np.linspace(-0.995, 0.995, 25):
        size = (1 - abs(place) ** 3.2) ** 0.5
        across, up = full * half * size, (high * 0.5 * (0.35 + 0.65 * size) + 0.5) * height
        rings.append(np.column_stack([np.full(48, place * length / 2), across, up * (0.55 + 0.45 * size)]))
    loaf = kit.skin(rings).trim_by_plane(UP, 0.06 * height)
    cuts = []
    for place in (-0.5, 0.0, 0.5):
        top = (1 - abs(place) ** 3.2) ** 0.5
        leaf = kit.ellipsoid(0.055 * length, 0.72 * half, 0.1 * height, 24).rotate((0.0, 0.0, 28.0))
        cuts.append(leaf.translate((place * length / 2, 0.0, (0.5 * (0.35 + 0.65 * top) + 0.5) * height * (0.55 + 0.45 * top) - 0.03 * height)))  # fmt: skip # noqa: E501
    crumb = kit.join(*cuts) ^ loaf.scale((1.01, 1.02, 1.015))
    return kit.stood(
        kit.part(loaf, CRUST, 60), kit.part(crumb, CRUMB, 60), pieces=[*kit.slices(kit.hull(loaf, crumb), 3, 0)]
    )


def _cheese(form: Form) -> Shape:
    radius, height, angle = form["radius"], form["height"], form["angle"]
    wedge = _wedge(angle, radius, height)
    rind = wedge - kit.cylinder(0.96 * radius, 1.0, segments=96).translate((0.0, 0.0, -0.5))
    side = math.radians(90 - angle / 2)
    edge = np.array([math.cos(side), math.sin(side)]) * radius
    holes = []
    spots = ((0.3, 0.7, 0.18), (0.48, 0.3, 0.26), (0.66, 0.75, 0.2), (0.8, 0.35, 0.22), (0.2, 0.25, 0.14))
    for along, up, size in spots:
        (right, ahead), (left, back) = along * edge, (1.05 - along) * edge
        holes.append(kit.ball(size * height, 20).translate((right, ahead, up * height)))
        holes.append(kit.ball(size * height, 20).translate((-left, back, (1 - up) * height)))
    for x, y, size in ((0.0, 0.42, 0.16), (0.12, 0.68, 0.22), (-0.16, 0.78, 0.18)):
        holes.append(kit.ball(size * height, 20).translate((x * radius, y * radius, height)))
    flesh, wax = Paint("#f0bf3c", "organic"), Paint("#b5301f", "plastic")
    return kit.stood(kit.part(rind, wax), kit.part((wedge - rind) - kit.join(*holes), flesh), pieces=[wedge.hull()])


def _doughnut(form: Form) -> Shape:
    ring, radius = form["ring"], form["radius"]

    def run(at: Floats) -> Floats:
        wave = 0.16 * radius * np.sin(7 * np.arctan2(at[:, 1], at[:, 0])) * (at[:, 2] < 0.2 * radius)
        return np.asarray(at - np.outer(wave, UP))

    dough = kit.torus(ring, radius, sides=16).scale((1.0, 1.0, 0.85))
    icing = kit.torus(ring, 1.05 * radius).scale((1.0, 1.0, 0.87)).trim_by_plane(UP, 0.12 * radius).warp_batch(run)
    ends = [kit.ball(0.0011, 8).translate((x, 0.0, 0.0)) for x in (-0.003, 0.003)]
    sprinkles = []
    for index in range(42):
        lean = 1.5 * (math.sqrt((index + 0.5) / 42) - 0.5)
        spot = (ring + 1.05 * radius * math.sin(lean), 0.0, 0.915 * radius * math.cos(lean))
        rod = kit.hull(*ends).rotate((0.0, 0.0, 137.0 * index)).rotate((0.0, math.degrees(lean), 0.0)).translate(spot)
        sprinkles.append(rod.rotate((0.0, 0.0, GOLDEN * index)))
    strewn = [
        kit.part(kit.join(*sprinkles[k::3]), Paint(colour, "plastic"))
        for k, colour in enumerate(("white", "yellow", "cyan"))
    ]
    return kit.stood(kit.part(icing), kit.part(dough, CRUST), *strewn, pieces=[kit.hull(dough, icing, *sprinkles)])


def _cake(form: Form) -> Shape:
    radius, height, gap_at = form["radius"], form["height"], 295.0
    top, layer = 0.82 * height, 0.8 * height / 3
    gap = _wedge(form["cut"], 1.0, 1.0).rotate((0.0, 0.0, gap_at - 90.0))
    sponge, cream = kit.cylinder(0.97 * radius, 0.77 * layer), kit.cylinder(0.97 * radius, 0.23 * layer)
    sponges = kit.join(*(sponge.translate((0.0, 0.0, k * layer)) for k in range(3))) - gap
    creams = kit.join(*(cream.translate((0.0, 0.0, (k + 0.77) * layer)) for k in range(3))) - gap
    coat = _disc(radius, top, 0.006) - kit.cylinder(0.97 * radius, 0.8 * height) - gap
    rosettes, cherries = [], []
    for k, (x, y) in enumerate(kit.circle(0.8 * radius, 10)):
        if abs((36.0 * k - gap_at + 180.0) % 360.0 - 180.0) > form["cut"] / 2 + 9.0:
            rosettes.append(kit.ellipsoid(0.15 * radius, 0.15 * radius, 0.1 * height, 16).translate((x, y, top)))
            cherries.append(kit.ball(0.085 * radius, 16).translate((x, y, 0.92 * height)))
    return kit.stood(
        kit.part(kit.join(coat, *rosettes)), kit.part(sponges, Paint("#8a5527", "organic")), kit.part(creams, CREAM),
        kit.part(kit.join(*cherries), CHERRY), pieces=[kit.hull(coat, sponges), kit.hull(*rosettes, *cherries)],
    )  # fmt: skip


def _cupcake(form: Form) -> Shape:
    radius, height = form["radius"], form["height"]
    top, angles = 0.5 * height, 2 * math.pi * np.arange(96) / 96
    pleats, lobes = (
        kit.circle(radius, 96) * (1 + depth * np.cos(count * angles))[:, None]
        for count, depth in ((24, 0.035), (8, 0.14))
    )
    liner = kit.swirl(0.72 * pleats, top, 0.0, 1.3)
    dome = kit.curve([(0.9 * radius, -0.004), (0.98 * radius, 0.003), (0.8 * radius, 0.012), (0.0, 0.016)], 5)
    sponge = kit.lathe([(0.0, -0.004), *np.maximum(dome, [0.0, -1.0])]).translate((0.0, 0.0, top))
    icing = kit.swirl(0.8 * lobes, 0.36 * height, 150.0, 0.12, bulge=0.35).translate((0.0, 0.0, top + 0.006))
    cherry = kit.ball(0.17 * radius, 24).translate((0.0, 0.0, height - 0.17 * radius))
    return kit.stood(
        kit.part(icing), kit.part(liner, Paint(material="paper"), 25.0), kit.part(sponge, CRUST),
        kit.part(cherry, CHERRY),
        pieces=[liner.hull(), *kit.slices(icing, 2), sponge.hull(), cherry],
    )  # fmt: skip


def _hamburger(form: Form) -> Shape:
    """Built with a radius of 1 and a height of its ratio."""
    unit = form["height"] / form["radius"] / 10

    def drooping(at: Floats) -> Floats:
        return np.asarray(at - np.outer(14 * unit * np.clip(np.hypot(at[:, 0], at[:, 1]) - 0.9, 0, None) ** 2, UP))

    def frilled(at: Floats) -> Floats:
        edge = np.hypot(at[:, 0], at[:, 1]) > 0.9
        return np.asarray(at + np.outer(0.45 * unit * np.cos(16 * np.arctan2(at[:, 1], at[:, 0])) * edge, UP))

    def raised(level: float, solid: kit.Solid) -> kit.Solid:
        return solid.translate((0.0, 0.0, level * unit))

    dome = kit.curve([(0.93, 0.0), (1.03, 0.9 * unit), (0.8, 3.1 * unit), (0.4, 4.15 * unit), (0.0, 4.4 * unit)], 4)
    buns = _disc(1.0, 2 * unit, 0.8 * unit), raised(5.6, kit.lathe([(0.0, 0.0), *np.maximum(dome, 0.0)]))
    seeds = []
    for out, count in ((0.28, 4), (0.62, 8)):
        seed = kit.ellipsoid(0.05, 0.025, 0.02, 8).rotate((0.0, 56.0 * out, 0.0))
        height = float(np.interp(out, dome[::-1, 0][:15], dome[::-1, 1][:15]))
        seed = raised(5.6, seed.translate((out, 0.0, height)))
        seeds += [seed.rotate((0.0, 0.0, 360.0 * k / count)) for k in range(count)]
    solids = [
        kit.join(*buns),
        raised(2, _disc(1.03, 1.9 * unit, 0.8 * unit)),
        raised(3.9, kit.slab(1.72, 1.72, 0.35 * unit).refine(8).warp_batch(drooping)),
        raised(4.3, kit.cylinder(0.97, 0.7 * unit)),
        raised(5.15, _disc(1.08, 0.4 * unit, 0.15 * unit, 64).warp_batch(frilled)),
        kit.join(*seeds),
    ]
    paints = [
        Paint("#c98a3f", "organic"),
        Paint("#5a3019", "organic"),
        Paint("#f2b632", "plastic"),
        Paint("#cf3324", "ceramic"),
        Paint("#6fb23a", "organic"),
        CREAM,
    ]
    return kit.stood(*map(kit.part, solids, paints), pieces=kit.slices(kit.join(*solids), 2), scale=form["radius"])


def _pizza(form: Form) -> Shape:
    radius, angle = form["radius"], form["angle"]
    base = _wedge(angle, radius, 0.008)
    turns = np.radians(np.linspace(90 - angle / 2, 90 + angle / 2, 15))
    rim = kit.tube(
        np.column_stack([radius * np.cos(turns), radius * np.sin(turns), np.full(15, 0.011)]), 0.011, sides=14
    )
    cheese = (_wedge(0.97 * angle, 0.97 * radius, 0.0025) - kit.cylinder(0.012, 1.0)).translate((0.0, 0.0, 0.0077))
    salami = kit.cylinder(0.085 * radius + 0.003, 0.0025, 0.0008, 24)
    leaf = kit.ellipsoid(0.0075, 0.0035, 0.001, 12)
    rounds = [salami.translate((x * radius, y * radius, 0.0095)) for x, y in ((0.0, 0.42), (0.13, 0.7), (-0.15, 0.78))]
    herbs = [
        leaf.rotate((0.0, 0.0, turn)).translate((x * radius, y * radius, 0.0108))
        for x, y, turn in ((0.05, 0.28, 30.0), (-0.06, 0.57, 120.0), (0.02, 0.86, 75.0), (0.2, 0.87, 20.0))
    ]
    return kit.stood(
        kit.part(base + rim, CRUST), kit.part(cheese, Paint("#f4cd55", "organic")),
        kit.part(kit.join(*rounds), Paint("#b5301f", "organic")),
        kit.part(kit.join(*herbs), Paint("#3f7d2c", "organic")),
        pieces=[kit.hull(base, cheese, *rounds, *herbs), rim.hull()],
    )  # fmt: skip


def _hot_dog(form: Form) -> Shape:
    """Built with a sausage of radius 1."""
    half = form["length"] / form["radius"] / 2

    def capsule(reach: float, radius: float) -> kit.Solid:
        return kit.hull(*(kit.ball(radius, 28).translate((x, 0.0, 0.0)) for x in (radius - reach, reach - radius)))

    bun = kit.join(*(capsule(0.88 * half, 1.15).translate((0.0, y, 0.0)) for y in (-0.95, 0.95))).trim_by_plane(
        UP, -0.8
    )
    sausage = capsule(half, 1.0).translate((0.0, 0.0, 0.62))
    t = np.linspace(-1.0, 1.0, 61)
    y = 0.45 * np.sin(5.5 * math.pi * t)
    mustard = kit.tube(np.column_stack([0.76 * half * t, y, 0.62 + np.sqrt(1.02**2 - y**2)]), 0.13, sides=10)
    return kit.stood(
        kit.part(bun, Paint("#cf9650", "organic")), kit.part(sausage, Paint("#a8452a", "ceramic")),
        kit.part(mustard, Paint("#f0c419", "ceramic")), pieces=[bun.hull(), kit.hull(sausage, mustard)],
        scale=form["radius"],
    )  # fmt: skip


def _egg_cup(form: Form) -> Shape:
    radius, height = form["radius"], form["height"]
    cup = kit.curve([(0.85, 0.05), (0.3, 0.28), (0.34, 0.4), (0.95, 0.62), (1.08, 0.9)], 5)
    body = kit.lathe([(0.0, 0.0), (0.85, 0.0), *cup, (0.98, 0.9), (0.0, 0.8)]).scale((radius, radius, height))
    line = kit.curve(
        [(0.0, 0.0), (0.5, 0.06), (0.92, 0.25), (0.98, 0.47), (0.84, 0.78), (0.5, 1.09), (0.2, 1.21), (0.0, 1.22)], 4
    )
    egg = kit.lathe(np.maximum(line, 0.0) * [radius, 2 * radius]).translate((0.0, 0.0, 0.5 * height))
    pieces = [*kit.cut(body, [0.4 * height]), egg.hull()]
    return kit.stood(kit.part(body), kit.part(egg, Paint("#e9c9a4", "organic")), pieces=pieces)


ICINGS = ("pink", "white", "brown", "yellow", "lime", "cyan", "purple")

CATEGORIES = (
    Category("bread loaf", "food", {"length": (0.2, 0.27), "width": (0.095, 0.115), "height": (0.09, 0.115)}, _bread,
             ("organic",), symmetry="C2", density=300.0, plural="bread loaves"),
    Category("cheese wedge", "food", {"radius": (0.1, 0.14), "height": (0.045, 0.07), "angle": (38.0, 55.0)}, _cheese,
             ("organic",), density=1000.0),
    Category("doughnut", "food", {"ring": (0.028, 0.034), "radius": (0.015, 0.019)}, _doughnut, ("ceramic",), ICINGS,
             density=400.0),
    Category("cake", "food", {"radius": (0.085, 0.12), "height": (0.09, 0.12), "cut": (40.0, 70.0)}, _cake,
             ("ceramic",), ICINGS, density=400.0),
    Category("cupcake", "food", {"height": (0.075, 0.1), "radius": (0.034, 0.042)}, _cupcake, ("ceramic",), ICINGS,
             "C8", density=400.0),
    Category("hamburger", "food", {"radius": (0.045, 0.058), "height": (0.07, 0.09)}, _hamburger, ("organic",),
             symmetry="C4"),
    Category("pizza slice", "food", {"radius": (0.15, 0.2), "angle": (38.0, 50.0)}, _pizza, ("organic",),
             density=600.0),
    Category("hot dog", "food", {"length": (0.15, 0.19), "radius": (0.014, 0.018)}, _hot_dog, ("organic",),
             symmetry="C2", density=600.0),
    Category("egg cup", "food", {"radius": (0.022, 0.026), "height": (0.05, 0.065)}, _egg_cup,
             ("ceramic", "wooden", "plastic"), ("white", "red", "orange", "yellow", "green", "teal", "blue", "pink"),
             "Cinf", density=800.0),
)  # fmt: skip
"""Ready to eat."""
