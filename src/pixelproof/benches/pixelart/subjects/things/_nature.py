"""Animals, plants and the sky."""

from __future__ import annotations

import numpy as np

from pixelproof.benches.pixelart.subjects._canvas import Canvas, Hand
from pixelproof.benches.pixelart.subjects._kind import Thing

_GREENS = ("3a9a3a", "2f7d32", "6abf4b", "57a639", "88b04b")


def _tree(art: Canvas, hand: Hand) -> None:
    leaf = hand.tint(*_GREENS, "e08a2e")
    wide = hand.between(1.5, 2.2)
    art.paint(art.box(12 - wide, 13, 12 + wide, 24), hand.tint("7a4a26", "5a3a22", "9a6a3a"))
    if hand.maybe(0.5):
        crown = art.disc(12, 8.4, hand.between(7.5, 9.5), hand.between(7, 8.2))
    else:
        crown = art.disc(7.4, 10.6, 5.4) | art.disc(16.6, 10.6, 5.4) | art.disc(12, 6.4, 6)
    art.paint(crown, leaf)
    if hand.maybe(0.6):
        art.paint(crown & art.disc(9.5, 6, 4, 3.4), hand.shade(leaf, 1.35))
    if hand.maybe(0.4):
        fruit = hand.tint("e02020", "ffd23f", "ff8fb8")
        for x, y in ((7, 11), (12, 5), (16.5, 9), (12, 11)):
            art.paint(art.dot(x, y, 0.9), fruit)


def _fir_tree(art: Canvas, hand: Hand) -> None:
    leaf = hand.tint("1f6b35", "2f7d32", "2a5a44", "3a8a4a")
    art.paint(art.box(10.6, 16, 13.4, 24), hand.tint("7a4a26", "5a3a22"))
    tiers = hand.pick(3, 2, 4)
    for tier in range(tiers):
        top, reach = 0.5 + tier * 17 / (tiers + 0.6), 4.6 + 5.4 * (tier + 1) / tiers
        bottom = top + 20 / (tiers + 0.2)
        art.paint(art.triangle((12, top), (12 - reach, min(bottom, 20)), (12 + reach, min(bottom, 20))), leaf)
        if hand.maybe(0.35):
            art.paint(art.triangle((12, top), (10.4, top + 3), (13.6, top + 3)), "ffffff")
    if hand.maybe(0.3):
        art.paint(art.disc(12, 1.6, 1.7), "ffd23f")
        for x, y in ((10, 9), (14, 13), (9, 17), (15, 18)):
            art.paint(art.dot(x, y, 0.8), hand.tint("e02020", "ffd23f", "4aa3e0"))


def _flower(art: Canvas, hand: Hand) -> None:
    petal = hand.tint("e0609a", "e02020", "ffd23f", "9a6ad0", "f4f4f4", "4a8fe0", "f28c28")
    heart = hand.tint("ffd23f", "f28c28", "6a3a1c")
    green, bloom = hand.tint(*_GREENS), hand.between(7.4, 8.6)
    art.paint(art.line((12, 9), (12, 24), width=1.6), green)
    if hand.maybe(0.8):
        art.paint(art.disc(8.4, 19, 3.6, 1.6, 30) | art.disc(15.6, 20, 3.6, 1.6, -30), green)
    count = hand.pick(5, 6, 8, 4)
    for turn in np.arange(count) * 2 * np.pi / count + hand.between(0, 0.6):
        x, y = 12 + 4.4 * np.cos(turn), bloom + 4.4 * np.sin(turn)
        art.paint(art.disc(x, y, 3.2, 2.4, float(np.degrees(turn))), petal)
    art.paint(art.disc(12, bloom, hand.between(2, 2.8)), heart)


def _mushroom(art: Canvas, hand: Hand) -> None:
    cap, stem = hand.tint("d8261c", "8a5a34", "c8762e", "7a5ab0"), hand.tint("f6ecd0", "ffffff", "e0cdb0")
    wide = hand.between(2.6, 4)
    art.paint(art.box(12 - wide, 11, 12 + wide, 22) | art.disc(12, 21.5, wide + 0.8, 2), stem)
    if hand.maybe(0.5):
        art.paint(art.box(12 + wide - 1.4, 12.5, 12 + wide, 22), hand.shade(stem, 0.82))
    dome = art.disc(12, 13, hand.between(9.6, 11), hand.between(9.5, 11.5)) & (art.y < 13.2)
    art.paint(dome, cap)
    if hand.maybe(0.85):
        for x, y, r in ((12, 6.5, 2), (6, 9.6, 1.6), (18, 9.6, 1.6), (9, 3.6, 0.9), (15.4, 3.8, 0.9)):
            art.paint(dome & art.disc(x, y, r), "ffffff")
    if hand.maybe(0.25):
        art.paint(art.dot(10.6, 16, 0.6) | art.dot(13.4, 16, 0.6), "16161a")


def _cactus(art: Canvas, hand: Hand) -> None:
    green = hand.tint("2f8a4a", "3a9a5a", "4a8a3a")
    left, right = hand.between(9, 13), hand.between(11, 16)
    art.paint(art.box(9.6, 3.5, 14.4, 24) | art.disc(12, 3.8, 2.4), green)
    art.paint(
        art.box(3, left, 12, left + 2.6) | art.box(3, left - 5, 5.6, left + 2) | art.disc(4.3, left - 5, 1.3), green
    )
    art.paint(
        art.box(12, right, 21, right + 2.6) | art.box(18.4, right - 6, 21, right + 2) | art.disc(19.7, right - 6, 1.3),
        green,
    )
    if hand.maybe(0.6):
        art.paint(art.box(11.4, 3, 12.6, 22), hand.shade(green, 0.75))
    if hand.maybe(0.4):
        art.paint(art.disc(12, 1.8, 1.8, 1.3), hand.tint("e0609a", "ffd23f"))
    if hand.maybe(0.4):
        pot = hand.tint("b5652e", "d07a3a")
        art.paint(art.polygon((6.4, 18), (17.6, 18), (16, 24), (8, 24)), pot)


def _moon(art: Canvas, hand: Hand) -> None:
    light = hand.tint("ffe9a0", "f4f0d8", "d8dce6", "ffd84a")
    bite, radius = hand.between(3.4, 5.6), hand.between(9, 10.6)
    moon = art.disc(12, 12, radius) & ~art.disc(12 + bite, 12 - hand.between(0, 2.4), radius * hand.between(0.82, 0.95))
    art.paint(moon, light)
    if hand.maybe(0.4):
        for x, y in ((4.4, 12), (7, 18), (5.6, 7.4)):
            art.paint(moon & art.disc(x, y, 1.1), hand.shade(light, 0.82))
    if hand.maybe(0.4):
        for x, y in ((17, 6), (20, 13), (16, 16)):
            art.paint(art.dot(x, y, 0.5), "fff6c8")


def _star(art: Canvas, hand: Hand) -> None:
    gold = hand.tint("ffd23f", "ffe14a", "f4f4f0", "f2a52a")
    waist, turns = hand.between(4.2, 5.2), -np.pi / 2 + np.arange(10) * np.pi / 5
    points = [(12 + r * np.cos(t), 12.6 + r * np.sin(t)) for t, r in zip(turns, [11.6, waist] * 5, strict=True)]
    art.paint(art.polygon(*points), gold)
    if hand.maybe(0.3):
        inner = [(12 + (x - 12) * 0.55, 12.6 + (y - 12.6) * 0.55) for x, y in points]
        art.paint(art.polygon(*inner), hand.shade(gold, 1.8))
    if hand.maybe(0.25):
        art.paint(art.dot(10, 11.6, 0.6) | art.dot(14, 11.6, 0.6), "2a2024")


def _cloud(art: Canvas, hand: Hand) -> None:
    white = hand.tint("ffffff", "e8eef4", "c4ccd6", "8a94a2")
    rain = hand.maybe(0.4)
    y = 8.5 if rain else 12.0
    puffs = art.disc(6, y + 1.6, 4.8) | art.disc(18, y + 1.8, 4.6) | art.box(6, y, 18, y + 6.3)
    puffs |= art.disc(hand.between(10, 13.5), y - 2, hand.between(5.4, 6.4))
    puffs &= art.y < y + 6.3
    art.paint(puffs, white)
    if hand.maybe(0.5):
        art.paint(puffs & (art.y > y + 4.4), hand.shade(white, 0.85))
    if rain:
        for x, drop in ((5.5, 17), (10, 19), (14.5, 17), (19, 19)):
            art.paint(art.line((x, drop), (x - 0.8, drop + 3), width=1), hand.tint("3a8ae0"))


def _lightning(art: Canvas, hand: Hand) -> None:
    gold, shift = hand.tint("ffd23f", "ffe600", "f2a52a", "fff4a0"), hand.between(-1, 1)
    bolt = ((14 + shift, 0.5), (5, 13), (10.6, 13), (8 + shift, 23.5), (19, 9.4), (13, 9.4), (18 + shift, 0.5))
    art.paint(art.polygon(*bolt), gold)
    if hand.maybe(0.3):
        art.paint(art.polygon((14, 1.5), (9, 8.6), (11.6, 8.6), (15.6, 1.5)), hand.shade(gold, 1.8))


def _snowflake(art: Canvas, hand: Hand) -> None:
    ice, twig = hand.tint("ffffff", "bfe6ff", "8fd0f4"), hand.between(2.6, 3.8)
    for turn in np.arange(6) * np.pi / 3 + (np.pi / 6 if hand.maybe() else 0):
        ahead = np.array([np.cos(turn), np.sin(turn)])
        tip = 12 + 11 * ahead
        art.paint(art.line((12, 12), (tip[0], tip[1]), width=1.2), ice)
        for distance in hand.pick((6.4,), (6.4, 9.6)):
            root = 12 + distance * ahead
            for side in (-0.9, 0.9):
                end = root + twig * np.array([np.cos(turn + side), np.sin(turn + side)])
                art.paint(art.line((root[0], root[1]), (end[0], end[1]), width=0.9), ice)


NATURE = (
    Thing("tree", "A leafy tree", "plants", _tree),
    Thing("fir-tree", "A fir tree", "plants", _fir_tree),
    Thing("flower", "A flower", "plants", _flower),
    Thing("mushroom", "A mushroom", "plants", _mushroom),
    Thing("cactus", "A cactus", "plants", _cactus),
    Thing("moon", "A crescent moon", "sky", _moon),
    Thing("star", "A five-pointed star", "sky", _star),
    Thing("cloud", "A cloud", "sky", _cloud),
    Thing("lightning", "A lightning bolt", "sky", _lightning),
    Thing("snowflake", "A snowflake", "sky", _snowflake),
)


_FUR = ("e08a2e", "8a8a92", "2e2a2e", "f2ece0", "8a5a34", "d8b48a")


def _eyes(art: Canvas, hand: Hand, x: float, y: float, apart: float, size: float = 1.2, iris: str = "ffffff") -> None:
    """Two eyes with pupils, or two plain dots."""
    plain = hand.maybe(0.4)
    for side in (-1, 1):
        if not plain:
            art.paint(art.dot(x + side * apart, y, size), hand.tint(iris))
        art.paint(art.dot(x + side * apart, y, size * 0.5), "101014")


def _cat(art: Canvas, hand: Hand) -> None:
    fur = hand.tint(*_FUR)
    dark, pink = hand.shade(fur, 0.7), hand.tint("f2a0b0")
    if hand.maybe(0.5):  # the face alone
        wide = hand.between(8.5, 10)
        art.paint(art.triangle((12 - wide, 2), (11, 8), (12 - wide, 14)), fur)
        art.paint(art.triangle((12 + wide, 2), (13, 8), (12 + wide, 14)), fur)
        art.paint(art.triangle((13.6 - wide, 5), (9, 8.5), (13.6 - wide, 10)), pink)
        art.paint(art.triangle((10.4 + wide, 5), (15, 8.5), (10.4 + wide, 10)), pink)
        art.paint(art.disc(12, 14.2, wide, 7.6), fur)
        if hand.maybe():
            for x in (9.4, 12, 14.6):
                art.paint(art.line((x, 7.4), (x, 9.6), width=1), dark)
        _eyes(art, hand, 12, 13, 4, 1.7, hand.pick("8fd14f", "ffd84a", "7ec8f0"))
        art.paint(art.triangle((10.6, 16), (13.4, 16), (12, 18)), pink)
        if hand.maybe():
            for side in (-1, 1):
                art.paint(
                    art.line((12 + 4 * side, 17.2), (12 + 10 * side, 16.4), width=0.8), hand.tint("1c1c20", "ffffff")
                )
        return
    art.paint(art.line((16, 21), (20.5, 20), (21, 15), (19.5, 12.5), width=hand.between(1.8, 2.4)), dark)
    art.paint(art.disc(12, 17.4, 5.6, 6.4), fur)
    art.paint(art.triangle((6.6, 1.2), (6.8, 8), (11.4, 5)), fur)
    art.paint(art.triangle((17.4, 1.2), (17.2, 8), (12.6, 5)), fur)
    art.paint(art.disc(12, 8.2, 5.6, 4.9), fur)
    if hand.maybe():
        art.paint(art.disc(12, 19, 3, 4), hand.tint("fff4e0"))
    art.paint(art.box(8, 21, 11, 24) | art.box(13, 21, 16, 24), fur)
    _eyes(art, hand, 12, 7.6, 2.5, 1.1, hand.pick("8fd14f", "ffd84a"))
    art.paint(art.dot(12, 10.2, 0.7), pink)


def _dog(art: Canvas, hand: Hand) -> None:
    fur = hand.tint("b9793c", "f0e6d2", "6a4424", "d9a866", "8a8a92")
    ear = hand.shade(fur, hand.between(0.5, 0.7))
    long = hand.between(14, 18)
    art.paint(art.disc(12, 11.5, 8, 8.6), fur)
    for side in (-1, 1):
        art.paint(art.disc(12 + 8.4 * side, (4 + long) / 2, 2.8, (long - 4) / 2 + 1, -8 * side), ear)
    art.paint(art.disc(12, 16.4, 5.2, 4.6), hand.shade(fur, 1.8) if hand.maybe(0.7) else fur)
    if hand.maybe(0.4):
        art.paint(art.disc(8.4, 9.4, 2.7, 3.2), ear)
    _eyes(art, hand, 12, 9.6, 3.4, 1.3)
    art.paint(art.disc(12, 13.6, 2.1, 1.5), "16161a")
    if hand.maybe(0.7):
        art.paint(art.disc(12, 20.2, 1.9, 2.8), hand.tint("ef6a80"))
    art.paint(art.line((12, 14), (12, 17.4), width=0.8) | art.line((8.8, 17.8), (15.2, 17.8), width=0.8), ear)


def _fish(art: Canvas, hand: Hand) -> None:
    skin = hand.tint("f28c28", "4aa3e0", "e0504a", "ffd23f", "9a6ad0", "56b870")
    fin = hand.shade(skin, 0.7) if hand.maybe(0.6) else hand.tint("ffd23f", "e0504a", "ffffff")
    high = hand.between(4.4, 6.4)
    art.paint(art.triangle((15.5, 12), (23, 12 - high), (23, 12 + high)), fin)
    art.paint(art.triangle((7, 12 - high * 0.6), (14.5, 12 - high * 0.6), (14, 11 - high * 1.5)), fin)
    if hand.maybe():
        art.paint(art.triangle((9, 12 + high * 0.6), (14, 12 + high * 0.6), (14, 12 + high * 1.5)), fin)
    body = art.disc(10, 12, 8.8, high)
    art.paint(body, skin)
    for x in hand.pick((), (), (9,), (8.5, 13)):
        art.paint(body & (abs(art.x - x) < 1), hand.tint("ffffff", "16161a"))
    if hand.maybe(0.4):
        art.paint(body & (art.y > 12 + high * 0.4), hand.shade(skin, 1.6))
    art.paint(art.dot(5, 10.8, 1.5), "ffffff")
    art.paint(art.dot(5, 10.8, 0.6), "101014")
    if hand.maybe():
        art.paint(art.dot(1.4, 6, 0.6) | art.dot(2.6, 3, 0.8), hand.tint("dff4ff"))


def _bird(art: Canvas, hand: Hand) -> None:
    coat = hand.tint("4a8fe0", "e0504a", "ffd23f", "7a5230", "56b870", "3a3a44")
    wing = hand.shade(coat, 0.7)
    art.paint(art.polygon((16, 13), (23.5, 9 + hand.between(0, 4)), (23, 16), (16, 17)), wing)
    art.paint(art.disc(12.4, 14.5, 6.8, 5.2), coat)
    art.paint(art.disc(7.6, 8, 4.4), coat)
    art.paint(art.triangle((4.2, 6.6), (4.2, 9.8), (0.2, 8.6)), hand.tint("ffa41c", "ffd23f"))
    if hand.maybe(0.7):
        art.paint(art.disc(10, 16.4, 4, 3), hand.tint("fff4e0", "f6c58a"))
    art.paint(art.disc(14.5, 13.6, 4.2, 2.6, 15), wing)
    art.paint(art.dot(6.8, 7, 1.2), "ffffff")
    art.paint(art.dot(6.6, 7, 0.6), "101014")
    for x in (11, 14):
        art.paint(art.line((x, 19), (x, 23), width=0.9), hand.tint("e08a1c"))
    if hand.maybe(0.4):
        art.paint(art.triangle((6, 4.4), (10, 4.4), (9.4, 0.6)), wing)


def _butterfly(art: Canvas, hand: Hand) -> None:
    wing = hand.tint("f28c28", "4aa3e0", "e0609a", "ffd23f", "9a6ad0", "e0504a")
    low = hand.shade(wing, 0.72) if hand.maybe() else hand.tint("f28c28", "4aa3e0", "e0609a", "ffd23f")
    spot = hand.tint("ffffff", "16161a", "ffe890")
    reach, spotted = hand.between(5.8, 6.4), hand.maybe(0.7)
    for side in (-1, 1):
        art.paint(art.disc(12 + reach * side, 8.4, 5.4, 6.2, -28 * side), wing)
        art.paint(art.disc(12 + 4.8 * side, 17.4, 4, 4.8, 24 * side), low)
        if spotted:
            art.paint(art.dot(12 + 7 * side, 7.4, 1.6) | art.dot(12 + 5 * side, 17.8, 1.2), spot)
    art.paint(art.disc(12, 13, 1.4, 7.4), hand.tint("2a2024", "5a3a22"))
    for side in (-1, 1):
        art.paint(art.line((12, 6), (12 + 3 * side, 1), width=0.8), "2a2024")


def _owl(art: Canvas, hand: Hand) -> None:
    coat = hand.tint("8a5a34", "a8825a", "6e6e78", "b08a4a", "5a4636")
    pale = hand.shade(coat, 1.9)
    art.paint(art.triangle((5, 1), (5, 9), (11, 5)) | art.triangle((19, 1), (19, 9), (13, 5)), coat)
    art.paint(art.disc(12, 13.5, 7.6, 9.4), coat)
    art.paint(art.disc(12, 17.5, 4.6, 5.4), pale)
    for side in (-1, 1):
        art.paint(art.disc(12 + 7 * side, 15.5, 1.8, 5.4, -8 * side), hand.shade(coat, 0.7))
        art.paint(art.disc(12 + 3.3 * side, 9.2, 3.2), hand.pick("ffffff", "ffe08a"))
        art.paint(art.dot(12 + 3.3 * side, 9.2, hand.between(1.3, 1.8)), "16161a")
    art.paint(art.triangle((10.7, 11), (13.3, 11), (12, 14)), hand.tint("ffa41c"))
    for side in (-1, 1):
        art.paint(art.box(12 + 2.4 * side - 1.2, 22, 12 + 2.4 * side + 1.2, 23.8), hand.tint("ffa41c"))


def _rabbit(art: Canvas, hand: Hand) -> None:
    fur = hand.tint("f4f0ec", "a8a8b0", "c89a6a", "8a6a4a")
    lean = hand.between(-10, 10)
    for side in (-1, 1):
        art.paint(art.disc(12 + 3.6 * side, 6, 2.4, 6.4, lean), fur)
        art.paint(art.disc(12 + 3.6 * side, 6.6, 1.1, 4.4, lean), hand.tint("f2a0b0"))
    art.paint(art.disc(12, 16, 7.4, 6.6), fur)
    _eyes(art, hand, 12, 14.6, 3.2, 1.2)
    art.paint(art.dot(12, 17, 0.9), hand.tint("f2808f"))
    if hand.maybe(0.7):
        art.paint(art.box(10.6, 19, 13.4, 21.2), "ffffff")
    if hand.maybe(0.4):
        for side in (-1, 1):
            art.paint(art.dot(12 + 5 * side, 17.6, 1.1), hand.tint("f6b8c4"))


def _turtle(art: Canvas, hand: Hand) -> None:
    skin, shell = hand.tint("8bc34a", "a5c86a", "6fae6a"), hand.tint("5a7a2e", "8a5a34", "3f6b3a", "a06a3a")
    for x in (6.0, 15.0):
        art.paint(art.disc(x, 19, 2.2, 3), skin)
    art.paint(art.disc(20.2, 13.6, 3.2, 2.8), skin)
    art.paint(art.box(15, 14, 20, 17.4), skin)
    art.paint(art.triangle((3, 16), (0.4, 18.4), (4, 18.4)), skin)
    dome = art.disc(10.6, 17.6, 8.4, hand.between(9, 12)) & (art.y < 17.8)
    art.paint(dome, shell)
    art.paint(art.box(2, 16.6, 19, 18.6), hand.shade(shell, 0.7))
    for x, y in ((7, 12), (11.4, 10.4), (14.4, 13.6), (10, 15)):
        art.paint(dome & art.disc(x, y, 1.5), hand.shade(shell, 1.7) if hand.maybe(0.8) else shell)
    art.paint(art.dot(21, 13, 0.6), "101014")


def _ladybird(art: Canvas, hand: Hand) -> None:
    red = hand.tint("e0201c", "e8442a", "c41e2a")
    art.paint(art.disc(12, 6.4, 5, 4.2), "16161a")
    for side in (-1, 1):
        art.paint(art.line((12 + 2 * side, 4), (12 + 5 * side, 0.8), width=0.8), "16161a")
        for y in (10.0, 14.0, 18.0):
            art.paint(art.line((12, y), (12 + 10.6 * side, y + 1), width=1), "16161a")
        art.paint(art.dot(12 + 2.4 * side, 5.4, 0.8), "ffffff")
    wings = art.disc(12, 14.4, 8.2, 8.2) & (art.y > 7.6)
    art.paint(wings, red)
    art.paint(wings & (abs(art.x - 12) < 0.6 * max(1.0, art.cell)), "16161a")
    radius = hand.between(1.2, 1.9)
    for x, y in ((8, 11.4), (16, 11.4), (7, 16), (17, 16), (9.2, 19.6), (14.8, 19.6)):
        art.paint(art.dot(x, y, radius), "16161a")


def _snail(art: Canvas, hand: Hand) -> None:
    body = hand.tint("d8c08a", "b8a890", "e6b89a", "a8b86a")
    shell = hand.tint("a0562e", "d07a3a", "8a5aa0", "c85a6a", "6a8ac0")
    art.paint(art.box(2, 18, 20, 21) | art.disc(20, 17, 2.4, 4) | art.disc(3, 20, 3, 1.6), body)
    for x in (19.2, 21.6):
        art.paint(art.line((x - 0.4, 14), (x, 9.6), width=0.9), body)
        art.paint(art.dot(x, 9, 0.7), "16161a")
    art.paint(art.disc(9.6, 12.2, 7.2), shell)
    art.paint(art.disc(9.6, 12.2, 5) & ~art.disc(9.6, 12.2, 3.4), hand.shade(shell, 0.6))
    art.paint(art.disc(9.6, 12.2, 1.6), hand.shade(shell, 0.6))


ANIMALS = (
    Thing("cat", "A cat", "animals", _cat),
    Thing("dog", "A dog", "animals", _dog),
    Thing("fish", "A fish", "animals", _fish),
    Thing("bird", "A bird", "animals", _bird),
    Thing("butterfly", "A butterfly", "animals", _butterfly),
    Thing("owl", "An owl", "animals", _owl),
    Thing("rabbit", "A rabbit", "animals", _rabbit),
    Thing("turtle", "A turtle", "animals", _turtle),
    Thing("ladybird", "A ladybird", "animals", _ladybird),
    Thing("snail", "A snail", "animals", _snail),
)
