"""Safe image reading: any bytes in, an RGB array or a named error out."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from PIL import (
    BmpImagePlugin,
    GifImagePlugin,
    Image,
    ImageFile,
    JpegImagePlugin,
    PngImagePlugin,
    WebPImagePlugin,
)

from pixelproof.contract import Artefact, PixelProofError

from ._colours import Colour, over, split_alpha
from ._fast_png import read_fast_png
from ._headers import declared_size, media_type_of

Pixels = NDArray[np.uint8]
MAX_PIXELS, MAX_BYTES = 64_000_000, 64 * 2**20
"""Largest image, and longest file, that are decoded unless a caller says otherwise."""
ImageFault = Literal["not-an-image", "truncated", "too-large", "unsupported-format", "empty"]

# Readers are called by class and not through Image.open, whose limits and warnings are settings of the whole process.
# TIFF is left out: its many codecs and tiles are a large surface to attack, and no model answers with it.
_READERS: dict[str, Callable[[io.BytesIO], ImageFile.ImageFile]] = {
    "image/png": PngImagePlugin.PngImageFile,
    "image/jpeg": JpegImagePlugin.JpegImageFile,
    "image/webp": WebPImagePlugin.WebPImageFile,
    "image/gif": GifImagePlugin.GifImageFile,
    "image/bmp": BmpImagePlugin.BmpImageFile,
}

_TURNS: dict[int, Callable[[Pixels], Pixels]] = {
    1: lambda pixels: pixels,
    2: lambda pixels: pixels[:, ::-1],
    3: lambda pixels: pixels[::-1, ::-1],
    4: lambda pixels: pixels[::-1],
    5: lambda pixels: pixels.swapaxes(0, 1),
    6: lambda pixels: np.rot90(pixels, -1),
    7: lambda pixels: pixels[::-1, ::-1].swapaxes(0, 1),
    8: lambda pixels: np.rot90(pixels),
}
_ORIENTATION = 0x0112
_MAX_SCANS = 100


class ImageError(PixelProofError):
    """An image that cannot be used; `name` says why.

    - `empty`: no bytes, or no pixels;
    - `not-an-image`: the bytes are no image of any known format;
    - `unsupported-format`: an image, but not PNG, JPEG, WebP, GIF or BMP;
    - `too-large`: more bytes, pixels or work to decode than allowed;
    - `truncated`: the file ends early or is damaged.
    """

    def __init__(self, name: ImageFault, message: str) -> None:
        super().__init__(name, message)  # both in args, so that the error survives pickling
        self.name = name

    def __str__(self) -> str:
        return str(self.args[1])


def read_image(
    source: bytes | Artefact | Path,
    *,
    max_pixels: int = MAX_PIXELS,
    max_bytes: int = MAX_BYTES,
    background: Colour = (255, 255, 255),
) -> Pixels:
    """Read an image as uint8 RGB, shape (height, width, 3), as a viewer shows it.

    The orientation tag is applied, colours are converted to sRGB by the embedded profile, transparent pixels show the
    background, 16-bit greys are scaled to 8 bits, and of an animation the first frame is read.

    Args:
        source: The encoded file, or its path.
        max_pixels: Refuse images with more pixels, before anything is decoded.
        max_bytes: Refuse longer files.
        background: Colour behind transparent pixels.

    Raises:
        ImageError: The bytes are not a complete image within the limits; see its `name`.
        PixelProofError: The path cannot be read.
    """
    return read_layers(source, max_pixels=max_pixels, max_bytes=max_bytes, background=background).shown


def shown_pixels(image: Image.Image, background: Colour = (255, 255, 255)) -> Pixels:
    """A decoded image, or a frame of an animation, as `read_image` reads it: uint8 RGB over the background."""
    return turned(np.asarray(over(*split_alpha(image), background)), image)


@dataclass(frozen=True)
class ImageLayers:
    """The pixels of a file, read in several ways; for most files `shown` and `stored` are the same array."""

    shown: Pixels
    """As a viewer shows it."""
    stored: Pixels
    """Without colour profile, transparency and orientation."""
    colours: Pixels | None = None
    """Without transparency alone; None if the image is opaque."""
    alpha: Pixels | None = None
    """Opacity, 0 to 255, shape (height, width); None if the image is opaque."""


def read_layers(
    source: bytes | Artefact | Path,
    *,
    max_pixels: int = MAX_PIXELS,
    max_bytes: int = MAX_BYTES,
    background: Colour = (255, 255, 255),
) -> ImageLayers:
    """Read an image as a viewer shows it, as it is stored, and without its transparency.

    The arguments are those of `read_image`.
    """
    data = load_bytes(source, max_bytes)
    if len(data) <= max_bytes and (plain := read_fast_png(data, max_pixels)) is not None:
        return ImageLayers(plain, plain)
    with opened(data, max_pixels=max_pixels, max_bytes=max_bytes) as image:
        colours, alpha = split_alpha(image)
        shown = turned(np.asarray(over(colours, alpha, background)), image)
        stored = np.array(image.convert("RGB"))
        stored = shown if np.array_equal(shown, stored) else stored
        if alpha is None or (opacity := np.asarray(alpha)).min() == 255:
            return ImageLayers(shown, stored)
        return ImageLayers(shown, stored, turned(np.asarray(colours), image), turned(opacity, image))


@contextmanager
def opened(data: bytes, *, max_pixels: int = MAX_PIXELS, max_bytes: int = MAX_BYTES) -> Iterator[Image.Image]:
    """Decode an image completely and within the limits; every failure is an `ImageError`."""
    media_type = media_type_of(data)
    _refuse_hopeless(data, media_type, max_bytes)
    if ImageFile.LOAD_TRUNCATED_IMAGES:
        raise PixelProofError(
            "PIL.ImageFile.LOAD_TRUNCATED_IMAGES is set in this process, so half-decoded images would be measured "
            "as if they were complete: leave it False."
        )
    try:
        if (size := declared_size(data, media_type)) is not None:
            _check_size(size, max_pixels)
        with _READERS[media_type](io.BytesIO(data)) as image:
            _check_size(image.size, max_pixels)
            image.load()
            yield image
    except PixelProofError:
        raise
    except Exception as error:  # decoders of hostile bytes raise nearly everything
        raise _named(error, media_type) from error


def turned(pixels: NDArray[Any], image: Image.Image) -> NDArray[Any]:
    """Apply the orientation tag of an image to pixels; a copy, because Pillow's are read-only."""
    turn = _TURNS.get(_orientation(image), _TURNS[1])
    return np.array(turn(pixels), order="C")


def load_bytes(source: bytes | Artefact | Path, max_bytes: int = MAX_BYTES) -> bytes:
    """The encoded file; of one above the limit, just enough to exceed it."""
    if isinstance(source, Artefact):
        return source.data
    if isinstance(source, bytes):
        return source
    try:
        with source.open("rb") as file:
            # Space for all that `read` may return is allocated first: no more than the file needs, if its size is true.
            size = os.fstat(file.fileno()).st_size
            data = file.read(min(size, max_bytes) + 1)
            return data if len(data) <= size else data + file.read(max(max_bytes + 1 - len(data), 0))
    except OSError as error:
        raise PixelProofError(
            f"Cannot read {source} ({error.strerror}): check the path and its permissions."
        ) from error


def _refuse_hopeless(data: bytes, media_type: str, max_bytes: int) -> None:
    """Raise for files that are refused without decoding."""
    if not data:
        raise ImageError("empty", "The image has no bytes: send an encoded image.")
    if len(data) > max_bytes:
        raise ImageError("too-large", f"The image has more than {max_bytes:,} bytes: send a smaller file.")
    if media_type not in _READERS:
        if media_type == "application/octet-stream":
            raise ImageError("not-an-image", "The bytes are not an image: send PNG, JPEG, WebP, GIF or BMP.")
        raise ImageError("unsupported-format", f"{media_type} is not supported: send PNG, JPEG, WebP, GIF or BMP.")
    if media_type == "image/bmp" and data[30:34] in (b"\1\0\0\0", b"\2\0\0\0"):
        # Pillow decodes run lengths byte by byte in Python: a file within the limits could take a minute.
        raise ImageError("unsupported-format", "Run-length encoded BMP is not supported: send PNG.")
    if media_type == "image/jpeg" and data.count(b"\xff\xda") > _MAX_SCANS:
        # Each scan passes over all pixels again; real progressive files have about ten.
        raise ImageError("too-large", f"The JPEG has more than {_MAX_SCANS} scans: send a baseline JPEG.")


def _check_size(size: tuple[int, int], max_pixels: int) -> None:
    width, height = size
    if width <= 0 or height <= 0:
        raise ImageError("empty", f"The image is {width}×{height}: send one with pixels.")
    if width * height > max_pixels:
        raise ImageError("too-large", f"The image is {width}×{height}: send at most {max_pixels:,} pixels.")


def _named(error: Exception, media_type: str) -> ImageError:
    kind = media_type.removeprefix("image/").upper()
    text = str(error).lower()
    # Pillow has no type of its own for inflated text and profile chunks, only these words.
    if isinstance(error, MemoryError | Image.DecompressionBombError) or "too large" in text or "too much" in text:
        return ImageError("too-large", f"The {kind} needs too much memory to decode ({error}): send a simpler file.")
    return ImageError("truncated", f"The {kind} ends early or is damaged ({error}): send the complete file.")


def _orientation(image: Image.Image) -> int:
    try:
        return int(image.getexif().get(_ORIENTATION, 1))
    except Exception:  # a broken tag block is no reason to refuse the pixels
        return 1
