"""Analysis of drawings for checkers: regions, layouts and colours, independent of palette order."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from pixelproof import metrics
from pixelproof.benches.pixelart.subjects._drawing import Grid, Mask, is_called
from pixelproof.pixels import oklab, srgb_to_linear

_SAME = 0.02  # in OKLab: colours that look the same on a screen
_SAME_CIELAB = 2.3  # the same in CIELAB: OKLab exaggerates differences between near-blacks
_WHITE = (0.95047, 1.0, 1.08883)  # D65
_RGB_TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
_CORNERS = np.ones((3, 3), dtype=np.bool_)


class Look:
    """A drawing with indistinguishable colours merged, numbered in reading order."""

    def __init__(self, grid: Grid, rgb: npt.ArrayLike) -> None:
        used, first, indices = np.unique(grid, return_index=True, return_inverse=True)
        order = np.argsort(first)
        shades = np.asarray(rgb)[used[order]]
        alike = (_distances(oklab(shades)) < _SAME) | (_distances(cielab(shades)) < _SAME_CIELAB)
        label = alike.argmax(axis=1)  # of the first colour that looks the same
        seen, number = np.unique(label, return_inverse=True)
        places = np.empty(len(order), dtype=np.int64)
        places[order] = number.ravel()
        self.cells: Grid = places[indices].reshape(grid.shape)
        self.rgb = shades[seen]

    @property
    def size(self) -> int:
        """The longer side, in cells."""
        return int(max(self.cells.shape))

    @property
    def colours(self) -> int:
        """Number of distinguishable colours."""
        return len(self.rgb)

    @cached_property
    def ground(self) -> int:
        """Background: the most frequent colour of the border."""
        return metrics.background(self.cells)

    def swapped(self) -> Look:
        """The drawing with its two colours exchanged as background: a figure may cover most of the border."""
        other = copy(self)
        other.__dict__ = {"cells": self.cells, "rgb": self.rgb, "ground": 1 - self.ground}
        return other

    def on(self, name: str) -> Look | None:
        """The drawing on the ground of a colour name: the most frequent colour called so; None without one."""
        called = [colour for colour in range(self.colours) if self.called(colour, name)]
        if not called:
            return None
        other = copy(self)
        ground = max(called, key=lambda colour: int((self.cells == colour).sum()))
        other.__dict__ = {"cells": self.cells, "rgb": self.rgb, "ground": ground}
        return other

    @cached_property
    def ink(self) -> Mask:
        """Mask of everything but the background."""
        return np.asarray(self.cells != self.ground)

    @cached_property
    def figure(self) -> Mask:
        """Foreground of a drawing in one colour on a plain background; empty if it has other colours."""
        return self.ink if self.colours == 2 else np.zeros_like(self.ink)

    def called(self, colour: int, name: str) -> bool:
        """Whether a colour of the drawing has a colour name."""
        return is_called(self.rgb[colour], name)

    def named(self, name: str) -> Mask:
        """Mask of the cells with a colour name."""
        return np.isin(self.cells, [colour for colour in range(self.colours) if self.called(colour, name)])


def looks_of(grid: npt.ArrayLike, rgb: npt.ArrayLike) -> tuple[Look, ...]:
    """A drawing; if it has two colours, also with these exchanged as background.

    The last ones are kept, because floors are checked against many subjects.
    """
    cells, shades = np.ascontiguousarray(grid, dtype=np.int64), np.ascontiguousarray(rgb)
    return _looks_of(cells.tobytes(), cells.shape, shades.tobytes(), shades.shape, shades.dtype.str)


@lru_cache(maxsize=64)
def _looks_of(
    cells: bytes, shape: tuple[int, ...], rgb: bytes, rgb_shape: tuple[int, ...], kind: str
) -> tuple[Look, ...]:
    look = Look(np.frombuffer(cells, dtype=np.int64).reshape(shape), np.frombuffer(rgb, dtype=kind).reshape(rgb_shape))
    look.cells.flags.writeable = look.rgb.flags.writeable = False
    return (look, look.swapped()) if look.colours == 2 else (look,)


def cielab(rgb: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """CIELAB of sRGB colours from 0 to 255, shape (..., 3): lightness L* from 0 to 100, then a* and b*.

    >>> cielab([[255, 0, 0], [127, 127, 127]])[:, 0].round(1).tolist()
    [53.2, 53.2]
    """
    xyz = srgb_to_linear(np.asarray(rgb, dtype=np.float64) / 255) @ _RGB_TO_XYZ.T / _WHITE
    x, y, z = np.moveaxis(np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz * (29 / 6) ** 2 / 3 + 4 / 29), -1, 0)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def _distances(colours: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Distances between all pairs of colours."""
    return np.asarray(np.linalg.norm(colours[:, None] - colours[None], axis=2))


@dataclass(frozen=True)
class Layout:
    """A grid with runs of equal rows and columns collapsed; their lengths are kept."""

    cells: Grid
    heights: tuple[int, ...]
    widths: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of distinct rows and columns."""
        return len(self.heights), len(self.widths)

    def shows(self, pattern: npt.ArrayLike) -> bool:
        """Whether it equals a pattern."""
        return np.array_equal(self.cells, pattern)


def collapse(cells: npt.NDArray[np.int64] | Mask) -> Layout:
    """The layout of a grid; equal for drawings that differ only in scale or proportion.

    >>> collapse(np.array([[0, 0, 0], [0, 1, 1], [0, 1, 1]]))
    Layout(cells=array([[0, 0],
           [0, 1]]), heights=(1, 2), widths=(1, 2))
    """
    if not cells.size:
        return Layout(np.zeros((0, 0), dtype=np.int64), (), ())
    rows = np.flatnonzero([True, *(cells[1:] != cells[:-1]).any(axis=1)])
    columns = np.flatnonzero([True, *(cells[:, 1:] != cells[:, :-1]).any(axis=0)])
    heights = np.diff([*rows, cells.shape[0]]).tolist()
    widths = np.diff([*columns, cells.shape[1]]).tolist()
    return Layout(cells[np.ix_(rows, columns)].astype(np.int64), tuple(heights), tuple(widths))


def cropped(mask: Mask) -> Mask:
    """A mask cropped to its bounding box."""
    return mask[box_of(mask)]


def box_of(mask: Mask) -> tuple[slice, slice]:
    """Bounding box of a mask as slices; empty slices for an empty mask."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not rows.size:
        return slice(0, 0), slice(0, 0)
    return slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1)


def inner(cells: Grid) -> Grid:
    """The grid without a plain margin on all sides, if there is one."""
    edge = cells[0, 0]
    border = np.concatenate([cells[0], cells[-1], cells[:, 0], cells[:, -1]])
    return cells[box_of(cells != edge)] if (border == edge).all() else cells


@dataclass(frozen=True, eq=False)
class Piece:
    """A connected component of a mask, in its bounding box."""

    mask: Mask
    top: int
    left: int

    @property
    def height(self) -> int:
        """Rows."""
        return int(self.mask.shape[0])

    @property
    def width(self) -> int:
        """Columns."""
        return int(self.mask.shape[1])

    @property
    def box(self) -> tuple[slice, slice]:
        """Its position in the image."""
        return slice(self.top, self.top + self.height), slice(self.left, self.left + self.width)

    @property
    def area(self) -> int:
        """Cells."""
        return int(self.mask.sum())

    @property
    def centre(self) -> tuple[float, float]:
        """Row and column of the centre of its box."""
        return self.top + (self.height - 1) / 2, self.left + (self.width - 1) / 2

    @property
    def is_square(self) -> bool:
        """Whether it is a filled square."""
        return self.height == self.width and bool(self.mask.all())

    @property
    def is_disc(self) -> bool:
        """Whether it is a disc by the definition of the texts."""
        return is_disc(self.mask)


def is_disc(mask: Mask) -> bool:
    """Whether a cropped mask is a disc by the definition of the texts.

    It is its own mirror image in all four axes. With d cells across it holds every cell that is no farther from its
    centre than the nearest cell of its leftmost column, as x² + y² ≤ r² does, and none farther away than d / 2.

    >>> is_disc(np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]]) == 1), is_disc(np.ones((4, 4), dtype=np.bool_))
    (True, False)
    """
    across = mask.shape[0]
    if mask.shape[1] != across or not np.array_equal(mask, mask.T) or not np.array_equal(mask, mask[::-1]):
        return False
    offset = 2 * np.arange(across) - (across - 1)  # twice the distance from the centre, a whole number
    squared = offset[:, None] ** 2 + offset**2
    nearest = (across - 1) ** 2 + (across % 2 == 0)
    return bool(mask[squared <= nearest].all() and not mask[squared > across**2].any())


def pieces(mask: Mask, corners: bool = True) -> list[Piece]:
    """Connected components of a mask in reading order; 4-connected, or 8-connected on request."""
    if not mask.any():
        return []
    labels, _ = ndimage.label(mask, structure=_CORNERS if corners else None)
    found = []
    for number, box in enumerate(ndimage.find_objects(labels), start=1):
        found.append(Piece(labels[box] == number, box[0].start, box[1].start))
    return found


def largest(mask: Mask, corners: bool = False) -> Piece | None:
    """The largest connected component of a mask."""
    return max(pieces(mask, corners), key=lambda piece: piece.area, default=None)


def filled(piece: Piece, shape: tuple[int, ...]) -> Mask:
    """A component with its holes filled, in the whole image."""
    whole = np.zeros(shape, dtype=np.bool_)
    whole[piece.box] = ndimage.binary_fill_holes(piece.mask)
    return whole


def equal(values: Sequence[float]) -> bool:
    """Whether all values are equal; none are."""
    return len(set(values)) <= 1


def shared_out(lengths: Sequence[int]) -> bool:
    """Whether parts share out their total as equally as whole cells allow.

    >>> shared_out([3, 3, 3]), shared_out([4, 3, 3]), shared_out([4, 3, 2])
    (True, True, False)
    """
    return not lengths or max(lengths) - min(lengths) <= (sum(lengths) % len(lengths) > 0)


def runs(values: Sequence[int]) -> list[tuple[int, int]]:
    """Run-length encoding: (value, length).

    >>> runs([0, 0, 3, 3, 3, 0])
    [(0, 2), (3, 3), (0, 1)]
    """
    found: list[tuple[int, int]] = []
    for value in values:
        if found and found[-1][0] == value:
            found[-1] = (value, found[-1][1] + 1)
        else:
            found.append((value, 1))
    return found
