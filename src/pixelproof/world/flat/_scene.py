"""Flat scenes: sprites on a background, in painting order.

Lengths are pixels. The image corner is (0, 0), the centre of the first pixel (0.5, 0.5); y points down.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, Literal, TypeVar, get_args

from pixelproof.contract import PixelProofError, unknown_name
from pixelproof.world._colours import COLOURS
from pixelproof.world._limits import LARGEST, require_number, require_word
from pixelproof.world._reading import Document
from pixelproof.world.shifts import TURN_LIMIT, turned_palette

from ._shapes import ALPHABET, FONTS, SHAPES, TEXTURES

VERSION = 1
Colour = tuple[int, int, int]
T = TypeVar("T")
Ground = Literal["plain", "gradient", "stripes", "checks", "speckle"]
_FAR = 1e6
"""Largest coordinate in pixels, or angle in degrees: beyond it, rounding errors would show."""
_HEX = re.compile("#[0-9a-f]{6}")


def rgb(colour: str, hue: float = 0.0) -> Colour:
    """The sRGB value of a colour word with its hue rotated by some degrees, or of `#rrggbb`.

    >>> rgb("red"), rgb("#0a0b0c")
    ((196, 38, 38), (10, 11, 12))
    """
    if colour in COLOURS:
        return turned_palette(hue)[colour]
    if not _HEX.fullmatch(colour):
        raise unknown_name("colour", colour, (*COLOURS, "#rrggbb"))
    red, green, blue = bytes.fromhex(colour[1:])
    return red, green, blue


def texture_shade(colour: Colour) -> Colour:
    """Colour of the marks of a texture: a third of the way to white for dark colours, to black for light ones.

    >>> texture_shade((196, 38, 38)), texture_shade((238, 238, 234))
    ((215, 110, 110), (158, 158, 156))
    """
    end = 0 if sum(colour) > 384 else 255
    red, green, blue = (int(value + (end - value) / 3) for value in colour)
    return red, green, blue


def sprites_as_json(sprites: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sprites as JSON values; `texture` is left out where there is none, so that scenes of old have their old bytes."""
    return [{key: value for key, value in sprite.items() if key != "texture" or value} for sprite in sprites]


def _require_near(what: str, x: float, y: float, angle: float) -> None:
    """Raise an error for coordinates out of range; it runs for every sprite of every frame, so it is fast."""
    if not (-_FAR < x < _FAR and -_FAR < y < _FAR and -_FAR < angle < _FAR):
        raise PixelProofError(f"{what} is at ({x}, {y}), turned by {angle}: keep within {_FAR:.0f} pixels and degrees.")


@dataclass(frozen=True)
class Sprite:
    """A shape, a plate with a code, or a tile of noise.

    A plate has a row of square cells for characters and a margin of half a cell. It is axis-aligned at integer pixels;
    with a text, at multiples of the cell size (see `_glyphs`). A tile of noise is axis-aligned at integer pixels.
    """

    id: str
    """Unique in the scene, such as `star-1`."""
    shape: str
    """A name in `SHAPES`, or `plate` or `noise`."""
    colour: str
    """A word in `COLOURS`, or `#rrggbb`; empty for noise."""
    x: float
    y: float
    """Centre."""
    size: float
    """Diameter of the smallest circle around a shape's centroid that contains it; side of a tile or a plate's cell."""
    angle: float = 0.0
    """Clockwise rotation in degrees; 0 for plates and tiles."""
    role: Literal["thing", "distractor"] = "thing"
    carrier: str | None = None
    """Id of the thing that a plate belongs to and moves with."""
    text: str = ""
    """Text of a plate; may be empty."""
    cells: int = 0
    """Number of cells of a plate."""
    font: str = "5x7"
    ink: str = "black"
    """Colour of the text."""
    seed: int = 0
    """Seed of noise."""
    texture: str = ""
    """Texture of a shape, in a lighter or darker shade of its colour: a name in `TEXTURES`; empty: none."""

    def __post_init__(self) -> None:
        """Validate the fields."""
        if self.texture and (self.texture not in TEXTURES or self.upright):
            raise PixelProofError(
                f"Sprite {self.id} has the texture {self.texture!r}: shapes have one of {', '.join(TEXTURES)}, or none."
            )
        if self.shape not in SHAPES and self.shape not in ("plate", "noise"):
            raise PixelProofError(
                f"Sprite {self.id} has the shape {self.shape!r}: choose plate, noise or one of {', '.join(SHAPES)}."
            )
        if not 1 <= self.size <= 4096:
            raise PixelProofError(f"Sprite {self.id} has size {self.size}: sizes are from 1 to 4096 pixels.")
        _require_near(f"Sprite {self.id}", self.x, self.y, self.angle)
        if self.shape == "plate":
            if len(self.text) > self.cells or set(self.text) - set(ALPHABET) or self.font not in FONTS:
                raise PixelProofError(
                    f"Plate {self.id} cannot show {self.text!r} in {self.font}: it has {self.cells} cells for "
                    f"characters of {ALPHABET} in {' or '.join(FONTS)}."
                )
            rgb(self.ink)
        if self.shape != "noise":
            rgb(self.colour)

    @property
    def upright(self) -> bool:
        """Whether it is a plate or a tile: an axis-aligned rectangle at integer pixels."""
        return self.shape not in SHAPES

    @property
    def rectangle(self) -> tuple[int, int, int, int]:
        """Bounding box of a plate or a tile; right and bottom are exclusive."""
        width, height = (self.cells + 1, 2) if self.shape == "plate" else (1, 1)
        cell = round(self.size)
        grid, margin = (cell, cell / 2) if self.text else (1, 0)
        x, y = (
            round(grid * round((middle - side * cell / 2 + margin) / grid) - margin)
            for middle, side in ((self.x, width), (self.y, height))
        )
        return x, y, x + width * cell, y + height * cell

    @property
    def area(self) -> float:
        """Area in pixels, from geometry, whether occluded or not."""
        if not self.upright:
            return SHAPES[self.shape].area * self.size**2
        x0, y0, x1, y1 = self.rectangle
        return float((x1 - x0) * (y1 - y0))


@dataclass(frozen=True)
class Background:
    """A pattern of two colours."""

    kind: Ground = "plain"
    colour: Colour = (224, 222, 214)
    other: Colour = (224, 222, 214)
    scale: float = 64.0
    """Period of stripes or checks, size of a speckle, or length of a gradient, in pixels."""
    angle: float = 0.0
    x: float = 0.0
    y: float = 0.0
    """Origin of the pattern."""
    seed: int = 0

    def __post_init__(self) -> None:
        """Validate the fields."""
        require_word("kind of background", self.kind, get_args(Ground))
        if not 1 <= self.scale <= 65536:
            raise PixelProofError(f"A background has a scale of 1 to 65536 pixels, not {self.scale}.")
        _require_near("A background", self.x, self.y, self.angle)


@dataclass(frozen=True)
class FlatScene(Document):
    """Everything that determines an image and its ground truth."""

    what: ClassVar[str] = "flat scene"
    current: ClassVar[int] = VERSION

    seed: int
    index: int
    width: int
    height: int
    sprites: tuple[Sprite, ...]
    """Painting order: the last is on top."""
    background: Background = Background()
    roles: Mapping[str, str] = field(default_factory=dict)
    """Role → sprite id, such as `largest` → `star-1`."""
    hue: float = 0.0
    """Hue rotation of colour words in degrees; beyond `shifts.TURN`, the words no longer fit."""
    version: int = VERSION

    def __post_init__(self) -> None:
        """Check that ids are unique and references exist."""
        ids = {sprite.id for sprite in self.sprites}
        if len(ids) < len(self.sprites):
            raise PixelProofError("The scene has two sprites with one id: give each its own.")
        named = [*self.roles.values(), *(sprite.carrier for sprite in self.sprites if sprite.carrier is not None)]
        for id in named:
            if id not in ids:
                raise PixelProofError(f"The scene refers to {id!r}, which is not one of its sprites.")
        if not 1 <= self.width <= LARGEST or not 1 <= self.height <= LARGEST:
            raise PixelProofError(f"Scenes are 1 to {LARGEST} pixels wide and high, not {self.width} × {self.height}.")
        require_number("turn of a hue", self.hue, -TURN_LIMIT, TURN_LIMIT)

    def to_json(self) -> str:
        """Serialise to JSON; `from_json` reads it back to an equal document."""
        data = asdict(self)
        data["sprites"] = sprites_as_json(data["sprites"])
        return json.dumps(data, allow_nan=False, ensure_ascii=False)

    def place(self, id: str) -> int:
        """Position of a sprite in the list, counted from 0.

        Raises:
            PixelProofError: There is no sprite with this id.
        """
        ids = [sprite.id for sprite in self.sprites]
        require_word("sprite", id, ids)
        return ids.index(id)

    def sprite(self, id: str) -> Sprite:
        """The sprite with an id.

        Raises:
            PixelProofError: There is no such sprite.
        """
        return self.sprites[self.place(id)]

    def plate_of(self, id: str) -> Sprite:
        """The plate that a thing carries.

        Raises:
            PixelProofError: It carries no plate.
        """
        plates = {sprite.carrier: sprite for sprite in self.sprites if sprite.shape == "plate" and sprite.carrier}
        require_word("thing with a plate", id, plates)
        return plates[id]

    def with_sprite(self, sprite: Sprite) -> FlatScene:
        """This scene with the sprite of the same id replaced."""
        self.sprite(sprite.id)
        return replace(self, sprites=tuple(sprite if other.id == sprite.id else other for other in self.sprites))
