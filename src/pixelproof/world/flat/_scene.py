"""What a flat scene is: sprites on a background, in the order in which they are painted; and its file.

Lengths are pixels. The corner of the picture is (0, 0) and the centre of its first pixel (0.5, 0.5); y points down.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, TypeVar, get_args

from pixelproof.contract import PixelProofError, unknown_name
from pixelproof.world._colours import COLOURS
from pixelproof.world._limits import LARGEST, require_number, require_word
from pixelproof.world._reading import Document
from pixelproof.world.shifts import TURN_LIMIT, turned_palette

from ._glyphs import ALPHABET, FONTS
from ._shapes import SHAPES

VERSION = 1
Colour = tuple[int, int, int]
T = TypeVar("T")
Ground = Literal["plain", "gradient", "stripes", "checks", "speckle"]
_FAR = 1e6
"""Pixels, or degrees, beyond which rounding would show."""
_HEX = re.compile("#[0-9a-f]{6}")


def rgb(colour: str, hue: float = 0.0) -> Colour:
    """SRGB of a colour word with its hue turned by some degrees, or of `#rrggbb`.

    >>> rgb("red"), rgb("#0a0b0c")
    ((196, 38, 38), (10, 11, 12))
    """
    if colour in COLOURS:
        return turned_palette(hue)[colour]
    if not _HEX.fullmatch(colour):
        raise unknown_name("colour", colour, (*COLOURS, "#rrggbb"))
    red, green, blue = bytes.fromhex(colour[1:])
    return red, green, blue


def _require_near(what: str, x: float, y: float, angle: float) -> None:
    """Refuse places that are none: this runs for every sprite of every frame, so it is quick."""
    if not (-_FAR < x < _FAR and -_FAR < y < _FAR and -_FAR < angle < _FAR):
        raise PixelProofError(f"{what} is at ({x}, {y}), turned by {angle}: keep within {_FAR:.0f} pixels and degrees.")


@dataclass(frozen=True)
class Sprite:
    """One figure: a shape, a plate with a code, or a tile of noise.

    A plate has a row of square cells for characters and a margin of half a cell around them. It stands upright, at
    whole pixels, and with a text on it at whole cells: see `_glyphs`. A tile of noise stands upright at whole pixels.
    """

    id: str
    """Unique in the scene, such as `star-1`."""
    shape: str
    """A name in `SHAPES`, or `plate` or `noise`."""
    colour: str
    """A word in `COLOURS`, or `#rrggbb` where its colour has no name; empty for noise."""
    x: float
    y: float
    """Of its centre."""
    size: float
    """Diameter of the circle about the centroid of a shape that just holds it; side of a tile or of a plate's cell."""
    angle: float = 0.0
    """Clockwise, in degrees; 0 for plates and tiles."""
    role: Literal["thing", "distractor"] = "thing"
    carrier: str | None = None
    """Id of the thing that a plate belongs to and moves with."""
    text: str = ""
    """What a plate shows; empty: nothing."""
    cells: int = 0
    """How many characters a plate has room for."""
    font: str = "5x7"
    ink: str = "black"
    """Colour of the text."""
    seed: int = 0
    """Of noise."""

    def __post_init__(self) -> None:
        """Refuse what cannot be drawn."""
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
        """Whether it is a plate or a tile: a rectangle at whole pixels."""
        return self.shape not in SHAPES

    @property
    def rectangle(self) -> tuple[int, int, int, int]:
        """Of a plate or a tile: x0, y0, x1, y1, the last two excluded."""
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
        """In pixels, from geometry: whether or not something hides it."""
        if not self.upright:
            return SHAPES[self.shape].area * self.size**2
        x0, y0, x1, y1 = self.rectangle
        return float((x1 - x0) * (y1 - y0))


@dataclass(frozen=True)
class Background:
    """Two colours and how they alternate."""

    kind: Ground = "plain"
    colour: Colour = (224, 222, 214)
    other: Colour = (224, 222, 214)
    scale: float = 64.0
    """Pixels from one stripe or check to the next alike, of a speckle, or from the first to the last of a gradient."""
    angle: float = 0.0
    x: float = 0.0
    y: float = 0.0
    """Where the pattern begins."""
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what cannot be drawn."""
        require_word("kind of background", self.kind, get_args(Ground))
        if not 1 <= self.scale <= 65536:
            raise PixelProofError(f"A background has a scale of 1 to 65536 pixels, not {self.scale}.")
        _require_near("A background", self.x, self.y, self.angle)


@dataclass(frozen=True)
class FlatScene(Document):
    """All that a picture and its truth are made from."""

    what: ClassVar[str] = "flat scene"
    current: ClassVar[int] = VERSION

    seed: int
    index: int
    width: int
    height: int
    sprites: tuple[Sprite, ...]
    """From the lowest to the topmost."""
    background: Background = Background()
    roles: Mapping[str, str] = field(default_factory=dict)
    """What a sprite is there for, such as `largest` → `star-1`."""
    hue: float = 0.0
    """Degrees by which colour words are turned; beyond `shifts.TURN`, they are no longer what one would say."""
    version: int = VERSION

    def __post_init__(self) -> None:
        """Refuse scenes in which sprites cannot be told apart or that point to what is not there."""
        ids = {sprite.id for sprite in self.sprites}
        if len(ids) < len(self.sprites):
            raise PixelProofError("The scene has two sprites with one id: give each its own.")
        named = [*self.roles.values(), *(sprite.carrier for sprite in self.sprites if sprite.carrier is not None)]
        for id in named:
            if id not in ids:
                raise PixelProofError(f"The scene speaks of {id!r}, which is none of its sprites.")
        if not 1 <= self.width <= LARGEST or not 1 <= self.height <= LARGEST:
            raise PixelProofError(f"Scenes are 1 to {LARGEST} pixels wide and high, not {self.width} × {self.height}.")
        require_number("turn of a hue", self.hue, -TURN_LIMIT, TURN_LIMIT)

    def place(self, id: str) -> int:
        """The place of a sprite in the list, counted from 0.

        Raises:
            PixelProofError: There is none with this id.
        """
        ids = [sprite.id for sprite in self.sprites]
        require_word("sprite", id, ids)
        return ids.index(id)

    def sprite(self, id: str) -> Sprite:
        """The sprite with an id.

        Raises:
            PixelProofError: There is none.
        """
        return self.sprites[self.place(id)]

    def plate_of(self, id: str) -> Sprite:
        """The plate that a thing carries.

        Raises:
            PixelProofError: It carries none.
        """
        plates = {sprite.carrier: sprite for sprite in self.sprites if sprite.shape == "plate" and sprite.carrier}
        require_word("thing with a plate", id, plates)
        return plates[id]

    def with_sprite(self, sprite: Sprite) -> FlatScene:
        """This scene with the sprite of the same id replaced."""
        self.sprite(sprite.id)
        return replace(self, sprites=tuple(sprite if other.id == sprite.id else other for other in self.sprites))
