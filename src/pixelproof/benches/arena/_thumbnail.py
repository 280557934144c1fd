"""Small copies of photographs, for evidence."""

from __future__ import annotations

import io

import numpy as np
import numpy.typing as npt
from PIL import Image

from pixelproof.contract import Artefact

_SIDE = 512


def thumbnail(picture: npt.NDArray[np.uint8]) -> Artefact:
    """A WebP of at most 512 pixels to the side.

    >>> thumbnail(np.zeros((2000, 1000, 3), np.uint8)).media_type
    'image/webp'
    """
    image = Image.fromarray(picture)
    image.thumbnail((_SIDE, _SIDE), Image.Resampling.BOX)
    buffer = io.BytesIO()
    image.save(buffer, "WEBP", quality=85, method=1)
    return Artefact(buffer.getvalue(), "image/webp")
