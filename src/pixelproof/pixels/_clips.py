"""Clips as sequences of still images, for models that do not read video."""

from __future__ import annotations

import io

from PIL import Image, ImageSequence, UnidentifiedImageError

from pixelproof.contract import Artefact, PixelProofError

MAX_FRAMES = 64
_MAX_PIXELS = 64 * 2**20
"""Of all frames together."""
_ANIMATED = ("image/webp", "image/gif")


def clip_frames(artefact: Artefact) -> tuple[list[Artefact], float]:
    """The frames of an animated image as PNGs, and the frame rate per second (0 if the file states none).

    An image with a single frame, or of a type that cannot be animated, has no frames: it is not a clip.

    >>> clip_frames(Artefact(b"not an image", "image/jpeg"))
    ([], 0.0)

    Raises:
        PixelProofError: The clip has more frames or pixels than a prompt may carry.
    """
    if artefact.media_type.partition(";")[0] not in _ANIMATED:
        return [], 0.0
    try:
        with Image.open(io.BytesIO(artefact.data)) as image:
            count = getattr(image, "n_frames", 1)
            if count < 2:
                return [], 0.0
            _check_size(count, image.width * image.height)
            frames, milliseconds = [], 0.0
            for frame in ImageSequence.Iterator(image):
                buffer = io.BytesIO()
                frame.convert("RGB").save(buffer, "PNG", compress_level=1)
                milliseconds += float(frame.info.get("duration", 0))  # known once the frame is decoded
                frames.append(Artefact(buffer.getvalue()))
    except (OSError, UnidentifiedImageError, SyntaxError, ValueError):
        return [], 0.0  # a damaged image is sent as it is
    return frames, 1000 * len(frames) / milliseconds if milliseconds else 0.0


def _check_size(count: int, pixels: int) -> None:
    if count > MAX_FRAMES or count * pixels > _MAX_PIXELS:
        raise PixelProofError(
            f"A clip of {count} frames with {pixels} pixels each is too large for a prompt: use at most {MAX_FRAMES} "
            f"frames and {_MAX_PIXELS} pixels in all."
        )
