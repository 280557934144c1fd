"""Surroundings: floors, walls and what is fixed to them, and the boards that a scene of small things stands on.

They are used as fixed things. As all things they stand on their lowest point: a floor's upper side is at its height.
"""

from __future__ import annotations

from pixelproof.world.solid._category import Category, Form, Paint, Shape, Surface

from . import _kit as kit
from ._common import board, shelving
from ._fittings import FITTINGS

BOARDS = ("brown", "beige", "white", "grey", "teal", "green")
GROUNDS = ("beige", "grey", "brown", "white", "black")
WALLS = ("white", "beige", "grey", "cyan", "pink", "yellow", "lime", "teal")
SILL = 0.24
"""Depth of a window sill in metres."""
RUGS = ("red", "navy", "teal", "green", "grey", "brown", "purple", "orange", "blue")


def _floor(form: Form) -> Shape:
    x, y, z = form["width"], form["depth"], 0.1
    return kit.stood(kit.part(kit.slab(x, y, z)), surfaces=[Surface("floor", (0.0, 0.0, z), x, y)])


def _wall(form: Form) -> Shape:
    return kit.stood(kit.part(kit.slab(form["width"], 0.1, form["height"])))


def _window_wall(form: Form) -> Shape:
    """A wall with an opening for a window."""
    opening = kit.slab(form["opening"], 0.3, form["rise"]).translate((form["at"], 0.0, form["sill"]))
    return kit.stood(kit.part(kit.slab(form["width"], 0.1, form["height"]) - opening))


def _skirting(form: Form) -> Shape:
    return kit.stood(kit.part(board(form["width"], 0.016, form["height"])))


def _tabletop(form: Form) -> Shape:
    x, y, z = form["width"], form["depth"], form["thickness"]
    surface = Surface("top", (0.0, 0.0, z), x - 0.012, y - 0.012)
    return kit.stood(kit.part(board(x, y, z, edge=0.006), crease=30), surfaces=[surface])


def _shelf_unit(form: Form) -> Shape:
    return shelving(form["width"], form["depth"], form["height"], int(form["shelves"]), form["thickness"], 0.03)


def _rug(form: Form) -> Shape:
    x, y, z, count = form["width"], form["depth"], 0.008, int(form["depth"] / 0.035)
    cloth = kit.slab(x, y, z, 0.003, 8)
    band = kit.slab(x - 0.16, y - 0.16, z + 0.0006).translate((0.0, 0.0, -0.0003))
    band -= kit.slab(x - 0.22, y - 0.22, 1.0).translate((0.0, 0.0, -0.5))
    tuft = kit.slab(0.05, 0.012, 0.004).translate((0.0, 0.0, z / 2 - 0.002))
    places = [(side * (x / 2 + 0.02), (k + 0.5 - count / 2) * y / count) for k in range(count) for side in (-1, 1)]
    fringe = kit.join(*(tuft.translate((a, b, 0.0)) for a, b in places))
    pale = Paint("beige", "fabric")
    return kit.stood(
        kit.part(cloth),
        kit.part(band, pale),
        kit.part(fringe, pale),
        pieces=[kit.hull(cloth, band), fringe.hull()],
        surfaces=[Surface("rug", (0.0, 0.0, z + 0.0003), x - 0.012, y - 0.012)],
    )


def _window(form: Form) -> Shape:
    x, z, bar = form["width"], form["height"], 0.055
    frame = [board(bar, 0.06, z, (side * (x - bar) / 2, 0.0, 0.0)) for side in (-1, 1)]
    frame += [board(x, 0.06, bar, (0.0, 0.0, low)) for low in (0.0, z - bar)]
    frame += [board(0.035, 0.04, z), board(x, 0.04, 0.035, (0.0, 0.0, 0.58 * z))]
    frame.append(board(x + 0.1, SILL, 0.03, (0.0, 0.03 - SILL / 2, 0.0)))
    pane = kit.slab(x - bar, 0.004, z - bar).translate((0.0, 0.012, bar / 2))
    sill = Surface("sill", (0.0, -0.01 - SILL / 2, 0.03), x + 0.08, SILL - 0.09, z)
    clear = Paint("#e6f2f4", "pane")
    return kit.stood(
        kit.part(kit.join(*frame), crease=30), kit.part(pane, clear), pieces=[*frame, pane], surfaces=[sill]
    )


def _door(form: Form) -> Shape:
    x, z, post = form["width"], form["height"], 0.07
    frame = [board(post, 0.08, z, (side * (x - post) / 2, 0.0, 0.0)) for side in (-1, 1)]
    frame.append(board(x, 0.08, post, (0.0, 0.0, z - post)))
    wide, high = x - 2 * post, z - post
    leaf = board(wide - 0.006, 0.045, high - 0.01, (0.0, 0.0, 0.004))
    panels, field = leaf, (wide - 0.3) / 2
    for a in (-(field + 0.1) / 2, (field + 0.1) / 2):
        for low, size in ((0.14 * high, 0.3 * high), (0.54 * high, 0.4 * high)):
            panels -= kit.slab(field, 0.02, size).translate((a, -0.02, low))
            panels += board(field - 0.05, 0.016, size - 0.05, (a, -0.011, low + 0.025), 0.006)
    knob = kit.cylinder(0.012, 0.05, segments=20).rotate((90, 0, 0))
    knob += kit.ball(0.03, 24).scale((1, 0.7, 1)).translate((0, -0.05, 0))
    knob = knob.translate((wide / 2 - 0.07, -0.015, 0.48 * high))
    return kit.stood(
        kit.part(panels, crease=30),
        kit.part(kit.join(*frame), Paint("white", "wooden"), 30),
        kit.part(knob, Paint("yellow", "metal")),
        pieces=[*frame, leaf, knob.hull()],
    )


CATEGORIES = (
    *FITTINGS,
    Category("floor", "structure", {"width": (4.6, 7.0), "depth": (3.4, 4.5)}, _floor,
             ("wooden", "tiled", "stone", "marble", "fabric"), GROUNDS, "D2"),
    Category("wall", "structure", {"width": (3.2, 7.0), "height": (2.4, 3.0)}, _wall,
             ("plaster", "brick", "wooden", "striped", "tiled"), WALLS, "D2", density=1500),
    Category("window wall", "structure", {"width": (3.2, 7.0), "height": (2.4, 3.0), "at": (-0.8, 0.8),
             "sill": (0.8, 1.0), "opening": (0.8, 1.5), "rise": (0.9, 1.3)}, _window_wall,
             ("plaster", "brick", "wooden", "striped", "tiled"), WALLS, density=1500, word="wall"),
    Category("skirting", "structure", {"width": (2.0, 7.0), "height": (0.06, 0.12)}, _skirting, ("wooden",),
             ("white", "beige", "brown"), "D2", word="skirting board"),
    Category("tabletop", "structure", {"width": (1.2, 2.0), "depth": (0.8, 1.1), "thickness": (0.025, 0.06)}, _tabletop,
             ("wooden", "marble", "stone", "plastic", "fabric", "tiled"), BOARDS, "D2"),
    Category("shelf unit", "structure", {"width": (0.8, 1.3), "depth": (0.3, 0.42), "height": (0.7, 1.2),
             "shelves": (2, 3.999), "thickness": (0.018, 0.03)}, _shelf_unit, ("wooden", "metal", "plastic"), BOARDS,
             front=True),
    Category("rug", "structure", {"width": (1.4, 2.4), "depth": (0.9, 1.3)}, _rug,
             ("fabric", "striped", "checked", "dotted"), RUGS, "D2", density=200),
    Category("window", "structure", {"width": (0.8, 1.6), "height": (0.9, 1.4)}, _window, ("wooden", "plastic"),
             ("white", "brown", "grey", "green", "navy"), front=True),
    Category("door", "structure", {"width": (0.85, 1.05), "height": (1.95, 2.15)}, _door, ("wooden",),
             ("brown", "teal", "green", "red", "navy", "grey", "beige"), front=True),
)  # fmt: skip
