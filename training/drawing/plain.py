"""Plain forms and letters: the cheapest things that look like something, and show none of the subjects."""

from __future__ import annotations

import string
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont
from scipy import ndimage

from training.drawing.compose import two_colours
from training.drawing.forms import FORMS, Mask, turned

Rng = np.random.Generator
Pixels = npt.NDArray[np.uint8]

_CHARACTERS = string.ascii_letters + string.digits + "?!&$@#%+=<>/()[]{}~^"  # an asterisk may pass for a snowflake


def plain_forms(rng: Rng) -> Pixels:
    """One or two discs, boxes, triangles and the like, filled or in outline; some on a strip of ground."""
    size = int(rng.integers(12, 33))
    ground, *inks = _inks(rng)
    picture = np.broadcast_to(ground, (size, size, 3)).astype(np.uint8)
    if rng.random() < 0.2:
        picture[int(size * rng.uniform(0.5, 0.9)) :] = inks[int(rng.integers(2))]
    thickness = int(rng.integers(1, 3)) if rng.random() < 0.3 else 0
    for number, mask in enumerate(_forms(rng, size)):
        line = mask & ~ndimage.binary_erosion(mask, iterations=thickness) if thickness else mask
        picture[line] = inks[number if rng.random() < 0.4 else 0]
    return picture


def letters(rng: Rng) -> Pixels:
    """One or two letters, digits or signs, thin or thick, narrow or wide."""
    size, count = int(rng.integers(12, 33)), 1 if rng.random() < 0.8 else 2
    text = "".join(_CHARACTERS[int(rng.integers(len(_CHARACTERS)))] for _ in range(count))
    font = ImageFont.load_default(int(rng.integers(24, 73)))
    left, top, right, bottom = map(int, font.getbbox(text))
    glyph = Image.new("L", (max(1, right - left), max(1, bottom - top)))
    ImageDraw.Draw(glyph).text((-left, -top), text, 255, font)
    if rng.random() < 0.4:
        thick = int(rng.integers(2, 7))
        glyph = Image.fromarray(ndimage.grey_dilation(np.asarray(glyph), size=(thick, thick)))
    scale = size * rng.uniform(0.5, 1.0) / max(glyph.size)
    width, height = (int(np.clip(round(side * scale * rng.uniform(0.8, 1.2)), 1, size)) for side in glyph.size)
    ink = np.asarray(glyph.resize((width, height), Image.Resampling.BOX)) > rng.integers(60, 160)
    up, across = (round(_place(rng, size, side) - (side - 1) / 2) for side in (height, width))
    up, across = (int(np.clip(corner, 0, size - side)) for corner, side in ((up, height), (across, width)))
    mask = np.zeros((size, size), dtype=np.bool_)
    mask[up : up + height, across : across + width] = ink
    ground, colour, _ = _inks(rng)
    return np.asarray(np.where(mask[..., None], colour, ground), dtype=np.uint8)


def _forms(rng: Rng, size: int) -> list[Mask]:
    """One form; or two, often twins beside or above each other."""
    form, middle = _form(rng), (size - 1) / 2
    if rng.random() < 0.65:
        return [form.mask(size, _place(rng, size, form.height * size), _place(rng, size, form.width * size))]
    other = form if rng.random() < 0.6 else _form(rng)
    apart, stacked = size * rng.uniform(0.15, 0.3), rng.random() < 0.5
    down, across = (apart, 0.0) if stacked else (0.0, apart)
    return [form.mask(size, middle - down, middle - across), other.mask(size, middle + down, middle + across)]


@dataclass(frozen=True)
class _Form:
    """A form with its height and width as shares of the canvas."""

    name: str
    angle: float
    height: float
    width: float
    hole: float
    """Share of its sides that is cut out of its middle, as of a ring; 0: none."""

    def mask(self, size: int, y: float, x: float) -> Mask:
        """Its cells, with its middle at a place."""
        rows, columns = np.indices((size, size), dtype=np.float64)
        inside = FORMS[self.name]
        u, v = turned((rows - y) / (self.height * size / 2), (columns - x) / (self.width * size / 2), self.angle)
        return inside(u, v) & ~inside(u / self.hole, v / self.hole) if self.hole else inside(u, v)


def _form(rng: Rng) -> _Form:
    name = list(FORMS)[int(rng.integers(len(FORMS)))]
    height = width = rng.uniform(0.3, 1.0)
    if rng.random() < 0.4:
        width = rng.uniform(0.12, 1.0)
    angle = rng.integers(4) * np.pi / 2 + (rng.uniform(-0.8, 0.8) if rng.random() < 0.2 else 0)
    return _Form(name, angle, height, width, rng.uniform(0.4, 0.9) if rng.random() < 0.15 else 0)


def _place(rng: Rng, size: int, length: float) -> float:
    """Where the middle of something goes: mostly to the middle, else where all of it is on the canvas."""
    room = max(0.0, (size - length) / 2)
    return float((size - 1) / 2 + (0 if rng.random() < 0.6 else rng.uniform(-room, room)))


def _inks(rng: Rng) -> npt.NDArray[np.int64]:
    """A ground, a colour that stands out from it, and any other."""
    return np.vstack([two_colours(rng), rng.integers(0, 256, (1, 3))])
