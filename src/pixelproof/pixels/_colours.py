"""Conversion of every colour mode, profile and transparency to opaque sRGB."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageCms

Colour = tuple[int, int, int]


def split_alpha(image: Image.Image) -> tuple[Image.Image, Image.Image | None]:
    """The colours of an image of any mode and profile as sRGB, without its transparency; and its alpha, if any."""
    profile = image.info.get("icc_profile")
    alpha: Image.Image | None = None
    if image.mode.startswith("I"):
        image, alpha = _grey16(image)
    elif image.has_transparency_data:
        opaque, clear = ("L", "LA") if image.mode in ("1", "L", "LA") else ("RGB", "RGBA")
        image = image.convert(clear)
        alpha = image.getchannel("A")
        image = image.convert(opaque)
    elif image.mode not in ("L", "RGB", "CMYK"):
        image = image.convert("L" if image.mode == "1" else "RGB")
    return _to_srgb(image, profile), alpha


def over(colours: Image.Image, alpha: Image.Image | None, background: Colour) -> Image.Image:
    """The colours over a background."""
    if alpha is None:
        return colours
    canvas = Image.new("RGB", colours.size, background)
    canvas.paste(colours, mask=alpha)
    return canvas


def _grey16(image: Image.Image) -> tuple[Image.Image, Image.Image | None]:
    """Convert 16-bit grey (32 bits in some versions of Pillow) to 8-bit; return it with its alpha, if it has any."""
    values = np.asarray(image).clip(0, 65535).astype(np.uint32)
    clear = image.info.get("transparency")
    alpha = None if clear is None else Image.fromarray(np.where(values == clear, 0, 255).astype(np.uint8))
    return Image.fromarray(((values + 128) // 257).astype(np.uint8)), alpha


def _to_srgb(image: Image.Image, profile: bytes | None) -> Image.Image:
    if profile:
        try:
            return _converted(image, ImageCms.ImageCmsProfile(io.BytesIO(profile)))
        except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
            pass  # a broken profile, or one for other channels, says nothing about the colours
    return image.convert("RGB")


def _converted(image: Image.Image, profile: ImageCms.ImageCmsProfile) -> Image.Image:
    srgb = ImageCms.createProfile("sRGB")
    if image.mode == "L":
        # Exact for 256 levels and then looked up: the optimised path for greys is ten levels off in the dark.
        exact = ImageCms.buildTransform(profile, srgb, "L", "RGB", flags=ImageCms.Flags.NOOPTIMIZE)
        return Image.fromarray(_applied(exact, np.arange(256, dtype=np.uint8)[None])[0][np.asarray(image)])
    transform = ImageCms.buildTransform(profile, srgb, image.mode, "RGB")
    if image.mode == "RGB":
        # A colour lattice detects sRGB under another name: then pixels stay exact instead of changing by rounding.
        levels = np.stack(np.meshgrid(*[np.arange(0, 256, 15, dtype=np.uint8)] * 3), axis=-1).reshape(18, -1, 3)
        if np.abs(_applied(transform, levels).astype(int) - levels).max() <= 1:
            return image
    return Image.fromarray(_applied(transform, image))


def _applied(transform: ImageCms.ImageCmsTransform, picture: Image.Image | NDArray[np.uint8]) -> NDArray[np.uint8]:
    image = picture if isinstance(picture, Image.Image) else Image.fromarray(picture)
    return np.asarray(ImageCms.applyTransform(image, transform))
