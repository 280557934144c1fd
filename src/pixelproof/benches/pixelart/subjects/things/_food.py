"""Things to eat."""

from __future__ import annotations

import numpy as np

from pixelproof.benches.pixelart.subjects._canvas import Canvas
from pixelproof.benches.pixelart.subjects._hand import Hand
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
