"""The edge rule in numpy, for where numba is not installed; `_edges` describes it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ._palette import Labels

Pixels = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]
"""Flat indices of pixels in a padded map."""
FIRM, THIN, NEAR, FRACTION, LEVEL, EXACT, ALIKE = 15, 5, 6, 5, 8, 4, 24
SPOT, REACH, BEND_SQUARED_PERCENT = 5, 3, 9
_CHUNK = 1 << 20
"""Cells of a table at a time."""


def mixed_pixels(labels: Labels) -> Mask:
    """Mask of pixels with different labels within 2 pixels."""
    least = most = np.pad(labels, 2, mode="edge")
    for axis in (0, 1):
        parts = [slice(begin, begin + labels.shape[axis]) for begin in range(5)]
        windows = [(part, slice(None)) if axis == 0 else (slice(None), part) for part in parts]
        least = np.minimum.reduce([least[window] for window in windows])
        most = np.maximum.reduce([most[window] for window in windows])
    return np.asarray(least != most)


class Field:
    """An image and its labels, padded by replicating their edges. Labels are numbered by those in use."""

    def __init__(self, rgb: Pixels, labels: Labels, palette: Pixels, limits: npt.NDArray[np.int64]) -> None:
        used, numbers = np.unique(labels, return_inverse=True)
        self.used, self.void = used, len(used)
        self.rgb = np.pad(rgb, ((NEAR, NEAR), (NEAR, NEAR), (0, 0)), mode="edge").reshape(-1, 3).astype(np.int64)
        self.width = labels.shape[1] + 2 * NEAR
        self.labels = np.pad(numbers.reshape(labels.shape).astype(np.int32), NEAR, mode="edge").ravel()
        inside = np.pad(np.ones(labels.shape, dtype=bool), NEAR).ravel()
        self.palette, self.limits = palette[used].astype(np.int64), limits[used]
        self.apart = ((self.rgb - self.palette[self.labels]) ** 2).sum(axis=1)
        self.inside = inside

    def settle(self, mixed: Mask, steepest: int) -> tuple[Labels, int]:
        """Labels by the edge rule, and the number of pixels whose label came from their neighbours."""
        rows, columns = np.nonzero(mixed)
        places = (rows + NEAR) * self.width + columns + NEAR
        flat = self._without(self.labels, places[self._steep(places, steepest)])
        places = places[flat[places] != self.void]
        alike = ((flat[places + step] == flat[places]) & self.inside[places + step] for step in self._steps(2))
        support = np.sum([part.astype(np.int8) for part in alike], axis=0)
        firm = self._without(flat, places[support < FIRM])
        first = self._without(flat, places[support < THIN])
        thin = places[(support >= THIN) & (support < FIRM)]
        thin = thin[~self._has_near(thin, firm)]
        kept = self._without(first, thin[self._explained(thin, firm, flat)])
        loose = np.flatnonzero((kept == self.void) & self.inside)
        orphans = loose[~self._has_near(loose, kept)]
        painted = self._painted(orphans, firm, first)
        kept[orphans[painted]] = self.labels[orphans[painted]]
        kept = np.pad(self._inner(kept), NEAR, mode="edge").ravel()
        orphans = orphans[~painted]
        orphans = orphans[~self._has_near(orphans, kept)]
        settled = self.labels.copy()
        for part in self._parts(orphans):
            settled[part] = self._nearest_kept(part, kept)
        return self.used[self._inner(settled)], int((settled != self.labels)[self.inside].sum())

    def _steps(self, reach: int) -> list[int]:
        return [dy * self.width + dx for dy in range(-reach, reach + 1) for dx in range(-reach, reach + 1)]

    def _inner(self, values: Numbers) -> Numbers:
        return values.reshape(-1, self.width)[NEAR:-NEAR, NEAR:-NEAR]

    def _without(self, values: Numbers, places: Places) -> Numbers:
        """A copy in which these pixels have no label, padded again."""
        values = values.copy()
        values[places] = self.void
        return np.pad(self._inner(values), NEAR, mode="edge").ravel()

    def _parts(self, places: Places) -> Iterator[Places]:
        """Some places at a time, so that tables of places and labels stay small."""
        size = max(1, _CHUNK // (self.void + 1))
        return (places[begin : begin + size] for begin in range(0, len(places), size))

    def _steep(self, places: Places, steepest: int) -> Mask:
        change = np.zeros(len(places), dtype=np.int64)
        for step in (1, self.width):
            sides = self.rgb[places + step] - self.rgb[places - step]
            np.maximum(change, np.abs(sides).max(axis=1), out=change)
        steep = change > steepest
        places = places[steep]
        least = most = self.rgb[places]
        for step in self._steps(3):
            colours = self.rgb[places + step]
            least, most = np.minimum(least, colours), np.maximum(most, colours)
        steep[steep] = (FRACTION * change[steep] > (most - least).max(axis=1)) & ~self._level(places)
        return steep

    def _level(self, places: Places) -> Mask:
        level = np.ones(len(places), dtype=bool)
        here = self.rgb[places]
        for step in (1, self.width):
            before, after = self.rgb[places - step], self.rgb[places + step]
            apart = [np.abs(one - other).max(axis=1) for one, other in ((here, before), (here, after), (before, after))]
            level &= np.minimum.reduce(apart) <= LEVEL
        return level

    def _has_near(self, places: Places, values: Numbers) -> Mask:
        """Whether the label of each place occurs near it."""
        found, own = np.zeros(len(places), dtype=bool), self.labels[places]
        for step in self._steps(NEAR):
            found |= values[places + step] == own
        return found

    def _near(self, places: Places, values: Numbers) -> Mask:
        """Labels present near each place, shape (places, labels)."""
        found = np.zeros((len(places), self.void + 1), dtype=bool)
        every = np.arange(len(places))
        for step in self._steps(NEAR):
            found[every, values[places + step]] = True
        return found[:, :-1]

    def _explained(self, places: Places, firm: Numbers, other: Numbers) -> Mask:
        """Whether a firm label near, or a blend of it with one of another map, explains each colour."""
        explained = [self._explained_part(part, firm, other) for part in self._parts(places)]
        return np.concatenate([np.zeros(0, dtype=bool), *explained])

    def _explained_part(self, places: Places, firm: Numbers, other: Numbers) -> Mask:
        every, own = np.arange(len(places)), self.labels[places]
        ones, others = self._near(places, firm), self._near(places, other)
        ones[every, own] = others[every, own] = False
        square = np.maximum(self.apart[places], ALIKE**2)
        blended = np.zeros(len(places), dtype=bool)
        for one in np.flatnonzero(ones.any(axis=0)):
            for end in np.flatnonzero(others[ones[:, one]].any(axis=0)):
                rest = np.flatnonzero(ones[:, one] & others[:, end] & ~blended)
                colours = self.rgb[places[rest]]
                blended[rest] = _beside(colours, self.palette[one], self.palette[end], square[rest])
        return blended

    def _painted(self, places: Places, firm: Numbers, first: Numbers) -> Mask:
        painted = self._clean(places) | self._solid(places)
        rest = np.flatnonzero(~painted)
        rest = rest[self._stands_out(places[rest])]
        painted[rest] = ~self._explained(places[rest], firm, first)
        return painted

    def _clean(self, places: Places) -> Mask:
        clean = np.ones(len(places), dtype=bool)
        for step in self._steps(NEAR):
            clean &= self.apart[places + step] <= EXACT**2
        return clean

    def _solid(self, places: Places) -> Mask:
        close = (16 * self.apart <= self.limits[self.labels]) & self.inside
        own, solid = self.labels[places], np.zeros(len(places), dtype=bool)
        for centre in self._steps(1):
            block = np.ones(len(places), dtype=bool)
            for step in self._steps(1):
                there = places + centre + step
                block &= close[there] & (self.labels[there] == own)
            solid |= block
        return solid

    def _stands_out(self, places: Places) -> Mask:
        alike = sum(
            ((self.labels[places + s] == self.labels[places]) & self.inside[places + s]) for s in self._steps(1)
        )
        square, out = np.maximum(self.apart[places], ALIKE**2), np.zeros(len(places), dtype=bool)
        for reach in range(1, REACH + 1):
            beside = np.zeros(len(places), dtype=bool)
            for line in (1, self.width, self.width + 1, self.width - 1):
                one, other = self.rgb[places - reach * line], self.rgb[places + reach * line]
                bend = ((one - other) ** 2).sum(axis=1) * BEND_SQUARED_PERCENT // 100
                beside |= _beside(self.rgb[places], one, other, np.maximum(square, bend))
            out |= ~beside
        return np.asarray(out & (alike >= SPOT))

    def _nearest_kept(self, places: Places, kept: Numbers) -> Numbers:
        near = self._near(places, kept)
        apart = ((self.rgb[places][:, None] - self.palette) ** 2).sum(axis=2)
        best = np.where(near, apart, 1 << 30).argmin(axis=1)
        return np.where(near.any(axis=1), best, self.labels[places]).astype(np.int32)


def _beside(
    colours: npt.NDArray[np.int64],
    one: npt.NDArray[np.int64],
    other: npt.NDArray[np.int64],
    square: npt.NDArray[np.int64],
) -> Mask:
    """Whether colours are as near to the straight line between two others as the root of `square`, ends included."""
    line, offset = other - one, colours - one
    length, along, away = (line * line).sum(axis=-1), (offset * line).sum(axis=-1), (offset * offset).sum(axis=-1)
    before, beyond = along <= 0, along >= length
    between = away * length - along * along <= square * length
    return np.asarray(np.where(before, away <= square, np.where(beyond, away - 2 * along + length <= square, between)))
