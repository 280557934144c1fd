"""Collages: cut-outs in front of a background, from the farthest to the nearest.

Lengths are in image widths, so a collage looks the same at any size. The top left corner is (0, 0), the bottom right
corner (1, 1 / aspect); y points down. Backgrounds are photographs, or procedural grounds with a wall or a sky.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from PIL import Image

from pixelproof.contract import PixelProofError
from pixelproof.world._limits import require_word
from pixelproof.world._reading import Document

from ._library import Photographs
from ._sampling import Floats, to_linear

VERSION = 1


@dataclass(frozen=True)
class Piece:
    """A placed cut-out."""

    id: str
    """Unique in the collage, such as `frog-1`."""
    cutout: str
    """Id of the cut-out in the library."""
    x: float
    y: float
    """Centre of the cut-out."""
    size: float
    """Longer side of the cut-out."""
    rotation: float = 0.0
    """Clockwise rotation in degrees."""
    flip: bool = False
    """Whether it is mirrored horizontally, before rotation."""

    def __post_init__(self) -> None:
        """Validate the fields."""
        if not 0 < self.size <= 8:
            raise PixelProofError(f"Piece {self.id} has size {self.size}: sizes are above 0 and up to 8 widths.")


@dataclass(frozen=True)
class Background:
    """The background: a photograph, or a ground with a wall or sky."""

    kind: Literal["studio", "photo"] = "studio"
    photo: str = ""
    """Id of the photograph."""
    crop: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)
    """Visible part of the photograph: left, top, right, bottom, from 0 to 1."""
    ground: str = "sweep"
    """A name in `GROUNDS`, for the kind `studio`."""
    colour: str = "#b9ada0"
    """Colour of the ground."""
    wall: str = "#d8cfc6"
    """Colour of the wall or the sky."""
    horizon: float = 0.35
    """Height of the horizon, as a share of the image height; assumed, for a photograph."""
    seed: int = 0


@dataclass(frozen=True)
class Light:
    """Direction and strength of the light that casts shadows; cut-outs keep their own shading."""

    azimuth: float = 35.0
    """Degrees: 0 from behind the viewer, 90 from the right."""
    elevation: float = 52.0
    strength: float = 0.55
    """Darkness of the deepest shadow, from 0 to 1."""

    def __post_init__(self) -> None:
        """Validate the fields."""
        if not (-80 <= self.azimuth <= 80 and 20 <= self.elevation <= 89 and 0 <= self.strength <= 1):
            raise PixelProofError(
                f"Light from {self.azimuth}° at {self.elevation}° with strength {self.strength} is not possible: "
                "azimuths are from -80 to 80, elevations from 20 to 89, strengths from 0 to 1."
            )


@dataclass(frozen=True)
class Collage(Document):
    """Everything that determines an image and its ground truth, except the pixels of cut-outs and photographs."""

    what: ClassVar[str] = "collage"
    current: ClassVar[int] = VERSION

    seed: int
    index: int
    pieces: tuple[Piece, ...]
    """From the farthest to the nearest, which occludes the others."""
    background: Background = Background()
    light: Light = Light()
    aspect: float = 1.0
    """Image width divided by height."""
    version: int = VERSION

    def __post_init__(self) -> None:
        """Validate the fields."""
        ids = [piece.id for piece in self.pieces]
        if len(set(ids)) < len(ids):
            raise PixelProofError(f"The collage has two pieces with one id among {', '.join(ids)}: give each its own.")
        if not 0.1 <= self.aspect <= 10:
            raise PixelProofError(f"The collage is {self.aspect} times as wide as high: choose from 0.1 to 10.")


Array = npt.NDArray[Any]

_FINE = 2


def backdrop(background: Background, photographs: Photographs | None, width: int, height: int) -> Floats:
    """Render a background in linear RGB, (h, w, 3).

    Raises:
        PixelProofError: The photograph is missing, or the ground is unknown.
    """
    if background.kind == "studio":
        return _studio(background, width, height)
    if photographs is None:
        raise PixelProofError(f"The background is the photograph {background.photo!r}: pass the photographs.")
    light = to_linear(photographs.pixels(background.photo))
    high, wide = light.shape[:2]
    left, top, right, bottom = background.crop
    box = (left * wide, top * high, right * wide, bottom * high)
    planes = [
        Image.fromarray(np.ascontiguousarray(plane)).resize((width, height), Image.Resampling.LANCZOS, box)
        for plane in np.moveaxis(light, -1, 0)
    ]
    return np.asarray(np.stack([np.asarray(plane) for plane in planes], axis=-1), np.float32).clip(0.0, 1.0)


def _studio(background: Background, width: int, height: int) -> Floats:
    """A ground in perspective up to the horizon, and a wall or sky behind it."""
    require_word("ground", background.ground, GROUNDS)
    rows = (np.arange(height * _FINE, dtype=np.float32)[:, None] + 0.5) / (height * _FINE)
    columns = ((np.arange(width * _FINE, dtype=np.float32)[None] + 0.5) / (width * _FINE) - 0.5) * (width / height)
    below = np.maximum(rows - background.horizon, 1e-3) / (1 - background.horizon)
    away = 1 / (
        below + 0.12
    )  # the horizon lies beyond the end of the ground, so that its pattern is not too dense there
    across, footprint = columns * away * 1.6, away**2 * (1.5 / (height * _FINE))
    tone = GROUNDS[background.ground](across, np.broadcast_to(away, across.shape), footprint, background.seed)
    floor = _colour(background.colour) * (tone * (0.82 + 0.25 * below))[..., None]
    above = np.clip(rows / max(background.horizon, 1e-3), 0.0, 1.0) + 0 * columns
    wall = _colour(background.wall) * (1.06 - 0.18 * above)[..., None]
    # A sweep has no edge: the paper curves from the wall to the ground.
    soft = 0.16 if background.ground == "sweep" else 0.02 if background.ground in OUTDOORS else 0.0
    share: Array = np.clip((rows - background.horizon) / max(soft, 1e-6) + 0.5, 0.0, 1.0)
    share = (share * share * (3 - 2 * share))[..., None]
    corner = 1 - 0.16 * (columns**2 * (height / width) ** 2 + (rows - 0.45) ** 2)[..., None] * 2
    both = (wall * (1 - share) + floor * share) * corner
    return np.asarray(both.reshape(height, _FINE, width, _FINE, 3).mean(axis=(1, 3)), np.float32).clip(0.0, 1.0)


def _colour(code: str) -> Array:
    return to_linear(np.frombuffer(bytes.fromhex(code[1:]), np.uint8))


def _plain(across: Array, away: Array, width: Array, seed: int) -> Array:
    return np.ones_like(across)


def _wood(across: Array, away: Array, width: Array, seed: int) -> Array:
    """Boards that run towards the viewer."""
    along, board = away * 2.2, np.floor(across * 3.5)
    tone = 0.86 + 0.28 * _cell_hash(board, np.floor(along / 5 + 3.7 * _cell_hash(board, board * 0, seed)), seed)
    grain = _noise(across * 30 + board * 7.3, along * 1.1, seed) * _contrast(width * 30)
    fine = _noise(across * 120 + board * 3.1, along * 2.3, seed + 1) * _contrast(width * 120)
    seam = np.abs(across * 3.5 - board - 0.5) > 0.5 - np.maximum(0.012, width * 1.7)
    return np.asarray(tone * (1 + 0.22 * grain + 0.14 * fine) * (1 - 0.4 * seam * _contrast(width * 6)))


def _tiles(across: Array, away: Array, width: Array, seed: int) -> Array:
    u, v = across * 2.2, away * 2.2 * 1.6
    tone = 0.93 + 0.14 * _cell_hash(np.floor(u), np.floor(v), seed)
    joint = np.maximum(np.abs(u % 1 - 0.5), np.abs(v % 1 - 0.5)) > 0.482
    stain = _noise(u * 5, v * 5, seed) * _contrast(width * 11)
    return np.asarray(tone * (1 + 0.05 * stain) * (1 - 0.3 * joint * _contrast(width * 8)))


def _stone(across: Array, away: Array, width: Array, seed: int) -> Array:
    return 1 + _fractal_noise(across * 4, away * 6, width * 4, seed, 6, 0.22)


def _sand(across: Array, away: Array, width: Array, seed: int) -> Array:
    ripple = np.sin((away * 7 + 1.5 * _noise(across * 1.2, away * 1.6, seed)) * 2.2)
    return 1 + 0.05 * ripple * _contrast(width * 7) + _fractal_noise(across * 9, away * 14, width * 9, seed, 6, 0.16)


def _lawn(across: Array, away: Array, width: Array, seed: int) -> Array:
    blades = _noise(across * 75, away * 22, seed) * _contrast(width * 60)
    finer = _noise(across * 160, away * 48, seed + 3) * _contrast(width * 130)
    return 1 + 0.3 * blades + 0.24 * finer + _fractal_noise(across * 2, away * 3, width * 2, seed, 4, 0.26)


Pattern = Callable[[Array, Array, Array, int], Array]
GROUNDS: dict[str, Pattern] = {
    "sweep": _plain, "wood": _wood, "tiles": _tiles, "stone": _stone, "sand": _sand, "lawn": _lawn,
}  # fmt: skip
"""Name → brightness (mean 1), given coordinates across and away, the pixel footprint and a seed."""
OUTDOORS = ("stone", "sand", "lawn")


def _fractal_noise(u: Array, v: Array, width: Array, seed: int, layers: int, strength: float) -> Array:
    total = np.zeros_like(u)
    for layer in range(layers):
        times = np.float32(2**layer)
        total += strength * 0.7**layer * _noise(u * times, v * times, seed + 17 * layer) * _contrast(width * times)
    return total


def _contrast(width: Array) -> Array:
    """Contrast that remains of a pattern of period 1 when filtered by a pixel of a width."""
    return np.clip(1.5 - 1.5 * width, 0.0, 1.0)


def _noise(u: Array, v: Array, seed: int) -> Array:
    """Value noise from -1 to 1 with features of about length 1."""
    i, j = np.floor(u), np.floor(v)
    x, y = u - i, v - j
    x, y = x * x * (3 - 2 * x), y * y * (3 - 2 * y)
    upper = _cell_hash(i, j, seed) * (1 - x) + _cell_hash(i + 1, j, seed) * x
    lower = _cell_hash(i, j + 1, seed) * (1 - x) + _cell_hash(i + 1, j + 1, seed) * x
    return np.asarray(2 * (upper * (1 - y) + lower * y) - 1)


def _cell_hash(i: Array, j: Array, seed: int) -> Array:
    """Pseudo-random number from 0 to 1 of a grid cell, by integer hashing: the same on every machine."""
    code = i.astype(np.int64).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    code ^= j.astype(np.int64).astype(np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F)
    code = (code ^ np.uint64(seed * 0x165667B1 & (1 << 63) - 1)) * np.uint64(0xD6E8FEB86659FD93)
    code = (code ^ (code >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return (code >> np.uint64(40)).astype(np.float32) * np.float32(2.0**-24)
