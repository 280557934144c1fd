"""Colour names as ranges of lightness, chroma and hue in OKLab."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from pixelproof.benches.pixelart.subjects._drawing import Rng, pick
from pixelproof.pixels import oklab


@dataclass(frozen=True)
class _Range:
    """Ranges of lightness, chroma and hue (degrees, counted upwards, modulo 360)."""

    light: tuple[float, float]
    chroma: tuple[float, float]
    hue: tuple[float, float] = (0.0, 360.0)

    def holds(self, lightness: float, chroma: float, hue: float) -> bool:
        """Whether a colour lies within the ranges."""
        around = (hue - self.hue[0]) % 360 <= (self.hue[1] - self.hue[0])
        in_light = self.light[0] <= lightness <= self.light[1]
        return bool(around and in_light and self.chroma[0] <= chroma <= self.chroma[1])


# Neighbouring ranges overlap on purpose: tomato may pass for red and for orange, as it does among people.
_RANGES: dict[str, tuple[_Range, ...]] = {
    "black": (_Range((0.0, 0.36), (0.0, 0.06)),),
    "white": (_Range((0.92, 1.0), (0.0, 0.045)),),
    "grey": (_Range((0.3, 0.9), (0.0, 0.04)),),
    "red": (_Range((0.34, 0.72), (0.12, 0.4), (5, 43)),),
    "orange": (_Range((0.6, 0.86), (0.1, 0.4), (38, 82)),),
    "yellow": (_Range((0.74, 1.0), (0.1, 0.4), (80, 116)),),
    "green": (_Range((0.3, 0.95), (0.06, 0.4), (116, 178)),),
    "blue": (_Range((0.2, 0.85), (0.07, 0.4), (212, 294)),),
    "purple": (_Range((0.22, 0.8), (0.08, 0.4), (286, 338)),),
    "pink": (_Range((0.66, 0.96), (0.04, 0.4), (325, 385)), _Range((0.55, 0.96), (0.15, 0.4), (340, 367))),
}
SWATCHES = {
    "black": ("000000", "0d0d12", "161616"),
    "white": ("ffffff", "fafafa", "f4f4f0"),
    "grey": ("808080", "9a9a9e", "6e7074"),
    "red": ("e02020", "d8261c", "c41e3a", "ff0000"),
    "orange": ("ff8c1a", "f68b1f", "ffa500"),
    "yellow": ("ffde3b", "ffe600", "f7d914"),
    "green": ("1f9d3a", "2fae49", "008000", "4cc552"),
    "blue": ("1f4fd8", "2f6fd6", "0000ff", "2b3fae"),
    "purple": ("7b3fa8", "800080", "8a2be2"),
    "pink": ("ff9ec4", "ffb6c1", "ff8fb8"),
}
"""Unambiguous examples of each colour name."""
NAMES = tuple(_RANGES)
VIVID = ("red", "yellow", "green", "blue", "purple", "orange")


def is_called(rgb: npt.ArrayLike, name: str) -> bool:
    """Whether a colour has a name.

    >>> is_called((200, 30, 40), "red"), is_called((200, 30, 40), "blue"), is_called((20, 20, 24), "black")
    (True, False, True)
    """
    return _is_called(tuple(np.asarray(rgb).tolist()), name)


@lru_cache(maxsize=65536)
def _is_called(rgb: tuple[float, ...], name: str) -> bool:
    lightness, a, b = (float(part) for part in oklab(rgb))
    chroma, hue = float(np.hypot(a, b)), float(np.degrees(np.arctan2(b, a)))
    return any(part.holds(lightness, chroma, hue) for part in _RANGES[name])


def swatch(rng: Rng, name: str) -> str:
    """A random example of a colour name."""
    return pick(rng, SWATCHES[name])
