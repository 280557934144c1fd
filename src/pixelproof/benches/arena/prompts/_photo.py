"""Padding and scaling of the photo to the aspect ratios and sizes of a model."""

from __future__ import annotations

import io

from PIL import Image

from pixelproof.contract import Artefact
from pixelproof.pixels import read_image

from ._profiles import Profile

_BAR = (128, 128, 128)


def padded_size(size: tuple[int, int], profile: Profile) -> tuple[int, int]:
    """Width and height of the photo in the prompt.

    >>> from pixelproof.benches.arena.prompts import PROFILES
    >>> padded_size((600, 500), PROFILES["gpt-image"]), padded_size((600, 500), PROFILES["plain"])
    ((1024, 1024), (600, 500))
    """
    width, height = _padded(size, profile)
    scale = profile.short_side / min(width, height) if profile.short_side else 1.0
    return _rounded(width * scale, profile.multiple), _rounded(height * scale, profile.multiple)


def has_bars(size: tuple[int, int], profile: Profile) -> bool:
    """Whether a photo of this size is padded by bars."""
    return _padded(size, profile) != size


def prepare(photo: Artefact, profile: Profile) -> Artefact:
    """The photo, padded by grey bars and scaled where the profile needs it; otherwise unchanged.

    The photo is in the middle, so the answer's largest middle part of the photo's aspect is what belongs to it.
    """
    if not profile.aspects and not profile.short_side and profile.multiple == 1:
        return photo
    image = Image.fromarray(read_image(photo))
    wanted = padded_size(image.size, profile)
    if wanted == image.size:
        return photo
    width, height = _padded(image.size, profile)
    canvas = Image.new("RGB", (width, height), _BAR)
    canvas.paste(image, ((width - image.width) // 2, (height - image.height) // 2))
    buffer = io.BytesIO()
    canvas.resize(wanted, Image.Resampling.LANCZOS).save(buffer, "PNG", compress_level=3)
    return Artefact(buffer.getvalue(), "image/png")


def _padded(size: tuple[int, int], profile: Profile) -> tuple[int, int]:
    """The smallest frame with one of the aspect ratios around the photo; the one with the narrowest bars."""
    width, height = size
    frames = [
        (max(width, _rounded(height * across / down, 1)), max(height, _rounded(width * down / across, 1)))
        for across, down in profile.aspects
    ]
    return min(frames, key=lambda frame: frame[0] * frame[1], default=size)


def _rounded(length: float, multiple: int) -> int:
    return max(1, round(length / multiple)) * multiple
