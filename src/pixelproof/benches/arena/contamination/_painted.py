"""What can be read from a painted answer whatever its palette and channel: the colours of its flat areas."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pixelproof.benches.arena._case import Pixels
from pixelproof.pixels import Palette

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

FLAT = 16
"""Largest range of a channel within 3 × 3 pixels of a flat area: JPEG stays below it, edges and textures do not."""
SMALLEST = 0.001
"""Labels with a smaller share of the reference are left out."""
MOST_SAMPLES = 1 << 16
"""Larger images are read on a grid of about this many pixels."""
_PART = 1 << 13
"""Pixels that are decoded at once."""


@dataclass(frozen=True)
class Reference:
    """The truth at the pixels that are read."""

    labels: Indices
    """Palette indices."""
    weights: Floats
    """Weight of each pixel: labels weigh the same, and the weights of an image add up to 1; 0 for void."""
    places: tuple[slice, slice]
    """The grid of pixels that are read."""

    @classmethod
    def of(cls, truth: npt.NDArray[np.integer], labels: int) -> Reference:
        """The reference of a label map; values beyond the palette are void."""
        step = max(1, int(np.ceil(np.sqrt(truth.size / MOST_SAMPLES))))
        places = slice(step // 2, None, step), slice(step // 2, None, step)
        values = truth[places].ravel().astype(np.int64)
        known = values < labels
        area = np.bincount(values[known], minlength=labels)
        area = np.where(area >= max(1.0, SMALLEST * len(values)), area, 0)
        share = np.where(area > 0, 1.0 / np.maximum(area, 1), 0.0) / max(1, int((area > 0).sum()))
        weights = np.where(known, share[np.where(known, values, 0)], 0.0)
        return cls(np.where(known, values, 0), weights, places)


@dataclass(frozen=True)
class Painted:
    """An answer at the pixels that are read, in the palette that was asked for."""

    palette: Palette
    flat: Mask
    """Whether the pixel lies in a flat area."""
    colours: Pixels
    """Colours of the pixels, shape (pixels, 3)."""

    @classmethod
    def of(cls, rgb: Pixels, palette: Palette, reference: Reference) -> Painted:
        """Read an image of the reference's size."""
        return cls(palette, _flat(rgb)[reference.places].ravel(), rgb[reference.places].reshape(-1, 3))


@dataclass(frozen=True)
class Reading:
    """An answer decoded by the nearest of some colours: those that were asked for, or those that the model paints."""

    painted: Painted
    palette: Floats
    """A colour for each label, shape (labels, 3)."""
    labels: Indices
    """Index of the nearest of these colours."""
    residuals: Floats
    """What the pixel differs by from that colour, shape (pixels, 3)."""

    @classmethod
    def of(cls, painted: Painted, palette: Floats) -> Reading:
        """Decode an answer."""
        colours = painted.colours.astype(np.float64)
        labels = nearest_colours(colours, palette)
        return cls(painted, palette, labels, colours - palette[labels])

    def survives(self, other: Floats, which: Mask) -> Mask:
        """Whether the label would also be read if the same answer were painted in other colours.

        Each pixel keeps its residual: what drifts too far for the other colours would have been read wrongly there.
        """
        labels, kept = self.labels[which], np.zeros(len(self.labels), dtype=np.bool_)
        kept[which] = nearest_colours(shifted(other, labels, self.residuals[which]), other) == labels
        return kept


def shifted(palette: Floats, labels: Indices, residuals: Floats) -> Floats:
    """The colours of labels plus residuals, shape (n, 3)."""
    return np.asarray(np.clip(palette[labels] + residuals, 0.0, 255.0))


def nearest_colours(colours: Floats, palette: Floats) -> Indices:
    """Index of the nearest colour of a palette; ties go to the lowest index."""
    labels, lengths = np.empty(len(colours), np.int64), (palette**2).sum(axis=1)
    for start in range(0, len(colours), _PART):
        part = slice(start, start + _PART)
        # Rounded, so that ties are ties.
        labels[part] = np.argmin(np.rint(16 * (lengths - 2 * colours[part] @ palette.T)), axis=1)
    return labels


def _flat(rgb: Pixels) -> Mask:
    from scipy.ndimage import maximum_filter, minimum_filter  # takes a while to import

    size = (3, 3, 1)
    spread = maximum_filter(rgb, size).astype(np.int16) - minimum_filter(rgb, size)
    return np.asarray((spread <= FLAT).all(axis=2))
