"""Toy vehicles. Each is built with a length of 10 (the rocket: a height) along its way and then scaled to metres."""

from __future__ import annotations

import math

import numpy as np

from pixelproof.world.solid._category import Category, Form, Paint, Shape

from . import _kit as kit
from ._common import ANY, RED, RUBBER, STEEL, TOY_WOOD

BRASS = Paint("yellow", "metal")
YELLOW = Paint("yellow", "plastic")
GLASS = Paint("#22303f", "ceramic")


def _wheels(radius: float, width: float, x: float, ys: tuple[float, ...]) -> tuple[list[kit.Solid], list[kit.Solid]]:
    """Tyres that stand on z = 0 at ±x and along ys, and their hubs."""

    def disc(radius: float, width: float, bevel: float, segments: int) -> kit.Solid:
        return (
            kit.cylinder(radius, width, bevel, segments).rotate((0.0, 90.0, 0.0)).translate((x - width / 2, 0.0, 0.0))
        )

    tyre, hub = disc(radius, width, 0.2 * width, 28), disc(0.5 * radius, 1.08 * width, 0.0, 20)
    return tuple([side for y in ys for side in kit.both(solid.translate((0.0, y, radius)))] for solid in (tyre, hub))  # type: ignore[return-value]


def _ahead(radius: float, length: float, bevel: float = 0.0, segments: int = 40) -> kit.Solid:
    """A cylinder from the origin along the way, -y."""
    return kit.cylinder(radius, length, bevel, segments).rotate((90.0, 0.0, 0.0))


def _car(form: Form) -> Shape:
    width, height = form["width"], form["height"]
    wheel, deck, back = 0.25 * height, 0.58 * height, 0.3 + form["cabin"]
    body = kit.slab(width, 10.0, deck - 0.6 * wheel, 0.3 * wheel + 0.35).translate((0.0, 0.0, 0.6 * wheel))
    sill = kit.slab(0.84 * width, 6.0, 0.5, 0.2).translate((0.0, back, deck - 0.3))
    top = kit.slab(0.68 * width, 3.4, 0.4, 0.19).translate((0.0, back + 0.3, height - 0.55))
    glass = kit.hull(sill, top)
    roof = kit.slab(0.7 * width, 3.6, 0.6, 0.25).translate((0.0, back + 0.3, height - 0.6))
    post = kit.hull(
        kit.slab(0.2, 0.6, 0.1).translate((0.41 * width, back + 0.3, deck - 0.1)),
        kit.slab(0.2, 0.5, 0.1).translate((0.34 * width, back + 0.3, height - 0.4)),
    )
    axles = (-2.9, 2.9)
    tyres, hubs = _wheels(wheel, 0.17 * width, 0.44 * width, axles)
    arch = kit.cylinder(1.18 * wheel, 2 * width, segments=32).rotate((0.0, 90.0, 0.0)).translate((-width, 0.0, wheel))
    core = kit.slab(0.66 * width, 9.0, deck - wheel).translate((0.0, 0.0, 0.8 * wheel))
    shell = kit.join((body - kit.join(*(arch.translate((0.0, y, 0.0)) for y in axles))), core, roof, *kit.both(post))
    lamps = kit.both(kit.ellipsoid(0.1 * width, 0.3, 0.09 * width, 16).translate((0.31 * width, -4.9, 0.76 * deck)))
    rears = kit.both(kit.slab(0.2 * width, 0.4, 0.08 * width, 0.1).translate((0.31 * width, 4.88, 0.72 * deck)))
    return kit.stood(
        kit.part(shell), kit.part(glass, GLASS), kit.part(kit.join(*tyres), RUBBER), kit.part(kit.join(*hubs), STEEL),
        kit.part(kit.join(*lamps), Paint("white", "ceramic")), kit.part(kit.join(*rears), RED),
        pieces=[kit.join(body, *lamps, *rears).hull(), kit.join(glass, roof, *kit.both(post)).hull(),
                *((tyre + hub).hull() for tyre, hub in zip(tyres, hubs, strict=True))],
        scale=form["length"] / 10,
    )  # fmt: skip


def _train(form: Form) -> Shape:
    width = form["width"]
    floor, radius = 0.55 * width, 0.36 * width
    axis, crown = floor + 0.92 * radius, floor + 1.9 * radius
    frame = kit.slab(0.8 * width, 10.0, 0.16 * width, 0.03 * width).translate((0.0, 0.0, floor - 0.16 * width))
    boiler = _ahead(radius, 6.6, 0.12).translate((0.0, 2.0, axis))
    stack = kit.lathe([(0.0, 0.0), (0.13, 0.0), (0.12, 0.25), (0.2, 0.42), (0.2, 0.47), (0.0, 0.47)], 28)
    stack = stack.scale((width, width, width)).translate((0.0, -3.2, crown - 0.1))
    dome = kit.ellipsoid(0.15 * width, 0.15 * width, 0.2 * width, 20).translate((0.0, -0.6, crown))
    cab = kit.slab(0.86 * width, 3.2, 1.15 * width, 0.02 * width).translate((0.0, 3.3, floor - 0.1))
    sill = floor + 0.6 * width
    panes = [
        kit.slab(0.87 * width, 1.7, 0.36 * width).translate((0.0, 3.3, sill)),
        *kit.both(kit.slab(0.24 * width, 3.3, 0.34 * width).translate((0.24 * width, 3.3, sill))),
    ]
    roof = kit.slab(width, 4.0, 0.1 * width, 0.045 * width).translate((0.0, 3.3, floor + 1.1 * width))
    bands = [_ahead(1.03 * radius, 0.2).translate((0.0, y, axis)) for y in (-1.8, 0.6)]
    lamp = _ahead(0.1 * width, 0.2, 0.03, 20).translate((0.0, -4.5, axis))
    plough = kit.hull(
        kit.slab(0.78 * width, 0.1, 0.06 * width).translate((0.0, -5.6, 0.12 * width)),
        kit.slab(0.7 * width, 0.2, 0.06 * width).translate((0.0, -4.9, 0.36 * width)),
    )
    tyres, hubs = _wheels(0.25 * width, 0.14 * width, 0.36 * width, (-3.0, 0.0, 3.0))
    return kit.stood(
        kit.part(boiler + cab), kit.part(kit.join(frame, stack, roof), Paint("black", "plastic")),
        kit.part(kit.join(dome, lamp, *bands, *hubs), BRASS), kit.part(kit.join(*panes), GLASS),
        kit.part(kit.join(plough, *tyres), RED),
        pieces=[frame.hull(), kit.join(boiler, lamp, *bands).hull(), stack.hull(), dome,
            kit.join(cab, roof, *panes).hull(),
                plough, *((tyre + hub).hull() for tyre, hub in zip(tyres, hubs, strict=True))],
        scale=form["length"] / 10,
    )  # fmt: skip


def _boat(form: Form) -> Shape:
    mast, depth = form["mast"], 2.6
    section = np.array([(-0.3, 0.0), (0.3, 0.0), (0.86, 0.4), (1.0, 1.0), (-1.0, 1.0), (-0.86, 0.4)])
    rings = []
    for t in np.linspace(0.0, 1.0, 15):
        taper = math.sqrt(max(1 - max(0.0, (t - 0.35) / 0.65) ** 2.2, 0.0004))
        half = form["beam"] / 2 * min(1.0, 0.8 + 0.6 * t) * taper
        low, high = 0.28 * depth * max(0.0, (t - 0.7) / 0.3) ** 2, depth * (0.86 + 0.3 * (t - 0.4) ** 2)
        rings.append([(x * half, 5.0 - 10.0 * t, low + z * (high - low)) for x, z in section])
    hulk, floor = kit.skin(rings), 0.88 * depth
    deck = hulk.scale((0.88, 0.92, 0.04)).translate((0.0, 0.0, 0.86 * depth))
    pole = kit.cylinder(0.14, mast, 0.02, 16).translate((0.0, 0.0, floor))
    boom = kit.tube([(0.0, 0.0, floor + 0.12 * mast), (0.0, 4.2, floor + 0.12 * mast)], 0.1, sides=10)

    def sheet(*corners: tuple[float, float], thick: float) -> kit.Solid:
        """A thin plate in the plane of the keel, through corners (y, z) above the deck."""
        return kit.extrude(corners, thick).translate((0.0, 0.0, -thick / 2)).rotate((90.0, 0.0, 90.0)).translate(
            (0.0, 0.0, floor))  # fmt: skip

    sails = [
        sheet((0.2, 0.13 * mast), (4.0, 0.13 * mast), (0.2, 0.97 * mast), thick=0.4),
        sheet((-0.3, 0.14 * mast), (-0.3, 0.86 * mast), (-3.6, 0.14 * mast), thick=0.4),
    ]
    flag = sheet((0.0, mast - 0.62), (1.2, mast - 0.32), (0.0, mast - 0.02), thick=0.2)
    return kit.stood(
        kit.part(hulk, crease=50.0), kit.part(kit.join(deck, pole, boom), TOY_WOOD),
        kit.part(sails[0], Paint("white", "fabric")),
        kit.part(sails[1], Paint(material="fabric")), kit.part(flag, RED),
        pieces=[hulk.hull(), deck.hull(), pole, boom, flag, *sails],
        scale=form["length"] / 10,
    )  # fmt: skip


def _plane(form: Form) -> Shape:
    span, axis = form["span"], 2.0

    def blade(half: float, depth: float, thick: float) -> kit.Solid:
        outline = [(-half, 0.0), (half, 0.0), (half, depth), (-half, depth)]
        return kit.extrude(kit.rounded(outline, 0.35 * depth, 5), thick, 0.27 * thick)

    line = kit.curve([(0.0, 0.0), (0.7, 0.2), (1.0, 1.5), (1.0, 4.0), (0.7, 7.0), (0.3, 9.7), (0.0, 10.0)], 5)
    body = kit.lathe(np.maximum(line, 0.0), 36).rotate((-90.0, 0.0, 0.0)).translate((0.0, -5.0, axis))
    wing = blade(span / 2, 1.9, 0.3).translate((0.0, -2.5, axis - 0.45))
    tail = blade(0.19 * span, 1.2, 0.22).translate((0.0, 3.6, axis))
    fin = kit.extrude(kit.rounded([(3.3, 0.2), (5.0, 0.2), (5.0, 2.2), (4.3, 2.2)], 0.2), 0.22, 0.06)
    fin = fin.translate((0.0, 0.0, -0.11)).rotate((90.0, 0.0, 90.0)).translate((0.0, 0.0, axis))
    pane = kit.ellipsoid(0.62, 1.0, 0.9, 24).translate((0.0, -1.7, axis + 0.7))
    oar = kit.ellipsoid(0.16, 0.08, 1.5, 20)
    screw = (oar + oar.rotate((0.0, 90.0, 0.0))).translate((0.0, -5.2, axis))
    spinner = kit.ball(0.4, 20).translate((0.0, -5.15, axis))
    tyres, hubs = _wheels(0.55, 0.3, 1.3, (-2.2,))
    legs = kit.both(kit.tube([(1.2, -2.2, 0.55), (0.7, -2.0, axis - 0.4)], 0.09, sides=10))
    skid = kit.tube([(0.0, 3.6, axis - 0.3), (0.0, 4.0, 0.2)], 0.12, sides=10) + kit.ball(0.2, 16).translate(
        (0.0, 4.0, 0.2)
    )
    return kit.stood(
        kit.part(body + fin), kit.part(wing + tail, YELLOW), kit.part(pane, GLASS),
        kit.part(kit.join(screw, skid, *legs), STEEL),
        kit.part(kit.join(spinner, *hubs), RED), kit.part(kit.join(*tyres), RUBBER),
        pieces=[body.hull(), fin, wing, tail, pane, (screw + spinner).hull(), *legs, skid.hull(),
                *((tyre + hub).hull() for tyre, hub in zip(tyres, hubs, strict=True))],
        scale=form["length"] / 10,
    )  # fmt: skip


def _rocket(form: Form) -> Shape:
    radius, foot = form["radius"], 1.4
    line = kit.curve([(0.62, 0.0), (0.9, 0.2), (1.0, 0.42), (0.86, 0.68), (0.0, 1.0)], 7) * [radius, 8.4] + [0.0, foot]
    line = np.maximum(line, 0.0)
    body, shell = kit.lathe([(0.0, foot), *line]), kit.lathe([(0.0, foot), *(line + 0.03), (0.0, 9.83)])
    nose = shell.trim_by_plane((0.0, 0.0, 1.0), 7.6)
    outline = [
        (0.5 * radius, 1.3),
        (0.85 * radius, 3.6),
        (1.45 * radius, 2.1),
        (1.75 * radius, 0.0),
        (1.5 * radius, 0.0),
    ]
    fin = kit.extrude(kit.rounded(outline, 0.35), 0.16 * radius, 0.03 * radius).translate((0.0, 0.0, -0.08 * radius))
    fins = [fin.rotate((90.0, 0.0, 45.0 + 90.0 * k)) for k in range(4)]
    nozzle = kit.cone(0.55 * radius, 0.84, 0.4 * radius).translate((0.0, 0.0, 0.7))
    window = (0.0, -0.96 * radius, 5.6)
    pane = kit.ball(0.34 * radius, 28).scale((1.0, 0.35, 1.0)).translate(window)
    frame = kit.torus(0.36 * radius, 0.09 * radius, 28, 12).rotate((90.0, 0.0, 0.0)).translate(window)
    return kit.stood(
        kit.part(body), kit.part(kit.join(nose, *fins), RED), kit.part(nozzle + frame, STEEL),
        kit.part(pane, Paint("cyan", "ceramic")),
        pieces=[(body + nozzle).hull(), nose.hull(), *(fin.hull() for fin in fins), (pane + frame).hull()],
        scale=form["height"] / 10,
    )  # fmt: skip


CATEGORIES = (
    Category("toy car", "toys", {"length": (0.11, 0.16), "width": (4.6, 5.4), "height": (3.6, 4.4),
             "cabin": (0.0, 1.0)}, _car, ("plastic", "metal", "wooden"), ANY, front=True),
    Category("toy train", "toys", {"length": (0.14, 0.19), "width": (3.6, 4.2)}, _train,
             ("plastic", "metal", "wooden"), ANY, front=True),
    Category("toy boat", "toys", {"length": (0.13, 0.18), "beam": (3.4, 4.2), "mast": (8.5, 10.5)}, _boat,
             ("plastic", "wooden"), ANY, front=True, density=400.0),
    Category("toy plane", "toys", {"length": (0.15, 0.2), "span": (9.5, 11.5)}, _plane,
             ("plastic", "wooden", "metal"), ANY, front=True, density=400.0),
    Category("toy rocket", "toys", {"height": (0.16, 0.24), "radius": (1.3, 1.7)}, _rocket, ("plastic", "metal"), ANY,
             front=True, density=400.0),
)  # fmt: skip
"""Of the toy garage."""
