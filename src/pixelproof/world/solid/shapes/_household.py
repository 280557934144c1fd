"""Household things: light, plants, pictures and comfort; devices and belongings are next door."""

from __future__ import annotations

import math

import numpy as np

from pixelproof.world.solid._category import Category, Form, Paint, Shape
from pixelproof.world.solid._poses import Floats

from . import _kit as kit
from ._belongings import BELONGINGS, DEVICES
from ._common import DARK_WOOD, LIVELY, PLAIN
from ._fittings import BATH

SOIL = Paint("#3d2a1c", "organic")
TERRACOTTA = Paint("#b5643c")


def _candle(form: Form) -> Shape:
    r, z, dish = form["radius"], form["height"], form["dish"]
    line = [
        (0, 0),
        (0.7 * dish, 0),
        (dish, 0.014),
        (0.95 * dish, 0.017),
        (0.66 * dish, 0.006),
        (1.35 * r, 0.006),
        (1.35 * r, 0.028),
        (0, 0.028),
    ]
    plate = kit.lathe(kit.rounded(line, 0.003, 3, closed=False))
    line = [(0, 0.01), (r, 0.01), (r, z), (0.8 * r, z), (0.5 * r, z - 0.004), (0, z - 0.004)]
    wax = kit.lathe(kit.rounded(line, 0.003, 3, closed=False))
    wick = kit.cylinder(0.0012, 0.014, segments=10).translate((0, 0, z - 0.005))
    drop = kit.curve([(0.0, 0.0), (0.006, 0.008), (0.0068, 0.014), (0.003, 0.026), (0.0, 0.036)], 5)
    flame = kit.lathe(drop, 24).translate((0, 0, z + 0.004))
    return kit.stood(
        kit.part(wax),
        kit.part(plate, Paint(material="ceramic")),
        kit.part(wick, Paint("black", "fabric")),
        kit.part(flame, Paint("#ffb02e", "plastic")),
        pieces=[plate.hull(), wax.hull(), kit.hull(wick, flame)],
    )


def _pot(r: float, z: float) -> tuple[kit.Solid, kit.Solid]:
    """A flower pot and its soil."""
    line = [
        (0, 0),
        (0.68 * r, 0),
        (0.92 * r, 0.72 * z),
        (r, 0.72 * z),
        (r, z),
        (0.88 * r, z),
        (0.86 * r, 0.85 * z),
        (0, 0.85 * z),
    ]
    return kit.lathe(kit.rounded(line, 0.003, 2, closed=False)), kit.cylinder(0.88 * r, 0.06 * z).translate(
        (0, 0, 0.83 * z)
    )


def _potted_plant(form: Form) -> Shape:
    r, z, long = form["pot"], 1.5 * form["pot"], form["leaf"]
    pot, soil = _pot(r, z)
    leaves = []
    for tier, (lean, reach) in enumerate(((1.0, 0.85), (0.62, 1.0), (0.25, 1.05))):
        bend = [
            (0.02, 0, 0),
            (0.1 + 0.14 * lean, 0, 0.4),
            (0.16 + 0.42 * lean, 0, 0.8 - 0.15 * lean),
            (0.2 + 0.8 * lean, 0, 1.0 - 0.5 * lean),
        ]
        path = kit.curve(bend, 3) * reach * long + [0, 0, 0.85 * z]
        share = np.linspace(0, 1, len(path))
        width = (0.15 + 0.85 * np.sin(math.pi * share**0.8)) * (1 - 0.8 * share**6)
        leaf = kit.tube(path, 0.012 * long * width, sides=6, ratio=8.0)
        leaves += [leaf.rotate((0, 0, 60 * k + 20 * tier)) for k in range(6)]
    foliage = kit.join(*leaves)
    green = Paint("#3f8f43", "organic")
    pieces = [pot.hull(), *kit.slices(foliage, 3)]
    return kit.stood(kit.part(pot, TERRACOTTA), kit.part(soil, SOIL), kit.part(foliage, green, 60), pieces=pieces)


def _cactus(form: Form) -> Shape:
    r, thick, high, z = form["pot"], form["thickness"], form["height"], 1.3 * form["pot"]
    pot, soil = _pot(r, z)
    stem = _ribbed([(0.0, 0.0, share * (high - thick)) for share in (0, 0.33, 0.67, 1)], thick, 10)
    arms = []
    for side, low, rise in ((1, 0.38, 0.34 * high), (-1, 0.52, 0.26 * high)):
        bend = [
            (0.5 * thick, 0, 0),
            (1.7 * thick, 0, 0.02 * high),
            (2.3 * thick, 0, 0.3 * rise),
            (2.35 * thick, 0, rise),
        ]
        arms.append(_ribbed(kit.curve(bend, 4) * [side, 1, 1] + [0, 0, low * high], 0.58 * thick, 8))
    petal = kit.ball(0.32 * thick, 12).scale((1, 0.55, 0.4)).translate((0.32 * thick, 0, 0)).rotate((0, -25, 0))
    bloom = kit.join(*(petal.rotate((0, 0, 72 * k)) for k in range(5))).translate((0, 0, high))
    body, bloom = kit.join(stem, *arms).translate((0, 0, 0.8 * z)), bloom.translate((0, 0, 0.8 * z))
    limbs = [piece.translate((0, 0, 0.8 * z)) for arm in arms for piece in kit.slices(arm, 4)]
    return kit.stood(
        kit.part(pot, TERRACOTTA),
        kit.part(soil, SOIL),
        kit.part(body, Paint("#4d8f4a", "organic"), 60),
        kit.part(bloom, Paint("pink", "organic"), 60),
        pieces=[pot.hull(), stem.hull().translate((0, 0, 0.8 * z)), bloom.hull(), *limbs],
    )


def _ribbed(path: kit.Points, radius: float, ribs: int) -> kit.Solid:
    """A limb with ribs along a path in the plane y = 0, with a round end that points up."""
    turn = np.linspace(0, 1.45, 6)
    line = np.asarray(path, dtype=np.float64)
    dome = line[-1] + np.outer(np.sin(turn[1:]), [0.0, 0.0, radius])
    spine, sizes = np.concatenate([line, dome]), radius * np.concatenate([np.ones(len(line)), np.cos(turn[1:])])
    ways = np.gradient(spine, axis=0)
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    across = np.cross([0.0, 1.0, 0.0], ways)
    angles = 2 * math.pi * np.arange(4 * ribs) / (4 * ribs)
    wave = 1 + 0.09 * np.cos(ribs * angles)
    flat = np.column_stack([wave * np.cos(angles), wave * np.sin(angles)])
    return kit.skin([
        middle + size * (flat[:, :1] * side + flat[:, 1:] * [0.0, 1.0, 0.0])
        for middle, size, side in zip(spine, sizes, across, strict=True)
    ])  # fmt: skip


def _basket(form: Form) -> Shape:
    r, z, rows, count = form["radius"], form["height"], 22, 72
    angles = 2 * math.pi * np.arange(count) / count
    rings = []
    for row in range(rows + 1):
        weave = 0.0022 * math.sin(math.pi / 2 * row) * np.cos(18 * angles)  # every other strand runs behind
        size = r * (0.78 + 0.22 * row / rows) + weave
        rings.append(np.column_stack([size * np.cos(angles), size * np.sin(angles), np.full(count, z * row / rows)]))
    outer = kit.skin(rings)
    inner = kit.lathe([(0, 0.006), (0.78 * r - 0.005, 0.006), (r - 0.005, z + 0.001), (0, z + 0.001)])
    rim = kit.torus(r, 0.006, 48, 10).translate((0, 0, z))
    t = np.linspace(0, math.pi, 25)
    bow = np.column_stack([r * np.cos(t), 0 * t, form["handle"] * np.sin(t) + z - 0.01])
    handle = kit.tube(bow, 0.006, sides=12, ratio=1.6)
    pieces = [kit.hull(outer, rim), *kit.slices(handle, 8, 0)]
    return kit.stood(kit.part(kit.join(outer - inner, rim), crease=60), kit.part(handle), pieces=pieces)


def _pillow(form: Form) -> Shape:
    x, y, z = form["width"], form["width"] * form["ratio"], form["thickness"]

    def puffed(at: Floats) -> Floats:
        """A ball's points, drawn out to four corners with sides that bend in."""
        angle, out = np.arctan2(at[:, 1], at[:, 0]), np.hypot(at[:, 0], at[:, 1])
        square = (np.abs(np.cos(angle)) ** 5 + np.abs(np.sin(angle)) ** 5) ** -0.2
        reach = square * (1 - 0.05 * out**6 * np.cos(2 * angle) ** 2) / 2
        height = np.sign(at[:, 2]) * np.abs(at[:, 2]) ** 1.15 / 2
        return np.column_stack([at[:, 0] * reach * x, at[:, 1] * reach * y, height * z])

    cushion = kit.ball(1.0, 64).warp_batch(puffed)
    edge = puffed(np.column_stack([kit.circle(1.0, 96), np.zeros(96)]))
    piping = kit.tube(edge, 0.004, closed=True, sides=8)
    return kit.stood(
        kit.part(cushion, crease=60), kit.part(piping, Paint("white", "fabric"), 60), pieces=[kit.hull(cushion, piping)]
    )


def _picture_frame(form: Form) -> Shape:
    x, z, bar, thick, tilt = form["width"], form["height"], form["bar"], 0.014, form["tilt"]
    a, b = x / 2 - bar, z - 2 * bar
    frame = kit.slab(x, thick, z, 0.003, 8) - kit.slab(2 * a, 2 * thick, b).translate((0, -thick, bar))
    sky = kit.slab(2 * a + 0.002, 0.004, b + 0.002).translate((0, 0.0, bar - 0.001))
    peaks = [(-1, 0), (1, 0), (1, 0.3), (0.55, 0.5), (0.15, 0.28), (-0.35, 0.66), (-1, 0.22)]
    meadow = [(-1, 0), (1, 0), (1, 0.2), *kit.curve([(0.5, 0.25), (0.0, 0.16), (-0.6, 0.2)], 4), (-1, 0.12)]
    sun = kit.circle(0.11 * min(2 * a, b), 32) + [0.5 * a, 0.78 * b]
    layers = [
        kit.extrude(outline, 0.0008).rotate((90, 0, 0)).translate((0, -before, bar))
        for outline, before in ((sun, 0.002), (np.array(peaks) * [a, b], 0.0022), (np.array(meadow) * [a, b], 0.0026))
    ]
    frame, sky, sun, hills, lawn = (solid.rotate((-tilt, 0, 0)) for solid in (frame, sky, *layers))
    lean, foot = math.radians(tilt), frame.bounding_box()[2]
    top = (0, 0.7 * z * math.sin(lean) + thick / 2 - 0.002, 0.7 * z * math.cos(lean))
    leg = kit.hull(
        kit.slab(0.03, 0.003, 0.01).translate(top), kit.slab(0.05, 0.004, 0.003).translate((0, 0.4 * z, foot))
    )
    return kit.stood(
        kit.part(frame, crease=30),
        kit.part(sky, Paint("#a8d4f0", "paper")),
        kit.part(sun, Paint("yellow", "paper")),
        kit.part(hills, Paint("#7a6aa8", "paper")),
        kit.part(lawn, Paint("#58a050", "paper")),
        kit.part(leg, DARK_WOOD),
        pieces=[frame.hull(), leg],
    )


def _hourglass(form: Form) -> Shape:
    r, z, run = form["radius"], form["height"], form["run"]
    lids = [kit.cylinder(r, 0.08 * z, 0.003).translate((0, 0, low)) for low in (0.0, 0.92 * z)]
    line = kit.curve([(0.05, 0.06), (0.085, 0.2), (0.05, 0.5), (0.085, 0.8), (0.05, 0.94)], 3)
    post = kit.lathe(np.array([(0, 0.06), *line, (0, 0.94)]) * [r, z], 12).translate((0.84 * r, 0, 0))
    posts = [post.rotate((0, 0, 120 * k + 30)) for k in range(3)]
    line = kit.curve([(0.5, 0.08), (0.66, 0.2), (0.56, 0.36), (0.07, 0.5), (0.56, 0.64), (0.66, 0.8), (0.5, 0.92)], 4)
    glass = kit.lathe(np.array([(0.0, 0.08), *line, (0.0, 0.92)]) * [r, z], 40)
    below = kit.slab(1, 1, (0.12 + 0.26 * run) * z)
    above = kit.slab(1, 1, 0.26 * (1 - run) * z).translate((0, 0, 0.56 * z))
    sand = glass.scale((0.95, 0.95, 1)) ^ (below + above)
    return kit.stood(
        kit.part(kit.join(*lids, *posts), crease=35),
        kit.part(glass, Paint("#e6f2f4", "pane"), 60),
        kit.part(sand, Paint("#e2b868", "organic")),
        pieces=[*lids, *posts, *kit.slices(glass, 4)],
    )


def _watering_can(form: Form) -> Shape:
    r, z = form["radius"], form["height"]
    line = [(0, 0), (r, 0), (0.86 * r, z), (0.6 * r, z + 0.02), (0.56 * r, z + 0.02), (0.56 * r, z), (0, z)]
    body = kit.lathe(kit.rounded(line, 0.006, 3, closed=False))
    spout = kit.curve([(0.8 * r, 0, 0.22 * z), (1.35 * r, 0, 0.5 * z), (1.85 * r, 0, 1.08 * z)], 6)
    pipe = kit.tube(spout, np.linspace(0.2, 0.1, len(spout)) * r, sides=16)
    rose = kit.lathe(np.array([(0, 0), (0.1, 0), (0.34, 0.26), (0.34, 0.32), (0, 0.36)]) * r, 28)
    rose = rose.rotate((0, 42, 0)).translate(tuple(spout[-1] - [0.05 * r, 0, 0.05 * r]))
    bend = [
        (0.45 * r, 0, z + 0.012),
        (0.2 * r, 0, 1.42 * z),
        (-0.6 * r, 0, 1.5 * z),
        (-1.4 * r, 0, 1.1 * z),
        (-1.35 * r, 0, 0.6 * z),
        (-0.85 * r, 0, 0.3 * z),
    ]
    handle = kit.tube(kit.curve(bend, 6), 0.075 * r, sides=12, ratio=1.3)
    grip = [piece for half in handle.split_by_plane((0, 0, 1), z) for piece in kit.slices(half, 4, 0)]
    pieces = [body.hull(), *kit.slices(pipe, 3, 0), rose.hull(), *grip]
    return kit.stood(kit.part(kit.join(body, pipe, rose)), kit.part(handle), pieces=pieces)


CATEGORIES = (
    *BELONGINGS,
    *DEVICES,
    *BATH,
    Category("candle", "household", {"radius": (0.011, 0.02), "height": (0.09, 0.16), "dish": (0.045, 0.06)}, _candle,
             ("plastic",), (*LIVELY, "white", "grey", "beige"), "Cinf", density=800),
    Category("potted plant", "household", {"pot": (0.06, 0.09), "leaf": (0.2, 0.28)}, _potted_plant,
             ("ceramic", "plastic"), symmetry="C6", density=800),
    Category("cactus", "household", {"pot": (0.045, 0.07), "thickness": (0.02, 0.028), "height": (0.12, 0.18)},
             _cactus, ("ceramic", "plastic"), density=800, plural="cactuses"),
    Category("basket", "household", {"radius": (0.11, 0.16), "height": (0.1, 0.15), "handle": (0.11, 0.17)}, _basket,
             ("fabric", "wooden"), ("beige", "brown", "white", "grey", "yellow"), "C2", density=100),
    Category("pillow", "household", {"width": (0.42, 0.58), "ratio": (0.62, 0.82), "thickness": (0.12, 0.17)}, _pillow,
             ("fabric", "striped", "checked", "dotted"), (*LIVELY, "grey", "beige"), "D2", density=60),
    Category("picture frame", "household", {"width": (0.14, 0.22), "height": (0.13, 0.2), "bar": (0.014, 0.024),
             "tilt": (8, 14)}, _picture_frame, ("wooden", "metal", "plastic"),
             ("brown", "black", "white", "red", "teal", "yellow", "navy"), front=True, density=500),
    Category("hourglass", "household", {"radius": (0.04, 0.055), "height": (0.14, 0.2), "run": (0.3, 0.75)},
             _hourglass, ("wooden", "metal"), ("brown", "black", "red", "beige", "navy", "green"), "C3", density=900,
             plural="hourglasses"),
    Category("watering can", "household", {"radius": (0.07, 0.1), "height": (0.12, 0.17)}, _watering_can,
             ("metal", "plastic"), LIVELY + PLAIN, density=300),
)  # fmt: skip
