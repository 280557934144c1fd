"""Reference figures: a thing drawn by itself, at a size and on a ground, such that the recogniser names it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from pixelproof.benches.pixelart.subjects._canvas import Canvas, Hand, Pose
from pixelproof.benches.pixelart.subjects._drawing import (
    SWATCHES,
    Grid,
    Rng,
    compact,
    is_called,
    pick,
    reduce_colours,
    rgb_of,
)
from pixelproof.benches.pixelart.subjects._look import box_of
from pixelproof.benches.pixelart.subjects.composed._scene import (
    recognise_cells,
    rim_of,
    separate,
    stands_out,
    unfit,
)
from pixelproof.benches.pixelart.subjects.things import THINGS
from pixelproof.pixels import oklab

_PLANS = {thing.id: thing.plan for thing in THINGS}
_INNER = "8a8a90"  # instead of colours of a figure that would pass for its outline
_CLEAR = "000000"  # colour of cells that are not of the figure, until it is put on a ground


@dataclass(frozen=True, eq=False)
class Sprite:
    """A figure in its box; cells of index 0 are not of it."""

    palette: tuple[str, ...]
    cells: Grid

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width."""
        return int(self.cells.shape[0]), int(self.cells.shape[1])

    def mirrored(self) -> Sprite:
        """Left and right exchanged."""
        return Sprite(self.palette, self.cells[:, ::-1])


Artist = Callable[[str, Hand, int], tuple[list[str], Grid]]
"""Draws a thing at a size: colours and cells, both 0 outside of it, cropped."""


def draw_plan(id: str, hand: Hand, side: int) -> tuple[list[str], Grid]:
    """A thing by our own drawers: on the largest canvas, of some, with which it is no larger than its side."""
    pose = Pose(flip=hand.maybe())
    for larger in (2, 1, 0):
        art = Canvas(side + larger, None, pose)
        _PLANS[id](art, hand if not larger else deepcopy(hand))
        palette, grid = art.painted()
        cells = grid[box_of(grid > 0)]
        if max(cells.shape) <= side:
            break
    return [_CLEAR, *palette[1:]], cells


@dataclass(frozen=True)
class Style:
    """How a figure is to be drawn."""

    ground: str
    """Hexadecimal colour."""
    colours: int
    """Most colours, the ground not counted."""
    tint: str | None = None
    """Colour name of more than half of its cells."""
    outline: str | None = None
    """Colour name of its rim."""
    artist: Artist = draw_plan
    tries: int = 12
    """Figures that are drawn until one is recognised."""


def draw_sprite(id: str, rng: Rng, side: int, style: Style) -> Sprite:
    """A figure of a thing, at most `side` cells high and wide: the first that is recognised, or the best of some."""
    drawn: list[tuple[float, Sprite]] = []
    for number in range(style.tries):
        sprite = _draw(id, rng, side - number % 2, style)  # at sides of one parity, thin lines fall between cells
        certainty = _certainty(sprite, id, style.ground)
        if certainty == 1.0:
            return sprite
        drawn.append((certainty, sprite))
    return max(drawn, key=lambda pair: pair[0])[1]


def _certainty(sprite: Sprite, id: str, ground: str) -> float:
    """1 if the recogniser names the thing; else its probability, and 0 if the figure falls apart or is no thing."""
    mask = sprite.cells > 0
    if len(separate(mask)) != 1:
        return 0.0
    shade = rgb_of([ground])[0]
    pixels = rgb_of([ground, *sprite.palette[1:]])[sprite.cells]
    if unfit(pixels, mask, shade):
        return 0.0
    seen = recognise_cells(pixels, mask, shade)
    return 1.0 if seen.best == id and not seen.abstains else min(0.99, seen.probability(id))


def _draw(id: str, rng: Rng, side: int, style: Style) -> Sprite:
    hand = Hand(rng)
    palette, grid = style.artist(id, hand, side)
    if style.tint:
        palette = _tinted(palette, grid, rng, style.tint)
    if style.outline:
        ink = pick(rng, SWATCHES[style.outline])
        inner = [_INNER if is_called(rgb_of([c])[0], style.outline) else c for c in palette[1:]]
        palette, grid = [_CLEAR, *inner, ink], np.where(rim_of(grid > 0), len(palette), grid)
    elif not _stands_out(palette, grid, style.ground):
        palette, grid = style.artist(id, hand, side - 2)
        if style.tint:
            palette = _tinted(palette, grid, rng, style.tint)
        grid = np.pad(grid, 1)
        line = "000000" if oklab(rgb_of([style.ground]))[0, 0] > 0.5 else "ffffff"
        rim = ndimage.binary_dilation(grid > 0) & (grid == 0)
        palette, grid = [*palette, line], np.where(rim, len(palette), grid)
    return _reduced(palette, grid, style.colours)


def _reduced(palette: Sequence[str], grid: Grid, colours: int) -> Sprite:
    """The figure with at most so many colours; the cells around it are no colour."""
    inside = grid > 0
    row = compact(list(palette[1:]), grid[inside][None] - 1)
    few = reduce_colours(row, colours)
    cells = np.zeros_like(grid)
    cells[inside] = np.array(few.grid)[0] + 1
    return Sprite((_CLEAR, *few.palette), cells)


def _stands_out(palette: Sequence[str], grid: Grid, ground: str) -> bool:
    return stands_out(rgb_of(palette)[grid], grid > 0, rgb_of([ground])[0]) > 0.9


def _tinted(palette: Sequence[str], grid: Grid, rng: Rng, tint: str) -> list[str]:
    """The palette with its most frequent colours replaced until three fifths of the cells have a colour name."""
    counts = np.bincount(grid[grid > 0], minlength=len(palette))
    tinted = list(palette)
    shades = list(SWATCHES[tint])
    for index in np.argsort(-counts)[: len(shades)]:
        called = [n for n, colour in enumerate(tinted) if n and is_called(rgb_of([colour])[0], tint)]
        if counts[called].sum() >= 0.6 * counts.sum():
            break
        tinted[index] = shades.pop(int(rng.integers(len(shades))))
    return tinted
