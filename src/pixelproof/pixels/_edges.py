"""The edge rule: what is painted stays, and what blur or compression blended at an edge takes a label beside it.

Across an edge the colours of two labels blend, and some blends look like a third label. A blend lies on the straight
line between the colours of its two sides, and is one or two pixels wide. Paint is a plateau, however small: from 3 × 3
pixels on it is kept. The rule, in order:

1. A pixel is *flat* if all labels within 2 pixels are its own, or if no channel changes much from one side of it to the
   other: by `steepest` levels, or by a fifth of the range that a channel has within 3 pixels. Edges are steep; the
   middle of a thin line is not. A line of even width has two middles: so a pixel is flat as well if, along both axes,
   it differs by at most 8 levels from the pixel before, or from the one after, or these two from each other.
2. A flat pixel is *firm* if all labels within 2 pixels are its own or at least 15 of the 25 pixels around it are flat
   and of its label, *thin* if at least 5 are, itself included.
3. Firm pixels are kept. Thin pixels are kept unless no firm pixel of their label is near and a *blend explains* them:
   the straight line from the colour of a firm pixel's label near to that of a flat pixel's label near, ends included,
   passes within 24 levels of the pixel's colour, or as close as the colour of its own label is.
4. A pixel that is not kept, and has no kept pixel of its label near, is kept after all if it is painted:
   - it is in a block of 3 × 3 pixels of its label, all closer to the label's colour than 16 levels and than a quarter
     of the distance to the nearest other colour of the palette; or
   - all pixels near are within 4 levels of the colours of their labels, so that there is no blur here; or
   - at least 5 of the 3 × 3 pixels around it have its label, no blend of a firm label near with a firm or thin one
     explains it, and it *stands out*: at a distance of 1, 2 or 3 pixels, none of the four straight lines between the
     colours of opposite pixels passes as close to its colour as the colour of its label, as 24 levels, or as three
     tenths of the line's length (JPEG blurs colour more than brightness, which bends the line).
5. Every other pixel keeps its label if a kept pixel near has it; otherwise it takes, of the labels of the kept pixels
   near, the one whose colour is nearest; if there is none, it keeps its own.

Near means within 6 pixels along both axes. The rule is local: the label of a pixel depends on the pixels within 23
pixels along both axes, and on no others. Distances are in sRGB, for that is where blur and compression mix. All
arithmetic is in whole numbers, so that the compiled loops and numpy agree to the pixel.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ._colours import Colour
from ._compiled import kernels
from ._edges_numpy import Field, mixed_pixels
from ._palette import Labels, Palette, void_of

REACH = 23
"""Largest distance, along an axis, at which a pixel can change the label of another."""
_CLOSE = 16
_CHUNK = 256


def settle_edges(rgb: npt.NDArray[np.uint8], labels: Labels, palette: Palette, steepest: int) -> tuple[Labels, int]:
    """Apply the edge rule; return the labels and the number of pixels whose label came from their neighbours.

    Args:
        rgb: The image.
        labels: Its nearest-colour labels.
        palette: Their colours.
        steepest: Change of a channel across a pixel, between opposite neighbours, that always counts as flat.
    """
    loops = kernels("pixelproof.pixels._edges_kernel")
    mixed = mixed_pixels(labels) if loops is None else loops.mixed_pixels(labels)
    if not mixed.any():
        return labels, 0
    limits = _limits(palette.colours)
    if loops is None:
        return Field(rgb, labels, palette.array, limits).settle(mixed, steepest)
    void, colours = labels.dtype.type(void_of(labels)), palette.array.astype(np.int64)
    settled, changed = loops.settle(np.ascontiguousarray(rgb), labels, mixed, colours, limits, steepest, void)
    return settled, changed


@lru_cache(maxsize=32)
def _limits(colours: tuple[Colour, ...]) -> npt.NDArray[np.int64]:
    """Squared limit of closeness of each label, times 16: a quarter of the distance to the nearest other colour."""
    points = np.array(colours, dtype=np.int32)
    limits = np.full(len(points), 16 * _CLOSE**2, dtype=np.int64)
    for begin in range(0, len(points), _CHUNK) if len(points) > 1 else ():
        part = slice(begin, begin + _CHUNK)
        apart = ((points[part, None] - points) ** 2).sum(axis=2)
        apart[np.arange(len(apart)), np.arange(begin, begin + len(apart))] = 1 << 30
        np.minimum(limits[part], apart.min(axis=1), out=limits[part])
    limits.flags.writeable = False  # the cache hands out the same array
    return limits
