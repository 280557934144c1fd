"""Answers of another size than the reference."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Failure, Fault

POLICIES = ("nearest", "letterbox", "refuse")
_ALIKE = 0.02
"""Aspects that differ by less than this are alike: sizes are rounded to multiples of 8 or 16 by many models."""


def fit(
    picture: npt.NDArray[np.uint8], shape: tuple[int, int], policy: str
) -> tuple[npt.NDArray[np.uint8], str] | Failure:
    """A picture in the reference's size by taking the nearest pixels, and a word on what was done; or a fault.

    Args:
        picture: RGB or labels.
        shape: Height and width of the reference.
        policy: `nearest` stretches; `letterbox` takes the largest part in the middle with the reference's aspect, for
            models that add bars or extend the scene; `refuse` makes any other size the model's fault.
    """
    if picture.shape[:2] == shape:
        return picture, ""
    had, wanted = _size(picture.shape), _size(shape)
    if policy == "refuse":
        return Failure(Fault.MODEL, "wrong-size", f"The answer is {had}, not {wanted}.")
    if policy == "letterbox":
        picture = _middle(picture, shape)
    rows, columns = (_nearest(picture.shape[axis], shape[axis]) for axis in (0, 1))
    word = "resized" if _same_aspect(picture.shape, shape) else "stretched"
    return np.ascontiguousarray(picture[rows[:, None], columns]), f"{word} from {had} to {wanted}"


def _size(shape: tuple[int, ...]) -> str:
    return f"{shape[1]}×{shape[0]}"


def _nearest(have: int, want: int) -> npt.NDArray[np.int64]:
    """Which of so many pixels lies under the middle of each wanted one."""
    return (2 * np.arange(want) + 1) * have // (2 * want)


def _same_aspect(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return abs(one[0] * other[1] / (one[1] * other[0]) - 1) <= _ALIKE


def _middle(picture: npt.NDArray[np.uint8], shape: tuple[int, int]) -> npt.NDArray[np.uint8]:
    """The largest part in the middle that has an aspect."""
    height, width = picture.shape[:2]
    high, wide = min(height, round(width * shape[0] / shape[1])), min(width, round(height * shape[1] / shape[0]))
    high, wide = max(high, 1), max(wide, 1)
    top, left = (height - high) // 2, (width - wide) // 2
    return picture[top : top + high, left : left + wide]
