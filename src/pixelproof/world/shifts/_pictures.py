"""Shifts of images: degradations of the same scene."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from pixelproof.contract import PixelProofError
from pixelproof.stats import derive_seed, generator
from pixelproof.world._limits import ByName, require_seed, require_share

Picture = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]
Rng = np.random.Generator


@dataclass(frozen=True)
class Shift:
    """An image degradation with a strength."""

    name: str
    about: str
    change: Callable[[Picture, float, Rng], Picture]
    per_frame: bool = False
    """Whether each frame of a clip gets its own random numbers."""

    def __call__(self, picture: Picture, strength: float, seed: int = 0) -> Picture:
        """A degraded copy: unchanged at strength 0, most degraded at 1.

        >>> SHIFTS["light"](np.full((1, 1, 3), 200, np.uint8), 1.0).tolist()
        [[[78, 78, 78]]]

        Args:
            picture: uint8, (height, width, 3).
            strength: From 0 to 1.
            seed: Seed of random shifts.

        Raises:
            PixelProofError: The strength, the seed or the image is invalid.
        """
        require_share("strength of a shift", strength)
        require_seed(seed)
        _require_pictures(picture, "height", "width")
        if strength == 0:
            return picture.copy()
        return self.change(picture, float(strength), generator(seed, f"shift/{self.name}"))


def shift_clip(frames: Picture, name: str, strength: float, seed: int = 0) -> Picture:
    """Apply a shift to all frames of a clip, (frames, height, width, 3); noise differs between frames.

    Raises:
        PixelProofError: There is no such shift, or an argument is invalid.
    """
    change = SHIFTS[name]
    require_seed(seed)
    _require_pictures(frames, "frames", "height", "width")
    seeds = [derive_seed(seed, "frame", number) if change.per_frame else seed for number in range(len(frames))]
    return np.stack([change(frame, strength, own) for frame, own in zip(frames, seeds, strict=True)])


def _require_pictures(pictures: Any, *axes: str) -> None:
    """Raise an error unless the value is a uint8 image array with these axes."""
    kind, shape = getattr(pictures, "dtype", type(pictures).__name__), tuple(getattr(pictures, "shape", ()))
    if kind != np.uint8 or len(shape) != len(axes) + 1 or shape[-1] != 3 or 0 in shape:
        raise PixelProofError(f"Images to shift must be uint8 of shape ({', '.join(axes)}, 3), not {kind} of {shape}.")


def _rounded(values: npt.NDArray[Any]) -> Picture:
    return np.asarray(np.clip(np.rint(values), 0, 255), dtype=np.uint8)


def _light(picture: Picture, strength: float, rng: Rng) -> Picture:
    levels = np.arange(256) / 255
    return _rounded(255 * (1 - 0.55 * strength) * levels ** (1 + 0.6 * strength))[picture]


def _glare(picture: Picture, strength: float, rng: Rng) -> Picture:
    return _rounded(np.arange(256) * (1 + strength))[picture]


_TO_YIQ = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.322], [0.211, -0.523, 0.312]])


def _chroma(picture: Picture, change: npt.NDArray[np.float64]) -> Picture:
    """Transform the chroma (IQ) of each pixel by a matrix; luma (Y) is unchanged."""
    whole = np.eye(3)
    whole[1:, 1:] = change
    matrix = (np.linalg.inv(_TO_YIQ) @ whole @ _TO_YIQ).astype(np.float32)
    return _rounded(picture.astype(np.float32) @ matrix.T)


def _hue(picture: Picture, strength: float, rng: Rng) -> Picture:
    turn = math.radians(90 * strength) * rng.choice([-1, 1])
    return _chroma(picture, np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]]))


def _fade(picture: Picture, strength: float, rng: Rng) -> Picture:
    return _chroma(picture, np.eye(2) * (1 - strength))


def _tint(picture: Picture, strength: float, rng: Rng) -> Picture:
    gain = 1 + 0.6 * strength
    red, blue = (gain, 1 / gain) if rng.random() < 0.5 else (1 / gain, gain)
    return _rounded(picture * np.array([red, 1.0, blue], dtype=np.float32))


def _blur(picture: Picture, strength: float, rng: Rng) -> Picture:
    from scipy.ndimage import gaussian_filter  # takes a while to import

    sigma = 0.3 + 0.012 * strength * min(picture.shape[:2])  # a sigma below 0.3 pixels changes nothing
    return _rounded(gaussian_filter(picture.astype(np.float32), (sigma, sigma, 0), mode="nearest"))


def _motion(picture: Picture, strength: float, rng: Rng) -> Picture:
    length, angle = 0.06 * strength * min(picture.shape[:2]), rng.uniform(0, math.tau)
    return _rounded(_filtered(picture, _line(length, angle)))


def _line(length: float, angle: float) -> Floats:
    """Motion-blur kernel along a line."""
    along = np.linspace(-0.5, 0.5, 2 * math.ceil(length) + 3) * length
    x, y = along * math.cos(angle), along * math.sin(angle)
    reach = math.ceil(length / 2) + 1
    kernel = np.zeros((2 * reach + 1, 2 * reach + 1), np.float32)
    left, top = np.floor(x).astype(int), np.floor(y).astype(int)
    for right, low in ((0, 0), (1, 0), (0, 1), (1, 1)):
        weight = np.abs(1 - right - (x - left)) * np.abs(1 - low - (y - top))
        np.add.at(kernel, (top + low + reach, left + right + reach), weight)
    return np.asarray(kernel / kernel.sum())


def _filtered(picture: Picture, kernel: Floats) -> Floats:
    """Convolution with a sparse kernel: twenty times faster than a dense one."""
    reach, (height, width, _) = len(kernel) // 2, picture.shape
    padded = np.pad(picture.astype(np.float32), ((reach, reach), (reach, reach), (0, 0)), mode="edge")
    total = np.zeros(picture.shape, np.float32)
    for y, x in np.argwhere(kernel > 1e-6):
        total += kernel[y, x] * padded[y : y + height, x : x + width]
    return total


def _noise(picture: Picture, strength: float, rng: Rng) -> Picture:
    return _rounded(picture + 60 * strength * rng.standard_normal(picture.shape, dtype=np.float32))


def _jpeg(picture: Picture, strength: float, rng: Rng) -> Picture:
    quality = round(2 + 88 * (1 - strength) ** 2)  # squared, because most of the visible change is below quality 20
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, "JPEG", quality=quality, subsampling="4:2:0")
    return np.asarray(Image.open(buffer).convert("RGB"))


def _resize(picture: Picture, strength: float, rng: Rng) -> Picture:
    height, width, _ = picture.shape
    small = (max(1, round(width / (1 + 7 * strength))), max(1, round(height / (1 + 7 * strength))))
    image = Image.fromarray(picture).resize(small, Image.Resampling.BOX)
    return np.asarray(image.resize((width, height), Image.Resampling.BICUBIC))


def _occlusion(picture: Picture, strength: float, rng: Rng) -> Picture:
    height, width, _ = picture.shape
    result, free = picture.copy(), np.ones((height, width), dtype=bool)
    for _ in range(math.ceil(24 * strength)):
        high, wide = (max(1, round(rng.uniform(0.08, 0.22) * side)) for side in (height, width))
        top, left = rng.integers(height - high + 1), rng.integers(width - wide + 1)
        patch = (slice(top, top + high), slice(left, left + wide))
        # Covered pixels stay covered, so that more patches never restore a pixel.
        result[patch][free[patch]] = rng.integers(0, 256, 3)
        free[patch] = False
    return result


_ALL = (
    Shift("light", "darker, down to gain 0.45 and gamma 1.6", _light),
    Shift("glare", "brighter, up to twice as bright and clipped", _glare),
    Shift("hue", "all hues turned, by up to 90°", _hue),
    Shift("fade", "colours paler, down to grey", _fade),
    Shift("tint", "warmer or colder light, by up to a factor of 1.6 in red and blue", _tint),
    Shift("blur", "out of focus, up to 1.2 % of the shorter side", _blur),
    Shift("motion", "smeared along a line, up to 6 % of the shorter side", _motion),
    Shift("noise", "normal noise of up to 60 grey levels", _noise, per_frame=True),
    Shift("jpeg", "JPEG-coded, down to quality 2", _jpeg),
    Shift("resize", "made smaller by up to a factor of 8, and large again", _resize),
    Shift("occlusion", "covered by up to 24 patches", _occlusion),
)
SHIFTS: dict[str, Shift] = ByName("shift of pictures", {change.name: change for change in _ALL})
"""Image shifts by name."""
