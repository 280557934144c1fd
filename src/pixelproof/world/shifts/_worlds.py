"""Shifts of worlds: what is drawn, written or asked for differs, not how well it can be seen."""

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
"""Degrees of hue by which all named colours can be turned while each is still closest to its own word."""
TURN_LIMIT = 3600.0
"""Degrees of hue that a turn may have."""


@lru_cache(maxsize=64)
def turned_palette(degrees: float) -> dict[str, tuple[int, int, int]]:
    """All colour words with their hues turned; greys stay.

    >>> turned_palette(0.0) == COLOURS, turned_palette(10.0)["red"]
    (True, (196, 64, 38))
    """
    require_number("turn of a hue", degrees, -TURN_LIMIT, TURN_LIMIT)
    return {word: _turned(colour, degrees) for word, colour in COLOURS.items()}


def _turned(colour: tuple[int, int, int], degrees: float) -> tuple[int, int, int]:
    hue, saturation, value = colorsys.rgb_to_hsv(*(part / 255 for part in colour))
    red, green, blue = colorsys.hsv_to_rgb((hue + degrees / 360) % 1, saturation, value)
    return round(255 * red), round(255 * green), round(255 * blue)


def prior_weights(n: int, strength: float) -> npt.NDArray[np.float64]:
    """How likely each of n answers is: all alike at strength 0, falling with the square of the rank at 1.

    >>> prior_weights(4, 0.0).tolist(), prior_weights(4, 1.0).round(2).tolist()
    ([0.25, 0.25, 0.25, 0.25], [0.7, 0.18, 0.08, 0.04])

    Raises:
        PixelProofError: There is no answer, or the strength is not from 0 to 1.
    """
    require_whole("answers", n, 1)
    require_share("strength of a shift", strength)
    weights = np.arange(1, n + 1, dtype=np.float64) ** (-2 * strength)
    return np.asarray(weights / weights.sum())


def skewed(answers: Sequence[Hashable], strength: float, seed: int = 0) -> list[int]:
    """Which items of any bench to keep, given their answers, so that some answers are more frequent than others.

    The seed ranks the answers. Of the items with an answer of rank r, a share of r^(−2 · strength) is kept, one at
    least: all at strength 0, and the stronger, the fewer of those that are kept when it is weaker.

    >>> [len(skewed("AABBCC" * 30, strength)) for strength in (0.0, 0.5, 1.0)]
    [180, 110, 82]

    Args:
        answers: The right answer of each item.
        strength: From 0 to 1.
        seed: Of which answers become rare, and of which of their items are kept.

    Returns:
        Places in `answers`, in their order.

    Raises:
        PixelProofError: The strength is not from 0 to 1, this is no seed, or answers are not in order or not words.
    """
    require_share("strength of a shift", strength)
    require_seed(seed)
    rng = generator(seed, "shift/prior")
    places: dict[Hashable, list[int]] = {}
    try:
        for place in rng.permutation(len(answers)).tolist():
            places.setdefault(answers[place], []).append(place)
    except (TypeError, KeyError) as error:
        raise PixelProofError("Answers are a list with one word or number for each item: give such a list.") from error
    ranked = enumerate(places.values(), 1)
    return sorted(place for rank, own in ranked for place in own[: math.ceil(len(own) * rank ** (-2 * strength))])


@dataclass(frozen=True)
class WorldShift:
    """A shift of how flat scenes and clips are made."""

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
"""Shifts of worlds by name."""
