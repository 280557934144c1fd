"""Things people make, use and eat, and vehicles."""

from __future__ import annotations

import numpy as np

from pixelproof.benches.pixelart.subjects._canvas import Canvas, Hand
from pixelproof.benches.pixelart.subjects._kind import Thing


def _apple(art: Canvas, hand: Hand) -> None:
    skin = hand.tint("d8261c", "8bc34a", "c41e3a", "e8c53a")
    art.paint(art.disc(8.4, 14.4, 6.4, 8) | art.disc(15.6, 14.4, 6.4, 8), skin)
    art.paint(art.line((12, 8), (12.6, 3), width=hand.between(1.2, 1.8)), hand.tint("5a3a22"))
    if hand.maybe(0.8):
        art.paint(art.disc(16, 4.2, 3.4, 1.7, -25), hand.tint("3a9a3a", "6abf4b"))
    if hand.maybe(0.7):
        art.paint(art.disc(7, 11.6, 1.5, 2.6, 20), hand.shade(skin, 1.9))
    if hand.maybe(0.3):
        art.paint(
            art.disc(19, 15, 6.4, 8) & ~art.disc(15.6, 14.4, 5, 7.6) & art.disc(15.6, 14.4, 6.4, 8),
            hand.shade(skin, 0.7),
        )


def _cherries(art: Canvas, hand: Hand) -> None:
    skin, stem = hand.tint("c4122a", "e02020", "8a1030"), hand.tint("3a7a2e", "5a3a22")
    left, right = hand.between(5, 7), hand.between(17, 19)
    art.paint(art.line((left, 15), (hand.between(10, 11.5), 7), (14, 2.5), width=1.1), stem)
    art.paint(art.line((right, 15), (16.5, 8), (14, 2.5), width=1.1), stem)
    for x, y in ((left, 18), (right, hand.between(17, 18.5))):
        art.paint(art.disc(x, y, 4.7), skin)
        if hand.maybe(0.8):
            art.paint(art.dot(x - 1.6, y - 1.6, 0.9), hand.shade(skin, 3))
    if hand.maybe(0.8):
        art.paint(art.disc(18, 3, 4, 1.9, 12), hand.tint("3a9a3a", "6abf4b"))


def _carrot(art: Canvas, hand: Hand) -> None:
    root, leaf = hand.tint("f28c28", "f2761c", "e8743a"), hand.tint("3a9a3a", "6abf4b")
    tip = hand.between(22, 23.6)
    for x in (-3.6, 0, 3.6):
        art.paint(art.line((12, 8), (12 + x, 1), width=1.9), leaf)
    body = art.triangle((6.8, 8), (17.2, 8), (12, tip)) | art.disc(12, 8.4, 5.2, 2.4)
    art.paint(body, root)
    for y, side in ((11, -1), (14, 1), (17, -1)):
        if hand.maybe(0.8):
            art.paint(body & art.box(12 - 4 * (side < 0), y, 12 + 4 * (side > 0), y + 1), hand.shade(root, 0.75))


def _pizza(art: Canvas, hand: Hand) -> None:
    cheese, crust = hand.tint("ffd860", "f6c84a", "ffe08a"), hand.tint("c8863a", "a86a2e")
    slice_ = art.triangle((1.6, 5), (22.4, 5), (12, 23.6))
    art.paint(slice_, cheese)
    art.paint(art.disc(12, 5, 11, hand.between(2.6, 3.4)) & (art.y < 7), crust)
    topping = hand.tint("c8261c", "b83a2e")
    for x, y in ((8, 9.6), (15.4, 10), (12, 15.6)):
        art.paint(slice_ & art.disc(x, y, hand.between(1.7, 2.2)), topping)
    if hand.maybe():
        for x, y in ((12, 9), (10.4, 13), (13.8, 13.6), (12, 19.5)):
            art.paint(art.dot(x, y, 0.6), hand.tint("3a8a3a", "2a2024"))


def _ice_cream(art: Canvas, hand: Hand) -> None:
    flavours = ("ffb6c8", "fff4e0", "7a4a2e", "a8e0b8", "f6d878", "c8a0e0")
    cone = hand.tint("d9a05a", "c8863a", "e6b87a")
    art.paint(art.triangle((6, 12.4), (18, 12.4), (12, 23.8)), cone)
    if hand.maybe(0.6):
        lattice = (np.floor((art.x + art.y) / 2.2) % 2 == 0) & art.triangle((6, 12.4), (18, 12.4), (12, 23.8))
        art.paint(lattice, hand.shade(cone, 0.82))
    if hand.maybe(0.5):
        art.paint(art.disc(8.2, 9, 4.4), hand.tint(*flavours))
        art.paint(art.disc(15.8, 9, 4.4), hand.tint(*flavours))
        art.paint(art.disc(12, 5, 4.4), hand.tint(*flavours))
    else:
        art.paint(art.disc(12, 8, 6.8, 6.4), hand.tint(*flavours))
    if hand.maybe(0.4):
        art.paint(art.disc(12, 1.8, 1.6), hand.tint("d8261c"))


def _watermelon(art: Canvas, hand: Hand) -> None:
    flesh, rind = hand.tint("e8394a", "f2566a"), hand.tint("2f8a3a", "1f6b35")
    top = hand.between(6, 8)
    half = art.y >= top
    for radius, colour in ((11.4, rind), (9.9, "d8f0b8"), (8.8, flesh)):
        art.paint(art.disc(12, top, radius, radius * 1.28) & half, colour)
    for x, y in ((7.5, 2.5), (12, 2.5), (16.5, 2.5), (9.6, 6), (14.4, 6), (12, 9)):
        art.paint(art.dot(x, top + y, 0.6), "2a1a1a")


FOOD = (
    Thing("apple", "An apple", "food", _apple),
    Thing("cherries", "A pair of cherries", "food", _cherries),
    Thing("carrot", "A carrot", "food", _carrot),
    Thing("pizza", "A slice of pizza", "food", _pizza),
    Thing("ice-cream", "An ice cream cone", "food", _ice_cream),
    Thing("watermelon", "A slice of watermelon", "food", _watermelon),
)


_BRIGHT = ("d8261c", "2f6fd6", "3a9a3a", "ffd23f", "9a4ad0", "f28c28", "e0609a")
_METAL = ("b8bec8", "8a94a2", "d8dce2")


def _car(art: Canvas, hand: Hand) -> None:
    paint, top = hand.tint(*_BRIGHT, "8a94a2", "ffffff"), hand.between(6, 8)
    art.paint(art.polygon((6.4, 12.4), (8.6, top), (16.4, top), (19.6, 12.4)), paint)
    art.paint(art.box(1, 12, 23, 18) | art.disc(22, 15, 1.8, 3), paint)
    glass = hand.tint("bfe6ff", "dff4ff", "3a4a5e")
    art.paint(art.polygon((8.2, 12), (9.6, top + 1.4), (11.8, top + 1.4), (11.8, 12)), glass)
    art.paint(art.polygon((13, 12), (13, top + 1.4), (15.6, top + 1.4), (17.6, 12)), glass)
    for x in (6.2, 17.8):
        art.paint(art.disc(x, 18, 3.1), "1c1c24")
        art.paint(art.dot(x, 18, 1.2), hand.tint(*_METAL))
    if hand.maybe(0.8):
        art.paint(art.box(21.4, 13, 23.4, 15), "ffe86a")
    if hand.maybe(0.3):
        art.paint(art.box(1, 14.4, 23, 15.6) & ~art.disc(6.2, 18, 3.1) & ~art.disc(17.8, 18, 3.1), "ffffff")


def _ship(art: Canvas, hand: Hand) -> None:
    hull, sail = hand.tint("8a5a34", "6b3f1d", "d8261c", "1f3a6e"), hand.tint("ffffff", "f6ecd0", "d8261c", "ffd23f")
    art.paint(art.box(11.3, 1, 12.7, 17), hand.tint("5a3a22"))
    art.paint(art.triangle((13.2, 2), (13.2, 15), (21.5, 15)), sail)
    art.paint(art.triangle((10.8, 4), (10.8, 15), (4, 15)), sail if hand.maybe() else hand.shade(sail, 0.85))
    art.paint(art.polygon((1.5, 16.4), (22.5, 16.4), (19, 22), (5, 22)), hull)
    if hand.maybe(0.5):
        art.paint(art.box(3, 17.6, 21, 18.8) & art.polygon((1.5, 16.4), (22.5, 16.4), (19, 22), (5, 22)), "ffffff")
    if hand.maybe(0.5):
        art.paint(art.triangle((12.6, 0), (12.6, 2.6), (8.6, 1.4)), hand.tint("d8261c", "2f6fd6"))
    if hand.maybe(0.6):
        art.paint(art.y >= 21.4 + 0.5 * np.sin(art.x * 1.3), hand.tint("2f7fd6", "3aa0c8"))


def _rocket(art: Canvas, hand: Hand) -> None:
    body, trim = hand.tint("f0f2f6", "d8dce2", "ffffff", "ffd23f"), hand.tint("d8261c", "2f6fd6", "f28c28")
    art.paint(
        art.triangle((7.6, 13), (7.6, 19.6), (2.6, 20.4)) | art.triangle((16.4, 13), (16.4, 19.6), (21.4, 20.4)), trim
    )
    art.paint(art.polygon((10, 18), (14, 18), (12, hand.between(22.4, 24))), hand.tint("ffa41c"))
    art.paint(art.polygon((8.8, 18), (15.2, 18), (13.6, 21.4), (12, 20), (10.4, 21.4)), hand.tint("ff6a1c"))
    hull = art.disc(12, 11.5, 4.8, 11.4) & (art.y < 19)
    art.paint(hull, body)
    art.paint(hull & (art.y < 5.4), trim)
    art.paint(art.disc(12, 9.6, 2.1), hand.tint("6ec6f1", "2f6fd6"))
    if hand.maybe(0.5):
        art.paint(hull & (art.y > 16.4), trim)


def _hot_air_balloon(art: Canvas, hand: Hand) -> None:
    one, other = hand.tint(*_BRIGHT), hand.tint("ffffff", *_BRIGHT)
    envelope = art.disc(12, 8.4, 8.4, 8.2) | art.polygon((4.6, 12), (19.4, 12), (14.4, 18), (9.6, 18))
    art.paint(envelope, one)
    stripes = hand.pick(2, 0, 1)
    if stripes == 2:
        art.paint(envelope & art.disc(12, 9, 3, 12), other)
    elif stripes == 1:
        art.paint(envelope & art.box(0, 7, 24, 10.4), other)
    art.paint(art.line((9.6, 18), (10.4, 21), width=0.7) | art.line((14.4, 18), (13.6, 21), width=0.7), "5a3a22")
    art.paint(art.box(9.4, 20.4, 14.6, 24), hand.tint("a8703a", "8a5a34"))


VEHICLES = (
    Thing("car", "A car seen from the side", "vehicles", _car),
    Thing("ship", "A sailing ship", "vehicles", _ship),
    Thing("rocket", "A rocket", "vehicles", _rocket),
    Thing("hot-air-balloon", "A hot-air balloon", "vehicles", _hot_air_balloon),
)


def _heart(art: Canvas, hand: Hand) -> None:
    red, dip = hand.tint("e02040", "ff5a7a", "c41e3a", "e0609a"), hand.between(7, 8.4)
    heart = (
        art.disc(7, dip, 5.6) | art.disc(17, dip, 5.6) | art.triangle((2.1, dip + 2.4), (21.9, dip + 2.4), (12, 22.8))
    )
    art.paint(heart | art.box(8, dip - 1, 16, dip + 3), red)
    if hand.maybe(0.6):
        art.paint(art.disc(6.2, dip - 1, 1.7, 1.5), hand.shade(red, 2.4))


def _key(art: Canvas, hand: Hand) -> None:
    gold, radius = hand.tint("f2c12e", "d8a520", "b8bec8", "c8863a"), hand.between(4.4, 5.4)
    art.paint(art.disc(6, 12, radius), gold)
    art.paint(art.box(9, 10.8, 23, 13.2), gold)
    teeth = hand.pick((16.4, 20.6), (19, 21.6), (15, 18, 21))
    for x in teeth:
        art.paint(art.box(x - 0.1, 12, x + 1.9, hand.between(16, 17.6)), gold)
    art.erase(art.disc(6, 12, radius - 2.3))


def _sword(art: Canvas, hand: Hand) -> None:
    steel, hilt = hand.tint(*_METAL, "9ad0f0"), hand.tint("d8a520", "7a4a26", "8a3a3a")
    wide = hand.between(1.3, 2)
    blade = art.box(12 - wide, 3.5, 12 + wide, 16.5) | art.triangle((12 - wide, 3.6), (12 + wide, 3.6), (12, 0))
    art.paint(blade, steel)
    if hand.maybe(0.6):
        art.paint(blade & (art.x > 12.2), hand.shade(steel, 0.75))
    art.paint(art.box(12 - hand.between(4, 6), 16, 12 + 5, 18.2) | art.box(7, 16, 12, 18.2), hilt)
    art.paint(art.box(10.9, 18, 13.1, 22), hand.shade(hilt, 0.6))
    art.paint(art.disc(12, 22.4, 1.6), hilt)


def _crown(art: Canvas, hand: Hand) -> None:
    gold, low = hand.tint("ffcf33", "f2b52e", "d8dce2"), hand.between(8, 10)
    art.paint(art.polygon((2, 5), (7, 13), (12, 3), (17, 13), (22, 5), (20.5, 20), (3.5, 20)), gold)
    art.paint(art.box(3, 17.4, 21, 20.6), hand.shade(gold, 0.8))
    for x, y in ((2.4, 4.8), (12, 2.6), (21.6, 4.8)):
        art.paint(art.disc(x, y, 1.5), hand.tint("e02040", "ffcf33", "2f6fd6"))
    if hand.maybe(0.8):
        for x in (7, 12, 17):
            art.paint(art.dot(x, low + 5.6, 1.1), hand.tint("e02040", "2f6fd6", "3a9a3a"))


def _umbrella(art: Canvas, hand: Hand) -> None:
    cloth, other = hand.tint(*_BRIGHT), hand.tint("ffffff", *_BRIGHT)
    top = art.disc(12, 13, 11.2, hand.between(10, 12)) & (art.y < 13)
    wood = hand.tint("5a3a22", "3a3a44")
    art.paint(top, cloth)
    if hand.maybe(0.6):
        art.paint(top & art.disc(12, 13, 4, 12), other)
    for x in (4.5, 12, 19.5) if hand.maybe(0.6) else ():
        art.erase(art.disc(x, 13.6, 2.6, 1.6))
    art.paint(art.line((12, 13), (12, 21), width=1.1), wood)
    art.paint(art.line((12, 21), (13, 22.6), (15, 22.6), (16, 20.6), width=1.1), wood)


def _gift(art: Canvas, hand: Hand) -> None:
    paper, ribbon = hand.tint(*_BRIGHT), hand.tint("ffd23f", "ffffff", "d8261c")
    if ribbon == paper:
        ribbon = "ffffff"
    art.paint(art.box(3.4, 11.6, 20.6, 23), paper)
    art.paint(art.box(2, 8, 22, 12), hand.shade(paper, 0.8))
    art.paint(art.box(10.4, 8, 13.6, 23), ribbon)
    if hand.maybe(0.4):
        art.paint(art.box(3.4, 16, 20.6, 18), ribbon)
    for side in (-1, 1):
        art.paint(art.disc(12 + 3.8 * side, 5, 3.8, 2.7, 25 * side), ribbon)
        art.erase(art.disc(12 + 4 * side, 5, 1.5, 0.9, 25 * side))


def _candle(art: Canvas, hand: Hand) -> None:
    wax, wide = hand.tint("f6ecd0", "d8261c", "ffffff", "9ad0f0", "e0a0c0"), hand.between(2.8, 4.2)
    art.paint(art.box(12 - wide, 10, 12 + wide, 21.4), wax)
    if hand.maybe(0.6):
        art.paint(art.box(12 - wide, 10, 12 - wide + 1.6, 14.6), hand.shade(wax, 0.85))
    art.paint(art.line((12, 8), (12, 10.4), width=0.9), "3a3a44")
    art.paint(art.disc(12, 5.4, 2.4, 3.6) | art.triangle((10.4, 4), (13.6, 4), (12, 0)), hand.tint("ff9a1c"))
    art.paint(art.disc(12, 6.4, 1.2, 1.9), hand.tint("ffe86a"))
    if hand.maybe(0.7):
        art.paint(art.box(5, 21, 19, 23.6), hand.tint("b8862e", "8a94a2", "7a4a26"))


def _mug(art: Canvas, hand: Hand) -> None:
    clay = hand.tint(*_BRIGHT, "ffffff", "c9ccd6")
    art.paint(art.disc(17.4, 14, 5.4, 5), clay)
    art.erase(art.disc(17.8, 14, 3, 2.7))
    art.paint(art.box(3.6, 8, 17, 21.6) | art.disc(10.3, 21, 6.6, 2), clay)
    art.paint(art.disc(10.3, 8.4, 6.6, 1.9), hand.tint("5a3420", "8a5a34", "a8c86a"))
    if hand.maybe(0.6):
        art.paint(art.box(3.6, 13.4, 17, 16), hand.shade(clay, 0.75))
    for x in (7, 10.6, 14) if hand.maybe(0.5) else ():
        art.paint(art.line((x, 5.4), (x + 0.9, 3.4), (x, 1.2), width=0.9), hand.tint("c9ccd6"))


def _light_bulb(art: Canvas, hand: Hand) -> None:
    glass, metal = hand.tint("ffe86a", "fff4b0", "ffd23f"), hand.tint(*_METAL)
    art.paint(art.disc(12, 9.4, hand.between(7, 8.2), 8.2), glass)
    art.paint(art.polygon((7.4, 13.5), (16.6, 13.5), (15, 18.4), (9, 18.4)), glass)
    art.paint(art.box(8.6, 18, 15.4, 22) | art.disc(12, 22, 2.4, 1.6), metal)
    art.paint(art.box(8.6, 19.4, 15.4, 20.5), hand.shade(metal, 0.7))
    if hand.maybe(0.7):
        art.paint(art.line((12, 18), (10, 11), (12, 12.6), (14, 11), (12, 18), width=0.8), hand.tint("e08a1c"))
    if hand.maybe(0.5):
        art.paint(art.disc(9, 6.6, 1.4, 2), "ffffff")


def _anchor(art: Canvas, hand: Hand) -> None:
    iron, low = hand.tint("3a4a5e", "8a94a2", "1f3a6e", "d8a520", "16161a"), hand.between(14, 15.5)
    art.paint(art.disc(12, 3.8, 3.2), iron)
    art.erase(art.disc(12, 3.8, 1.4))
    art.paint(art.box(10.8, 6, 13.2, 22) | art.box(6.6, 8.4, 17.4, 10.6), iron)
    art.paint(art.disc(12, low - 1.5, 10, 9.6) & ~art.disc(12, low - 2.5, 7.6, 7.4) & (art.y > low - 0.5), iron)
    for side in (-1, 1):
        x = 12 + 9 * side
        art.paint(art.triangle((x - 2.8, low + 1), (x + 2.8, low + 1), (x + 0.4 * side, low - 3.6)), iron)


def _envelope(art: Canvas, hand: Hand) -> None:
    paper = hand.tint("fff8e6", "f4d8a0", "ffffff", "bfe0f4", "f6c8d0")
    line, top = hand.shade(paper, 0.6), hand.between(5, 6.5)
    low = 24 - top
    art.paint(art.box(1, top, 23, low), paper)
    art.paint(art.line((1.5, top + 0.5), (12, 13.5), (22.5, top + 0.5), width=1.1), line)
    art.paint(art.box(1, top, 23, low) & ~art.box(2, top + 1, 22, low - 1), line)
    if hand.maybe(0.5):
        art.paint(art.disc(12, 12.5, 2.3), hand.tint("c41e2a", "2f6fd6"))
    elif hand.maybe(0.5):
        art.paint(art.line((2, low - 1), (9, 12), width=0.9) | art.line((22, low - 1), (15, 12), width=0.9), line)


def _bomb(art: Canvas, hand: Hand) -> None:
    iron = hand.tint("1c1c24", "2e2e3a", "3a2a44")
    art.paint(art.disc(10.6, 14.6, hand.between(8, 9.2)), iron)
    art.paint(art.polygon((13.6, 6.6), (16, 4.2), (19.4, 7.6), (17, 10)), hand.shade(iron, 1.5))
    art.paint(art.line((17.4, 5.8), (19, 3.2), (21, 3.4), width=1.1), hand.tint("c8a06a"))
    art.paint(art.dot(21.6, 3, 1.7), hand.tint("ff7a1c"))
    art.paint(art.dot(21.6, 3, 0.7), "fff06a")
    if hand.maybe(0.8):
        art.paint(art.disc(7.4, 11.4, 1.9, 1.5, -40), "ffffff")


def _potion(art: Canvas, hand: Hand) -> None:
    glass, drink = hand.tint("cfe6f0", "e6f4f8"), hand.tint("d8261c", "3a9a3a", "9a4ad0", "2f6fd6", "e0609a")
    art.paint(art.box(9.4, 4, 14.6, 11) | art.disc(12, 15.6, 8), glass)
    level = hand.between(11.5, 14.5)
    liquid = art.disc(12, 15.6, 6.6) & (art.y > level)
    art.paint(liquid, drink)
    art.paint(art.box(9.8, 1, 14.2, 4.6), hand.tint("8a5a34", "b5793c"))
    art.paint(art.box(8.6, 4.6, 15.4, 6), hand.shade(glass, 0.8))
    for x, y in ((10, 17), (14, 19), (13, 15.4)) if hand.maybe(0.7) else ():
        art.paint(liquid & art.disc(x, y, 1), hand.shade(drink, 2))


OBJECTS = (
    Thing("heart", "A heart", "objects", _heart),
    Thing("key", "A key", "objects", _key),
    Thing("sword", "A sword", "objects", _sword),
    Thing("crown", "A crown", "objects", _crown),
    Thing("umbrella", "An open umbrella", "objects", _umbrella),
    Thing("gift", "A wrapped gift with a bow", "objects", _gift),
    Thing("candle", "A burning candle", "objects", _candle),
    Thing("mug", "A mug", "objects", _mug),
    Thing("light-bulb", "A light bulb", "objects", _light_bulb),
    Thing("anchor", "An anchor", "objects", _anchor),
    Thing("envelope", "An envelope", "objects", _envelope),
    Thing("bomb", "A round bomb with a burning fuse", "objects", _bomb),
    Thing("potion", "A potion in a round flask", "objects", _potion),
)
