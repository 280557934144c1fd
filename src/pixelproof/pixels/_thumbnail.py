"""Thumbnails, for evidence."""

from __future__ import annotations

import io

import numpy as np
import numpy.typing as npt
from PIL import Image

from pixelproof.contract import Artefact


def thumbnail(rgb: npt.NDArray[np.uint8], max_side: int = 512) -> Artefact:
    """The image scaled down to at most `max_side` pixels a side, as WebP.

    >>> thumbnail(np.zeros((2000, 1000, 3), np.uint8)).media_type
    'image/webp'
    """
    image = Image.fromarray(rgb)
    image.thumbnail((max_side, max_side), Image.Resampling.BOX)
    buffer = io.BytesIO()
    image.save(buffer, "WEBP", quality=85, method=1)
    return Artefact(buffer.getvalue(), "image/webp")
