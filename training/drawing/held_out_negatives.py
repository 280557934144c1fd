"""Negative examples for the test alone: forms and letters by other code than those of the training set."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from pixelproof.store import asset_path

Rng = np.random.Generator
Pixels = npt.NDArray[np.uint8]

_COLOURS = (
    "#ffffff", "#101014", "#9a9aa4", "#d8261c", "#f68b1f", "#ffd93b", "#4caf50", "#1f6b35", "#2f5fd6", "#a9defc",
    "#7b3fa8", "#f48fb1", "#7a4a2a", "#f0d9a8", "#14183c",
)  # fmt: skip
_LETTERS = [chr(code) for code in range(0x21, 0x7F) if chr(code) != "*"]


def pillow_forms(rng: Rng) -> Pixels:
    """One or two forms as Pillow draws them: ellipses, sectors, regular polygons, boxes, crosses; no crescents."""
    side = int(rng.integers(16, 33))
    ground, first, second = (str(colour) for colour in rng.choice(_COLOURS, 3, replace=False))
    page = Image.new("RGB", (side, side), ground)
    pen = ImageDraw.Draw(page)
    if rng.random() < 0.2:
        pen.rectangle((0, int(side * rng.uniform(0.5, 0.9)), side, side), first if rng.random() < 0.5 else second)
    if rng.random() < 0.7:
        half = side * rng.uniform(0.15, 0.48)
        _form(pen, rng, side / 2, side / 2, half, first)
    else:
        step = side / 4
        down = rng.random() < 0.5
        for sign, colour in ((-1, first), (1, first if rng.random() < 0.5 else second)):
            x, y = (side / 2, side / 2 + sign * step) if down else (side / 2 + sign * step, side / 2)
            _form(pen, rng, x, y, side * rng.uniform(0.12, 0.25), colour)
    return np.asarray(page)


def unifont_letters(rng: Rng) -> Pixels:
    """A letter, digit or sign of Unifont on a page of 16 to 24 cells, some twice as large."""
    side = int(rng.integers(16, 25))
    ground, ink = (str(colour) for colour in rng.choice(_COLOURS, 2, replace=False))
    page = Image.new("RGB", (side, side), ground)
    pen = ImageDraw.Draw(page)
    pen.fontmode = "1"
    larger = rng.random() < 0.5 and side >= 20
    pen.text((side // 2, side // 2), str(rng.choice(_LETTERS)), ink, _font(32 if larger else 16), "mm")
    return np.asarray(page)


def _form(pen: ImageDraw.ImageDraw, rng: Rng, x: float, y: float, half: float, colour: str) -> None:
    wide = half * (1.0 if rng.random() < 0.6 else rng.uniform(0.3, 1.0))
    box = (x - wide, y - half, x + wide - 1, y + half - 1)
    fill, width = (colour, 1) if rng.random() < 0.7 else (None, int(rng.integers(1, 3)))
    match int(rng.integers(5)):
        case 0:
            pen.ellipse(box, fill, colour, width)
        case 1:
            start = int(rng.integers(4)) * 90
            pen.pieslice(box, start, start + int(rng.choice([90, 180])), fill, colour, width)
        case 2:
            turn = float(rng.choice([0, 90, 180, 270]))
            pen.regular_polygon((x, y, half), int(rng.choice([3, 4, 5, 6, 8])), turn, fill, colour, width)
        case 3:
            pen.rectangle(box, fill, colour, width)
        case _:
            left, top, right, bottom = box
            upright, thick = rng.random() < 0.5, int(rng.integers(1, 6))
            lines = [(x, top, x, bottom), (left, y, right, y)] if upright else [box, (left, bottom, right, top)]
            for line in lines[: int(rng.integers(1, 3))]:
                pen.line(line, colour, thick)


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(asset_path("unifont") / "unifont.otf"), size)
