"""What one eats and drinks from, and with."""

from __future__ import annotations

import math

import numpy as np

from pixelproof.world.solid._category import Category, Form, Paint, Shape, Surface
from pixelproof.world.solid._poses import Floats

from . import _kit as kit
from ._common import ANY


def _mug(form: Form) -> Shape:
    height, radius = form["height"], form["radius"]
    foot = radius * form["taper"]
    profile = [(0.0, 0.0), *kit.rounded([(foot * 0.8, 0.0), (foot, 0.0), (radius, height)], 0.008, closed=False)]
    body, cavity = kit.vessel(profile, 0.004, 0.006)
    reach, low = form["handle"], foot + (radius - foot) * 0.2
    spine = [
        (radius - 0.004, 0.82),
        (radius + 0.6 * reach, 0.84),
        (radius + reach, 0.62),
        (low + 0.8 * reach, 0.36),
        (low - 0.004, 0.2),
    ]
    handle = kit.tube(kit.curve([(x, 0.0, z * height) for x, z in spine], 5), 0.0045, sides=14, ratio=1.6)
    return kit.stood(kit.part(body + (handle - cavity)), pieces=[body.hull(), *kit.slices(handle, 3)])


def _bowl(form: Form) -> Shape:
    height, radius = form["height"], form["radius"]
    foot = radius * 0.45
    side = kit.curve([(foot, 0.008), (radius * 0.8, height * 0.38), (radius, height)], 6)
    body, _ = kit.vessel([(0.0, 0.004), (foot * 0.85, 0.004), (foot * 0.87, 0.0), (foot, 0.0), *side], 0.004, 0.010)
    return kit.stood(kit.part(body), pieces=kit.walls(body, [0.012, height * 0.45]))


def _plate(form: Form) -> Shape:
    radius, height = form["radius"], form["height"]
    well = radius * form["well"]
    side = kit.curve([(well, 0.003), (well + 0.2 * (radius - well), 0.5 * height), (radius, height)], 5)
    body, _ = kit.vessel([(0.0, 0.0), (well * 0.92, 0.0), *side], 0.0045, 0.0045)
    top = Surface("plate", (0.0, 0.0, 0.0045), well * 1.2, well * 1.2)
    return kit.stood(kit.part(body), pieces=kit.walls(body, [0.0047], 16), surfaces=[top])


def _bottle(form: Form) -> Shape:
    height, radius = form["height"], form["radius"]
    neck, shoulder = radius * form["neck"], height * form["shoulder"]
    rise = kit.curve(
        [(radius, shoulder), (radius * 0.82, shoulder + 0.1 * height), (neck, shoulder + 0.22 * height)], 6
    )
    foot = kit.rounded([(radius * 0.8, 0.0), (radius, 0.0), (radius, shoulder)], 0.006, closed=False)
    mouth = height - 0.03
    body = kit.lathe(
        [
            (0.0, 0.0),
            *foot,
            *rise[1:],
            (neck, mouth),
            (neck + 0.003, mouth),
            (neck + 0.003, mouth + 0.008),
            (0.0, mouth + 0.008),
        ]
    )
    cap = kit.cylinder(neck + 0.002, 0.022, 0.002).translate((0.0, 0.0, height - 0.022))
    band = kit.lathe(
        kit.rounded(
            [
                (0.0, 0.2 * height),
                (radius + 0.0006, 0.2 * height),
                (radius + 0.0006, shoulder * 0.85),
                (0.0, shoulder * 0.85),
            ],
            0.0003,
            closed=False,
        )
    )
    whole = kit.cut(kit.join(body, cap, band), [shoulder, shoulder + 0.1 * height, shoulder + 0.22 * height])
    white, black = Paint("white", "paper"), Paint("black", "plastic")
    return kit.stood(kit.part(body), kit.part(cap, black), kit.part(band, white), pieces=whole)


def _wine_glass(form: Form) -> Shape:
    height, radius, stem, fill = form["height"], form["radius"], form["stem"] * form["height"], form["fill"]
    deep = height - stem
    base = [(0.92 * radius, 0.0), (0.95 * radius, 0.0012), (0.9 * radius, 0.0028), (0.4 * radius, 0.006)]
    foot = kit.curve([*base, (0.006, 0.016), (0.0036, 0.55 * stem), (0.0045, stem - 0.002)], 3)
    cup = kit.curve(
        [
            (0.0045, stem),
            (0.66 * radius, stem + 0.12 * deep),
            (radius, stem + 0.42 * deep),
            (0.92 * radius, stem + 0.75 * deep),
            (0.76 * radius, height),
        ],
        5,
    )
    body, cavity = kit.vessel([(0.0, 0.0), *foot, *cup], 0.0014, stem + 0.006)
    pieces = kit.cut(body, [0.006, 0.018, stem, stem + 0.2 * deep])
    if fill < 0.12:
        return kit.stood(kit.part(body, crease=60.0), pieces=pieces)
    wine = cavity.trim_by_plane((0.0, 0.0, -1.0), -stem - 0.006 - fill * deep).scale((0.97, 0.97, 1.0))
    liquid = Paint("#5e0f1f" if fill < 0.35 else "#d9b45a", "ceramic")
    return kit.stood(kit.part(body, crease=60.0), kit.part(wine.translate((0.0, 0.0, 0.0003)), liquid), pieces=pieces)


def _jug(form: Form) -> Shape:
    height, radius = form["height"], form["radius"]
    neck = radius * form["neck"]
    side = kit.curve([(radius * 0.75, 0.0), (radius, 0.3 * height), (neck, 0.78 * height), (neck * 1.12, height)], 5)
    body, cavity = kit.vessel([(0.0, 0.0), *side], 0.004, 0.008)

    def lip(at: Floats) -> Floats:
        rise = np.clip(at[:, 2] / height - 0.72, 0.0, None) / 0.28
        aim = np.exp(-((np.arctan2(at[:, 1], -at[:, 0]) / 0.45) ** 2))
        pull = rise**2 * aim * neck
        return np.asarray(at + np.outer(pull, (-0.55, 0.0, 0.18)))

    spine = [
        (neck * 1.0, 0.0, 0.9 * height),
        (neck + 0.3 * radius, 0.0, 0.97 * height),
        (radius * 1.5, 0.0, 0.72 * height),
        (radius * 1.4, 0.0, 0.42 * height),
        (radius * 0.97, 0.0, 0.27 * height),
    ]
    handle = kit.tube(kit.curve(spine, 5), 0.07 * radius + 0.002, sides=14, ratio=1.5)
    poured = body.warp_batch(lip)
    return kit.stood(
        kit.part(poured + (handle - cavity)), pieces=[*kit.cut(poured, [0.6 * height]), *kit.slices(handle, 3)]
    )


def _strip(stations: list[tuple[float, float, float, float]], thickness: float = 0.002) -> kit.Solid:
    """A thin blade along y through stations of (y, half its width, height, depth of its hollow)."""
    across = np.linspace(-1.0, 1.0, 9)
    rings = []
    for y, half, height, hollow in kit.curve(stations, 5):
        top = height - hollow * (1 - across**2)
        level = np.full(9, y)
        upper = np.column_stack([half * across, level, top + thickness / 2])
        lower = np.column_stack([half * across[::-1] * 0.97, level, top[::-1] - thickness / 2])
        rings.append(np.concatenate([upper, lower]))
    return kit.skin(rings)


def _spoon(form: Form) -> Shape:
    length, half = form["length"], form["width"] / 2
    head = length * 0.32
    stations = [
        (0.0, half * 0.35, 0.010, 0.0005),
        (0.12 * head, half * 0.66, 0.0092, 0.003),
        (0.4 * head, half, 0.0095, 0.0075),
        (0.75 * head, half * 0.82, 0.0105, 0.006),
        (head, half * 0.26, 0.0125, 0.001),
        (head + 0.12 * length, half * 0.18, 0.0165, 0.0),
        (0.75 * length, half * 0.24, 0.0125, 0.0),
        (0.95 * length, half * 0.42, 0.007, 0.0),
        (length, half * 0.22, 0.006, 0.0),
    ]
    (spoon,) = kit.laid(_strip(stations, 0.0024))
    return kit.stood(kit.part(spoon), pieces=kit.slices(spoon, 5, axis=1))


def _fork(form: Form) -> Shape:
    length, half = form["length"], form["width"] / 2
    tine, root = 0.25 * length, 0.36 * length
    handle = _strip(
        [
            (tine, half * 0.98, 0.0085, 0.002),
            (0.3 * length, half * 0.92, 0.009, 0.002),
            (root, half * 0.35, 0.013, 0.0005),
            (0.45 * length, half * 0.26, 0.0155, 0.0),
            (0.75 * length, half * 0.34, 0.0115, 0.0),
            (0.95 * length, half * 0.6, 0.006, 0.0),
            (length, half * 0.3, 0.005, 0.0),
        ],
        0.0024,
    )
    tines = []
    for index in range(4):
        x = half * 0.9 * (index - 1.5) / 1.5 * 0.92
        sink = 0.002 * (1 - (x / half) ** 2)
        way = [
            (0.0, 0.0006, 0.014, 0.0),
            (0.1 * tine, 0.0012, 0.0115, 0.0),
            (0.5 * tine, half * 0.13, 0.008, 0.0),
            (tine * 1.06, half * 0.13, 0.0086, 0.0),
        ]
        tines.append(_strip(way, 0.0022).translate((x, 0.0, -sink)))
    (fork,) = kit.laid(kit.join(handle, *tines))
    return kit.stood(kit.part(fork), pieces=kit.slices(fork, 5, axis=1))


def _salt_shaker(form: Form) -> Shape:
    height, radius = form["height"], form["radius"]
    top = 0.72 * height
    waist = kit.curve([(radius, 0.004), (radius * form["waist"], 0.5 * top), (radius * 0.92, top)], 6)
    body = kit.lathe([(0.0, 0.0), (radius * 0.95, 0.0), *waist, (0.0, top)])
    dome = [(radius * 0.98, 0.0), (radius * 0.98, 0.3), (radius * 0.8, 0.75), (radius * 0.4, 0.97), (0.0, 1.0)]
    lid = kit.lathe([(0.0, top), *kit.curve([(r, top + z * (height - top)) for r, z in dome], 5)])
    spots = [(0.0, 0.0), *kit.circle(radius * 0.38, 6)]
    bore = kit.join(*(kit.cylinder(radius * 0.1, height, segments=12).translate((x, y, 0.0)) for x, y in spots))
    holes = bore ^ (lid.translate((0.0, 0.0, 0.0004)) - lid.translate((0.0, 0.0, -0.002)))
    return kit.stood(
        kit.part(body),
        kit.part(lid, Paint("grey", "metal")),
        kit.part(holes, Paint("black", "plastic")),
        pieces=[body, lid],
    )


def _jar(form: Form) -> Shape:
    height, radius, fill = form["height"], form["radius"], form["fill"]
    neck, shoulder = 0.84 * radius, 0.74 * height
    line = [(0.9 * radius, 0.0), (radius, 0.006), (radius, shoulder), (neck, 0.84 * height), (neck, 0.9 * height)]
    body, cavity = kit.vessel([(0.0, 0.0), *kit.rounded(line, 0.1 * radius, 4, closed=False)], 0.0032, 0.006)
    content = cavity.trim_by_plane((0.0, 0.0, -1.0), -fill * shoulder).scale((0.975, 0.975, 1.0))
    ridges = 1 + 0.014 * np.cos(36 * (angles := 2 * math.pi * np.arange(144) / 144))[:, None]
    rim = np.column_stack([np.cos(angles), np.sin(angles)]) * ridges * neck * 1.08
    lid = kit.extrude(rim, 0.14 * height, 0.0012).translate((0.0, 0.0, 0.86 * height))
    lid += kit.cylinder(0.9 * neck, 0.0016, 0.0008).translate((0.0, 0.0, height - 0.0002))
    band = kit.lathe(
        [
            (0.97 * radius, 0.2 * height),
            (radius + 0.0007, 0.2 * height),
            (radius + 0.0007, 0.5 * height),
            (0.97 * radius, 0.5 * height),
        ]
    )
    return kit.stood(
        kit.part(body, crease=50.0),
        kit.part(content.translate((0.0, 0.0, 0.0003)), Paint(material="organic")),
        kit.part(lid, Paint("#c9a24a", "metal")),
        kit.part(band, Paint("#f1e8d4", "paper")),
        pieces=[kit.join(body, band).hull(), lid.hull()],
    )


CATEGORIES = (
    Category("mug", "tableware", {"height": (0.08, 0.11), "radius": (0.036, 0.045), "taper": (0.75, 1.0),
             "handle": (0.024, 0.034)}, _mug, ("ceramic", "metal", "plastic"), ANY, density=700.0),
    Category("bowl", "tableware", {"height": (0.05, 0.085), "radius": (0.065, 0.1)}, _bowl,
             ("ceramic", "wooden", "plastic", "metal", "glass"), ANY, "Cinf"),
    Category("plate", "tableware", {"radius": (0.09, 0.14), "height": (0.016, 0.028), "well": (0.6, 0.7)}, _plate,
             ("ceramic", "plastic", "metal"), ANY, "Cinf", density=1500.0),
    Category("bottle", "tableware", {"height": (0.22, 0.32), "radius": (0.032, 0.042), "neck": (0.35, 0.45),
             "shoulder": (0.5, 0.6)}, _bottle, ("glass", "plastic", "ceramic", "metal"), ANY, "Cinf"),
    Category("wine glass", "tableware", {"height": (0.16, 0.22), "radius": (0.034, 0.046), "stem": (0.4, 0.52),
             "fill": (0.0, 0.6)}, _wine_glass, ("glass", "metal", "plastic"), ANY, "Cinf", plural="wine glasses"),
    Category("jug", "tableware", {"height": (0.15, 0.22), "radius": (0.05, 0.065), "neck": (0.58, 0.72)}, _jug,
             ("ceramic", "glass", "metal", "plastic"), ANY),
    Category("spoon", "tableware", {"length": (0.15, 0.21), "width": (0.034, 0.044)}, _spoon,
             ("metal", "plastic", "wooden"), ("grey", "red", "blue", "green", "yellow", "brown", "beige"),
             density=4000.0),
    Category("fork", "tableware", {"length": (0.17, 0.21), "width": (0.024, 0.029)}, _fork, ("metal", "plastic"),
             ("grey", "red", "blue", "green", "yellow", "white"), density=4000.0),
    Category("salt shaker", "tableware", {"height": (0.075, 0.1), "radius": (0.02, 0.025), "waist": (0.72, 0.85)},
             _salt_shaker, ("ceramic", "plastic", "wooden"), ANY, "C6"),
    Category("jar", "tableware", {"height": (0.1, 0.16), "radius": (0.036, 0.05), "fill": (0.35, 0.9)}, _jar,
             ("glass", "ceramic", "plastic"), ANY, "Cinf"),
)  # fmt: skip
"""Of everything that stands on a laid table."""
