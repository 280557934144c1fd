"""What a collage is: cut-outs before a background, from the farthest to the nearest; and its file.

Lengths are in widths of the picture, so a collage has the same look at any size. The corner of the picture is (0, 0);
x points right and y down, and the lower right corner is (1, 1 / aspect).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from pixelproof.contract import PixelProofError
from pixelproof.world._reading import Document

VERSION = 1


@dataclass(frozen=True)
class Piece:
    """A cut-out in a picture."""

    id: str
    """Unique in the collage, such as `frog-1`."""
    cutout: str
    """Its id in the library."""
    x: float
    y: float
    """Of the middle of the cut-out."""
    size: float
    """Longer side of the cut-out."""
    rotation: float = 0.0
    """Degrees, clockwise."""
    flip: bool = False
    """Whether left and right are swapped, before it is turned."""

    def __post_init__(self) -> None:
        """Refuse what cannot be drawn."""
        if not 0 < self.size <= 8:
            raise PixelProofError(f"Piece {self.id} has size {self.size}: sizes are above 0 and up to 8 widths.")


@dataclass(frozen=True)
class Background:
    """What the pieces are put before: a photograph, or a ground with a wall or a sky behind it."""

    kind: Literal["studio", "photo"] = "studio"
    photo: str = ""
    """Id among the photographs."""
    crop: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)
    """Left, top, right and bottom of the part of the photograph that is shown, from 0 to 1."""
    ground: str = "sweep"
    """A name in `GROUNDS`, for a studio."""
    colour: str = "#b9ada0"
    """Of the ground."""
    wall: str = "#d8cfc6"
    """Of the wall or the sky."""
    horizon: float = 0.35
    """Where the ground ends, as a share of the height; of a photograph, where it is taken to end."""
    seed: int = 0


@dataclass(frozen=True)
class Light:
    """Where light comes from. It makes the shadows; the pieces bring their own shading."""

    azimuth: float = 35.0
    """Degrees: 0 from behind the viewer, 90 from the right."""
    elevation: float = 52.0
    strength: float = 0.55
    """How dark the deepest shadow is, from 0 to 1."""

    def __post_init__(self) -> None:
        """Refuse light that throws no shadow on a ground."""
        if not (-80 <= self.azimuth <= 80 and 20 <= self.elevation <= 89 and 0 <= self.strength <= 1):
            raise PixelProofError(
                f"Light from {self.azimuth}° at {self.elevation}° with strength {self.strength} is not possible: "
                "azimuths are from -80 to 80, elevations from 20 to 89, strengths from 0 to 1."
            )


@dataclass(frozen=True)
class Collage(Document):
    """All that a picture and its truth are made from, but for the pixels of the cut-outs and photographs."""

    what: ClassVar[str] = "collage"
    current: ClassVar[int] = VERSION

    seed: int
    index: int
    pieces: tuple[Piece, ...]
    """From the farthest to the nearest, which hides what is behind it."""
    background: Background = Background()
    light: Light = Light()
    aspect: float = 1.0
    """Width of the picture over its height."""
    version: int = VERSION

    def __post_init__(self) -> None:
        """Refuse collages in which pieces cannot be told apart, or of no possible shape."""
        ids = [piece.id for piece in self.pieces]
        if len(set(ids)) < len(ids):
            raise PixelProofError(f"The collage has two pieces with one id among {', '.join(ids)}: give each its own.")
        if not 0.1 <= self.aspect <= 10:
            raise PixelProofError(f"The collage is {self.aspect} times as wide as high: choose from 0.1 to 10.")
