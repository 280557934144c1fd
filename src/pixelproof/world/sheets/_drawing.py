"""Colours and lettering for pictures of truth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from pixelproof.pixels import oklab_to_rgb

Pixels = npt.NDArray[np.uint8]
Colour = tuple[int, int, int]
Spot = tuple[float, float]


def oklch(lightness: npt.ArrayLike, chroma: npt.ArrayLike, degrees: npt.ArrayLike) -> Pixels:
    """Colours by how people see them: equal steps of lightness look equal.

    >>> oklch([0.0, 1.0], 0.0, 0.0).tolist()
    [[0, 0, 0], [255, 255, 255]]
    """
    light, strong, turn = np.broadcast_arrays(lightness, chroma, np.radians(degrees))
    lab = np.stack([light, strong * np.cos(turn), strong * np.sin(turn)], axis=-1)
    return oklab_to_rgb(lab)


def ramp(values: npt.ArrayLike) -> Pixels:
    """Colours of numbers from 0 (near: light yellow) to 1 (far: dark violet), in even steps of lightness."""
    far = np.clip(np.asarray(values, dtype=np.float64), 0.0, 1.0)
    return oklch(0.93 - 0.70 * far, 0.13 - 0.03 * far, 100.0 + 195.0 * far)


def hue(number: int) -> Colour:
    """The colour of a number: those of neighbours are far apart."""
    red, green, blue = oklch(0.72 if number % 2 else 0.60, 0.15, 137.508 * number).tolist()
    return red, green, blue


def font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The typeface that comes with Pillow, so that sheets are the same everywhere."""
    return ImageFont.load_default(size)


def write_labels(picture: Image.Image, labels: Sequence[tuple[Spot, str]], size: float) -> None:
    """Write words at spots, each as near to its spot as it can be without covering another."""
    draw, letters = ImageDraw.Draw(picture), font(size)
    taken: list[tuple[float, float, float, float]] = []
    for (x, y), words in labels:
        left, top, right, bottom = draw.textbbox((0, 0), words, font=letters, stroke_width=2)
        width, height = right - left, bottom - top
        box = min(_places(x, y, width, height, picture.size), key=lambda place: _badness(place, taken, x, y))
        taken.append(box)
        draw.text(
            (box[0] - left, box[1] - top), words, font=letters, fill="white", stroke_width=2, stroke_fill=(24, 24, 28)
        )


def _places(
    x: float, y: float, width: float, height: float, size: tuple[int, int]
) -> list[tuple[float, float, float, float]]:
    places = []
    for down in (0, -1, 1, -2, 2, -3, 3):
        for across in (0, -0.5, 0.5):
            left = min(max(x - width / 2 + across * width, 2), max(size[0] - width - 2, 2))
            top = min(max(y - height / 2 + down * height, 2), max(size[1] - height - 2, 2))
            places.append((left, top, left + width, top + height))
    return places


def _badness(
    place: tuple[float, float, float, float], taken: Sequence[tuple[float, float, float, float]], x: float, y: float
) -> float:
    """Covered area first, then the way from the spot."""
    left, top, right, bottom = place
    covered = sum(
        max(0.0, min(right, other[2]) - max(left, other[0])) * max(0.0, min(bottom, other[3]) - max(top, other[1]))
        for other in taken
    )
    return 1000 * covered + abs((left + right) / 2 - x) + abs((top + bottom) / 2 - y)


def outline(mask: npt.NDArray[np.bool_], thickness: int = 1) -> npt.NDArray[np.bool_]:
    """The pixels of a mask within a distance of its edge; the border of the image is not an edge."""
    from scipy.ndimage import binary_erosion

    return np.asarray(mask & ~binary_erosion(mask, iterations=thickness, border_value=1))
