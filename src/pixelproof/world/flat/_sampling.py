"""Shared by the generators of scenes and clips: backgrounds, contrasting colours, codes, free positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from pixelproof.contract import PixelProofError
from pixelproof.pixels import oklab
from pixelproof.world._colours import COLOURS
from pixelproof.world._limits import counted, require_whole
from pixelproof.world.shifts import prior_weights

from ._scene import Background, Colour, Sprite
from ._shapes import ALPHABET, CELL, SHAPES

Rng = np.random.Generator
Rectangle = tuple[float, float, float, float]

_GROUNDS: tuple[tuple[Colour, Colour], ...] = (
    ((226, 223, 214), (206, 203, 196)),
    ((208, 214, 222), (190, 198, 210)),
    ((214, 222, 208), (196, 207, 190)),
    ((58, 62, 70), (74, 78, 88)),
    ((70, 60, 56), (86, 74, 68)),
    ((44, 56, 60), (58, 72, 76)),
)
_CLEAR = 0.2
"""Minimum OKLab distance between a colour and the background, and between the ink and its plate."""
_PLATES = (("white", "black"), ("yellow", "black"), ("beige", "navy"), ("black", "white"), ("navy", "white"))
COMPACT = ("circle", "square", "cross", "ring", "heart", "pentagon", "hexagon")
"""Shapes that fill most of their circle."""


def background(rng: Rng) -> Background:
    """A random low-contrast background."""
    kinds = ("plain", "gradient", "stripes", "checks", "speckle")
    kind = kinds[int(rng.integers(5))]
    first, second = _GROUNDS[int(rng.integers(len(_GROUNDS)))]
    scale = {"gradient": 512.0, "speckle": float(rng.integers(2, 9))}.get(kind, float(rng.uniform(24, 96)))
    angle, seed = float(rng.uniform(0, 360)), int(rng.integers(1 << 24))
    x = 256.0 if kind == "gradient" else 0.0
    return Background(kind, first, second, scale, angle, x, x, seed)  # type: ignore[arg-type]


@lru_cache(maxsize=64)
def contrasting_colours(ground: tuple[Colour, Colour]) -> tuple[str, ...]:
    """Colour words that contrast with a background."""
    words = oklab(list(COLOURS.values()))
    apart = np.min([np.linalg.norm(words - colour, axis=1) for colour in oklab(list(ground))], axis=0)
    return tuple(word for word, distance in zip(COLOURS, apart, strict=True) if distance >= _CLEAR)


def draw(rng: Rng, options: Sequence[str], prior: float) -> str:
    """Draw an option; the higher the prior, the more likely the first ones."""
    if prior == 0:
        return options[int(rng.integers(len(options)))]
    return options[int(rng.choice(len(options), p=prior_weights(len(options), prior)))]


def code(rng: Rng, length: int, prior: float, taken: Sequence[str] = (), alphabet: str = ALPHABET) -> str:
    """A random code that is not taken."""
    while True:
        text = "".join(draw(rng, alphabet, prior) for _ in range(length))
        if text not in taken:
            return text


def sized(shape: str, area: float) -> float:
    """Size of a shape with an area in pixels."""
    return float(np.sqrt(area / SHAPES[shape].area))


def plate_look(rng: Rng, colours: Sequence[str]) -> tuple[str, str]:
    """Colours of a contrasting plate and of its ink."""
    looks = [look for look in _PLATES if look[0] in colours]
    return looks[int(rng.integers(len(looks)))]


def plate(
    carrier: Sprite, below: float, text: str, cells: int, look: tuple[str, str], sans: bool, cell: int = CELL
) -> Sprite:
    """A plate below a thing whose lowest point is given; snapped to the grid, it does not touch the thing."""
    return Sprite(
        f"plate-{carrier.id}", "plate", look[0], carrier.x, below + 13 * cell / CELL, float(cell), carrier=carrier.id,
        text=text, cells=cells, font="sans" if sans else "5x7", ink=look[1],
    )  # fmt: skip


def plate_space(cells: int, cell: int) -> tuple[float, float]:
    """Width and height in pixels that a plate needs below its thing, wherever the grid moves it."""
    return float(cell * (cells + 1) + 8), 25.0 * cell / CELL


def require_code(alphabet: str, cell: int, sans: float, length: int, codes: int) -> None:
    """Check the arguments of codes.

    Raises:
        PixelProofError: The alphabet has unknown or too few characters, or a font has no cells of that size.
    """
    require_whole("pixels of a plate's cell", cell, CELL, 256)
    if sans < 1 and cell % CELL:
        raise PixelProofError(f"Plates in 5x7 have cells of a multiple of {CELL} pixels, not {cell}: set sans=1.")
    if not isinstance(alphabet, str) or set(alphabet) - set(ALPHABET) or len(set(alphabet)) < len(alphabet):
        raise PixelProofError(f"The alphabet is {alphabet!r}: choose different characters of {ALPHABET}.")
    if not alphabet or codes > len(alphabet) ** length:
        raise PixelProofError(
            f"{counted(codes, 'codes')} of {counted(length, 'characters')} do not all differ with the alphabet "
            f"{alphabet!r}: give more characters, or longer codes."
        )


def extent(sprite: Sprite) -> Rectangle:
    """Exact bounding box of a shape."""
    corners = np.concatenate(SHAPES[sprite.shape].outline_at(sprite.x, sprite.y, sprite.size, sprite.angle))
    (x0, y0), (x1, y1) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    return x0, y0, x1, y1


@dataclass
class Board:
    """Allocation of non-overlapping rectangles in an image."""

    width: int
    height: int
    taken: list[Rectangle] = field(default_factory=list)

    def place(
        self, rng: Rng, width: float, height: float, gap: float = 12.0, tries: int = 60
    ) -> tuple[float, float] | None:
        """Allocate a free rectangle; returns its corner, or None if none was found."""
        if width + 2 * gap > self.width or height + 2 * gap > self.height:
            return None
        for _ in range(tries):
            x = float(rng.uniform(gap, self.width - width - gap))
            y = float(rng.uniform(gap, self.height - height - gap))
            if not any(touch((x, y, x + width, y + height), other, gap) for other in self.taken):
                self.taken.append((x, y, x + width, y + height))
                return x, y
        return None


def touch(one: Rectangle, other: Rectangle, gap: float = 0.0) -> bool:
    """Whether two rectangles are closer than a gap.

    >>> touch((0, 0, 4, 4), (6, 0, 9, 4)), touch((0, 0, 4, 4), (6, 0, 9, 4), gap=3)
    (False, True)
    """
    return one[0] < other[2] + gap and other[0] < one[2] + gap and one[1] < other[3] + gap and other[1] < one[3] + gap
