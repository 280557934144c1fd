"""Buildings, landscapes and people of a sort."""

from __future__ import annotations

import numpy as np

from pixelproof.benches.pixelart.subjects._canvas import Canvas, Hand
from pixelproof.benches.pixelart.subjects._kind import Thing


def _house(art: Canvas, hand: Hand) -> None:
    wall, roof = (
        hand.tint("f0dcb0", "e6c8a0", "c9ccd6", "d87a5a", "9ad0f0"),
        hand.tint("b5392e", "7a4a26", "4a5a6e", "3a7a4a"),
    )
    eaves = hand.between(9, 11)
    if hand.maybe(0.6):
        art.paint(art.box(15.6, 3.4, 18.4, 9), hand.tint("8a4a3a", "6e6e78"))
    art.paint(art.box(4, eaves, 20, 23.6), wall)
    art.paint(art.triangle((1, eaves + 1.2), (23, eaves + 1.2), (12, hand.between(1, 2.6))), roof)
    door = hand.between(6.4, 12.4)
    art.paint(art.box(door, 16, door + 3.8, 23.6), hand.tint("6b3f1d", "2f5d8a", "8a2a2a"))
    for x in (5.4, 14.4) if 8.6 < door < 11 else ((14,) if door < 10 else (6,)):
        art.paint(art.box(x, 13.4, x + 4, 17.4), hand.tint("bfe6ff", "ffe86a"))
        if hand.maybe(0.4):
            art.paint(art.box(x + 1.6, 13.4, x + 2.5, 17.4), hand.shade(wall, 0.6))


def _castle(art: Canvas, hand: Hand) -> None:
    stone = hand.tint("a8aab4", "8a8a92", "c8b890", "b89a8a")
    dark, high = hand.shade(stone, 0.6), hand.between(9, 11.5)
    art.paint(art.box(4, high, 20, 23.6), stone)
    for x in (7.4, 10.8, 14.2):
        art.paint(art.box(x, high - 2, x + 2, high), stone)
    cones = hand.maybe(0.5)
    for x in (1, 17):
        art.paint(art.box(x, 7, x + 6, 23.6), hand.shade(stone, 0.88))
        if cones:
            art.paint(art.triangle((x - 0.6, 7.4), (x + 6.6, 7.4), (x + 3, 0.6)), hand.tint("b5392e", "3a5a9a"))
        else:
            art.paint(
                art.box(x, 5, x + 1.6, 7) | art.box(x + 2.2, 5, x + 3.8, 7) | art.box(x + 4.4, 5, x + 6, 7), stone
            )
        art.paint(art.box(x + 2.2, 11, x + 3.8, 14), dark)
    art.paint(art.box(9.4, 18, 14.6, 23.6) | art.disc(12, 18, 2.6), hand.tint("4a3020", "2a2024"))
    if hand.maybe(0.4):
        art.paint(art.line((12, high - 2), (12, 1.5), width=0.8), dark)
        art.paint(art.triangle((12, 1), (12, 4.6), (16.4, 2.8)), hand.tint("d8261c", "ffd23f"))


def _volcano(art: Canvas, hand: Hand) -> None:
    rock, lava = hand.tint("6b4a3a", "5a5058", "7a5a44"), hand.tint("ff5a1c", "e8341c")
    top, mouth = hand.between(9, 11), hand.between(2.4, 3.4)
    cone = art.polygon((12 - mouth, top), (12 + mouth, top), (23.5, 24), (0.5, 24))
    for x, y, r in (
        ((12, top - 4, 1.7), (8.4, top - 6, 1.3), (15.6, top - 6.4, 1.4), (12, top - 8, 1)) if hand.maybe(0.8) else ()
    ):
        art.paint(art.disc(x, y, r), lava if hand.maybe() else hand.tint("8a8a92"))
    art.paint(art.box(12 - mouth * 0.7, top - 3, 12 + mouth * 0.7, top + 1), lava)
    art.paint(cone, rock)
    art.paint(cone & ((abs(art.x - 12 - 0.8 * np.sin(art.y)) < 1.3) | (art.y < top + 2.2)), lava)
    if hand.maybe(0.6):
        art.paint(cone & (abs(art.x - 16 - (art.y - top) * 0.2) < 0.9) & (art.y > top + 2) & (art.y < top + 8), lava)


def _lighthouse(art: Canvas, hand: Hand) -> None:
    red, white = hand.tint("d8261c", "c41e3a", "2f6fd6"), hand.tint("ffffff", "f6ecd0")
    tower = art.polygon((9, 8), (15, 8), (17, 22), (7, 22))
    art.paint(tower, white)
    first = hand.pick(0, 1)
    for band in range(4):
        if band % 2 == first:
            art.paint(tower & (art.y >= 8 + 3.5 * band) & (art.y < 11.5 + 3.5 * band), red)
    art.paint(art.box(9.4, 4, 14.6, 8), hand.tint("ffe86a"))
    art.paint(art.triangle((8, 4.4), (16, 4.4), (12, 0.6)), red)
    art.paint(art.box(7.8, 7.4, 16.2, 8.6), "3a3a44")
    if hand.maybe(0.5):
        beam = art.triangle((14, 6), (24, 2.5), (24, 9.5)) | art.triangle((10, 6), (0, 2.5), (0, 9.5))
        art.paint(beam & ~art.box(8, 0, 16, 24), hand.tint("fff4b0"))
    art.paint(art.disc(12, 24, hand.between(8, 11), 3), hand.tint("6e6e78", "7a5a44", "3a8a4a"))


def _face(art: Canvas, hand: Hand) -> None:
    skin = hand.tint("ffd23f", "ffe066", "f6c08f", "ffc83a")
    art.paint(art.disc(12, 12, 11), skin)
    apart, dark = hand.between(3.4, 4.6), hand.tint("2a2024", "4a2a14")
    for side in (-1, 1):
        art.paint(art.disc(12 + apart * side, 9, 1.3, hand.between(1.4, 2.3)), dark)
    if hand.maybe(0.3):
        art.paint(art.disc(12, 14, 6.4, 5.8) & (art.y > 14), dark)
        art.paint(art.disc(12, 18.8, 3, 1.6) & art.disc(12, 14, 6.4, 5.8), hand.tint("e0405a"))
    else:
        deep = hand.between(5, 6.4)
        art.paint(art.disc(12, 12.6, 6.8, deep) & ~art.disc(12, 11, 6.8, deep) & (art.y > 13), dark)
    if hand.maybe(0.3):
        art.paint(art.disc(6, 14, 1.6, 1.1) | art.disc(18, 14, 1.6, 1.1), hand.tint("f2908a"))


def _skull(art: Canvas, hand: Hand) -> None:
    bone, dark = hand.tint("f4f0e6", "e6dcc4", "ffffff"), hand.tint("16161a", "2a2024")
    art.paint(art.disc(12, 9.6, hand.between(8.6, 10), 8.8) | art.box(6.6, 13, 17.4, 22), bone)
    for side in (-1, 1):
        art.paint(art.disc(12 + 4.2 * side, 10.4, hand.between(2.3, 2.9), 2.9), dark)
    art.paint(art.triangle((10.6, 16.4), (13.4, 16.4), (12, 13)), dark)
    for x in hand.pick((9, 12, 15), (10.4, 13.6)):
        art.paint(art.line((x, 19), (x, 23), width=0.9), dark)
    if hand.maybe(0.3):
        art.paint(art.line((12, 1.5), (13.4, 3.6), (12.4, 5.6), width=0.8), hand.shade(bone, 0.6))


def _snowman(art: Canvas, hand: Hand) -> None:
    snow, coal = hand.tint("ffffff", "f0f6fa"), "1c1c24"
    art.paint(art.line((5.5, 11), (1, 7.5), width=1) | art.line((18.5, 11), (23, 7.5), width=1), hand.tint("6b3f1d"))
    art.paint(art.disc(12, 18.4, 6.6, 5.6) | art.disc(12, 11.8, 4.8, 4), snow)
    art.paint(art.disc(12, 6, 3.9), snow)
    if hand.maybe(0.75):
        hat = hand.tint("1c1c24", "2f4f8a", "8a2a2a")
        art.paint(art.box(7.2, 2.6, 16.8, 4) | art.box(9, 0, 15, 3), hat)
    if hand.maybe(0.6):
        art.paint(art.box(8.4, 8.4, 15.6, 10) | art.box(14, 9, 15.8, 13), hand.tint("d8261c", "3a9a3a", "2f6fd6"))
    art.paint(art.dot(10.4, 5.4, 0.6) | art.dot(13.6, 5.4, 0.6), coal)
    art.paint(art.triangle((11.6, 6.2), (11.6, 7.8), (16, 7)), hand.tint("f28c28"))
    for y in (12.4, 16, 19.2):
        art.paint(art.dot(12, y, 0.6), coal)


def _ghost(art: Canvas, hand: Hand) -> None:
    sheet = hand.tint("ffffff", "e8eef4", "f2808f", "8fd0f4", "f6b24a")
    hem = hand.between(19.6, 21.4)
    body = art.disc(12, 10.4, 8.4, 9.4) | art.box(3.6, 10.4, 20.4, 23.6)
    waves = hand.pick(0.75, 1.12)
    art.paint(body & (art.y < hem + 1.9 * np.sin((art.x - 3.6) * waves * 1.5)), sheet)
    dark = hand.tint("16161a", "2f4fb0")
    for side in (-1, 1):
        art.paint(art.disc(12 + 3.4 * side, 9.6, 1.7, hand.between(1.9, 2.6)), dark)
    if hand.maybe(0.5):
        art.paint(art.disc(12, 14.6, 1.7, 1.5), dark)


def _robot(art: Canvas, hand: Hand) -> None:
    metal, trim = hand.tint("b8bec8", "8a94a2", "6aa0c0", "c89a4a"), hand.tint("d8261c", "3ac85a", "ffd23f", "4ac8f0")
    dark = hand.shade(metal, 0.6)
    if hand.maybe(0.8):
        art.paint(art.line((12, 4), (12, 1), width=0.9), dark)
        art.paint(art.dot(12, 1, 1), trim)
    art.paint(art.box(6, 3.6, 18, 11.4), metal)
    for side in (-1, 1):
        art.paint(art.box(12 + 3 * side - 1.4, 5.4, 12 + 3 * side + 1.4, 8), trim)
        art.paint(art.box(12 + 8.4 * side - 1.3, 12.6, 12 + 8.4 * side + 1.3, 19), dark)
        art.paint(art.box(12 + 3 * side - 1.6, 20.4, 12 + 3 * side + 1.6, 24), dark)
    art.paint(art.box(8.4, 9, 15.6, 10.2), dark)
    art.paint(art.box(5, 12.2, 19, 20.6), metal)
    art.paint(art.box(8, 14, 16, 18) if hand.maybe() else art.disc(12, 16, 2.2), hand.shade(trim, 0.9))


PLACES = (
    Thing("house", "A house", "buildings", _house),
    Thing("castle", "A castle", "buildings", _castle),
    Thing("volcano", "An erupting volcano", "buildings", _volcano),
    Thing("lighthouse", "A lighthouse", "buildings", _lighthouse),
    Thing("face", "A smiling face", "people", _face),
    Thing("skull", "A skull", "people", _skull),
    Thing("snowman", "A snowman", "people", _snowman),
    Thing("ghost", "A ghost", "people", _ghost),
    Thing("robot", "A robot", "people", _robot),
)
