"""Collages: cut-outs in front of a background, from the farthest to the nearest.

Lengths are in image widths, so a collage looks the same at any size. The top left corner is (0, 0), the bottom right
corner (1, 1 / aspect); y points down.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from pixelproof.contract import PixelProofError
from pixelproof.world._reading import Document

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
