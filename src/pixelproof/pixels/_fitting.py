"""Size fitting: answers of another size than the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Failure, Fault

FIT_POLICIES = ("nearest", "letterbox", "refuse")
"""What to do about an image of another size; see `fit_size`."""
_ASPECT_TOLERANCE = 0.02
"""Relative difference of aspect ratios that counts as equal: many models round sizes to multiples of 8 or 16."""


def fit_size(image: npt.NDArray[Any], shape: tuple[int, int], policy: str) -> tuple[npt.NDArray[Any], str] | Failure:
    """Resample an image to a size by nearest neighbour; return it with a note on what was done, or the failure.

    Args:
        image: RGB or labels.
        shape: Height and width of the reference.
        policy: `nearest` stretches; `letterbox` takes the largest centred crop with the reference's aspect ratio, for
            models that add bars or extend the scene; `refuse` makes any other size a fault of the model.

    >>> fit_size(np.zeros((2, 4), np.uint8), (4, 4), "nearest")[1]
    'stretched from 4×2 to 4×4'
    """
    if image.shape[:2] == shape:
        return image, ""
    had, wanted = _size(image.shape), _size(shape)
    if policy == "refuse":
        return Failure(Fault.MODEL, "wrong-size", f"The answer is {had}, not {wanted}.")
    if policy == "letterbox":
        image = _centre_crop(image, shape)
    rows, columns = (_nearest(image.shape[axis], shape[axis]) for axis in (0, 1))
    word = "resized" if _same_aspect(image.shape, shape) else "stretched"
    return np.ascontiguousarray(image[rows[:, None], columns]), f"{word} from {had} to {wanted}"


def _size(shape: tuple[int, ...]) -> str:
    return f"{shape[1]}×{shape[0]}"


def _nearest(length: int, target: int) -> npt.NDArray[np.int64]:
    """Index of the source pixel under the centre of each target pixel, along one axis."""
    return (2 * np.arange(target) + 1) * length // (2 * target)


def _same_aspect(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    return abs(a[0] * b[1] / (a[1] * b[0]) - 1) <= _ASPECT_TOLERANCE


def _centre_crop(image: npt.NDArray[Any], shape: tuple[int, int]) -> npt.NDArray[Any]:
    """The largest centred crop with the aspect ratio of a shape."""
    height, width = image.shape[:2]
    high, wide = min(height, round(width * shape[0] / shape[1])), min(width, round(height * shape[1] / shape[0]))
    high, wide = max(high, 1), max(wide, 1)
    top, left = (height - high) // 2, (width - wide) // 2
    return image[top : top + high, left : left + wide]
