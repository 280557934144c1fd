"""The layers of a rendered scene: RGB and per-pixel ground truth; and windows of an image."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, TypeVar, get_args

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError
from pixelproof.world._limits import LARGEST, require_word

from ._compiled import Bools

LAYERS = ("rgb", "depth", "normals", "ids", "amodal", "visible")
"""Names of the layers."""
Quality = Literal["beauty", "draft"]


@dataclass(frozen=True)
class Layers:
    """Rendered layers. Ground truth is sampled at pixel centres; a layer that was not requested is an empty array."""

    rgb: npt.NDArray[np.uint8]
    """(h, w, 3) sRGB, anti-aliased."""
    depth: npt.NDArray[np.float32]
    """(h, w) metres along the optical axis; infinite where no thing is."""
    normals: npt.NDArray[np.float32]
    """(h, w, 3) unit normals in the camera frame (x right, y down, z forward); zero where no thing is."""
    ids: npt.NDArray[np.uint16]
    """(h, w) position in the scene's things, counted from 1; 0 where no thing is."""
    amodal: npt.NDArray[np.bool_]
    """(things, h, w) mask of each thing without occluders; all false for fixed things."""
    visible: npt.NDArray[np.float32]
    """(things,) visible share of the amodal mask of each thing; zero for fixed things and those out of view."""


def require_possible(width: int, height: int, quality: str, layers: Collection[str]) -> None:
    """Raise an error for an image that cannot be rendered.

    Raises:
        PixelProofError: The size, the quality or a layer is not possible.
    """
    sides: tuple[object, object] = (width, height)
    if not all(isinstance(side, int | np.integer) and 1 <= side <= LARGEST for side in sides):
        raise PixelProofError(
            f"An image of {width} × {height} pixels cannot be rendered: choose sides from 1 to {LARGEST}."
        )
    require_word("quality", quality, get_args(Quality))
    for name in layers:
        require_word("layer", name, LAYERS)


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
