"""Windows of an image: the pixels to render, and their surroundings that they depend on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError

Bools = npt.NDArray[np.bool_]
Box = tuple[int, int, int, int]
T = TypeVar("T", bound=np.generic)
_MARGIN = 4


@dataclass(frozen=True)
class Window:
    """A rectangle of pixels of an image; right and bottom are exclusive."""

    left: int
    top: int
    right: int
    bottom: int
    width: int
    """Of the image."""
    height: int

    @classmethod
    def of(cls, box: Box | None, width: int, height: int) -> Window:
        """The window of a box, or the whole image.

        Raises:
            PixelProofError: The box is empty or not inside the image.
        """
        left, top, right, bottom = (0, 0, width, height) if box is None else box
        if not (0 <= left < right <= width and 0 <= top < bottom <= height):
            raise PixelProofError(
                f"The window {box} is not inside an image of {width} × {height} pixels: give left, top, right, bottom."
            )
        return cls(left, top, right, bottom, width, height)

    @property
    def whole(self) -> bool:
        """Whether it is the whole image."""
        return (self.left, self.top, self.right, self.bottom) == (0, 0, self.width, self.height)

    def block(self, period: int) -> Window:
        """The smallest window around this one and its surroundings whose sides are multiples of a period in pixels.

        If the samples of the image repeat after the period, those of the block are the same.
        """
        sides = (self.left, self.right, self.width), (self.top, self.bottom, self.height)
        (left, right), (top, bottom) = (
            (max(0, (low - _MARGIN) // period * period), min(size, -(-(high + _MARGIN) // period) * period))
            for low, high, size in sides
        )
        return Window(left, top, right, bottom, self.width, self.height)

    def within(self, block: Window) -> Window:
        """This window in the coordinates of another that contains it."""
        x, y = block.left, block.top
        size = block.right - x, block.bottom - y
        return Window(self.left - x, self.top - y, self.right - x, self.bottom - y, *size)

    def pixels(self, margin: int = 0) -> Bools:
        """(n,) mask of the pixels of the image within a margin around the window."""
        inside = np.zeros((self.height, self.width), np.bool_)
        inside[max(0, self.top - margin) : self.bottom + margin, max(0, self.left - margin) : self.right + margin] = (
            True
        )
        return inside.reshape(-1)

    def crop(self, image: npt.NDArray[T]) -> npt.NDArray[T]:
        """The window of an image of shape (height, width, …)."""
        return image[self.top : self.bottom, self.left : self.right]
