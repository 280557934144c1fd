"""Texture inside regions, and detail copied from the photo."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image
from scipy import ndimage

from pixelproof.pixels import Labels, void_of

Pixels = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

_BLOCK = 8
"""Side of a block in pixels, as in JPEG."""
_FLAT = 20
"""Largest range within a block that JPEG may cause."""
_SIDE = 256
_FAINT = 6.0
"""Levels above which detail is compressed …"""
_CODING = 0.02
"""… and the power that coding adds to a flat image."""


@dataclass(frozen=True)
class Blocks:
    """Properties of the blocks of 8 × 8 pixels."""

    busy: Mask
    """Not flat."""
    border: Mask
    """Different labels in the block or in a neighbour."""
    off: Mask
    """Mostly off the palette."""


def block_properties(picture: Pixels, labels: Labels, near: Mask, solid: Mask) -> Blocks:
    """Compute block properties; incomplete blocks at the right and at the bottom are dropped."""
    channels = [picture[..., channel] for channel in range(3)]
    spread = np.max([_blocks(channel, np.maximum) - _blocks(channel, np.minimum) for channel in channels], axis=0)
    highest = _blocks(np.where(solid, labels, 0), np.maximum)
    lowest = _blocks(np.where(solid, labels, void_of(labels)), np.minimum)
    border = ndimage.maximum_filter(highest, 3) > ndimage.minimum_filter(lowest, 3)
    height, width = (side // _BLOCK * _BLOCK for side in near.shape)
    share = near[:height, :width].reshape(height // _BLOCK, _BLOCK, width // _BLOCK, _BLOCK).mean(axis=(1, 3))
    return Blocks(spread > _FLAT, border, share < 0.25)


def _blocks(values: Labels, fold: np.ufunc) -> Labels:
    """Reduce each block to one value, by halving."""
    height, width = (side // _BLOCK * _BLOCK for side in values.shape)
    folded = values[:height, :width]
    while len(folded) > height // _BLOCK:
        folded = fold(folded[::2], folded[1::2])
    while folded.shape[1] > width // _BLOCK:
        folded = fold(folded[:, ::2], folded[:, 1::2])
    return folded


def texture_share(blocks: Blocks) -> float:
    """Share of the interior blocks that are not flat."""
    inside = ~blocks.border
    return float((blocks.busy & inside).sum() / max(inside.sum(), 0.05 * inside.size, 1))


def detail_correlation(picture: Pixels, photo: Pixels, blocks: Blocks) -> float:
    """Correlation of fine detail with the photo's, away from region borders, which both images share.

    Detail is compressed, so that faint copies count like strong ones, and a few strong edges do not dominate.
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
