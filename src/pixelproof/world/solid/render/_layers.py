"""What a picture consists of: the picture and the truth of its every pixel."""

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
    """Arrays of one size. The truth is that of the centre of each pixel; a layer that was not asked for is empty."""

    rgb: npt.NDArray[np.uint8]
    """(h, w, 3) sRGB, anti-aliased."""
    depth: npt.NDArray[np.float32]
    """(h, w) metres along the optical axis; infinite where there is nothing."""
    normals: npt.NDArray[np.float32]
    """(h, w, 3) of length one, in the camera's frame (x right, y down, z forward); zero where there is nothing."""
    ids: npt.NDArray[np.uint16]
    """(h, w) place in the scene's things, counted from 1; 0 where there is nothing."""
    amodal: npt.NDArray[np.bool_]
    """(things, h, w) what each thing would cover if it were alone; all false for fixed things."""
    visible: npt.NDArray[np.float32]
    """(things,) share of its amodal pixels that each thing is seen in; zero for fixed things and those out of view."""


def require_possible(width: int, height: int, quality: str, layers: Collection[str]) -> None:
    """Refuse a picture that no renderer takes.

    Raises:
        PixelProofError: The size, the quality or a layer is not possible.
    """
    if not (1 <= width <= LARGEST and 1 <= height <= LARGEST):
        raise PixelProofError(
            f"A picture of {width} × {height} pixels is not possible: both sides are from 1 to {LARGEST}."
        )
    require_word("quality", quality, get_args(Quality))
    for name in layers:
        require_word("layer", name, LAYERS)
