"""Furniture: what one sits and lies on, and tables, cases and shelves, with the exact rectangles to stand things on."""

from __future__ import annotations

import math

from pixelproof.world.solid._category import Category, Form, Paint, Shape, Surface

from . import _kit as kit
from ._common import BLACK, CLOTH, DARK_WOOD, FURNITURE, GLOW, STEEL, board, corners, leg, shelving
from ._fittings import APPLIANCES


def _chair(form: Form) -> Shape:
    x, y, seat, z = form["width"], form["depth"], form["seat"], form["height"]
    pad = board(x, y, 0.035, (0.0, 0.0, seat - 0.035), 0.01)
    legs = [leg((a, b, seat - 0.02), (1.08 * a, 1.08 * b), 0.02, 0.014) for a, b in corners(x - 0.07, y - 0.07)]
    rails = [board(0.018, y - 0.07, 0.025, (side * (x / 2 - 0.032), 0.0, 0.45 * seat)) for side in (-1, 1)]
    lean, rise, back = 0.07, z - seat, y / 2 - 0.035
    posts = [
        kit.hull(
            kit.cylinder(0.018, 0.01, segments=16).translate((a, back, seat - 0.02)),
            kit.cylinder(0.014, 0.01, segments=16).translate((a, back + lean, z - 0.03)),
        )
        for a in (0.035 - x / 2, x / 2 - 0.035)
    ]
    slats = []
    for low, high in ((0.35, 0.53), (0.74, 1.0)):
        slat = kit.slab(x - 0.04, 0.018, (high - low) * rise, 0.006, 8)
        slat = slat.rotate((-math.degrees(math.atan2(lean, rise)), 0.0, 0.0))
        slats.append(slat.translate((0.0, back + lean * low, seat + low * rise)))
    solids = [pad, *legs, *rails, *posts, *slats]
    surface = Surface("seat", (0.0, -0.02, seat), x - 0.02, y - 0.06, z - seat)
    return kit.stood(kit.part(kit.join(*solids), crease=35), pieces=solids, surfaces=[surface])


def _stool(form: Form) -> Shape:
    r, z, splay = form["radius"], form["height"], form["splay"]
    seat = kit.lathe(
        kit.rounded([(0, z - 0.04), (r - 0.015, z - 0.04), (r, z - 0.02), (r, z), (0, z)], 0.012, closed=False)
    )
    reach, low = 1.24 * r / math.sqrt(2), 0.35 * z
    legs = [leg((a, b, z - 0.03), (splay * a, splay * b), 0.021, 0.014) for a, b in corners(reach, reach)]
    span = reach * (splay + (1 - splay) * low / (z - 0.03))
    bar = kit.cylinder(0.01, span, segments=12).rotate((0, 90, 0)).translate((-span / 2, span / 2, low))
    solids = [seat, *legs, *(bar.rotate((0, 0, 90 * k)) for k in range(4))]
    side = math.sqrt(2) * (r - 0.012)
    return kit.stood(kit.part(kit.join(*solids)), pieces=solids, surfaces=[Surface("seat", (0.0, 0.0, z), side, side)])


def _bench(form: Form) -> Shape:
    x, y, z = form["width"], form["depth"], form["height"]
    wide = (y - 0.024) / 3
    seat = [board(x, wide, 0.034, (0.0, (k - 1) * (wide + 0.012), z - 0.034), 0.006) for k in range(3)]
    frame = [board(x - 0.3, 0.032, 0.075, (0.0, 0.0, 0.3 * z), 0.006)]
    for side in (-1, 1):
        a = side * (x / 2 - 0.15)
        frame.append(board(0.06, y - 0.03, 0.05, (a, 0.0, z - 0.083), 0.006))
        frame.append(board(0.05, y - 0.09, 0.05, (a, 0.0, 0.3 * z + 0.012), 0.006))
        for end in (-1, 1):
            top = kit.slab(0.058, 0.05, 0.01).translate((a, end * (y / 2 - 0.07), z - 0.055))
            frame.append(kit.hull(top, kit.slab(0.05, 0.055, 0.01).translate((a, end * (y / 2 - 0.032), 0.0))))
    return kit.stood(
        kit.part(kit.join(*seat), crease=35),
        kit.part(kit.join(*frame), crease=35),
        pieces=[*seat, *frame],
        surfaces=[Surface("seat", (0.0, 0.0, z), x - 0.02, y - 0.02)],
    )


def _seating(form: Form, seats: int) -> Shape:
    """A sofa or an armchair: arms, a back, and a cushion to sit on for each seat."""
    seat, arm, y, z, place = form["seat"], form["arm"], form["depth"], form["height"], form["place"]
    x, deep = seats * place + 2 * arm, y - 0.2
    middles = [(k - (seats - 1) / 2) * place for k in range(seats)]
    body = [board(x - 0.04, y - 0.04, seat - 0.19, (0.0, 0.01, 0.07), 0.02)]
    body.append(kit.slab(x - 0.06, 0.2, z - 0.1, 0.06).translate((0.0, y / 2 - 0.1, 0.1)))
    body += [kit.slab(arm, y, seat + 0.13, 0.055).translate((side * (x - arm) / 2, 0.0, 0.07)) for side in (-1, 1)]
    pads = [kit.slab(place - 0.006, deep, 0.15, 0.035).translate((a, -0.1, seat - 0.15)) for a in middles]
    rest = kit.slab(place - 0.02, 0.16, z - seat - 0.03, 0.06).rotate((-9, 0, 0))
    rests = [rest.translate((a, y / 2 - 0.24, seat - 0.005)) for a in middles]
    feet = [leg((a, b, 0.09), (a, b), 0.026, 0.018) for a, b in corners(x - 0.16, y - 0.16)]
    surfaces = [
        Surface(f"seat-{k + 1}", (a, -0.16, seat), place - 0.08, deep - 0.2, z - seat) for k, a in enumerate(middles)
    ]
    return kit.stood(
        *(kit.part(kit.join(*solids), crease=50) for solids in (body, pads, rests)),
        kit.part(kit.join(*feet), DARK_WOOD),
        pieces=[*body, *pads, *rests, *feet],
        surfaces=surfaces,
    )


def _sofa(form: Form) -> Shape:
    return _seating(form, int(form["seats"]))


def _armchair(form: Form) -> Shape:
    return _seating(form, 1)


def _bed(form: Form) -> Shape:
    x, y, z = form["width"], form["length"], form["height"]
    frame = [board(x + 0.06, 0.045, form["head"], (0.0, y / 2 + 0.02, 0.0), 0.012)]
    frame.append(board(x + 0.06, 0.04, z - 0.06, (0.0, -y / 2 - 0.02, 0.0), 0.012))
    frame += [board(0.03, y, 0.16, (side * (x / 2 + 0.012), 0.0, z - 0.32), 0.008) for side in (-1, 1)]
    mattress = kit.slab(x - 0.02, y - 0.01, 0.2, 0.05).translate((0.0, 0.0, z - 0.21))
    spread, count = 0.68 * y, 2 if x > 1.2 else 1
    blanket = kit.slab(x + 0.03, spread, 0.17, 0.045).translate((0.0, (spread - y) / 2, z - 0.17))
    fold = kit.slab(x + 0.034, 0.2, 0.1, 0.045).translate((0.0, spread - y / 2 - 0.08, z - 0.09))
    pillow = kit.slab(0.84 * x / count, 0.36, 0.13, 0.06).scale((1, 1, 0.9))
    pillows = [
        pillow.translate(((k - (count - 1) / 2) * 0.92 * x / count, y / 2 - 0.21, z - 0.03)) for k in range(count)
    ]
    linen = Paint("white", "fabric")
    return kit.stood(
        kit.part(blanket, crease=50),
        kit.part(fold, linen, 50),
        kit.part(mattress, linen, 50),
        kit.part(kit.join(*pillows), Paint(material="fabric"), 60),
        kit.part(kit.join(*frame), Paint("#7a5233", "wooden")),
        pieces=[blanket, fold, mattress, *pillows, *frame],
        surfaces=[Surface("blanket", (0.0, (spread - y) / 2 - 0.06, z), x - 0.08, spread - 0.25)],
    )


SEATS = (
    Category("chair", "furniture", {"width": (0.4, 0.48), "depth": (0.4, 0.46), "seat": (0.42, 0.47),
             "height": (0.78, 0.98)}, _chair, ("wooden", "plastic"), FURNITURE, front=True),
    Category("stool", "furniture", {"radius": (0.15, 0.2), "height": (0.42, 0.72), "splay": (1.25, 1.6)}, _stool,
             ("wooden", "metal"), FURNITURE, "C4"),
    Category("bench", "furniture", {"width": (1.0, 1.5), "depth": (0.3, 0.4), "height": (0.4, 0.46)}, _bench,
             ("wooden",), FURNITURE, "C2", plural="benches"),
    Category("sofa", "furniture", {"seats": (2, 3.999), "place": (0.58, 0.7), "arm": (0.14, 0.22),
             "depth": (0.82, 0.95), "seat": (0.4, 0.45), "height": (0.72, 0.86)}, _sofa, ("fabric", "leather"), CLOTH,
             front=True, density=150),
    Category("armchair", "furniture", {"place": (0.54, 0.66), "arm": (0.14, 0.22), "depth": (0.8, 0.9),
             "seat": (0.4, 0.45), "height": (0.78, 0.95)}, _armchair, ("fabric", "leather"), CLOTH, front=True,
             density=150),
    Category("bed", "furniture", {"width": (0.95, 1.6), "length": (1.95, 2.05), "height": (0.45, 0.55),
             "head": (0.8, 1.05)}, _bed, ("fabric", "striped", "checked", "dotted"), CLOTH, front=True, density=150),
)  # fmt: skip


def _table(form: Form) -> Shape:
    x, y, z, foot = form["width"], form["depth"], form["height"], form["leg"]
    wide, deep = x - 2 * foot - 0.06, y - 2 * foot - 0.06
    top = board(x, y, 0.032, (0.0, 0.0, z - 0.032), 0.006)
    post = kit.hull(kit.slab(foot, foot, 0.12).translate((0, 0, z - 0.15)), kit.slab(0.7 * foot, 0.7 * foot, 0.01))
    aprons = [board(wide, 0.02, 0.08, (0.0, side * deep / 2, z - 0.112)) for side in (-1, 1)]
    aprons += [board(0.02, deep, 0.08, (side * wide / 2, 0.0, z - 0.112)) for side in (-1, 1)]
    solids = [top, *aprons, *(post.translate((a, b, 0.0)) for a, b in corners(wide, deep))]
    surface = Surface("top", (0.0, 0.0, z), x - 0.012, y - 0.012)
    return kit.stood(kit.part(kit.join(*solids), crease=30), pieces=solids, surfaces=[surface])


def _side_table(form: Form) -> Shape:
    r, z, foot = form["radius"], form["height"], 0.62 * form["radius"]
    top = kit.lathe(kit.rounded([(0, z - 0.025), (r, z - 0.025), (r, z), (0, z)], 0.008, closed=False))
    line = [(0, 0.02), (0.05, 0.02), (0.024, 0.1), (0.02, z / 2), (0.05, z - 0.02), (0, z - 0.02)]
    stem = kit.lathe(kit.rounded(line, 0.1, 5, closed=False), 32)
    base = kit.lathe(kit.rounded([(0, 0), (foot, 0), (foot, 0.012), (0.05, 0.035), (0, 0.035)], 0.02, 5, closed=False))
    side = math.sqrt(2) * (r - 0.008)
    surface = Surface("top", (0.0, 0.0, z), side, side)
    return kit.stood(kit.part(kit.join(top, stem, base)), pieces=[top, stem.hull(), base.hull()], surfaces=[surface])


def _bookcase(form: Form) -> Shape:
    return shelving(form["width"], form["depth"], form["height"], int(form["shelves"]), 0.022, 0.07)


def _fronted(form: Form, columns: int, rows: int) -> Shape:
    """A case on four feet with a top, and in front two doors with a knob each or drawers with two."""
    x, y, z, lift = form["width"], form["depth"], form["height"], form["feet"]
    case = board(x - 0.02, y - 0.02, z - lift - 0.02, (0.0, 0.01, lift))
    top = board(x, y, 0.025, (0.0, 0.0, z - 0.025), 0.006)
    feet = [leg((a, b, lift + 0.01), (a, b), 0.026, 0.016) for a, b in corners(x - 0.12, y - 0.1)]
    wide, high = (x - 0.05) / columns, (z - lift - 0.065) / rows
    knob = kit.lathe([(0, 0), (0.006, 0), (0.006, 0.012), (0.015, 0.018), (0.013, 0.026), (0, 0.028)], 16)
    fronts, knobs = [], []
    for column in range(columns):
        for row in range(rows):
            middle, low = (column - (columns - 1) / 2) * wide, lift + 0.02 + row * high
            fronts.append(board(wide - 0.012, 0.018, high - 0.012, (middle, 0.012 - y / 2, low), 0.005))
            inner = (1 - 2 * column) * (wide / 2 - 0.045)
            for aside in (inner,) if columns > 1 else (-0.25 * wide, 0.25 * wide):
                knobs.append(knob.rotate((90, 0, 0)).translate((middle + aside, 0.004 - y / 2, low + high / 2)))
    return kit.stood(
        kit.part(kit.join(case, top), crease=30),
        kit.part(kit.join(*fronts), crease=30),
        kit.part(kit.join(*knobs), STEEL),
        kit.part(kit.join(*feet), DARK_WOOD),
        pieces=[case, top, *feet, *fronts, *(knob.hull() for knob in knobs)],
        surfaces=[Surface("top", (0.0, 0.0, z), x - 0.012, y - 0.012)],
    )


def _cabinet(form: Form) -> Shape:
    return _fronted(form, 2, 1)


def _drawers(form: Form) -> Shape:
    return _fronted(form, 1, int(form["drawers"]))


def _floor_lamp(form: Form) -> Shape:
    z, r, low = form["height"], form["shade"], form["height"] - form["shade_height"]
    neck = 0.68 * r
    base = kit.lathe(kit.rounded([(0, 0), (0.14, 0), (0.14, 0.014), (0.02, 0.03), (0, 0.03)], 0.012, closed=False))
    pole = kit.cylinder(0.011, z - 0.03, segments=24).translate((0, 0, 0.01))
    shade = kit.lathe([(r, low), (neck, z), (neck - 0.004, z), (r - 0.004, low)])
    lid = kit.cylinder(neck - 0.002, 0.004).translate((0, 0, z - 0.03))
    line = [(0, low + 0.03), (0.035, low + 0.05), (0.035, low + 0.08), (0.012, z - 0.04), (0, z - 0.04)]
    bulb = kit.lathe(kit.rounded(line, 0.03, 5, closed=False), 24)
    return kit.stood(
        kit.part(shade),
        kit.part(kit.join(base, pole, lid), BLACK),
        kit.part(bulb, GLOW),
        pieces=[base.hull(), pole, shade.hull()],
    )


CATEGORIES = (
    *SEATS,
    *APPLIANCES,
    Category("table", "furniture", {"width": (1.1, 1.6), "depth": (0.7, 0.95), "height": (0.7, 0.76),
             "leg": (0.045, 0.075)}, _table, ("wooden", "metal", "plastic"), FURNITURE, "C2"),
    Category("side table", "furniture", {"radius": (0.2, 0.3), "height": (0.42, 0.6)}, _side_table,
             ("wooden", "metal", "plastic", "marble"), FURNITURE, "Cinf"),
    Category("bookcase", "furniture", {"width": (0.7, 1.1), "depth": (0.28, 0.36), "height": (1.2, 1.9),
             "shelves": (3, 5.999)}, _bookcase, ("wooden",), FURNITURE, front=True),
    Category("cabinet", "furniture", {"width": (0.75, 1.2), "depth": (0.38, 0.46), "height": (0.7, 0.95),
             "feet": (0.06, 0.16)}, _cabinet, ("wooden",), FURNITURE, front=True),
    Category("chest of drawers", "furniture", {"width": (0.6, 0.95), "depth": (0.38, 0.46), "height": (0.72, 1.0),
             "feet": (0.05, 0.12), "drawers": (3, 4.999)}, _drawers, ("wooden",), FURNITURE, front=True,
             plural="chests of drawers"),
    Category("floor lamp", "furniture", {"height": (1.35, 1.7), "shade": (0.18, 0.25), "shade_height": (0.22, 0.32)},
             _floor_lamp, ("fabric",), (*CLOTH, "white"), "Cinf", density=900),
)  # fmt: skip
