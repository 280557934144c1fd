"""Things to read: plates, signs, tiles and blocks with letters, words and numbers."""

from __future__ import annotations

import math

import numpy as np

from pixelproof.world.solid._category import Category, Form, Label, Paint, Shape
from pixelproof.world.solid._poses import Floats, Vector

from . import _kit as kit
from ._common import BLACK, STEEL, WHITE, corners

LETTERS = tuple("ABCDEFGJKLPQRTVY")
"""Those that cannot be taken for themselves or for another letter when they stand upside down."""
BRIGHT = ("red", "orange", "yellow", "green", "lime", "teal", "cyan", "blue", "purple", "pink")
RED, GOLD, SLATE = Paint("red", "plastic"), Paint("#d8b45a", "metal"), Paint("#26302c", "stone")
UP, AWAY, FRONT = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (0.0, -1.0, 0.0)


class Slope:
    """A plane that leans back from its foot, on which flat solids are mounted that were built upright."""

    def __init__(self, foot: float, top: float, height: float) -> None:
        """Take the depths (y) of its foot and of its top, and its height."""
        self.foot, self.long = foot, math.hypot(top - foot, height)
        self.lean = math.atan2(top - foot, height)

    def mounted(self, solid: kit.Solid) -> kit.Solid:
        """A solid that was built on the plane y = 0, on the slope."""
        return solid.rotate((-math.degrees(self.lean), 0, 0)).translate((0, self.foot, 0))

    def label(self, along: float, above: float, width: float, height: float, ink: str = "black") -> Label:
        """A label in the middle, `along` the slope from its foot and `above` it."""
        sin, cos = math.sin(self.lean), math.cos(self.lean)
        centre: Vector = (0.0, self.foot + along * sin - above * cos, along * cos + above * sin)
        return Label(centre, (0.0, -cos, sin), (0.0, sin, cos), width, height, ink)


def _letter_block(form: Form) -> Shape:
    size = form["size"]
    side, half = 0.72 * size, size / 2
    labels = [Label((0.0, 0.0, size), UP, AWAY, side, side, ground="white")]
    for x, y in ((0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)):
        labels.append(Label((x * half, y * half, half), (x, y, 0.0), UP, side, side, ground="white"))
    return kit.stood(kit.part(kit.slab(size, size, size, 0.06 * size, 12)), labels=labels)


def _letter_tile(form: Form) -> Shape:
    size, z = form["size"], form["size"] * form["thickness"]
    label = Label((0.0, 0.0, z), UP, AWAY, 0.7 * size, 0.8 * size)
    return kit.stood(kit.part(kit.slab(size, 1.08 * size, z, 0.2 * z, 12)), labels=[label])


def _name_plate(form: Form) -> Shape:
    x, z = form["width"], form["height"]
    deep = 0.375 * z
    outline = kit.rounded([(-deep, 0.0), (deep, 0.0), (0.012, z), (0.0, z)], 0.004)
    prism = kit.extrude(outline, x, 0.001).rotate((90, 0, 90)).translate((-x / 2, 0.0, 0.0))
    slope = Slope(-deep, 0.0, z)
    plate = slope.mounted(kit.slab(0.92 * x, 0.006, 0.72 * slope.long, 0.001, 8).translate((0, 0, 0.14 * slope.long)))
    label = slope.label(0.5 * slope.long, 0.003, 0.88 * x, 0.6 * slope.long)
    return kit.stood(kit.part(prism), kit.part(plate, GOLD), pieces=[prism.hull(), plate], labels=[label])


def _number_plate(form: Form) -> Shape:
    x, y, z = form["width"], form["width"] * form["ratio"], 0.006
    plate = kit.extrude(kit.rounded(corners(x, y), 0.012), z, 0.001)
    rim = kit.extrude(kit.rounded(corners(x - 0.006, y - 0.006), 0.01), 0.001)
    rim -= kit.extrude(kit.rounded(corners(x - 0.011, y - 0.011), 0.008), 0.1).translate((0, 0, -0.05))
    bolt = kit.cylinder(0.004, 0.002, 0.001, 16).translate((0.44 * x, 0.0, z - 0.0005))
    band = kit.slab(0.1 * x, y - 0.014, 0.001).translate((0.057 * x + 0.006 - x / 2, 0.0, z - 0.0007))
    bolts = [bolt, bolt.translate((-0.76 * x, 0, 0))]
    return kit.stood(
        kit.part(plate),
        kit.part(rim.translate((0, 0, z - 0.0006)), BLACK),
        kit.part(band, Paint("#1f3f8c", "plastic")),
        kit.part(kit.join(*bolts), STEEL),
        pieces=[kit.hull(plate, *bolts)],
        labels=[Label((0.05 * x, 0.0, z), UP, AWAY, 0.7 * x, 0.76 * y)],
    )


def _on_post(
    form: Form, outline: Floats, paints: tuple[Paint, Paint], label: tuple[float, float, float], ink: str
) -> Shape:
    """A road sign: a face of an outline of about unit radius with a border, on a post with a round foot.

    Args:
        form: Radius of the sign, and height.
        outline: Of the face.
        paints: Of the face and of its border.
        label: Width, height, and how far it is above the middle, all in radii.
        ink: Of the text.
    """
    r, z = form["radius"], form["height"]
    plate = kit.extrude(outline * r, 0.004).rotate((90, 0, 0)).translate((0, 0, z - r))
    face = kit.extrude(outline * 0.84 * r, 0.0006).rotate((90, 0, 0)).translate((0, -0.0037, z - r))
    post = kit.cylinder(0.006, z - 1.2 * r, segments=24).translate((0, 0.0055, 0.0))
    clamp = kit.slab(0.012, 0.0055, 1.4 * r).translate((0, 0.0025, z - 1.7 * r))
    foot = kit.lathe(kit.rounded([(0, 0), (0.75 * r, 0), (0.7 * r, 0.014), (0, 0.018)], 0.006, closed=False))
    foot = foot.translate((0, 0.0055, 0))
    text = Label((0.0, -0.0043, z - r + label[2] * r), FRONT, UP, label[0] * r, label[1] * r, ink)
    return kit.stood(
        kit.part(face, paints[0]),
        kit.part(plate, paints[1]),
        kit.part(kit.join(post, clamp, foot), STEEL),
        pieces=[kit.hull(plate, face), kit.hull(post, clamp), foot.hull()],
        labels=[text],
    )


def _turned(outline: Floats, degrees: float) -> Floats:
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.asarray(outline @ [[cos, sin], [-sin, cos]])


def _stop_sign(form: Form) -> Shape:
    return _on_post(form, _turned(kit.circle(1.0, 8), 22.5), (Paint("red"), WHITE), (1.5, 0.7, 0.0), "white")


def _speed_sign(form: Form) -> Shape:
    return _on_post(form, kit.circle(1.0), (Paint("white"), RED), (1.3, 0.9, 0.0), "black")


def _warning_sign(form: Form) -> Shape:
    triangle = kit.rounded(_turned(kit.circle(1.3, 3), -30), 0.2) - [0.0, 0.2]
    return _on_post(form, triangle, (Paint("white"), RED), (0.6, 0.9, -0.24), "black")


def _signpost(form: Form) -> Shape:
    z, x, high = form["height"], form["width"], form["board"]
    middle = z - 0.75 * high
    arrow = np.array([(-0.42, -0.5), (0.4, -0.5), (0.6, 0.0), (0.4, 0.5), (-0.42, 0.5)]) * [x, high]
    board = kit.extrude(kit.rounded(arrow, 0.004), 0.01, 0.001).rotate((90, 0, 0)).translate((0, -0.005, middle))
    post = kit.lathe([(0, 0), (0.009, 0), (0.009, z), (0, z + 0.012)], 4).rotate((0, 0, 45))
    foot = kit.slab(0.11, 0.11, 0.014, 0.004, 8)
    return kit.stood(
        kit.part(kit.join(board, post, foot), crease=30),
        pieces=[board, post, foot],
        labels=[Label((0.0, -0.015, middle), FRONT, UP, 0.76 * x, 0.7 * high)],
    )


def _calendar(form: Form) -> Shape:
    x, z = form["width"], form["height"]
    slope = Slope(-0.275 * z, 0.0, z)
    long, count = slope.long, int(x / 0.014)
    leaf = slope.mounted(kit.slab(x, 0.003, long, 0.001, 8).translate((0, 0.0015, 0)))
    head = slope.mounted(kit.slab(0.96 * x, 0.0012, 0.2 * long).translate((0, 0, 0.68 * long)))
    sheet = slope.mounted(kit.slab(0.96 * x, 0.0008, 0.62 * long).translate((0, 0, 0.05 * long)))
    ring = kit.torus(0.006, 0.0008, 16, 6).rotate((0, 90, 0)).translate((0, 0, z - 0.001))
    rings = kit.join(*(ring.translate(((k - (count - 1) / 2) * 0.0125, 0, 0)) for k in range(count)))
    back = leaf.mirror((0, 1, 0))
    return kit.stood(
        kit.part(kit.join(leaf, back)),
        kit.part(sheet, Paint("white", "paper")),
        kit.part(head, RED),
        kit.part(rings, STEEL),
        pieces=[kit.hull(leaf, head, sheet), back, rings.hull()],
        labels=[slope.label(0.36 * long, 0.0004, 0.8 * x, 0.52 * long)],
    )


def _menu_board(form: Form) -> Shape:
    x, z = form["width"], form["height"]
    slope = Slope(-0.25 * z, 0.0, z)
    long, bar = slope.long, 0.09 * x
    frame = kit.slab(x, 0.012, long, 0.003, 8)
    frame -= kit.slab(x - 2 * bar, 0.05, 0.84 * long - bar).translate((0, 0, 0.16 * long))
    frame -= kit.slab(x - 2 * bar, 0.05, 0.1 * long).translate((0, 0, -0.001))
    slate = kit.slab(x - bar, 0.005, 0.86 * long - bar / 2).translate((0, 0, 0.12 * long))
    frame, slate, ground = slope.mounted(frame), slope.mounted(slate), kit.slab(1, 1, 1)
    both = [kit.join(solid, solid.mirror((0, 1, 0))) ^ ground for solid in (frame, slate)]
    half = frame.hull() ^ ground
    return kit.stood(
        kit.part(both[0], crease=30),
        kit.part(both[1], SLATE),
        pieces=[half, half.mirror((0, 1, 0))],
        labels=[slope.label(0.58 * long, 0.0025, 0.76 * x, 0.4 * long, "white")],
    )


CATEGORIES = (
    Category("letter block", "signs", {"size": (0.04, 0.065)}, _letter_block, ("wooden", "plastic"), BRIGHT,
             density=600, texts=LETTERS),
    Category("letter tile", "signs", {"size": (0.035, 0.06), "thickness": (0.2, 0.3)}, _letter_tile,
             ("wooden", "ceramic", "plastic"), ("beige", "white", "yellow", "cyan", "pink", "lime"), density=700,
             texts=LETTERS),
    Category("name plate", "signs", {"width": (0.18, 0.26), "height": (0.055, 0.075)}, _name_plate,
             ("wooden", "plastic", "marble"), ("brown", "black", "navy", "grey", "white", "green"), front=True,
             density=700, texts=("ANNA", "BEN", "CLARA", "DAVID", "EMMA", "FELIX", "GRACE", "HUGO", "MAYA", "LEO",
                                 "NORA", "PAUL")),
    Category("number plate", "signs", {"width": (0.24, 0.34), "ratio": (0.24, 0.34)}, _number_plate,
             ("metal", "plastic"), ("white", "yellow"), density=2000,
             texts=("KD 274", "BR 512", "TX 435", "LP 720", "FG 147", "CV 253", "AE 372", "JR 425")),
    Category("stop sign", "signs", {"radius": (0.05, 0.075), "height": (0.22, 0.32)}, _stop_sign,
             ("plastic", "metal"), front=True, density=900, texts=("STOP",)),
    Category("speed sign", "signs", {"radius": (0.05, 0.07), "height": (0.22, 0.32)}, _speed_sign,
             ("plastic", "metal"), front=True, density=900, texts=("20", "30", "40", "50", "70", "100"),
             word="speed limit sign"),
    Category("warning sign", "signs", {"radius": (0.05, 0.07), "height": (0.22, 0.32)}, _warning_sign,
             ("plastic", "metal"), front=True, density=900, texts=("!",)),
    Category("signpost", "signs", {"height": (0.2, 0.3), "width": (0.16, 0.22), "board": (0.045, 0.065)}, _signpost,
             ("wooden", "plastic"), ("beige", "white", "yellow", "cyan", "lime", "orange"), front=True, density=700,
             texts=("BEACH", "CASTLE", "LAKE", "MARKET", "STATION", "FOREST", "HARBOUR", "ZOO")),
    Category("calendar", "signs", {"width": (0.13, 0.18), "height": (0.1, 0.15)}, _calendar, ("paper", "plastic"),
             ("navy", "black", "grey", "teal", "brown", "purple"), front=True, density=400,
             texts=("1", "4", "7", "12", "15", "17", "21", "24", "27", "30", "31")),
    Category("menu board", "signs", {"width": (0.16, 0.22), "height": (0.22, 0.3)}, _menu_board, ("wooden",),
             ("brown", "beige", "red", "teal", "white", "green"), front=True, density=600,
             texts=("MENU", "OPEN", "SOUP", "PIZZA", "CAFE", "LUNCH", "FISH")),
)  # fmt: skip
