"""The layers of a rendered scene: RGB and per-pixel ground truth."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError
from pixelproof.world._limits import LARGEST, require_word

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
