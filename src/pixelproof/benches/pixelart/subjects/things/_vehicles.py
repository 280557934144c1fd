"""Vehicles."""

from __future__ import annotations

import numpy as np

from pixelproof.benches.pixelart.subjects._canvas import Canvas
from pixelproof.benches.pixelart.subjects._hand import Hand
from pixelproof.benches.pixelart.subjects._kind import Thing

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
