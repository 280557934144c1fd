"""Figures that point somewhere."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.benches.pixelart.subjects._drawing import Drawing, Mask, Rng, compact, pick
from pixelproof.benches.pixelart.subjects._kind import ExactKind, Params
from pixelproof.benches.pixelart.subjects._look import Look, pieces
from pixelproof.benches.pixelart.subjects._paint import DIRECTIONS, contrasting, place, turned, whole


class _Pointing(ExactKind):
    """Figures in one colour that point somewhere."""

    family = "shapes"

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"to": pick(rng, DIRECTIONS)}

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        found = pieces(look.figure)
        if len(found) != 1 or max(found[0].mask.shape) < 5:
            return ()
        ways = [way for turn, way in enumerate(DIRECTIONS) if self._points_right(np.rot90(found[0].mask, -turn))]
        return bool(ways), p["to"] in ways

    @abstractmethod
    def _points_right(self, mask: Mask) -> bool:
        """Whether the figure is of this kind and points to the right."""


def _profile(mask: Mask) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """For every column, from its first cell to its last: how long, and where the middle is."""
    first = mask.argmax(axis=0)
    last = mask.shape[0] - 1 - mask[::-1].argmax(axis=0)
    return last - first + 1, (first + last) / 2


class Arrow(_Pointing):
    """An arrow with a shaft and a head."""

    id, grade = "arrow", 2
    conditions = ("an arrow", "its direction")

    def text(self, p: Params) -> str:
        side = f"straight {p['to']}" if p["to"] in ("up", "down") else f"to the {p['to']}"
        return (
            f"A single arrow with a straight shaft and a pointed head, in one colour on a plain ground, pointing {side}"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        shaft = whole(rng, 1, size // 8)
        reach = whole(rng, shaft // 2 + 2, size // 2 - 2 - shaft // 2)
        height = 2 * reach + shaft
        length = whole(rng, min(size - 1, max(reach * 3 // 2 + 3, size // 3)), size - 1)
        rows, columns = np.indices((height, length))
        distance = np.maximum(np.abs(2 * rows - (height - 1)) - (shaft - 1), 0) // 2  # from the shaft, in cells
        tip = length - 1 - columns
        on_shaft = (distance == 0) & (tip >= 0)
        head = (distance <= tip) & (tip <= reach) if whole(rng, 0, 1) else (distance <= tip) & (tip <= distance + shaft)
        mask = on_shaft | (head & (tip <= reach))
        return compact(contrasting(rng), place(rng, size, turned(mask, p["to"])))

    def _points_right(self, mask: Mask) -> bool:
        extent, middle = _profile(mask)
        head = int(extent.argmax())
        shaft, tip = extent[:head], extent[head:]
        return bool(
            len(shaft) >= max(2, len(extent) // 8)
            and np.ptp(shaft) <= 1
            and extent[head] >= shaft.max() + 2
            and len(np.unique(tip)) >= 3  # a plus sign falls off at once
            and (np.diff(tip) <= 0).all()
            and -np.diff(tip).min() <= 0.7 * (tip[0] - tip[-1])
            and tip[-1] <= max(2, shaft.max())
            and np.ptp(middle) <= 1
        )


class Triangle(_Pointing):
    """A filled triangle."""

    id, grade = "triangle", 1
    conditions = ("a filled triangle", "its direction")

    def text(self, p: Params) -> str:
        side = f"straight {p['to']}" if p["to"] in ("up", "down") else f"to the {p['to']}"
        return f"One filled triangle with two equal sides, in one colour on a plain ground, whose tip points {side}"

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        height = whole(rng, size // 3, size - 2)
        length = whole(rng, max(size // 3, height // 2), min(size - 2, 2 * height))
        steps = (height - 1) // 2
        extent = height - 2 * np.round(steps * np.arange(length) / (length - 1)).astype(np.int64)
        rows = np.arange(height)[:, None]
        mask = np.abs(2 * rows - (height - 1)) <= extent - 1
        return compact(contrasting(rng), place(rng, size, turned(mask, p["to"])))

    def _points_right(self, mask: Mask) -> bool:
        extent, middle = _profile(mask)
        length = len(extent)
        if length < 3 or extent[0] < 4 or extent[0] != extent.max():
            return False
        straight = 1 + (extent[0] - 1) * (length - 1 - np.arange(length)) / (length - 1)
        solid = bool((mask.sum(axis=0) == extent).all())
        slack = 1.5 + extent[0] / length  # a slope is a staircase here: half a step of two rows, and a column
        sloped = bool((np.diff(extent) <= 0).all() and np.abs(extent - straight).max() <= slack)
        return solid and sloped and bool(extent[-1] <= 3 and np.ptp(middle) <= 1)
