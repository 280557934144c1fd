"""Measurability of a palette: distances, blends, and the ceiling of the published protocol."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pixelproof.metrics import SegmentationCounts, pixelarena
from pixelproof.pixels import VOID, ImageChannel, Labels, Palette, nearest, read_image
from pixelproof.stats import generator

from ._blends import find_blends, least_distance

LOW = 0.9
"""Ceiling below which `measurable` warns."""
_MOSAICS = 6
_SIDE = 256


@dataclass(frozen=True)
class Geometry:
    """Distances and blends of a palette."""

    least: float
    """Smallest distance between two colours, in sRGB levels."""
    nearest: tuple[str, ...]
    """The two closest labels; only one for a palette of one label."""
    pairs: int
    crossed: int
    """Number of pairs whose blends, by anti-aliasing and JPEG, are decoded as a third label."""
    thirds: int
    """Labels that some pair blends to."""


def geometry(palette: Palette) -> Geometry:
    """Measure a palette.

    >>> geometry(Palette(("black", "grey", "white"), ((0, 0, 0), (128, 128, 128), (255, 255, 255)))).crossed
    1
    >>> geometry(Palette(("alone",), ((0, 0, 0),)))
    Geometry(least=255.0, nearest=('alone',), pairs=0, crossed=0, thirds=0)
    """
    colours = palette.array.astype(np.float64)
    between = find_blends(colours).excess > 0
    distances = np.sqrt(((colours[:, None] - colours[None]) ** 2).sum(-1)) + np.diag(np.full(len(palette), np.inf))
    one, other = np.unravel_index(distances.argmin(), distances.shape)
    return Geometry(
        least_distance(colours),
        tuple(palette.labels[place] for place in sorted({int(one), int(other)})),
        len(between),
        int(between.any(1).sum()),
        int(between.any(0).sum()),
    )


def measurable(palette: Palette) -> str:
    """A warning if a perfect mask in this palette scores low under the published protocol; otherwise empty.

    >>> measurable(Palette(("a", "b"), ((0, 0, 0), (255, 255, 255))))
    ''
    """
    from ._designed import designed

    ceiling = mosaic_ceiling(palette)
    if ceiling >= LOW:
        return ""
    # None is designed for more labels.
    better = mosaic_ceiling(Palette(palette.labels, designed(len(palette)))) if len(palette) <= VOID else 0.0
    advice = f" A designed palette of as many labels reaches {better:.2f}." if better > ceiling + 0.02 else ""
    return (
        f"Under the pixelarena protocol a perfect mask in these {len(palette)} colours scores about {ceiling:.2f} "
        "after soft edges and JPEG, for colours between two labels are taken for a third: read scores against the "
        f"ceiling, offer fewer labels, or go by the robust protocol.{advice}"
    )


@lru_cache(64)
def mosaic_ceiling(palette: Palette) -> float:
    """Mean macro F1 of perfect masks of mosaics after the channel, by nearest colour.

    >>> mosaic_ceiling(Palette(("a", "b"), ((0, 0, 0), (255, 255, 255)))) > 0.99
    True
    """
    present = max(2, min(8, len(palette) * 2 // 3))
    scores = []
    for index in range(_MOSAICS if len(palette) > 1 else 0):
        labels = mosaic(len(palette), present, index, _SIDE)
        seen = nearest(read_image(ImageChannel().send(palette.paint(labels))), palette)
        scores.append(pixelarena(SegmentationCounts.of(seen, labels, len(palette)))["f1"])
    return float(np.mean(scores)) if scores else 1.0


def mosaic(labels: int, present: int, index: int, side: int) -> Labels:
    """A label map of Voronoi cells: some of the labels, the first among them.

    >>> len(np.unique(mosaic(19, 8, 0, 64)))
    8
    """
    from scipy.spatial import cKDTree  # takes a while to import

    draw = generator(0, f"mosaic/{labels}/{present}", index)
    shown = np.concatenate([[0], 1 + draw.permutation(labels - 1)[: present - 1]])
    of_cell = np.concatenate([shown, draw.choice(shown, present)])
    cells = cKDTree(draw.uniform(0, side, (len(of_cell), 2)))
    pixels = np.indices((side, side)).reshape(2, -1).T + 0.5
    return np.asarray(
        of_cell[cells.query(pixels)[1]].reshape(side, side).astype(np.uint8 if labels <= VOID else np.uint16)
    )
