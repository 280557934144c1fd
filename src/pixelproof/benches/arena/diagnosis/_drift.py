"""Colour drift: deviation of painted colours from the palette, per label and as one gain and offset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pixelproof.pixels import Labels, Palette

Pixels = npt.NDArray[np.uint8]
Triple = tuple[float, float, float]

_LEAST_PIXELS = 64
_MANY = 1 << 19
"""Above this number of pixels, every second row and column is used."""


@dataclass(frozen=True)
class Drift:
    """Deviation of painted colours from the palette."""

    by_label: Mapping[int, Triple]
    """Label → painted minus requested colour, in sRGB levels, where enough of it is flat."""
    mean: float
    """Mean length of these differences over pixels."""
    gain: Triple = (1.0, 1.0, 1.0)
    offset: Triple = (0.0, 0.0, 0.0)
    """Painted ≈ gain × requested + offset, per channel, fitted over labels."""
    unexplained: float = 0.0
    """The mean that remains when gain and offset are undone."""

    def undone(self, picture: Pixels) -> Pixels:
        """The image with gain and offset undone: an optional correction before decoding."""
        colours = (picture.astype(np.float32) - np.array(self.offset, np.float32)) / np.array(self.gain, np.float32)
        return np.clip(np.rint(colours), 0, 255).astype(np.uint8)


def fit_drift(picture: Pixels, labels: Labels, solid: npt.NDArray[np.bool_], palette: Palette) -> Drift:
    """Fit the deviation of colours in the interior of regions from the requested ones."""
    every = slice(None, None, 2 if labels.size > _MANY else 1)
    picture, labels, solid = picture[every, every], labels[every, every], solid[every, every]
    inside, colours = labels[solid], picture[solid]
    counts = np.bincount(inside, minlength=len(palette))
    enough = np.flatnonzero(counts >= _LEAST_PIXELS)
    if not len(enough):
        return Drift({}, 0.0)
    sums = [np.bincount(inside, weights=colours[:, channel], minlength=len(palette)) for channel in range(3)]
    painted = np.stack(sums, axis=1)[enough] / counts[enough, None]
    asked = palette.array[enough].astype(np.float64)
    weights = counts[enough] / counts[enough].sum()
    gain, offset = _rule(asked, painted, np.sqrt(weights))
    left = np.linalg.norm(painted - (gain * asked + offset), axis=1)
    away = painted - asked
    return Drift(
        {int(label): _triple(vector) for label, vector in zip(enough, away, strict=True)},
        float(weights @ np.linalg.norm(away, axis=1)),
        _triple(gain),
        _triple(offset),
        float(weights @ left),
    )


def _rule(
    asked: npt.NDArray[np.float64], painted: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Gain and offset of each channel by weighted least squares; gain 1 where the palette has a single level."""
    share = weights[:, None] / weights.sum()
    middle_asked, middle_painted = (share * asked).sum(axis=0), (share * painted).sum(axis=0)
    spread = (share * (asked - middle_asked) ** 2).sum(axis=0)
    together = (share * (asked - middle_asked) * (painted - middle_painted)).sum(axis=0)
    gain = np.where(spread > 100, together / np.maximum(spread, 1), 1.0)
    gain = np.clip(gain, 0.5, 2.0)
    return gain, middle_painted - gain * middle_asked


def _triple(values: npt.NDArray[np.float64]) -> Triple:
    return float(values[0]), float(values[1]), float(values[2])
