"""Our own drawings of the published subjects, at any grid size and number of colours: the ceiling of the bench."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from pixelproof.benches.pixelart._canvas import Canvas, Drawing, compact, reduce_colours
from pixelproof.stats import generator


def _mario(size: int) -> Drawing:
    """A moustached man in a red cap and blue overalls, on a sunny lawn."""
    red, skin, hair, blue, gold = "d8261c", "f6c08f", "4a2a14", "2a4fc4", "ffd23f"
    art = Canvas(size, "8fd3f4")
    art.paint(art.box(0, 22, 24, 24), "5aa83c")
    art.paint(art.box(8, 5, 16, 12) | art.box(7, 7, 17, 10), skin)  # head and ears
    art.paint(art.box(7, 5, 8, 7) | art.box(16, 5, 17, 7), hair)
    art.paint(art.box(8, 1, 16, 3) | art.box(7, 2, 17, 5), red)  # cap
    art.paint(art.box(6, 4, 18, 5), "9c1712")  # its brim
    art.paint(art.disc(12, 3, 1.45), "ffffff")  # its badge
    art.paint(art.box(9, 6, 11, 8) | art.box(13, 6, 15, 8), "ffffff")  # eyes
    art.paint(art.box(10, 6, 11, 8) | art.box(13, 6, 14, 8), hair)
    art.paint(art.box(8, 9, 16, 10) | art.box(9, 10, 11, 11) | art.box(13, 10, 15, 11), hair)  # moustache
    art.paint(art.box(11, 8, 13, 10), "e39a6a")  # nose
    art.paint(art.box(6, 12, 18, 17) | art.box(4, 13, 20, 16), red)  # shirt and arms
    art.paint(art.box(3, 15, 6, 18) | art.box(18, 15, 21, 18), "ffffff")  # gloves
    art.paint(art.box(8, 12, 10, 15) | art.box(14, 12, 16, 15) | art.box(8, 14, 16, 18), blue)
    art.paint(art.box(7, 17, 11, 21) | art.box(13, 17, 17, 21), blue)  # legs
    art.paint(art.box(8, 14, 10, 16) | art.box(14, 14, 16, 16), gold)  # buttons
    art.paint(art.box(5, 20, 11, 22) | art.box(13, 20, 19, 22), hair)  # shoes
    return art.drawing()


def _rainbow(size: int) -> Drawing:
    """Six bands from cloud to cloud."""
    art = Canvas(size, "a9defc")
    art.paint(art.y >= 21, "6abf4b")
    for step, colour in enumerate(("e4322b", "f68b1f", "ffde3b", "3fae49", "2f6fd6", "7b3fa8")):
        art.paint(art.disc(12, 18, 11.5 - 1.5 * step) & (art.y < 21), colour)
    art.paint(art.disc(12, 18, 2.5) & (art.y < 21), "a9defc")
    for x in (4.5, 19.5):
        shade, cloud = [
            art.disc(x - 2.2, 19.4 + dy, 2.3, 1.9) | art.disc(x + 2.2, 19.4 + dy, 2.3, 1.9) | art.disc(x, 18 + dy, 2.6)
            for dy in (0.9, 0.0)
        ]
        art.paint(shade, "d3e3ee")
        art.paint(cloud, "ffffff")
    return art.drawing()


def _sun(size: int) -> Drawing:
    """A disc with a glowing rim and eight rays."""
    art = Canvas(size, "6ec6f1")
    for turn in np.arange(8) * np.pi / 4:
        ahead, aside = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
        left, tip, right = (12 + 6.8 * ahead + 2.1 * aside, 12 + 11.6 * ahead, 12 + 6.8 * ahead - 2.1 * aside)
        art.paint(art.triangle(tuple(left), tuple(tip), tuple(right)), "ffb627")
    art.paint(art.disc(12, 12, 6.6), "ff9416")
    art.paint(art.disc(12, 12, 5.6), "ffd93b")
    art.paint(art.disc(10.6, 10.6, 2.6), "fff2a1")
    return art.drawing()


def _saturn(size: int) -> Drawing:
    """A banded planet inside a tilted ring, among stars."""
    art = Canvas(size, "0d1030")
    for x, y in ((2, 3), (20, 2), (6, 21), (21, 19), (14, 1), (2, 10), (17, 22), (8, 2)):
        art.paint(art.box(x, y, x + 1, y + 1), "ffffff")
    tilt = np.deg2rad(-20.0)
    across = (art.y - 12) * np.cos(tilt) - (art.x - 12) * np.sin(tilt)
    globe = art.disc(12, 12, 6.6)
    rim, ring, gap = (art.disc(12, 12, rx, ry, -20.0) for rx, ry in ((12.2, 3.7), (10.6, 2.8), (8.8, 1.9)))
    for where in (np.ones_like(globe), across > 0):  # the whole ring, then the globe, then the ring's near half
        art.paint(rim & ~gap & where, "b08d57")
        art.paint(ring & ~gap & where, "f0dcae")
        if where.all():
            art.paint(globe, "e8b765")
            art.paint(globe & (np.abs(across + 3.4) < 0.7), "cf9550")
            art.paint(globe & (np.abs(across - 4.2) < 0.7), "cf9550")
            art.paint(globe & ~art.disc(11, 11.2, 6.6), "a8703a")
    return art.drawing()


def _maze(size: int) -> Drawing:
    """Hedges around a perfect maze, by depth-first carving; in at the top left, out at the bottom right."""
    odd = size - 1 + size % 2
    walls = np.ones((odd, odd), dtype=np.int64)
    rng = generator(0, "pixelart-maze", size)
    stack = [(1, 1)]
    walls[1, 1] = 0
    while stack:
        row, column = stack[-1]
        ways = [
            (row + dr, column + dc, row + dr // 2, column + dc // 2)
            for dr, dc in ((-2, 0), (2, 0), (0, -2), (0, 2))
            if 0 < row + dr < odd and 0 < column + dc < odd and walls[row + dr, column + dc]
        ]
        if not ways:
            stack.pop()
            continue
        row, column, between_row, between_column = ways[int(rng.integers(len(ways)))]
        walls[row, column] = walls[between_row, between_column] = 0
        stack.append((row, column))
    walls[0, 1] = walls[odd - 1, odd - 2] = 0
    if size > odd:  # an even grid has a double wall on the right and at the bottom
        walls = np.pad(walls, ((0, 1), (0, 1)), mode="edge")
    lit = walls.copy()
    lit[1:] += (walls[1:] == 1) & (walls[:-1] == 0)  # hedges catch the light where a path runs above them
    return compact(("f2e3b6", "1f6b35", "35924c"), lit)


def _mona_lisa(size: int) -> Drawing:
    """A seated half figure with folded hands before hills and a winding road."""
    hair, skin, shade, dress = "2b1a10", "e8c08a", "c7935a", "3d3020"
    art = Canvas(size, "b9c69a")
    art.paint(art.y >= 9 + np.sin(art.x * 0.7), "7f9468")
    art.paint(art.y >= 13.5 + np.sin(art.x * 0.9 + 1), "8a7440")
    art.paint((np.abs(art.x - 3.2 - 1.4 * np.sin(art.y * 0.9)) < 0.8) & (art.y > 11) & (art.y < 17), "cfb777")
    art.paint(art.disc(12, 7.6, 5.2, 6.0) | art.box(6.8, 7.6, 17.2, 14), hair)
    art.paint(art.disc(12, 24.5, 10.8, 11), dress)
    art.paint(art.disc(12, 13.8, 4.0, 2.7) | art.box(10, 11, 14, 14), skin)  # neck and breast
    art.paint(art.box(10, 12, 14, 13), shade)
    art.paint(art.disc(12, 8, 3.5, 4.6), skin)
    art.paint(art.disc(12, 8, 3.5, 4.6) & (art.x > 14), shade)
    art.paint(art.box(10, 7, 11, 8) | art.box(13, 7, 14, 8), hair)  # eyes
    art.paint(art.box(12, 8, 13, 10), shade)  # nose
    art.paint(art.box(11, 11, 13, 11.9), "a4533a")  # the smile
    art.paint(art.disc(6.2, 20, 4.6, 3.0, 20) | art.disc(17.8, 20, 4.6, 3.0, -20), "6e5426")  # sleeves
    art.paint(art.disc(10.4, 21.4, 3.6, 1.6, 10), shade)  # one hand, and the other laid over it
    art.paint(art.disc(13.2, 20.4, 3.6, 1.5, -10), skin)
    return art.drawing()


def _hope(size: int) -> Drawing:
    """A sprout in cracked earth, at dawn."""
    art = Canvas(size, "2c2a5a")
    for top, colour in ((5, "6a3d7c"), (9, "c8577b"), (13, "f79a5b")):
        art.paint(art.y >= top, colour)
    art.paint(art.disc(12, 17, 6.5), "ffe08a")
    art.paint(art.y >= 17, "5a3a22")
    art.paint(art.disc(12, 18, 6, 1.8) & (art.y >= 17), "8a5a30")
    for x, y, length in ((1, 20, 4), (15, 21, 5), (7, 22, 4), (18, 19, 4)):
        art.paint(art.box(x, y, x + length, y + 1) | art.box(x + length - 1, y, x + length, y + 2), "3a2414")
    art.paint(art.box(11, 10, 13, 19), "2f7d32")
    art.paint(art.disc(8.3, 9.5, 3.6, 1.9, 25) | art.disc(15.7, 8.2, 3.6, 1.9, -25), "5fbf4a")
    art.paint(art.disc(8.6, 10.2, 2.4, 0.7, 25) | art.disc(15.4, 8.9, 2.4, 0.7, -25), "2f7d32")
    return art.drawing()


_DRAWERS: dict[str, Callable[[int], Drawing]] = {
    "mario": _mario,
    "rainbow": _rainbow,
    "sun": _sun,
    "saturn": _saturn,
    "maze": _maze,
    "mona-lisa": _mona_lisa,
    "hope": _hope,
}


@lru_cache(maxsize=256)
def reference(subject: str, size: int, colours: int) -> Drawing:
    """Our drawing of a published subject, by its id."""
    return reduce_colours(_full(subject, size), colours)


@lru_cache(maxsize=256)
def _full(subject: str, size: int) -> Drawing:
    return _DRAWERS[subject](size)
