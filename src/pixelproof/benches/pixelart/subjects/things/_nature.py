"""Plants and the sky."""

from __future__ import annotations

import numpy as np

from pixelproof.benches.pixelart.subjects._canvas import Canvas
from pixelproof.benches.pixelart.subjects._hand import Hand
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
