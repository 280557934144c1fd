"""Kitchens and bathrooms: built-in fittings, appliances, and small things that belong there."""

from __future__ import annotations

from pixelproof.world.solid._category import Category, Form, Paint, Shape, Surface

from . import _kit as kit
from ._common import BLACK, CLOTH, LIVELY, PLAIN, STEEL, board, corners

FRONTS = ("white", "grey", "beige", "teal", "navy", "green", "brown")
WORKTOP = Paint("#6b6a66", "stone")
CHROME = Paint("#d8dadb", "metal")
PLINTH = Paint("#3a3836", "plastic")


def _units(x: float, y: float, z: float) -> tuple[list[kit.Solid], list[kit.Solid], kit.Solid]:
    """Cupboards below a worktop: carcass and doors, their handles, and the plinth."""
    count = max(1, round(x / 0.5))
    wide = (x - 0.01) / count
    fronts, handles = [board(x - 0.004, y - 0.05, z - 0.14, (0.0, 0.02, 0.1), 0.002)], []
    for index in range(count):
        middle = (index - (count - 1) / 2) * wide
        fronts.append(board(wide - 0.008, 0.02, z - 0.165, (middle, 0.008 - y / 2 + 0.01, 0.11), 0.004))
        bar = (
            kit.cylinder(0.006, 0.14, 0.002, 12).rotate((0, 90, 0)).translate((middle - 0.07, -y / 2 - 0.016, z - 0.1))
        )
        posts = [kit.slab(0.01, 0.03, 0.01).translate((middle + a, -y / 2, z - 0.105)) for a in (-0.05, 0.05)]
        handles.append(kit.join(bar, *posts))
    return fronts, handles, kit.slab(x - 0.006, y - 0.12, 0.11).translate((0.0, 0.04, 0.0))


def _counter(form: Form) -> Shape:
    x, y, z = form["width"], form["depth"], form["height"]
    fronts, handles, plinth = _units(x, y, z)
    top = board(x, y, 0.04, (0.0, 0.0, z - 0.04), 0.005)
    return kit.stood(
        kit.part(kit.join(*fronts), crease=30),
        kit.part(top, WORKTOP, 30),
        kit.part(kit.join(*handles), STEEL),
        kit.part(plinth, PLINTH),
        pieces=[*fronts, top, plinth, *(handle.hull() for handle in handles)],
        surfaces=[Surface("worktop", (0.0, 0.0, z), x - 0.012, y - 0.012)],
    )


def _tap(height: float, reach: float) -> kit.Solid:
    """A tap at the origin that pours towards -y."""
    spine = kit.curve([(0, 0, 0), (0, 0, 0.7 * height), (0, -0.35 * reach, height), (0, -reach, 0.72 * height)], 6)
    lever = kit.hull(kit.slab(0.012, 0.012, 0.01), kit.slab(0.01, 0.05, 0.006).translate((0.0, 0.02, 0.03)))
    return kit.join(
        kit.tube(spine, 0.011, sides=12), kit.cylinder(0.024, 0.012, 0.004, 24), lever.translate((0.045, 0.0, 0.0))
    )


def _sink(form: Form) -> Shape:
    x, y, z = form["width"], form["depth"], form["height"]
    fronts, handles, plinth = _units(x, y, z)
    wide, deep, low = 0.46, 0.36, z - 0.17
    at = (0.27 - x / 2, -0.03)
    hole = kit.slab(wide, deep, 0.4, 0.05).translate((*at, low))
    basin = kit.slab(wide + 0.03, deep + 0.03, z - low + 0.003, 0.02).translate((*at, low - 0.01)) - hole
    basin = basin.trim_by_plane((0.0, 0.0, -1.0), -z - 0.0015)
    fronts[0] -= kit.slab(wide + 0.02, deep + 0.02, 0.4).translate((*at, low - 0.008))
    top = board(x, y, 0.04, (0.0, 0.0, z - 0.04), 0.005)
    tap = _tap(0.24, 0.16).translate((at[0], y / 2 - 0.06, z))
    free = x / 2 - (at[0] + wide / 2 + 0.03)
    return kit.stood(
        kit.part(kit.join(*fronts), crease=30),
        kit.part(top - kit.slab(wide + 0.016, deep + 0.016, 0.4).translate((*at, low)), WORKTOP, 30),
        kit.part(kit.join(basin, tap), CHROME, 45),
        kit.part(kit.join(*handles), STEEL),
        kit.part(plinth, PLINTH),
        pieces=[fronts[0].hull(), *fronts[1:], top, basin.hull(), plinth, *(handle.hull() for handle in handles),
                *kit.slices(tap, 3)],
        surfaces=[Surface("worktop", (x / 2 - free / 2, 0.0, z), free - 0.012, y - 0.012)],
    )  # fmt: skip


def _cooker(form: Form) -> Shape:
    x, y, z = form["width"], form["depth"], form["height"]
    body = board(x, y - 0.03, z - 0.02, (0.0, 0.015, 0.0), 0.006)
    hob = board(x - 0.004, y - 0.03, 0.02, (0.0, 0.015, z - 0.02), 0.002)
    door = board(x - 0.03, 0.026, 0.56 * z, (0.0, 0.016 - y / 2, 0.12 * z), 0.006)
    pane = kit.slab(x - 0.16, 0.01, 0.3 * z).translate((0.0, -y / 2, 0.22 * z))
    bar = (
        kit.cylinder(0.009, x - 0.14, 0.003, 16).rotate((0, 90, 0)).translate((0.07 - x / 2, -0.028 - y / 2, 0.63 * z))
    )
    holders = [kit.slab(0.014, 0.04, 0.014).translate((a, -0.012 - y / 2, 0.63 * z - 0.007)) for a in (0.1 - x / 2, x / 2 - 0.1)]  # fmt: skip # noqa: E501
    knob = kit.cylinder(0.02, 0.028, 0.004, 24).rotate((90, 0, 0))
    knobs = [knob.translate(((k - 2) * 0.16 * x, 0.005 - y / 2, 0.82 * z)) for k in range(5)]
    ring = kit.lathe([(0.062, 0), (0.074, 0), (0.074, 0.0013), (0.062, 0.0013)], 32)
    rings = [ring.translate((a, b + 0.015, z - 0.001)) for a, b in corners(0.5 * x, 0.46 * y)]
    return kit.stood(
        kit.part(kit.join(body, door), crease=30),
        kit.part(hob, Paint("#17181a", "ceramic")),
        kit.part(pane, Paint("#17181a", "ceramic")),
        kit.part(kit.join(*rings), Paint("#6a6c70", "metal")),
        kit.part(kit.join(bar, *holders, *knobs), STEEL),
        pieces=[body, hob, door, pane, kit.hull(bar, *holders), *knobs],
        surfaces=[Surface("hob", (0.0, 0.015, z), x - 0.03, y - 0.06)],
    )


def _bathtub(form: Form) -> Shape:
    x, y, z = form["length"], form["width"], form["height"]
    block = kit.slab(x, y, z, 0.035)
    hollow = kit.hull(
        kit.slab(x - 0.16, y - 0.14, 0.02, 0.009).translate((0.0, 0.0, z)),
        kit.slab(x - 0.42, y - 0.3, 0.1, 0.045).translate((0.05, 0.0, 0.1)),
    )
    hollow = hollow.refine_to_length(0.12).smooth_out(60.0)
    tap = _tap(0.16, 0.16).rotate((0, 0, 90)).translate((0.06 - x / 2, 0.0, z))
    drain = kit.cylinder(0.03, 0.006, 0.002, 24).translate((0.25 - x / 2, 0.0, 0.098))
    return kit.stood(
        kit.part(block - hollow, crease=60), kit.part(kit.join(tap, drain), CHROME), pieces=[block, *kit.slices(tap, 3)]
    )


def _toilet(form: Form) -> Shape:
    x, y, seat = form["width"], form["depth"], form["seat"]
    bowl_y, back = -0.12 * y, y / 2
    disc = kit.extrude(kit.circle(0.5, 40, 1.25), 0.01)
    rim = disc.scale((x, x, 1)).translate((0.0, bowl_y, seat - 0.01))
    waist = disc.scale((0.62 * x, 0.62 * x, 1)).translate((0.0, bowl_y + 0.05, 0.16))
    base = disc.scale((0.66 * x, 0.72 * x, 1)).translate((0.0, bowl_y + 0.05, 0.0))
    bowl = [kit.hull(rim, waist.translate((0, 0, 0.08))), kit.hull(waist.translate((0, 0, 0.09)), base)]
    bridge = kit.slab(0.8 * x, 0.24, 0.1, 0.02).translate((0.0, back - 0.2, seat - 0.1))
    cistern = kit.slab(1.04 * x, 0.17, form["cistern"], 0.025).translate((0.0, back - 0.085, seat - 0.02))
    cover = kit.slab(1.1 * x, 0.19, 0.03, 0.012).translate((0.0, back - 0.095, seat - 0.02 + form["cistern"]))
    lid = kit.extrude(kit.circle(0.515, 48, 1.25), 0.03, 0.008).scale((x, x, 1)).translate((0.0, bowl_y, seat + 0.002))
    button = kit.cylinder(0.024, 0.012, 0.003, 24).translate((0.0, back - 0.095, seat + 0.008 + form["cistern"]))
    return kit.stood(
        kit.part(kit.join(*bowl, bridge, cistern, cover), crease=45),
        kit.part(lid, Paint("white", "plastic"), 45),
        kit.part(button, CHROME),
        pieces=[*bowl, bridge, cistern, cover, lid, button],
    )


def _washbasin(form: Form) -> Shape:
    x, y, z = form["width"], form["depth"], form["height"]
    outline = kit.rounded(
        [(-x / 2, y / 2), (-x / 2, 0.0), (-0.3 * x, -y / 2), (0.3 * x, -y / 2), (x / 2, 0.0), (x / 2, y / 2)],
        0.16 * x,
        8,
    )
    rim = kit.extrude(outline, 0.05, 0.012).translate((0.0, 0.0, z - 0.05))
    belly = kit.hull(rim.trim_by_plane((0, 0, -1), 0.03 - z), kit.ellipsoid(0.24 * x, 0.28 * y, 0.03).translate((0, 0, z - 0.17)))  # fmt: skip # noqa: E501
    hollow = kit.ellipsoid(0.4 * x, 0.33 * y, 0.13, 48).translate((0.0, -0.05 * y, z + 0.002))
    line = [(0, 0), (0.12, 0), (0.085, 0.12), (0.075, 0.4 * z), (0.1, z - 0.15), (0, z - 0.15)]
    foot = kit.lathe(kit.rounded(line, 0.2, 6, closed=False), 32)
    tap = _tap(0.17, 0.13).translate((0.0, y / 2 - 0.06, z))
    return kit.stood(
        kit.part(kit.join(rim, belly) - hollow + foot, crease=50),
        kit.part(tap, CHROME),
        pieces=[kit.hull(rim, belly), *kit.slices(foot, 3), *kit.slices(tap, 3)],
    )


def _refrigerator(form: Form) -> Shape:
    x, y, z, split = form["width"], form["depth"], form["height"], form["freezer"]
    case = board(x, y - 0.07, z - 0.03, (0.0, 0.035, 0.03), 0.008)
    low = 0.05 + split * (z - 0.07)
    doors = [
        kit.slab(x - 0.004, 0.06, high - start, 0.012, 12).translate((0.0, 0.03 - y / 2, start))
        for start, high in ((0.05, low - 0.004), (low + 0.004, z - 0.01))
    ]
    bar = kit.slab(0.016, 0.02, 1.0, 0.006, 12)
    handles = []
    for start, size in ((low - 0.3, 0.24), (low + 0.06, 0.42)):
        grip = bar.scale((1, 1, size)).translate((x / 2 - 0.05, -0.03 - y / 2, start))
        ends = [kit.slab(0.014, 0.04, 0.02).translate((x / 2 - 0.05, -0.012 - y / 2, start + at)) for at in (0.01, size - 0.03)]  # fmt: skip # noqa: E501
        handles.append(kit.join(grip, *ends))
    feet = kit.slab(x - 0.06, y - 0.14, 0.04).translate((0.0, 0.03, 0.0))
    return kit.stood(
        kit.part(kit.join(case, *doors), crease=35),
        kit.part(kit.join(*handles), STEEL),
        kit.part(feet, BLACK),
        pieces=[case, *doors, feet, *(handle.hull() for handle in handles)],
        surfaces=[Surface("top", (0.0, 0.035, z), x - 0.02, y - 0.09)],
    )


def _washing_machine(form: Form) -> Shape:
    x, y, z, r = form["width"], form["depth"], form["height"], form["door"]
    case = kit.slab(x, y - 0.03, z, 0.012, 12).translate((0.0, 0.015, 0.0))
    front = 0.015 - y / 2
    rim = kit.torus(r, 0.022, 48, 12).rotate((90, 0, 0)).translate((0.0, front + 0.004, 0.48 * z))
    glass = kit.lathe([(0, 0), (r, 0), (r, 0.012), (0.55 * r, 0.03), (0, 0.034)], 40).rotate((90, 0, 0))
    glass = glass.translate((0.0, front + 0.004, 0.48 * z))
    panel = kit.slab(0.94 * x, 0.012, 0.11, 0.003, 8).translate((0.0, front - 0.003, z - 0.14))
    dial = kit.cylinder(0.034, 0.024, 0.004, 32).rotate((90, 0, 0)).translate((0.08, front - 0.004, z - 0.085))
    drawer = kit.slab(0.17, 0.016, 0.075, 0.003, 8).translate((0.13 - x / 2, front - 0.005, z - 0.123))
    lamps = [kit.slab(0.016, 0.014, 0.016).translate((0.16 + 0.03 * k, front - 0.005, z - 0.093)) for k in range(3)]
    return kit.stood(
        kit.part(kit.join(case, drawer), crease=35),
        kit.part(kit.join(rim, dial), CHROME),
        kit.part(glass, Paint("#2b3238", "ceramic"), 50),
        kit.part(panel, Paint("#3c4046", "plastic")),
        kit.part(kit.join(*lamps), Paint("#8fd6b0", "plastic")),
        pieces=[case, kit.hull(rim, glass), kit.hull(panel, drawer), dial, *lamps],
        surfaces=[Surface("top", (0.0, 0.015, z), x - 0.05, y - 0.08)],
    )


def _toaster(form: Form) -> Shape:
    x, y, z = form["length"], form["width"], form["height"]
    body = kit.slab(x, y, z - 0.012, 0.3 * y).translate((0.0, 0.0, 0.012)).trim_by_plane((0, 0, 1), 0.02)
    slots = [kit.slab(0.7 * x, 0.2 * y, 0.1).translate((0.0, side * 0.19 * y, z - 0.03)) for side in (-1, 1)]
    inner = [kit.slab(0.68 * x, 0.18 * y, 0.01).translate((0.0, side * 0.19 * y, z - 0.032)) for side in (-1, 1)]
    base = board(0.94 * x, 0.9 * y, 0.022, (0.0, 0.0, 0.0), 0.006)
    lever = kit.slab(0.03, 0.03, 0.014, 0.004, 8).translate((x / 2 + 0.008, 0.0, 0.62 * z))
    dial = kit.cylinder(0.013, 0.014, 0.003, 20).rotate((0, 90, 0)).translate((x / 2 - 0.002, 0.0, 0.3 * z))
    return kit.stood(
        kit.part(body - kit.join(*slots), crease=45),
        kit.part(kit.join(base, lever, dial, *inner), BLACK, 35),
        pieces=[body.hull(), base, lever, dial],
    )


def _soap_dispenser(form: Form) -> Shape:
    r, z = form["radius"], form["height"]
    low = 0.68 * z
    line = kit.rounded([(0, 0), (r, 0), (r, 0.8 * low), (0.34 * r, low), (0, low)], 0.35 * r, 6, closed=False)
    body = kit.lathe(line, 40)
    neck = kit.cylinder(0.36 * r, 0.1 * z, 0.002, 24).translate((0, 0, low - 0.01))
    stem = kit.cylinder(0.12 * r, 0.2 * z, segments=16).translate((0, 0, low))
    head = kit.cylinder(0.36 * r, 0.07 * z, 0.002, 24).translate((0, 0, 0.93 * z))
    spout = kit.tube([(0, 0, 0.965 * z), (0, -1.0 * r, 0.965 * z), (0, -1.25 * r, 0.92 * z)], 0.13 * r, sides=12)
    pump = kit.join(neck, stem, head, spout)
    return kit.stood(
        kit.part(body), kit.part(pump, CHROME), pieces=[body.hull(), neck, stem, head, *kit.slices(spout, 2, 1)]
    )


def _towel(form: Form) -> Shape:
    x, y, layers = form["width"], form["depth"], int(form["layers"])
    thick = 0.022
    fold = kit.slab(x, y, thick, 0.48 * thick, 12)
    folds = [fold.translate((0.0, 0.0, k * 0.94 * thick)) for k in range(layers)]
    band = kit.slab(0.07 * x, y + 0.0016, thick + 0.0016, 0.5 * thick, 12).translate((0.0, 0.0, -0.0008))
    bands = [band.translate((side * 0.36 * x, 0.0, (layers - 1) * 0.94 * thick)) for side in (-1, 1)]
    return kit.stood(
        kit.part(kit.join(*folds), crease=50),
        kit.part(
            kit.join(*bands).trim_by_plane((0, 0, 1), (layers - 1) * 0.94 * thick + 0.004), Paint("white", "fabric"), 50
        ),
        pieces=[kit.hull(*folds), *bands],
    )


FITTINGS = (
    Category("kitchen counter", "structure", {"width": (0.5, 1.6), "depth": (0.58, 0.64), "height": (0.86, 0.92)},
             _counter, ("wooden", "plastic"), FRONTS, front=True),
    Category("kitchen sink", "structure", {"width": (1.0, 1.2), "depth": (0.58, 0.64), "height": (0.86, 0.92)}, _sink,
             ("wooden", "plastic"), FRONTS, front=True, word="sink"),
    Category("cooker", "structure", {"width": (0.56, 0.62), "depth": (0.58, 0.64), "height": (0.86, 0.92)}, _cooker,
             ("metal", "ceramic"), ("white", "grey", "black", "red", "navy"), front=True),
    Category("bathtub", "structure", {"length": (1.5, 1.8), "width": (0.7, 0.8), "height": (0.52, 0.58)}, _bathtub,
             ("ceramic",), ("white", "beige", "teal", "pink")),
    Category("toilet", "structure", {"width": (0.36, 0.4), "depth": (0.64, 0.72), "seat": (0.4, 0.44),
             "cistern": (0.34, 0.42)}, _toilet, ("ceramic",), ("white", "beige", "grey"), front=True),
    Category("washbasin", "structure", {"width": (0.5, 0.64), "depth": (0.42, 0.5), "height": (0.8, 0.88)}, _washbasin,
             ("ceramic",), ("white", "beige", "grey"), front=True),
)  # fmt: skip
"""Fixed to walls and floors."""
APPLIANCES = (
    Category("refrigerator", "furniture", {"width": (0.55, 0.68), "depth": (0.6, 0.68), "height": (1.4, 1.8),
             "freezer": (0.28, 0.42)}, _refrigerator, ("metal", "plastic"),
             ("white", "grey", "black", "red", "teal", "beige", "navy"), front=True, density=250),
    Category("washing machine", "furniture", {"width": (0.58, 0.62), "depth": (0.56, 0.64), "height": (0.82, 0.88),
             "door": (0.15, 0.18)}, _washing_machine, ("plastic", "metal"), ("white", "grey", "black", "beige"),
             front=True, density=300),
)  # fmt: skip
KITCHEN = (
    Category("toaster", "tableware", {"length": (0.25, 0.31), "width": (0.15, 0.19), "height": (0.16, 0.2)}, _toaster,
             ("metal", "plastic"), (*LIVELY, *PLAIN, "beige"), density=400),
)  # fmt: skip
BATH = (
    Category("soap dispenser", "household", {"radius": (0.032, 0.042), "height": (0.15, 0.2)}, _soap_dispenser,
             ("ceramic", "plastic", "marble"), (*LIVELY, *PLAIN, "beige"), density=700),
    Category("towel", "household", {"width": (0.28, 0.4), "depth": (0.2, 0.28), "layers": (3, 5.999)}, _towel,
             ("fabric", "striped"), CLOTH, "C2", density=200),
)  # fmt: skip
