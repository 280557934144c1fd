"""Things of paper and cardboard: books, boxes, envelopes, cards."""

from __future__ import annotations

import math

import numpy as np

from pixelproof.world.solid._category import Category, Form, Label, Paint, Shape, Surface
from pixelproof.world.solid._poses import Floats

from . import _kit as kit
from ._common import STEEL, corners

COVERS = ("red", "navy", "green", "teal", "purple", "orange", "brown", "black", "blue", "grey", "yellow", "pink")
TITLES = ("BIRDS", "THE SEA", "ATLAS", "POEMS", "DRAGONS", "CHESS", "STARS", "COOKING", "TRAINS", "RIVERS", "GARDEN",
          "MAPS")  # fmt: skip
PAGES = Paint("#f4ecd8", "paper")
RIBBON = Paint("yellow", "fabric")
CARDBOARD = Paint("#c0946a", "cardboard")
UP, AWAY, FRONT, LEFT = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (0.0, -1.0, 0.0), (-1.0, 0.0, 0.0)


def _book(form: Form) -> Shape:
    x, y, z, cover = form["width"], form["height"], form["thickness"], 0.0028
    bulge = 0.22 * z
    turn = np.linspace(math.pi, 0, 9)
    spine = np.column_stack([-x / 2 - bulge * np.sin(turn), z / 2 * (1 - np.cos(turn))])
    outline = np.concatenate([[(x / 2, 0.0), (x / 2, z)], spine])
    thinner = 1 - 2 * cover / z
    whole = kit.extrude(outline, y)
    hollow = kit.extrude(outline * [1.0, thinner] + [cover, cover], 2 * y).translate((0, 0, -y / 2))
    block = kit.extrude(outline * [1 - 0.012 / x, thinner] + [-0.001, cover], y - 0.008).translate((0, 0, 0.004))
    binding, block = (solid.rotate((90, 0, 0)).translate((0, y / 2, 0)) for solid in (whole - hollow, block))
    labels = [
        Label((0.0, 0.12 * y, z), UP, AWAY, 0.8 * x, 0.3 * y, ground="beige"),
        Label((-x / 2 - bulge, 0.0, z / 2), LEFT, UP, 0.6 * y, 0.5 * z, ground="beige"),
    ]
    return kit.stood(kit.part(binding), kit.part(block, PAGES), pieces=[binding.hull()], labels=labels)


def _notebook(form: Form) -> Shape:
    x, y, z, sheet = form["width"], form["height"], form["thickness"], 0.0016
    pages = kit.slab(x - 0.004, y - 0.004, z - 2 * sheet + 0.0002).translate((0.0, 0.0, sheet - 0.0001))
    cover = kit.extrude(kit.rounded(corners(x, y), 0.008), sheet)
    covers = [cover, cover.translate((0, 0, z - sheet))]
    count, ring = int(y / 0.0125), 0.5 * z + 0.0028
    wire = kit.torus(ring, 0.0009, 16, 6).rotate((90, 0, 0)).translate((-x / 2, 0, ring + 0.0009))
    coil = kit.join(*(wire.translate((0, (k - (count - 1) / 2) * 0.0115, 0)) for k in range(count)))
    label = Label((0.0, 0.12 * y, z), UP, AWAY, 0.62 * x, 0.2 * y, ground="white")
    return kit.stood(
        kit.part(kit.join(*covers)),
        kit.part(pages, PAGES),
        kit.part(coil, STEEL),
        pieces=[kit.hull(*covers), coil.hull()],
        labels=[label],
    )


def _cardboard_box(form: Form) -> Shape:
    x, y, z, wall = form["width"], form["depth"], form["height"], 0.004
    sides = [kit.slab(x, wall, z).translate((0.0, side * (y - wall) / 2, 0.0)) for side in (-1, 1)]
    sides += [kit.slab(wall, y, z).translate((side * (x - wall) / 2, 0.0, 0.0)) for side in (-1, 1)]
    solids = [kit.slab(x, y, wall), *sides]
    for turn, wide, reach in ((0, x, y), (90, y, x), (180, x, y), (270, y, x)):
        flap = kit.slab(wide - 0.004, wall, 0.46 * min(x, y)).translate((0.0, wall / 2, -0.001))
        flap = flap.rotate((form["flaps"], 0.0, 0.0)).translate((0.0, -reach / 2, z - 0.001))
        solids.append(flap.rotate((0.0, 0.0, turn)))
    inside = Surface("inside", (0.0, 0.0, wall), x - 2 * wall, y - 2 * wall)
    return kit.stood(kit.part(kit.join(*solids), CARDBOARD, 20), pieces=solids, surfaces=[inside])


def _parcel(form: Form) -> Shape:
    x, y, z, thin = form["width"], form["depth"], form["height"], 0.0006
    box = kit.slab(x, y, z, 0.003, 8)
    tape = kit.slab(x + 2 * thin, 0.05, 0.05 + thin).translate((0, 0, z - 0.05))
    tape -= kit.slab(x, 0.06, 0.06).translate((0, 0, z - 0.06))
    label = Label((0.0, -y / 2, 0.5 * z), FRONT, UP, 0.62 * x, 0.42 * z, ground="white")
    return kit.stood(
        kit.part(box), kit.part(tape, Paint("#d9b98a", "plastic")), pieces=[kit.hull(box, tape)], labels=[label]
    )


def _gift(form: Form) -> Shape:
    x, y, z, wide = form["width"], form["width"] * form["ratio"], form["height"], form["ribbon"]
    lid = kit.slab(x, y, 0.03, 0.002, 8).translate((0, 0, z - 0.03))
    box = kit.slab(x - 0.008, y - 0.008, z - 0.01, 0.002, 8)
    around_lid = [
        kit.slab(*size, 0.031).translate((0, 0, z - 0.0302)) for size in ((wide, y + 0.0016), (x + 0.0016, wide))
    ]
    around_box = [
        kit.slab(*size, z - 0.011).translate((0, 0, 0.0005)) for size in ((wide, y - 0.0064), (x - 0.0064, wide))
    ]
    knot = kit.slab(0.55 * wide, 0.9 * wide, 0.5 * wide, 0.2 * wide, 12).translate((0, 0, z))
    loop = [(0.0, 0.0, 0.0), (0.3, 0.0, 0.42), (0.75, 0.0, 0.6), (0.98, 0.0, 0.36), (0.72, 0.0, 0.1), (0.3, 0.0, 0.02)]
    path = kit.curve(np.array(loop) * 0.34 * x, 5, closed=True) + [0.004, 0.0, z + 0.004]
    bow = kit.tube(path, 0.0014, closed=True, sides=8, ratio=0.45 * wide / 0.0014)
    bows = [bow, bow.rotate((0, 0, 180))]
    return kit.stood(
        kit.part(box),
        kit.part(lid),
        kit.part(kit.join(*around_lid, *around_box, knot), RIBBON),
        kit.part(kit.join(*bows), RIBBON, 60),
        pieces=[kit.hull(lid, *around_lid), kit.hull(box, *around_box), *(bow.hull() for bow in bows), knot],
    )


def _envelope(form: Form) -> Shape:
    x, y, z = form["width"], form["width"] * form["ratio"], 0.004
    tip = -0.08 * y
    body = kit.extrude(kit.rounded(corners(x, y), 0.004), z)
    flap, rim = (
        kit.extrude(kit.rounded([(-x / 2, y / 2), (0.0, low), (x / 2, y / 2)], 0.012), high).translate(
            (0, 0, z - 0.0001)
        )
        for low, high in ((tip, 0.0008), (tip - 0.0035, 0.0004))
    )
    fold = kit.tube([(x / 2 - 0.002, 0.002 - y / 2, z), (0.02, tip + 0.01, z)], 0.0008, sides=6)
    line = [(0, 0), (0.013, 0), (0.012, 0.002), (0.0085, 0.0025), (0.008, 0.0016), (0, 0.0016)]
    seal = kit.lathe(kit.rounded(line, 0.001, 3, closed=False)).translate((0.0, tip + 0.012, z))
    return kit.stood(
        kit.part(body),
        kit.part(flap),
        kit.part(kit.join(rim, fold, fold.mirror((1, 0, 0))), Paint("#8a8378", "paper")),
        kit.part(seal, Paint("#8c1420", "plastic")),
        pieces=[kit.hull(body, flap), seal.hull()],
    )


def _heart(size: float) -> Floats:
    """The outline of a heart of so much width around the origin."""
    t = np.linspace(2 * math.pi, 0, 49)[:-1]
    y = 13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t)
    return np.column_stack([16 * np.sin(t) ** 3, y + 2.5]) * size / 32


def _deck_of_cards(form: Form) -> Shape:
    x, y, z, count = 0.063, 0.088, form["height"], int(form["height"] / 0.0022)
    card = kit.extrude(kit.rounded(corners(x, y), 0.006), z / count - 0.0003)
    tilts = [form["untidy"] * math.sin(2.4 * k + 1.0) for k in range(count - 1)]
    cards = [card.rotate((0, 0, tilt)).translate((0, 0, k * z / count)) for k, tilt in enumerate([*tilts, 0.0])]
    gaps = kit.slab(x - 0.008, y - 0.008, z - 0.0014).translate((0, 0, 0.0007))
    pip, top = kit.extrude(_heart(0.007), 0.0003).translate((-0.024, 0.025, 0)), z - 0.0003
    pips = [kit.extrude(_heart(0.024), 0.0003), pip, pip.rotate((0, 0, 180))]
    labels = [
        Label((-0.024, 0.0355, top), UP, AWAY, 0.009, 0.012, "red"),
        Label((0.024, -0.0355, top), UP, FRONT, 0.009, 0.012, "red"),
    ]
    return kit.stood(
        kit.part(kit.join(*cards), Paint("#f6f4ee", "paper")),
        kit.part(gaps, Paint("#b9b4a8", "paper")),
        kit.part(kit.join(*pips).translate((0, 0, top - 0.0001)), Paint("red", "paper")),
        pieces=[kit.hull(*cards)],
        labels=labels,
    )


def _toilet_roll(form: Form) -> Shape:
    r, z, hole = form["radius"], form["height"], 0.02
    paper = kit.lathe(kit.rounded([(hole, 0), (r, 0), (r, z), (hole, z)], 0.003))
    core = kit.lathe(np.add(corners(0.0025, z - 0.002), [hole, z / 2]))
    return kit.stood(kit.part(paper), kit.part(core, CARDBOARD), pieces=[paper.hull()])


def _carton(form: Form) -> Shape:
    x, z, gable = form["width"], form["height"], 0.5 * form["width"]
    body = kit.slab(x, x, z, 0.002, 8)
    ridge = z + gable - 0.002
    roof = kit.hull(
        kit.slab(x, x, 0.002).translate((0, 0, z - 0.003)), kit.slab(x, 0.004, 0.002).translate((0, 0, ridge))
    )
    fin = kit.slab(x, 0.004, 0.018).translate((0, 0, ridge))
    label = Label((0.0, -x / 2, 0.56 * z), FRONT, UP, 0.84 * x, 0.36 * z, ground="white")
    white = Paint("white", "paper")
    return kit.stood(kit.part(body), kit.part(kit.join(roof, fin), white, 20), pieces=[body, roof, fin], labels=[label])


def _paper_bag(form: Form) -> Shape:
    x, y, z, thin = form["width"], form["width"] * form["ratio"], form["height"], 0.0015
    bag = kit.slab(x, y, z) - kit.slab(x - 2 * thin, y - 2 * thin, z).translate((0, 0, thin))
    bend = [(-0.2, 0.0, -0.05), (-0.19, 0.0, 0.15), (0.0, 0.0, 0.3), (0.19, 0.0, 0.15), (0.2, 0.0, -0.05)]
    handle = kit.tube(kit.curve(bend, 6) * x + [0, y / 2 - 0.005, z], 0.0025, sides=10)
    handles = [handle, handle.rotate((0, 0, 180))]
    label = Label((0.0, -y / 2, 0.5 * z), FRONT, UP, 0.7 * x, 0.3 * z, ground="white")
    pieces = [bag.hull(), *(piece for handle in handles for piece in kit.slices(handle, 4, 0))]
    cord = Paint("#6b4a2e", "fabric")
    return kit.stood(kit.part(bag, crease=20), kit.part(kit.join(*handles), cord), pieces=pieces, labels=[label])


CATEGORIES = (
    Category("book", "paper", {"width": (0.13, 0.18), "height": (0.19, 0.25), "thickness": (0.02, 0.045)}, _book,
             ("paper", "leather", "fabric"), COVERS, density=700, texts=TITLES),
    Category("notebook", "paper", {"width": (0.13, 0.18), "height": (0.19, 0.23), "thickness": (0.009, 0.016)},
             _notebook, ("paper", "plastic"), COVERS, density=600,
             texts=("NOTES", "MATHS", "MUSIC", "IDEAS", "PHYSICS", "DIARY")),
    Category("cardboard box", "paper", {"width": (0.24, 0.4), "depth": (0.16, 0.22), "height": (0.12, 0.24),
             "flaps": (35, 70)}, _cardboard_box, ("cardboard",), (), "C2", density=200, plural="cardboard boxes"),
    Category("parcel", "paper", {"width": (0.2, 0.34), "depth": (0.14, 0.19), "height": (0.09, 0.17)}, _parcel,
             ("cardboard", "paper"), ("brown", "beige", "white", "blue", "red", "green"), front=True, density=200,
             texts=("FRAGILE", "EXPRESS", "AIR MAIL", "PARIS", "TOKYO", "LIMA")),
    Category("gift", "paper", {"width": (0.12, 0.2), "ratio": (0.66, 0.86), "height": (0.08, 0.16),
             "ribbon": (0.014, 0.024)}, _gift, ("paper", "striped", "dotted"),
             ("red", "blue", "purple", "teal", "green", "pink", "navy", "white"), "C2", density=200, word="gift box",
             plural="gift boxes"),
    Category("envelope", "paper", {"width": (0.17, 0.23), "ratio": (0.6, 0.75)}, _envelope, ("paper",),
             ("white", "beige", "pink", "cyan", "yellow", "lime"), density=300),
    Category("deck of cards", "paper", {"height": (0.012, 0.024), "untidy": (1.0, 5.0)}, _deck_of_cards, ("paper",),
             (), density=700, texts=("A", "K", "Q", "J", "7", "4"), plural="decks of cards"),
    Category("toilet roll", "paper", {"radius": (0.05, 0.062), "height": (0.09, 0.11)}, _toilet_roll, ("paper",),
             ("white", "pink", "cyan"), "Dinf", density=150),
    Category("carton", "paper", {"width": (0.07, 0.095), "height": (0.15, 0.21)}, _carton, ("paper",),
             ("red", "blue", "green", "orange", "purple", "cyan", "pink", "teal"), front=True, density=900,
             texts=("MILK", "SOY", "OAT", "RICE"), word="milk carton",
             plural="milk cartons"),
    Category("paper bag", "paper", {"width": (0.18, 0.26), "ratio": (0.4, 0.55), "height": (0.2, 0.3)}, _paper_bag,
             ("paper", "striped"), COVERS, front=True, density=80,
             texts=("SALE", "SHOP", "BOOKS", "GIFTS", "FRESH")),
)  # fmt: skip
