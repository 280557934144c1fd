"""Bars of given or sorted heights."""

from __future__ import annotations

from typing import Any

import numpy as np

from pixelproof.benches.pixelart.subjects._drawing import Drawing, Rng, compact, pick, several
from pixelproof.benches.pixelart.subjects._kind import ExactKind, Params
from pixelproof.benches.pixelart.subjects._look import Look, equal, runs
from pixelproof.benches.pixelart.subjects._paint import contrasting, whole
from pixelproof.benches.pixelart.subjects.exact._lines import solid_columns
from pixelproof.benches.pixelart.subjects.exact._wording import listed


def _paint_bars(rng: Rng, heights: list[int], size: int) -> Drawing:
    count = len(heights)
    width = whole(rng, 1, (size - count + 1) // count)
    gap = whole(rng, 1, (size - count * width) // (count - 1))
    columns = np.zeros(size, dtype=np.int64)
    left = whole(rng, 0, size - count * width - (count - 1) * gap)
    for number, height in enumerate(heights):
        start = left + number * (width + gap)
        columns[start : start + width] = height
    bars = np.arange(size)[:, None] >= size - columns
    return compact(contrasting(rng), bars.astype(np.int64))


def _read_bars(look: Look) -> list[tuple[int, int]]:
    """Height and width of the bars of a chart that stands on the bottom edge; none where it is not one."""
    steps = runs(solid_columns(look.figure))
    apart = all(not (one and other) for (one, _), (other, _) in zip(steps, steps[1:], strict=False))
    bars = [step for step in steps if step[0]]
    stripes = all(height == look.cells.shape[0] for height, _ in bars)
    return bars if apart and len(bars) >= 2 and not stripes else []


def _ranks(heights: list[int]) -> list[int]:
    """How many of the heights are smaller than each."""
    return [sum(other < height for other in heights) for height in heights]


class BarChart(ExactKind):
    """Bars of given heights."""

    id, family, grade, colours = "bar-chart", "charts", 2, 2
    conditions = ("separate bars on the bottom edge", "the right number", "equal widths", "order of heights", "heights")

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"heights": [whole(rng, 1, 12) for _ in range(whole(rng, 3, 6))]}

    def rule(self, p: Params) -> str:
        return (
            f"A bar chart in one colour on a plain ground: {len(p['heights'])} solid upright bars, all of exactly the "
            "same width, with gaps of at least one cell between them, that stand on the bottom edge of the picture. "
            f"From left to right they are exactly {listed(p['heights'])} cells high"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        return _paint_bars(rng, p["heights"], size)

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        bars = _read_bars(look)
        seen = [height for height, _ in bars]
        count = len(bars) == len(p["heights"])
        ranks = count and _ranks(seen) == _ranks(p["heights"])
        return bool(bars), count, equal([width for _, width in bars]), ranks, seen == p["heights"]


class SortedBars(ExactKind):
    """Bars in order of their heights."""

    id, family, grade, colours = "sorted-bars", "charts", 2, 2
    conditions = ("separate bars on the bottom edge", "the right number", "equal widths", "sorted")

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"bars": whole(rng, 4, 7), "tallest": pick(rng, ("left", "right"))}

    def rule(self, p: Params) -> str:
        return (
            f"{p['bars']} solid upright bars in one colour on a plain ground, all of exactly the same width and all of "
            "different heights, with gaps of at least one cell between them, that stand on the bottom edge of the "
            f"picture. They are sorted by height, with the tallest at the {p['tallest']}"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        heights = sorted(several(rng, range(1, size), p["bars"]), reverse=p["tallest"] == "left")
        return _paint_bars(rng, heights, size)

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        bars = _read_bars(look)
        seen = [height for height, _ in bars]
        wanted = sorted(set(seen), reverse=p["tallest"] == "left")
        return bool(bars), len(bars) == p["bars"], equal([width for _, width in bars]), seen == wanted
