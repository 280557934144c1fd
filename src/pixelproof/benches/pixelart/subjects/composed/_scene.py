"""Segmentation of a drawing into things on a plain ground, each recognised by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from pixelproof.benches.pixelart.subjects._drawing import Mask
from pixelproof.benches.pixelart.subjects._look import Look, box_of
from pixelproof.nets import Recognition, recognise

Pixels = npt.NDArray[np.uint8]
_GAP = 2
"""Cells of ground that separate things; parts with fewer between them belong to one thing."""
_SMALLEST = 5
"""Longer side of the smallest thing that is shown to the recogniser."""
_MOST = 12
"""Most things that are shown to the recogniser: no subject has as many, and a page of dots must not take minutes."""


@dataclass(frozen=True, eq=False)
class Figure:
    """A thing of a drawing: its cells, and what the recogniser takes it for."""

    mask: Mask
    """Its cells in the whole picture."""
    recognition: Recognition | None
    """None if it is too small to be recognised."""

    @cached_property
    def box(self) -> tuple[int, int, int, int]:
        """Top, left, bottom and right; the last two exclusive."""
        rows, columns = box_of(self.mask)
        return rows.start, columns.start, rows.stop, columns.stop

    @property
    def height(self) -> int:
        """Rows."""
        return self.box[2] - self.box[0]

    @property
    def width(self) -> int:
        """Columns."""
        return self.box[3] - self.box[1]

    @property
    def side(self) -> int:
        """The longer side of its box."""
        return max(self.height, self.width)

    @property
    def name(self) -> str | None:
        """The thing that the recogniser is sure of; None if it abstains."""
        seen = self.recognition
        return None if seen is None or seen.abstains else seen.best

    @property
    def note(self) -> str:
        """What the recogniser takes it for, with its probability."""
        seen = self.recognition
        if seen is None or seen.probability(seen.best) <= seen.nothing:
            return "nothing"
        return f"{seen.best} ({seen.probability(seen.best):.0%}{', which is not enough' if seen.abstains else ''})"


class Scene:
    """The things of a drawing on a ground of one colour.

    Args:
        look: The drawing.
        ground: Colour of the ground.
        fixtures: Cells that are neither ground nor thing, such as those of a frame.
    """

    def __init__(self, look: Look, ground: int, fixtures: Mask | None = None) -> None:
        self.look = look
        self.ground = ground
        ink = look.cells != ground
        self.ink: Mask = ink if fixtures is None else ink & ~fixtures

    @cached_property
    def figures(self) -> Sequence[Figure]:
        """Things in reading order; nothing is recognised in a picture of very many."""
        masks = separate(self.ink)
        pixels = self.look.rgb.astype(np.uint8)
        ground = pixels[self.ground]
        return [
            Figure(mask, recognise_cells(pixels[self.look.cells], mask, ground) if len(masks) <= _MOST else None)
            for mask in masks
        ]

    def called(self, name: str) -> list[Figure]:
        """The things that are recognised by a name."""
        return [figure for figure in self.figures if figure.name == name]

    def only(self, name: str) -> Figure | None:
        """The thing that is recognised by a name; None unless there is exactly one."""
        return figures[0] if len(figures := self.called(name)) == 1 else None

    def share_called(self, figure: Figure, colour: str) -> float:
        """Share of a thing's cells that have a colour name."""
        return float(self.look.named(colour)[figure.mask].mean())

    def is_ground(self, colour: str) -> bool:
        """Whether the ground has a colour name."""
        return self.look.called(self.ground, colour)


def separate(ink: Mask) -> list[Mask]:
    """Masks of things: cells with fewer than two cells of ground between them, in any direction, are of one thing.

    >>> row = np.array([[1, 0, 1, 0, 0, 1]], dtype=bool)
    >>> [mask[0].astype(int).tolist() for mask in separate(row)]
    [[1, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 1]]
    """
    if not ink.any():
        return []
    # Cells are spread to every second point and grown by less than half the gap: cells up to _GAP apart touch.
    spread = np.zeros((2 * ink.shape[0] - 1, 2 * ink.shape[1] - 1), dtype=np.bool_)
    spread[::2, ::2] = ink
    grown = ndimage.binary_dilation(spread, np.ones((2 * _GAP + 1,) * 2, dtype=np.bool_))
    labels = ndimage.label(grown)[0][::2, ::2] * ink
    return [labels == number for number in np.unique(labels[ink])]


def recognise_cells(pixels: Pixels, mask: Mask, ground: Pixels) -> Recognition | None:
    """What the recogniser takes the cells of a mask for, by themselves on their ground; None if they are too few."""
    box = box_of(mask)
    cropped = np.where(mask[box][..., None], pixels[box], ground).astype(np.uint8)
    side = max(cropped.shape[:2])
    if side < _SMALLEST:
        return None
    margin = max(1, side // 8)
    page = np.broadcast_to(ground, (side + 2 * margin, side + 2 * margin, 3)).astype(np.uint8)
    top, left = ((len(page) - length) // 2 for length in cropped.shape[:2])
    page[top : top + cropped.shape[0], left : left + cropped.shape[1]] = cropped
    return _recognise(page.tobytes(), len(page))


@lru_cache(maxsize=2048)
def _recognise(pixels: bytes, side: int) -> Recognition:
    """Cached: floors and references show the same figures for many subjects."""
    return recognise(np.frombuffer(pixels, dtype=np.uint8).reshape(side, side, 3))
