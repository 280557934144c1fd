"""Backgrounds: bands of colour behind a figure for training, and fixed backgrounds for the test."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from pixelproof.pixels import oklab

Rng = np.random.Generator
Pixels = npt.NDArray[np.uint8]
Colour = tuple[int, int, int]

_CONTRAST = 0.15  # in OKLab, of the median cell of a figure's rim to every band behind it
_TRIES = 8
_SCENES: tuple[tuple[Colour, Colour], ...] = (
    ((58, 123, 213), (208, 232, 250)),  # day
    ((22, 24, 70), (240, 140, 90)),  # dusk
    ((250, 200, 120), (210, 90, 110)),  # dawn
    ((5, 8, 30), (40, 60, 120)),  # night
    ((120, 200, 220), (10, 60, 110)),  # sea
)


def with_bands(pixels: Pixels, rng: Rng) -> Pixels:
    """A drawing with its ground, the most frequent colour of its border, replaced by a gradient in bands.

    A drawing whose figure does not stand out from any gradient that was tried stays as it is.
    """
    border = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    colours, counts = np.unique(border, axis=0, return_counts=True)
    ground = (pixels == colours[np.argmax(counts)]).all(axis=-1)
    rim = ndimage.binary_dilation(ground) & ~ground
    rim_lab = oklab(pixels[rim])
    for _ in range(_TRIES):
        bands = _bands(rng, pixels.shape[:2])
        shades = oklab(np.unique(bands.reshape(-1, 3), axis=0))
        distances = np.linalg.norm(rim_lab[:, None] - shades[None], axis=-1)
        if not rim.any() or float(np.median(distances, axis=0).min()) >= _CONTRAST:
            return np.where(ground[..., None], bands, pixels).astype(np.uint8)
    return pixels


def _bands(rng: Rng, shape: tuple[int, int]) -> Pixels:
    """A gradient of 2 to 8 flat bands: downwards, across or around a centre; some with ragged edges."""
    first, last = _SCENES[int(rng.integers(len(_SCENES)))] if rng.random() < 0.5 else rng.integers(0, 256, (2, 3))
    rows, columns = (axis / max(1, length - 1) for axis, length in zip(np.indices(shape), shape, strict=True))
    style = rng.random()
    share = rows if style < 0.7 else columns if style < 0.85 else np.hypot(rows - 0.5, columns - rng.random()) / 1.2
    if rng.random() < 0.2:
        share = share + rng.normal(0, 0.04, shape)
    count = int(rng.integers(2, 9))
    step = np.clip(share * count, 0, count - 1).astype(np.int64)[..., None] / max(1, count - 1)
    flip = rng.random() < 0.3
    first, last = np.array(last if flip else first, float), np.array(first if flip else last, float)
    return np.asarray(np.rint(first + (last - first) * step), dtype=np.uint8)


def _plain(colour: Colour) -> Pixels:
    return np.broadcast_to(np.array(colour, dtype=np.uint8), (24, 24, 3))


def _sky(top: Colour, bottom: Colour, bands: int) -> Pixels:
    """Equal bands from one colour to another, as a test draws them."""
    levels = np.repeat(np.linspace(0, 1, bands), -(-24 // bands))[:24, None, None]
    return np.asarray(np.rint(np.array(top) * (1 - levels) + np.array(bottom) * levels), np.uint8).repeat(24, axis=1)


GROUNDS: Mapping[str, Pixels] = {
    "white": _plain((255, 255, 255)),
    "black": _plain((0, 0, 0)),
    "blue": _plain((60, 110, 220)),
    "sky blue": _plain((135, 206, 235)),
    "green": _plain((60, 150, 70)),
    "sky, 4 bands": _sky((70, 130, 220), (200, 230, 250), 4),
    "sky, 6 bands": _sky((100, 160, 235), (225, 240, 255), 6),
    "dusk, 5 bands": _sky((40, 20, 80), (250, 150, 80), 5),
    "sky over grass": np.concatenate([_plain((135, 206, 235))[:19], _plain((80, 160, 60))[:5]]),
}
"""Backgrounds of 24 × 24 cells on which drawings of others are tested."""
