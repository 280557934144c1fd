"""Furniture, with the exact rectangles on which things may stand: tables, cases and shelves; seats are next door."""

from __future__ import annotations

import math

from pixelproof.world.solid._category import Category, Form, Shape, Surface

from . import _kit as kit
from ._fittings import APPLIANCES
from ._joinery import board, corners, leg, shelving
from ._palette import BLACK, CLOTH, DARK_WOOD, FURNITURE, GLOW, STEEL
from ._seats import CATEGORIES as SEATS


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
