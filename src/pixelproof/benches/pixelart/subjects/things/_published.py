"""The published subjects but the maze. With a steady hand they are the bench's reference drawings."""

from __future__ import annotations

import numpy as np

from pixelproof.benches.pixelart.subjects._canvas import Canvas, Hand
from pixelproof.benches.pixelart.subjects._kind import Thing


def _mario(art: Canvas, hand: Hand) -> None:
    """A moustached man in a red cap and blue overalls, on a sunny lawn."""
    red, skin, hair = hand.tint("d8261c"), hand.tint("f6c08f"), hand.tint("4a2a14")
    blue, gold = hand.tint("2a4fc4"), hand.tint("ffd23f")
    if hand.maybe(0.6):
        art.paint(art.y >= 22, hand.tint("5aa83c"))
    art.paint(art.box(8, 5, 16, 12) | art.box(7, 7, 17, 10), skin)  # head and ears
    art.paint(art.box(7, 5, 8, 7) | art.box(16, 5, 17, 7), hair)
    art.paint(art.box(8, 1, 16, 3) | art.box(7, 2, 17, 5), red)  # cap
    art.paint(art.box(6, 4, 18, 5), "9c1712")  # its brim
    if hand.maybe(0.7):
        art.paint(art.disc(12, 3, 1.45), "ffffff")  # its badge
    art.paint(art.box(9, 6, 11, 8) | art.box(13, 6, 15, 8), "ffffff")  # eyes
    art.paint(art.box(10, 6, 11, 8) | art.box(13, 6, 14, 8), hair)
    art.paint(art.box(8, 9, 16, 10) | art.box(9, 10, 11, 11) | art.box(13, 10, 15, 11), hair)  # moustache
    art.paint(art.box(11, 8, 13, 10), hand.tint("e39a6a"))  # nose
    art.paint(art.box(6, 12, 18, 17) | art.box(4, 13, 20, 16), red)  # shirt and arms
    if hand.maybe(0.8):
        art.paint(art.box(3, 15, 6, 18) | art.box(18, 15, 21, 18), "ffffff")  # gloves
    art.paint(art.box(8, 12, 10, 15) | art.box(14, 12, 16, 15) | art.box(8, 14, 16, 18), blue)
    art.paint(art.box(7, 17, 11, 21) | art.box(13, 17, 17, 21), blue)  # legs
    art.paint(art.box(8, 14, 10, 16) | art.box(14, 14, 16, 16), gold)  # buttons
    art.paint(art.box(5, 20, 11, 22) | art.box(13, 20, 19, 22), hair)  # shoes


def _rainbow(art: Canvas, hand: Hand) -> None:
    """Six bands from cloud to cloud."""
    sky, step, radius = art.ground or "a9defc", hand.between(1.3, 1.7), hand.between(11, 12)
    if hand.maybe(0.6):
        art.paint(art.y >= 21, hand.tint("6abf4b"))
    for band, colour in enumerate(("e4322b", "f68b1f", "ffde3b", "3fae49", "2f6fd6", "7b3fa8")):
        art.paint(art.disc(12, 18, radius - step * band) & (art.y < 21), hand.tint(colour))
    art.paint(art.disc(12, 18, radius - step * 6) & (art.y < 21), sky)
    for x in (4.5, 19.5) if hand.maybe(0.7) else ():
        shade, cloud = [
            art.disc(x - 2.2, 19.4 + dy, 2.3, 1.9) | art.disc(x + 2.2, 19.4 + dy, 2.3, 1.9) | art.disc(x, 18 + dy, 2.6)
            for dy in (0.9, 0.0)
        ]
        art.paint(shade, "d3e3ee")
        art.paint(cloud, "ffffff")


def _sun(art: Canvas, hand: Hand) -> None:
    """A disc with a glowing rim and eight rays."""
    rays, ray = hand.pick(8, 8, 12, 6, 10), hand.tint("ffb627", "ffde3b")
    long, wide = hand.between(11.0, 12.2), hand.between(1.6, 2.6)
    for turn in np.arange(rays) * 2 * np.pi / rays:
        ahead, aside = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
        left, tip, right = (12 + 6.8 * ahead + wide * aside, 12 + long * ahead, 12 + 6.8 * ahead - wide * aside)
        art.paint(art.triangle(tuple(left), tuple(tip), tuple(right)), ray)
    if hand.maybe(0.7):
        art.paint(art.disc(12, 12, 6.6), hand.tint("ff9416"))
    art.paint(art.disc(12, 12, 5.6), hand.tint("ffd93b", "ffc21c"))
    if hand.maybe(0.6):
        art.paint(art.disc(10.6, 10.6, 2.6), "fff2a1")
    elif hand.maybe(0.5):
        art.paint(art.dot(10, 11, 0.7) | art.dot(14, 11, 0.7) | art.line((9.6, 14), (12, 15.2), (14.4, 14)), "7a3a10")


def _saturn(art: Canvas, hand: Hand) -> None:
    """A banded planet inside a tilted ring, among stars."""
    for x, y in ((2, 3), (20, 2), (6, 21), (21, 19), (14, 1), (2, 10), (17, 22), (8, 2)):
        if hand.maybe(0.7):
            art.paint(art.box(x, y, x + 1, y + 1), "ffffff")
    lean, wide, broad = hand.between(-40, 0), hand.between(6.0, 7.2), hand.between(11.6, 12.8)
    tilt = np.deg2rad(lean)
    across = (art.y - 12) * np.cos(tilt) - (art.x - 12) * np.sin(tilt)
    globe = art.disc(12, 12, wide)
    rim, ring, gap = (art.disc(12, 12, broad - less, ry, lean) for less, ry in ((0, 3.7), (1.6, 2.8), (3.4, 1.9)))
    for where in (np.ones_like(globe), across > 0):  # the whole ring, then the globe, then the ring's near half
        art.paint(rim & ~gap & where, hand.tint("b08d57"))
        art.paint(ring & ~gap & where, hand.tint("f0dcae"))
        if where.all():
            globe_colour = hand.tint("e8b765")
            art.paint(globe, globe_colour)
            for height in (-3.4, 4.2):
                art.paint(globe & (np.abs(across - height) < 0.7), hand.tint("cf9550"))
            if hand.maybe(0.7):
                art.paint(globe & ~art.disc(11, 11.2, wide), hand.tint("a8703a"))


def _mona_lisa(art: Canvas, hand: Hand) -> None:
    """A seated half figure with folded hands before hills and a winding road."""
    hair, skin, shade, dress = hand.tint("2b1a10"), hand.tint("e8c08a"), hand.tint("c7935a"), hand.tint("3d3020")
    art.paint(art.y >= 9 + np.sin(art.x * hand.between(0.6, 0.8)), hand.tint("7f9468"))
    art.paint(art.y >= 13.5 + np.sin(art.x * hand.between(0.8, 1.0) + 1), hand.tint("8a7440"))
    if hand.maybe(0.8):
        road = np.abs(art.x - 3.2 - 1.4 * np.sin(art.y * 0.9)) < 0.8
        art.paint(road & (art.y > 11) & (art.y < 17), hand.tint("cfb777"))
    art.paint(art.disc(12, 7.6, 5.2, 6.0) | art.box(6.8, 7.6, 17.2, 14), hair)
    art.paint(art.disc(12, 24.5, 10.8, 11), dress)
    art.paint(art.disc(12, 13.8, 4.0, 2.7) | art.box(10, 11, 14, 14), skin)  # neck and breast
    art.paint(art.box(10, 12, 14, 13), shade)
    art.paint(art.disc(12, 8, 3.5, 4.6), skin)
    if hand.maybe(0.8):
        art.paint(art.disc(12, 8, 3.5, 4.6) & (art.x > 14), shade)
    art.paint(art.box(10, 7, 11, 8) | art.box(13, 7, 14, 8), hair)  # eyes
    art.paint(art.box(12, 8, 13, 10), shade)  # nose
    art.paint(art.box(11, 11, 13, 11.9), hand.tint("a4533a"))  # the smile
    art.paint(art.disc(6.2, 20, 4.6, 3.0, 20) | art.disc(17.8, 20, 4.6, 3.0, -20), hand.tint("6e5426"))  # sleeves
    art.paint(art.disc(10.4, 21.4, 3.6, 1.6, 10), shade)  # one hand, and the other laid over it
    art.paint(art.disc(13.2, 20.4, 3.6, 1.5, -10), skin)


def _hope(art: Canvas, hand: Hand) -> None:
    """A sprout in cracked earth, at dawn."""
    for top, colour in ((5, "6a3d7c"), (9, "c8577b"), (13, "f79a5b")):
        art.paint(art.y >= top, hand.tint(colour))
    if hand.maybe(0.8):
        art.paint(art.disc(12, 17, hand.between(5.5, 7.5)), hand.tint("ffe08a"))
    art.paint(art.y >= 17, hand.tint("5a3a22"))
    art.paint(art.disc(12, 18, 6, 1.8) & (art.y >= 17), hand.tint("8a5a30"))
    for x, y, length in ((1, 20, 4), (15, 21, 5), (7, 22, 4), (18, 19, 4)):
        if hand.maybe(0.8):
            art.paint(art.box(x, y, x + length, y + 1) | art.box(x + length - 1, y, x + length, y + 2), "3a2414")
    stem, leaf = hand.tint("2f7d32"), hand.tint("5fbf4a")
    art.paint(art.box(11, 10, 13, 19), stem)
    art.paint(art.disc(8.3, 9.5, 3.6, 1.9, 25) | art.disc(15.7, 8.2, 3.6, 1.9, -25), leaf)
    art.paint(art.disc(8.6, 10.2, 2.4, 0.7, 25) | art.disc(15.4, 8.9, 2.4, 0.7, -25), stem)


PUBLISHED_THINGS = (
    Thing(
        "mario", "Mario from Super Mario Bros", "people", _mario,
        ("He wears a red cap.", "He has a moustache.", "He wears blue overalls."), "8fd3f4", full=True,
    ),
    Thing(
        "rainbow", "A rainbow", "sky", _rainbow,
        ("There are at least five bands of colour.", "They are in the order of the rainbow.", "They form an arc."),
        "a9defc", full=True,
    ),
    Thing(
        "sun", "The sun", "sky", _sun,
        ("There is a round disc.", "It is yellow, orange or red.", "It has rays or a glow."), "6ec6f1",
    ),
    Thing(
        "saturn", "The planet Saturn with its rings", "sky", _saturn,
        ("There is a round planet.", "A ring goes around it.", "The ring reaches beyond the planet on both sides."),
        "0d1030", full=True,
    ),
    Thing(
        "mona-lisa", "The Mona Lisa", "people", _mona_lisa,
        ("It is a portrait of one person.", "The person has long dark hair.", "The hands are folded in front.",
         "There is a landscape behind."), "b9c69a", full=True,
    ),
    Thing(
        "hope", "Hope", "ideas", _hope,
        ("It shows a concrete scene or object.", "It could stand for hope."), "2c2a5a", full=True,
    ),
)  # fmt: skip
