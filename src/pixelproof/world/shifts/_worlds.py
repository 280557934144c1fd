"""Shifts of worlds: they change the content of scenes, not the image quality."""

from __future__ import annotations

import colorsys
import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError
from pixelproof.stats import generator
from pixelproof.world._colours import COLOURS
from pixelproof.world._limits import ByName, require_number, require_seed, require_share, require_whole

TURN = 10.0
"""Largest hue rotation in degrees at which each colour is still closest to its own word."""
TURN_LIMIT = 3600.0
"""Limit of hue rotations in degrees."""


@lru_cache(maxsize=64)
def turned_palette(degrees: float) -> dict[str, tuple[int, int, int]]:
    """Colour words with rotated hues; greys are unchanged.

    >>> turned_palette(0.0) == COLOURS, turned_palette(10.0)["red"]
    (True, (196, 64, 38))
    """
    require_number("turn of a hue", degrees, -TURN_LIMIT, TURN_LIMIT)
    return {word: _rotated_hue(colour, degrees) for word, colour in COLOURS.items()}


def _rotated_hue(colour: tuple[int, int, int], degrees: float) -> tuple[int, int, int]:
    hue, saturation, value = colorsys.rgb_to_hsv(*(part / 255 for part in colour))
    red, green, blue = colorsys.hsv_to_rgb((hue + degrees / 360) % 1, saturation, value)
    return round(255 * red), round(255 * green), round(255 * blue)


def prior_weights(n: int, strength: float) -> npt.NDArray[np.float64]:
    """Probabilities of n answers: uniform at strength 0, inverse square of the rank at 1.

    >>> prior_weights(4, 0.0).tolist(), prior_weights(4, 1.0).round(2).tolist()
    ([0.25, 0.25, 0.25, 0.25], [0.7, 0.18, 0.08, 0.04])

    Raises:
        PixelProofError: n is below 1, or the strength is not from 0 to 1.
    """
    require_whole("answers", n, 1)
    require_share("strength of a shift", strength)
    weights = np.arange(1, n + 1, dtype=np.float64) ** (-2 * strength)
    return np.asarray(weights / weights.sum())


def skewed(answers: Sequence[Hashable], strength: float, seed: int = 0) -> list[int]:
    """Indices of the items to keep, so that some answers become more frequent than others.

    The seed ranks the answers. Of the items with an answer of rank r, a share of r^(−2 · strength) is kept, at least
    one. A stronger shift keeps a subset of a weaker one.

    >>> [len(skewed("AABBCC" * 30, strength)) for strength in (0.0, 0.5, 1.0)]
    [180, 110, 82]

    Args:
        answers: The correct answer of each item.
        strength: From 0 to 1.
        seed: Decides which answers become rare, and which of their items are kept.

    Returns:
        Indices into `answers`, ascending.

    Raises:
        PixelProofError: The strength or the seed is invalid, or the answers are not a sequence of hashable values.
    """
    require_share("strength of a shift", strength)
    require_seed(seed)
    rng = generator(seed, "shift/prior")
    places: dict[Hashable, list[int]] = {}
    try:
        for place in rng.permutation(len(answers)).tolist():
            places.setdefault(answers[place], []).append(place)
    except (TypeError, KeyError) as error:
        raise PixelProofError("answers must be a list with one word or number per item.") from error
    ranked = enumerate(places.values(), 1)
    return sorted(place for rank, own in ranked for place in own[: math.ceil(len(own) * rank ** (-2 * strength))])


@dataclass(frozen=True)
class WorldShift:
    """A shift of the generation of flat scenes and clips."""

    about: str
    arguments: Callable[[float], dict[str, Any]]

    def wish(self, strength: float) -> dict[str, Any]:
        """Arguments of `make_flat` and `make_clip` for a strength; at 0 they change nothing.

        >>> WORLD_SHIFTS["palette"].wish(0.5)
        {'hue': 5.0}

        Raises:
            PixelProofError: The strength is not from 0 to 1.
        """
        require_share("strength of a shift", strength)
        return self.arguments(float(strength))


_ALL = {
    "font": WorldShift("codes in another font, for a growing share of plates", lambda s: {"sans": s}),
    "palette": WorldShift(f"all colours turned, by up to {TURN:.0f}° of hue", lambda s: {"hue": TURN * s}),
    "prior": WorldShift("some answers much more frequent than others", lambda s: {"prior": s}),
    "jitter": WorldShift("the camera shakes by up to 8 pixels; clips only", lambda s: {"jitter": 8.0 * s}),
}
WORLD_SHIFTS: dict[str, WorldShift] = ByName("shift of worlds", _ALL)
"""World shifts by name."""
