"""Shifts of worlds: what is drawn, written or asked for differs, not how well it can be seen."""

from __future__ import annotations

import colorsys
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.world._colours import COLOURS

TURN = 10.0
"""Degrees of hue by which all named colours can be turned while each is still closest to its own word."""


@lru_cache(maxsize=64)
def turned_palette(degrees: float) -> dict[str, tuple[int, int, int]]:
    """All colour words with their hues turned; greys stay.

    >>> turned_palette(0.0) == COLOURS, turned_palette(10.0)["red"]
    (True, (196, 64, 38))
    """
    return {word: _turned(colour, degrees) for word, colour in COLOURS.items()}


def _turned(colour: tuple[int, int, int], degrees: float) -> tuple[int, int, int]:
    hue, saturation, value = colorsys.rgb_to_hsv(*(part / 255 for part in colour))
    red, green, blue = colorsys.hsv_to_rgb((hue + degrees / 360) % 1, saturation, value)
    return round(255 * red), round(255 * green), round(255 * blue)


def prior_weights(n: int, strength: float) -> npt.NDArray[np.float64]:
    """How likely each of n answers is: all alike at strength 0, falling with the square of the rank at 1.

    >>> prior_weights(4, 0.0).tolist(), prior_weights(4, 1.0).round(2).tolist()
    ([0.25, 0.25, 0.25, 0.25], [0.7, 0.18, 0.08, 0.04])
    """
    weights = np.arange(1, n + 1, dtype=np.float64) ** (-2 * strength)
    return np.asarray(weights / weights.sum())


@dataclass(frozen=True)
class WorldShift:
    """A shift of how flat scenes and clips are made."""

    about: str
    wish: Callable[[float], dict[str, Any]]
    """From a strength of 0 to 1 to arguments of `make_flat` and `make_clip`; at 0 they change nothing."""


WORLD_SHIFTS: dict[str, WorldShift] = {
    "font": WorldShift("codes in another font, for a growing share of plates", lambda s: {"sans": s}),
    "palette": WorldShift(f"all colours turned, by up to {TURN:.0f}° of hue", lambda s: {"hue": TURN * s}),
    "prior": WorldShift("some answers much more frequent than others", lambda s: {"prior": s}),
    "jitter": WorldShift("the camera shakes by up to 8 pixels; clips only", lambda s: {"jitter": 8.0 * s}),
}
