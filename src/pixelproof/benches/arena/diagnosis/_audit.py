"""Audit of how an answer is painted: faults that cost score without being faults of recognition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pixelproof.pixels import Labels, Palette, colour_distance, nearest, void_of

from ._drift import Drift, fit_drift
from ._outlines import outline_share
from ._texture import block_properties, detail_correlation, texture_share

Pixels = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

TOLERANCE = 24.0
"""A colour within this distance (sRGB levels) of a palette colour counts as that colour."""
_LEAST_SOLID = 0.02
_LEAST_INVENTED = 0.0003
_LIMITS = {
    "single colour": 0.995,
    "copied": 0.4,
    "off palette": 0.2,
    "drift": 5.0,
    "outlines": 0.35,
    "texture": 0.2,
}
"""Thresholds, which a perfect mask stays well below after blur and JPEG."""
_FIRST, _INNER, _LAST = slice(None, -2), slice(1, -1), slice(2, None)


@dataclass(frozen=True)
class Audit:
    """Faults of painting; shares of pixels unless stated otherwise."""

    off_palette: float
    """Share of pixels whose colour is not in the palette, anti-aliased edges included."""
    stray: tuple[int, ...]
    """Labels that nearest-colour decoding finds only in blended edges."""
    invented: tuple[int, ...]
    """Labels painted on pixels that count, and that the truth has nowhere; empty without a truth."""
    drift: Drift
    """Deviation of painted colours from the palette's."""
    outlines: float
    """Share of the borders between regions along which a line is drawn."""
    texture: float
    """Share of the interior of regions that is not flat."""
    copied: float
    """Correlation of fine detail with the photo's, 0 to 1; 0 without a photo."""
    single_colour: float
    """Share of pixels of the most frequent colour."""
    off_inside: float
    """Share of blocks of 8 × 8 pixels that are off the palette and too broad for a blended edge."""
    largest: float = 0.0
    """Share of the truth's most frequent label; 0 without a truth."""

    @property
    def flags(self) -> Mapping[str, str]:
        """Faults above the level of a perfect mask after blur and JPEG: name → message.

        Consequences of another fault are left out: a copied photo is off the palette, too.
        """
        found = {}
        if self.single_colour > max(_LIMITS["single colour"], (1 + self.largest) / 2):
            return {"single colour": "The image has a single colour."}
        if self.copied >= _LIMITS["copied"]:
            return {"copied": f"The photo shows through (correlation of detail {self.copied:.2f})."}
        if self.outlines >= _LIMITS["outlines"]:
            found["outlines"] = f"{self.outlines:.0%} of the borders between regions are drawn as lines."
        if self.texture >= _LIMITS["texture"]:
            found["texture"] = f"{self.texture:.0%} of the interior of regions is not flat."
        if self.off_inside >= _LIMITS["off palette"]:
            found["off palette"] = f"{self.off_inside:.0%} of the image has colours that are not in the palette."
        elif "texture" not in found:
            if self.invented:
                count = len(self.invented)
                found["invented"] = f"{count} painted label{'s are' if count > 1 else ' is'} not in the truth."
            if self.drift.mean >= _LIMITS["drift"]:
                found["drift"] = f"Colours are {self.drift.mean:.0f} levels off on average."
        return found


def audit(
    picture: Pixels,
    palette: Palette,
    photo: Pixels | None = None,
    reference: Labels | None = None,
    nearest_labels: Labels | None = None,
    ignored: Sequence[int] = (),
) -> Audit:
    """Measure how an image was painted, whatever it shows.

    Args:
        picture: The answer, shape (height, width, 3).
        palette: The colours that were asked for.
        photo: The photograph of the prompt; any size.
        reference: The truth; any size. Where it is void, nothing is called invented: what is there is not known.
        nearest_labels: What `nearest(picture, palette)` returns, if it is known.
        ignored: Labels such as "other" that claim nothing: they are not invented, and where the truth has them, it
            is void.

    >>> palette = Palette(("a", "b"), ((255, 0, 0), (0, 0, 255)))
    >>> halves = np.repeat([0, 1], 32).astype(np.uint8)[None].repeat(64, axis=0)
    >>> dict(audit(palette.paint(halves), palette).flags)
    {}
    >>> list(audit(np.full((64, 64, 3), 200, np.uint8), palette).flags)
    ['single colour']
    """
    labels = nearest(picture, palette) if nearest_labels is None else nearest_labels
    near = colour_distance(picture, labels, palette) <= TOLERANCE
    solid = _solid(labels, near)
    present = np.bincount(labels.ravel(), minlength=len(palette))
    inside = np.bincount(labels[solid], minlength=len(palette))
    blocks = block_properties(picture, labels, near, solid)
    actual = None if reference is None else _present(reference, len(palette))
    return Audit(
        off_palette=float(np.mean(~near)),
        stray=_indices((present > 0) & (inside < np.maximum(_LEAST_SOLID * present, 1))),
        invented=() if reference is None else _invented(labels, solid, reference, len(palette), ignored),
        drift=fit_drift(picture, labels, solid, palette),
        outlines=outline_share(picture, labels, solid),
        texture=texture_share(blocks),
        copied=0.0 if photo is None else detail_correlation(picture, photo, blocks),
        single_colour=_single(picture),
        off_inside=float(np.mean(blocks.off)) if blocks.off.size else 0.0,
        largest=0.0 if actual is None or not actual.any() else float(actual.max() / actual.sum()),
    )


def _solid(labels: Labels, near: Mask) -> Mask:
    """Mask of pixels that, with their four neighbours, are near the palette and of one label; false on the border."""
    solid = np.zeros_like(near)
    middle = labels[1:-1, 1:-1]
    same = near[1:-1, 1:-1].copy()
    for rows, columns in ((_FIRST, _INNER), (_LAST, _INNER), (_INNER, _FIRST), (_INNER, _LAST)):
        same &= (middle == labels[rows, columns]) & near[rows, columns]
    solid[1:-1, 1:-1] = same
    return solid


def _present(reference: Labels, count: int) -> npt.NDArray[np.intp]:
    """Pixels of each label, without void."""
    return np.bincount(reference.ravel(), minlength=void_of(reference) + 1)[:count]


def _invented(labels: Labels, solid: Mask, reference: Labels, count: int, ignored: Sequence[int]) -> tuple[int, ...]:
    """Labels of broad regions that are not in the truth; lines, such as outlines, are not broad."""
    actual = _present(reference, count) > 0
    unknown = [void_of(reference), *ignored]
    counted = ~np.isin(reference, unknown)
    if counted.shape != labels.shape:
        rows, columns = (np.arange(new) * old // new for new, old in zip(labels.shape, counted.shape, strict=True))
        counted = counted[rows[:, None], columns]
    broad = _solid(labels, _solid(labels, _solid(labels, solid))) & counted
    painted = np.bincount(labels[broad], minlength=count) >= max(_LEAST_INVENTED * labels.size, 1)
    painted[list(ignored)] = False
    return _indices(painted & ~actual)


def _indices(which: Mask) -> tuple[int, ...]:
    return tuple(int(index) for index in np.flatnonzero(which))


def _single(picture: Pixels) -> float:
    every = slice(None, None, max(1, max(picture.shape) // 256))
    sample = picture[every, every].astype(np.int16)
    common = np.median(sample.reshape(-1, 3), axis=0).astype(np.int16)
    return float(np.mean(np.abs(sample - common).max(axis=2) <= TOLERANCE))
