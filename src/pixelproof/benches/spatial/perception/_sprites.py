"""Things that were cut out and pasted: their old pixels, moved and scaled in the picture, without a new perspective."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import fft, ndimage

from ._model import TOLERANCE, Model, Pose, Resolution
from ._pictures import Singles, misfit, shrunk
from ._search import on_plane

_SCALES = np.geomspace(0.45, 2.2, 21)
_LEAST_INSIDE = 0.6
"""Least share of the pasted pixels that are in the picture."""
_BEST = 3
"""Scales whose best place is compared exactly."""
_SAME_SIZE = 0.15
"""Logarithm of the scale up to which a thing has its size: pasted sizes are not exact."""
_FEWEST = 24
"""Least pixels of a thing, in half of the working size, that are searched for."""


class Pasted(NamedTuple):
    """A thing in an answer that shows its old pixels elsewhere."""

    pose: Pose
    share: float
    """Gain relative to what is possible; 1 would be an exact copy of its pixels."""


class _Placed(NamedTuple):
    loss: float
    scale: float
    left: int
    top: int


def find_pasted(model: Model, answer: Singles) -> Pasted | None:
    """The place where the pixels of a thing were pasted, in any size; None if they are nowhere.

    The point of the picture below which the thing stood moves with its pixels: where it meets the level on which the
    thing stood is its new place, and the size of the pixels at that distance is its size.
    """
    resolution = model.resolution(answer, 2, 2)
    picture, own = shrunk(model.before.picture, 2), model.mask[1::2, 1::2]
    if own.sum() < _FEWEST:
        return None
    row, column = np.nonzero(own)
    box = slice(row.min(), row.max() + 1), slice(column.min(), column.max() + 1)
    sprite, alpha = picture[box], own[box].astype(np.float32)
    options = sorted(_places(resolution.answer, sprite, alpha))[:_BEST]
    ranked = [(_share(resolution, _scaled(sprite, alpha, option.scale), option), option) for option in options]
    if not ranked:
        return None
    share, best = max(ranked)
    foot = resolution.stage.project(model.start[:3]) - (column.min(), row.min())
    pose = _pose(model, resolution, foot * best.scale + (best.left, best.top), best.scale)
    return None if pose is None or _is_elsewhere_in_another_size(model, pose) else Pasted(pose, share)


def _is_elsewhere_in_another_size(model: Model, pose: Pose) -> bool:
    """Whether a thing moved and has another size: then it may be on another level, and neither is known."""
    width = max(model.scene.thing(model.id).size[:2])
    return pose.log_scale != 0 and math.dist(pose[:2], model.start[:2]) > width / 2


def _scaled(sprite: Singles, alpha: Singles, scale: float) -> tuple[Singles, Singles]:
    """Pixels and their shares in another size."""
    zoom = (scale, scale)
    shares = np.clip(ndimage.zoom(alpha, zoom, order=1), 0, 1)
    channels = [ndimage.zoom(sprite[..., channel], zoom, order=1) for channel in range(3)]
    return np.stack(channels, axis=-1).astype(np.float32), np.asarray(shares, np.float32)


def _places(answer: Singles, sprite: Singles, alpha: Singles) -> list[_Placed]:
    """The place with the least mean squared difference of each scale; the pixels may be partly outside."""
    height, width = answer.shape[:2]
    margin = math.ceil(max(alpha.shape) * _SCALES[-1]) + 1
    shape = [fft.next_fast_len(side + 2 * margin) for side in (height, width)]
    padded = np.zeros((5, *shape), np.float32)
    inside = slice(margin, margin + height), slice(margin, margin + width)
    padded[:3, *inside], padded[3, *inside], padded[4, *inside] = (
        answer.transpose(2, 0, 1),
        (answer**2).sum(axis=2),
        1.0,
    )
    spectra = fft.rfft2(padded)
    places = []
    for scale in _SCALES.tolist():
        pixels, shares = _scaled(sprite, alpha, scale)
        if min(shares.shape) < 3:
            continue
        weighted = pixels * shares[..., None]
        kernels = np.stack([*weighted.transpose(2, 0, 1), shares, (weighted * pixels).sum(axis=2)])
        across = np.conj(fft.rfft2(kernels, shape))
        crossed = fft.irfft2((spectra[:3] * across[:3]).sum(axis=0), shape)
        squares = fft.irfft2(spectra[3] * across[3] + spectra[4] * across[4], shape)
        seen = fft.irfft2(spectra[4] * across[3], shape)
        mean = np.where(seen >= _LEAST_INSIDE * shares.sum(), (squares - 2 * crossed) / np.maximum(seen, 1.0), np.inf)
        valid = mean[: shape[0] - shares.shape[0], : shape[1] - shares.shape[1]]
        top, left = np.unravel_index(int(np.argmin(valid)), valid.shape)
        places.append(_Placed(float(valid[top, left]), scale, int(left) - margin, int(top) - margin))
    return places


def _share(resolution: Resolution, scaled: tuple[Singles, Singles], place: _Placed) -> float:
    """Gain of the pasted pixels over the picture without the thing, relative to what is possible."""
    pixels, shares = scaled
    height, width = resolution.plate.shape[:2]
    top, left = max(0, place.top), max(0, place.left)
    bottom, right = min(height, place.top + shares.shape[0]), min(width, place.left + shares.shape[1])
    if top >= bottom or left >= right:
        return 0.0
    window = slice(top, bottom), slice(left, right)
    own = slice(top - place.top, bottom - place.top), slice(left - place.left, right - place.left)
    plate = resolution.plate[window]
    shown = plate + shares[own][..., None] * (pixels[own] - plate)
    gain = (resolution.empty[window] - misfit(resolution.answer[window] - shown, TOLERANCE)).sum()
    return float(gain / max(float(misfit(shown - plate, TOLERANCE).sum()), 1e-6))


def _pose(model: Model, resolution: Resolution, foot: npt.NDArray[np.float64], scale: float) -> Pose | None:
    """The pose whose foot is seen at a point of the picture, on the level on which the thing stood."""
    camera, (rows, columns) = model.scene.camera, resolution.empty.shape
    there = on_plane(camera, foot[None], columns, rows, model.start.z)[0]
    if not np.isfinite(there).all():
        return None
    depths = camera.project(np.array([model.start[:3], there]), columns, rows)[:, 2]
    log_scale = math.log(scale * depths[1] / depths[0]) if depths.min() > 0 else math.inf
    if abs(log_scale) > 1.5:
        return None
    return Pose(float(there[0]), float(there[1]), model.start.z, 0.0, 0.0 if abs(log_scale) < _SAME_SIZE else log_scale)
