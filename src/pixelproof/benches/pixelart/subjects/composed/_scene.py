"""Segmentation of a drawing into things on a plain ground, each recognised by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from pixelproof.benches.pixelart.subjects._drawing import Mask
from pixelproof.benches.pixelart.subjects._look import Look, box_of, cielab
from pixelproof.nets import Recognition, recognise

Pixels = npt.NDArray[np.uint8]
_GAP = 2
"""Cells of ground that separate things; parts with fewer between them belong to one thing."""
SMALLEST = 9
"""Longer side of the box of the smallest thing, in cells: the recogniser takes smaller blobs for things too often."""
CONTRAST = 15
"""Distance in CIELAB from which a cell stands out from the ground; OKLab exaggerates that of near-blacks."""
_MARGINS = (0.125, 0.25, 0.4)
"""Margins around a thing, in parts of its longer side: small things are shown with each of them, others with the first.
In this way about half as many small random blobs get a name as with the first alone, and as many drawings by hand."""
_SMALL = 12
"""Longer side from which a thing is not small."""
_MOST = 12
"""Most things that are shown to the recogniser: no subject has as many, and a page of dots must not take minutes."""


@dataclass(frozen=True, eq=False)
class Figure:
    """A thing of a drawing: its cells, and what the recogniser takes it for."""

    mask: Mask
    """Its cells in the whole picture."""
    recognition: Recognition | None
    """None if it is too small or too faint to be recognised."""
    unfit: str = ""
    """Why it is not shown to the recogniser."""

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
        if self.unfit:
            return self.unfit
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
        colours = self.look.rgb.astype(np.uint8)
        pixels, ground = colours[self.look.cells], colours[self.ground]
        if len(masks) > _MOST:
            return [Figure(mask, None) for mask in masks]
        reasons = [unfit(pixels, mask, ground) for mask in masks]
        return [
            Figure(mask, None if reason else recognise_cells(pixels, mask, ground), reason)
            for mask, reason in zip(masks, reasons, strict=True)
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


def unfit(pixels: Pixels, mask: Mask, ground: Pixels) -> str:
    """Why the cells of a mask are no thing, whatever their shape; empty if they may be one."""
    rows, columns = box_of(mask)
    if max(rows.stop - rows.start, columns.stop - columns.start) < SMALLEST:
        return "too small"
    return "" if stands_out(pixels, mask, ground) > 0.5 else "too faint"


def stands_out(pixels: Pixels, mask: Mask, ground: Pixels) -> float:
    """Share of the cells at the edge of a thing that differ clearly from the ground around it.

    >>> square, black = np.ones((9, 9), dtype=bool), np.zeros((9, 9, 3), np.uint8)
    >>> [stands_out(black, square, np.full(3, level, np.uint8)) for level in (30, 60)]
    [0.0, 1.0]
    """
    distances = np.linalg.norm(cielab(pixels[rim_of(mask)]) - cielab(ground[None]), axis=-1)
    return float((distances >= CONTRAST).mean())


def rim_of(mask: Mask) -> Mask:
    """Cells beside, above or below a cell of the ground around a figure; what is outside the picture is ground."""
    padded = np.pad(mask, 1)
    border = np.ones_like(padded)
    border[1:-1, 1:-1] = False
    outside = ndimage.binary_propagation(border, mask=~padded)
    return np.asarray(ndimage.binary_dilation(outside)[1:-1, 1:-1] & mask)


def recognise_cells(pixels: Pixels, mask: Mask, ground: Pixels) -> Recognition:
    """What the recogniser takes the cells of a mask for, by themselves on their ground: its mean over the margins."""
    box = box_of(mask)
    cropped = np.where(mask[box][..., None], pixels[box], ground).astype(np.uint8)
    side = max(cropped.shape[:2])
    shown = []
    for part in _MARGINS if side < _SMALL else _MARGINS[:1]:
        length = side + 2 * max(1, int(side * part))
        page = np.broadcast_to(ground, (length, length, 3)).astype(np.uint8)
        top, left = ((length - extent) // 2 for extent in cropped.shape[:2])
        page[top : top + cropped.shape[0], left : left + cropped.shape[1]] = cropped
        shown.append(_recognise(page.tobytes(), length))
    probabilities = np.mean([one.probabilities for one in shown], axis=0).tolist()
    nothing = float(np.mean([one.nothing for one in shown]))
    return Recognition(shown[0].names, tuple(probabilities), nothing, shown[0].threshold)


@lru_cache(maxsize=2048)
def _recognise(pixels: bytes, side: int) -> Recognition:
    """Cached: floors and references show the same figures for many subjects."""
    return recognise(np.frombuffer(pixels, dtype=np.uint8).reshape(side, side, 3))
