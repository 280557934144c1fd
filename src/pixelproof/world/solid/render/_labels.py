"""Text on things: rendered once with Pillow's built-in font, as an image pyramid."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from pixelproof.world.solid._poses import Floats
from pixelproof.world.solid._scene import Scene

from ._compiled import Singles
from ._meshes import ShapeOf, linear

LEVELS = 9
SIDE = 1 << LEVELS
"""Side in pixels of the square that a text is rendered to; it stands for the longer side of the label."""


class Labels(NamedTuple):
    """All labels of a scene as arrays, for compiled loops."""

    first: npt.NDArray[np.int32]
    """(things + 1,) thing t has the labels first[t] to first[t + 1] (exclusive)."""
    frames: Floats
    """(l, 4, 3) in the thing's frame: centre, vectors to the right and top edges, normal."""
    ink: Floats
    ground: Floats
    """(l, 4) linear RGB, and 1 if the label has a ground."""
    letters: Singles
    """(l, 2 · SIDE, SIDE) ink coverage: the levels of the pyramid, one below the other."""


def labels(scene: Scene, shape_of: ShapeOf) -> Labels:
    """The labels of all things of a scene."""
    first, frames, ink, ground, letters = [0], [], [], [], []
    for thing in scene.things:
        for label in shape_of(thing).labels:
            if not (thing.text or label.ground):
                continue
            frames.append(label.frame)
            ink.append(linear(label.ink))
            ground.append([*linear(label.ground), float(bool(label.ground))])
            letters.append(text_pyramid(thing.text, round(label.width / label.height, 2)))
        first.append(len(frames))
    return Labels(
        np.array(first, np.int32),
        np.array(frames).reshape(-1, 4, 3),
        np.array(ink).reshape(-1, 3),
        np.array(ground).reshape(-1, 4),
        np.array(letters, np.float32).reshape(-1, 2 * SIDE, SIDE),
    )


@lru_cache(maxsize=12)  # two megabytes each
def text_pyramid(text: str, aspect: float) -> Singles:
    """Render a text that fills a centred rectangle of an aspect ratio, as an image pyramid stacked vertically.

    >>> text_pyramid("A", 1.0).shape, bool(text_pyramid("", 1.0).any()), float(text_pyramid("A", 1.0)[:SIDE].max())
    ((1024, 512), False, 1.0)
    """
    picture = Image.new("L", (SIDE, SIDE))
    if text:
        _write(picture, text, (min(SIDE, SIDE * aspect) * 0.9, min(SIDE, SIDE / aspect) * 0.86))
    square = np.asarray(picture, np.float32) / 255
    pyramid = np.zeros((2 * SIDE, SIDE), np.float32)
    top, size = 0, SIDE
    while size >= 1:
        pyramid[top : top + size, :size] = square
        top, size = top + size, size // 2
        square = square[: 2 * size, : 2 * size].reshape(size, 2, size, 2).mean(axis=(1, 3)) if size else square
    return pyramid


def _write(picture: Image.Image, text: str, space: tuple[float, float]) -> None:
    """Write a centred text, with the number of lines that allows the largest font in a space."""
    words, best = text.split() or [text], (0.0, text)
    canvas = ImageDraw.Draw(picture)
    font = ImageFont.load_default(100)
    for count in range(1, min(len(words), 4) + 1):
        lines = _lines(words, count)
        left, top, right, bottom = canvas.multiline_textbbox((0, 0), lines, font, align="center", spacing=20)
        best = max(best, (min(space[0] / (right - left), space[1] / (bottom - top)), lines))
    size, lines = best
    font = ImageFont.load_default(100 * size)
    left, top, right, bottom = canvas.multiline_textbbox((0, 0), lines, font, align="center", spacing=20 * size)
    corner = (picture.width - right - left) / 2, (picture.height - bottom - top) / 2
    canvas.multiline_text(corner, lines, 255, font, align="center", spacing=20 * size)


def _lines(words: list[str], count: int) -> str:
    """Break words into `count` lines of about the same length."""
    wanted, lines = len(" ".join(words)) / count, [""]
    for word in words:
        if lines[-1] and len(lines) < count and len(" ".join([*lines, word])) > wanted * len(lines) + 1:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)
