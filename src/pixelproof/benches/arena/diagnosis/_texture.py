"""Regions that are not flat, and detail that comes from the photo."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image
from scipy import ndimage

Pixels = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

_BLOCK = 8
"""Pixels per block and side: a block of JPEG."""
_FLAT = 20
"""Difference between the lightest and the darkest pixel of a block that JPEG may cause."""
_SIDE = 256
_FAINT = 6.0
"""Levels: detail is squashed above this …"""
_CODING = 0.02
"""… and this much of its power is what coding adds to a flat picture."""


@dataclass(frozen=True)
class Blocks:
    """The picture by blocks of 8 × 8 pixels."""

    busy: Mask
    """Not flat."""
    border: Mask
    """With regions of different labels in it or in a neighbour."""
    off: Mask
    """Mostly off the palette."""


def spread_blocks(picture: Pixels, labels: npt.NDArray[np.uint8], near: Mask, solid: Mask) -> Blocks:
    """Sum a picture up by blocks; what is left over at the right and at the bottom is not looked at."""
    channels = [picture[..., channel] for channel in range(3)]
    spread = np.max([_blocks(channel, np.maximum) - _blocks(channel, np.minimum) for channel in channels], axis=0)
    highest = _blocks(np.where(solid, labels, 0), np.maximum)
    lowest = _blocks(np.where(solid, labels, 255), np.minimum)
    border = ndimage.maximum_filter(highest, 3) > ndimage.minimum_filter(lowest, 3)
    height, width = (side // _BLOCK * _BLOCK for side in near.shape)
    share = near[:height, :width].reshape(height // _BLOCK, _BLOCK, width // _BLOCK, _BLOCK).mean(axis=(1, 3))
    return Blocks(spread > _FLAT, border, share < 0.25)


def _blocks(values: npt.NDArray[np.uint8], fold: np.ufunc) -> npt.NDArray[np.uint8]:
    """Fold the values of each block into one, by halves."""
    height, width = (side // _BLOCK * _BLOCK for side in values.shape)
    folded = values[:height, :width]
    while len(folded) > height // _BLOCK:
        folded = fold(folded[::2], folded[1::2])
    while folded.shape[1] > width // _BLOCK:
        folded = fold(folded[:, ::2], folded[:, 1::2])
    return folded


def texture_share(blocks: Blocks) -> float:
    """Share of the blocks inside regions that are not flat."""
    inside = ~blocks.border
    return float((blocks.busy & inside).sum() / max(inside.sum(), 0.05 * inside.size, 1))


def likeness(picture: Pixels, photo: Pixels, blocks: Blocks) -> float:
    """Correlation of fine detail with the photo's, away from borders between regions, which both of them have.

    Detail is squashed, so that faint shine-through counts like strong, and a few strong edges do not decide.
    """
    if not blocks.border.size:
        return 0.0
    inside = np.asarray(Image.fromarray(~blocks.border).resize((_SIDE, _SIDE), Image.Resampling.NEAREST))
    one, other = _detail(picture)[inside], _detail(photo)[inside]
    if not len(one):
        return 0.0
    power = (np.mean(one**2) + _CODING) * (np.mean(other**2) + _CODING)
    return max(0.0, float(np.mean(one * other) / np.sqrt(power)))


def _detail(picture: Pixels) -> npt.NDArray[np.float32]:
    grey = Image.fromarray(picture).convert("L").resize((_SIDE, _SIDE), Image.Resampling.BOX)
    values = np.asarray(grey, dtype=np.float32)
    squashed: npt.NDArray[np.float32] = np.tanh((values - ndimage.uniform_filter(values, 9)) / _FAINT)
    return squashed
