"""Colours of a mask that is painted on a transparent ground."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pixelproof.benches.arena._case import Pixels
from pixelproof.benches.arena.diagnosis import TOLERANCE
from pixelproof.pixels import AnswerImage, Palette, colour_distance, nearest

_OPAQUE = 128
"""Pixels below this opacity show more of what is behind them than of themselves."""
_ON_PALETTE = 0.99
"""The stored colours of transparent pixels count if this share of them is in the palette."""


def painted_colours(image: AnswerImage, palette: Palette) -> tuple[Pixels, npt.NDArray[np.bool_] | None, str]:
    """The colours of an answer as paint, the mask of pixels without any, and a note; no mask and no note if opaque.

    A viewer shows transparent pixels in the colour of its own background, which nobody painted. So opaque pixels have
    their stored colours, unblended. Transparent ones have theirs, too, if these are the palette's, as in a mask on
    transparent black; any other colours, such as a photograph's behind a cut-out, were not painted: these pixels have
    no label. Here they get the first colour, so that no other label is found in them.
    """
    if image.colours is None or image.alpha is None:
        return image.rgb, None, ""
    clear = image.alpha < _OPAQUE
    if not clear.any():
        return image.colours, None, "it is partly transparent: its colours count without transparency"
    hidden = image.colours[clear][None]
    near = colour_distance(hidden, nearest(hidden, palette), palette) <= TOLERANCE
    share = f"{clear.mean():.0%} of its pixels are transparent"
    if near.mean() >= _ON_PALETTE:
        return image.colours, None, f"{share}: their stored colours are in the palette and count"
    colours = image.colours.copy()
    colours[clear] = palette.colours[0]
    return colours, clear, f"{share} and have no label: their stored colours are not in the palette"
