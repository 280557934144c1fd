"""The edge rule: pixels that blur or compression blended at edges take a label of their neighbours; thin regions stay.

Across an edge the colours of two labels blend, and some blends look like a third label. The rule, in order:

1. A pixel is *flat* if all labels within 2 pixels are its own, or if no channel changes much from one side of it to the
   other: by a small number, or by a fifth of the range that a channel has within 3 pixels. Edges are steep; the middle
   of a thin line is not. A line of even width has two middles: so a pixel is flat as well if, along both axes, it is
   *level*: it hardly differs from the one before, or from the one after, or these two from each other.
2. A flat pixel is *firm* if at least 15 of the 25 pixels around it are flat and of its label, *thin* if at least 5 are.
3. A thin pixel is given up if no firm pixel of its label is near, and a blend of a firm label nearby with another firm
   label of the picture explains its colour at least as well as its own label does.
4. Every pixel that is not firm and not thin takes, of the labels that firm and thin pixels near it have, the one whose
   colour is nearest; if there is none, it keeps its own.

Near means within 6 pixels along both axes. Distances are in sRGB, for that is where blur and compression mix. All
arithmetic is in whole numbers, so that the compiled loops and numpy agree to the pixel.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ._compiled import kernels
from ._palette import VOID, Palette

Pixels = npt.NDArray[np.uint8]
Labels = npt.NDArray[np.uint8]
Places = npt.NDArray[np.intp]
"""Flat indices of pixels in a padded map."""
FIRM, THIN, NEAR, FRACTION, LEVEL = 15, 5, 6, 5, 8
_CHUNK = 1 << 14


def settle_edges(rgb: Pixels, labels: Labels, palette: Palette, steepest: int) -> tuple[Labels, int]:
    """Apply the edge rule; return the labels and the number of pixels whose label came from their neighbours.

    Args:
        rgb: The image.
        labels: Its nearest-colour labels.
        palette: Their colours.
        steepest: Change of a channel across a pixel, between opposite neighbours, that always counts as flat.
    """
    loops = kernels("pixelproof.pixels._edges_kernel")
    mixed = ~_alike(labels) if loops is None else loops.mixed_pixels(labels)
    if not mixed.any():
        return labels, 0
    if loops is not None:
        settled = np.empty_like(labels)
        colours = palette.array.astype(np.int64)
        count = loops.settle(np.ascontiguousarray(rgb), labels, mixed, colours, steepest, settled)
        return settled, int(count)
    return _Field(rgb, labels, palette).settle(mixed, steepest)


def _alike(labels: Labels) -> npt.NDArray[np.bool_]:
    """Mask of pixels whose neighbours within 2 pixels all have one label."""
    least = most = np.pad(labels, 2, mode="edge")
    for axis in (0, 1):
        parts = [slice(begin, begin + labels.shape[axis]) for begin in range(5)]
        windows = [(part, slice(None)) if axis == 0 else (slice(None), part) for part in parts]
        least = np.minimum.reduce([least[window] for window in windows])
        most = np.maximum.reduce([most[window] for window in windows])
    return np.asarray(least == most)


class _Field:
    """The rule in numpy, on maps padded by replicating their edges."""

    def __init__(self, rgb: Pixels, labels: Labels, palette: Palette) -> None:
        self.shape = labels.shape
        self.rgb = np.pad(rgb, ((NEAR, NEAR), (NEAR, NEAR), (0, 0)), mode="edge").reshape(-1, 3)
        self.width = labels.shape[1] + 2 * NEAR
        self.labels = np.pad(labels, NEAR, mode="edge").ravel()
        self.palette = palette.array.astype(np.int64)

    def settle(self, mixed: npt.NDArray[np.bool_], steepest: int) -> tuple[Labels, int]:
        rows, columns = np.nonzero(mixed)
        places = (rows + NEAR) * self.width + columns + NEAR
        steep = self._steep(places, steepest)
        flat = self._without(self.labels, places[steep])
        places, loose = places[~steep], places[steep]
        support = sum((flat[places + step] == flat[places]).astype(np.int8) for step in self._steps(2))
        thin = places[(support >= THIN) & (support < FIRM)]
        loose = np.concatenate([loose, places[support < THIN]])
        firm = self._without(flat, places[support < FIRM])
        given_up = self._explained(thin, firm)
        loose = np.concatenate([loose, thin[given_up]])
        kept = self._without(self.labels, loose)
        settled = self.labels.copy()
        for part in _parts(loose):
            settled[part] = self._chosen(part, kept)
        return np.ascontiguousarray(self._inner(settled)), len(loose)

    def _steps(self, reach: int) -> list[int]:
        return [dy * self.width + dx for dy in range(-reach, reach + 1) for dx in range(-reach, reach + 1)]

    def _inner(self, values: Labels) -> Labels:
        return values.reshape(-1, self.width)[NEAR:-NEAR, NEAR:-NEAR]

    def _without(self, values: Labels, places: Places) -> Labels:
        """A copy in which these pixels have no label, padded again."""
        values = values.copy()
        values[places] = VOID
        return np.pad(self._inner(values), NEAR, mode="edge").ravel()

    def _steep(self, places: Places, steepest: int) -> npt.NDArray[np.bool_]:
        change = np.zeros(len(places), dtype=np.int16)
        for step in (1, self.width):
            sides = self.rgb[places + step].astype(np.int16) - self.rgb[places - step]
            np.maximum(change, np.abs(sides).max(axis=1), out=change)
        steep = change > steepest
        places = places[steep]
        least = most = self.rgb[places]
        for step in self._steps(3):
            seen = self.rgb[places + step]
            least, most = np.minimum(least, seen), np.maximum(most, seen)
        steep[steep] = (FRACTION * change[steep] > (most - least).max(axis=1)) & ~self._level(places)
        return steep

    def _level(self, places: Places) -> npt.NDArray[np.bool_]:
        level = np.ones(len(places), dtype=bool)
        here = self.rgb[places].astype(np.int16)
        for step in (1, self.width):
            before, after = (self.rgb[places + side].astype(np.int16) for side in (-step, step))
            apart = [np.abs(one - other).max(axis=1) for one, other in ((here, before), (here, after), (before, after))]
            level &= np.minimum.reduce(apart) <= LEVEL
        return level

    def _near(self, places: Places, values: Labels) -> npt.NDArray[np.bool_]:
        """Labels present near each place, shape (places, labels)."""
        found = np.zeros((len(places), 256), dtype=bool)
        every = np.arange(len(places))
        for step in self._steps(NEAR):
            found[every, values[places + step]] = True
        return found[:, : len(self.palette)]

    def _explained(self, thin: Places, firm: Labels) -> npt.NDArray[np.bool_]:
        explained = np.zeros(len(thin), dtype=bool)
        somewhere = np.flatnonzero(np.bincount(self._inner(firm).ravel(), minlength=256)[:VOID])
        for begin in range(0, len(thin), _CHUNK):
            places = thin[begin : begin + _CHUNK]
            own, seen, near = self.labels[places], self.rgb[places].astype(np.int64), self._near(places, firm)
            alone = ~near[np.arange(len(places)), own]
            distance = ((seen - self.palette[own]) ** 2).sum(axis=1)
            blended = np.zeros(len(places), dtype=bool)
            for one in np.flatnonzero(near.any(axis=0)):
                rest = np.flatnonzero(near[:, one] & alone & ~blended)
                from_one = seen[rest] - self.palette[one]
                square = (from_one**2).sum(axis=1)
                for other in somewhere:
                    if other != one:
                        line = self.palette[other] - self.palette[one]
                        length, along = int(line @ line), from_one @ line
                        between = (along > 0) & (along < length) & (other != own[rest])
                        blended[rest] |= between & (square * length - along**2 <= distance[rest] * length)
            explained[begin : begin + _CHUNK] = blended
        return explained

    def _chosen(self, places: Places, kept: Labels) -> Labels:
        near = self._near(places, kept)
        apart = ((self.rgb[places].astype(np.int32)[:, None] - self.palette.astype(np.int32)) ** 2).sum(axis=2)
        best = np.where(near, apart, 1 << 30).argmin(axis=1)
        return np.where(near.any(axis=1), best, self.labels[places]).astype(np.uint8)


def _parts(places: Places) -> Iterator[Places]:
    return (places[begin : begin + _CHUNK // 8] for begin in range(0, len(places), _CHUNK // 8))
