"""Lines (corner to corner, stairs, ladders, spirals), and bars of given or sorted heights."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np

from pixelproof.benches.pixelart.subjects._drawing import Drawing, Mask, Rng, compact, pick, several
from pixelproof.benches.pixelart.subjects._kind import ExactKind, Params
from pixelproof.benches.pixelart.subjects._look import Look, collapse, cropped, equal, pieces, runs
from pixelproof.benches.pixelart.subjects._paint import contrasting, place, stretched, whole
from pixelproof.benches.pixelart.subjects.exact._wording import listed

Cell = tuple[int, int]


class DiagonalLine(ExactKind):
    """A line between opposite corners."""

    id, family, grade, colours = "diagonal-line", "lines", 1, 2
    conditions = ("a slanting line", "the right corners", "from corner to corner", "unbroken", "even thickness")

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"from": pick(rng, ("left", "right"))}

    def rule(self, p: Params) -> str:
        to = "right" if p["from"] == "left" else "left"
        return (
            "One straight diagonal line in one colour on a plain ground, from the corner at the top "
            f"{p['from']} to the corner at the bottom {to}. It holds every cell on the diagonal between these corners; "
            "if it is thicker, it holds equally many further cells to the left of the diagonal in every row, and "
            "equally many to the right of it in every row, at most 2 on each side, cut off only by the edges of the "
            "picture"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        rows, columns = np.indices((size, size))
        above, below = whole(rng, 0, 1), whole(rng, 0, 1)
        line = (columns - rows <= above) & (rows - columns <= below)
        return compact(contrasting(rng), (line if p["from"] == "left" else line[:, ::-1]).astype(np.int64))

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        rows, columns = np.nonzero(look.figure)
        width = look.cells.shape[1]
        if len(rows) < look.size // 2:
            return ()
        falling, rising = (bool((np.abs(rows - side) <= 2).all()) for side in (columns, width - 1 - columns))
        line = look.figure if p["from"] == "left" else look.figure[:, ::-1]
        return (
            falling or rising,
            falling if p["from"] == "left" else rising,
            bool(line[0, 0] and line[-1, -1]),
            len(pieces(look.figure)) == 1,
            _is_band(line),
        )


def _is_band(line: Mask) -> bool:
    """Whether a line holds the falling diagonal and whole diagonals beside it."""
    offsets = np.arange(line.shape[1]) - np.arange(line.shape[0])[:, None]
    inside = offsets[line]
    band = (offsets >= inside.min(initial=0)) & (offsets <= inside.max(initial=0))
    return np.array_equal(line, band)


class Staircase(ExactKind):
    """Solid steps."""

    id, family, grade, colours = "staircase", "lines", 2, 2
    conditions = ("solid steps", "the right number", "equal steps", "the way up")

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"steps": whole(rng, 3, 6), "up": pick(rng, ("left", "right"))}

    def rule(self, p: Params) -> str:
        low = "right" if p["up"] == "left" else "left"
        return (
            "A solid staircase seen from the side, in one colour on a plain ground, that stands on the bottom edge of "
            f"the picture and rises from the {low} to the {p['up']} in {p['steps']} steps. All steps are exactly "
            "equally wide, and each rises by exactly the same height, the first one from the bottom edge"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        tread, rise = (whole(rng, max(2, size // 10), size // p["steps"]) for _ in range(2))
        left = whole(rng, 0, size - p["steps"] * tread)
        heights = np.zeros(size, dtype=np.int64)
        heights[left : left + p["steps"] * tread] = rise * (1 + np.arange(p["steps"])).repeat(tread)
        stairs = np.arange(size)[:, None] >= size - heights
        return compact(contrasting(rng), (stairs if p["up"] == "right" else stairs[:, ::-1]).astype(np.int64))

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        steps = runs(list(np.trim_zeros(solid_columns(look.figure))))
        climb = [height for height, _ in steps]
        rising, falling = climb == sorted(climb), climb == sorted(climb, reverse=True)
        rises = np.diff([0, *(climb if rising else climb[::-1])]).tolist()
        same_size = equal(rises) and equal([length for _, length in steps])
        solid = len(steps) >= min(3, p["steps"]) and (rising or falling) and 0 not in climb
        return solid, len(steps) == p["steps"], same_size, rising == (p["up"] == "right")


def solid_columns(ink: Mask) -> list[int]:
    """The height of the ink in every column, where all of it stands on the bottom edge without gaps; or nothing."""
    heights = ink.sum(axis=0)
    standing = np.arange(ink.shape[0])[:, None] >= ink.shape[0] - heights
    return [int(height) for height in heights] if np.array_equal(standing, ink) and heights.any() else []


class Ladder(ExactKind):
    """Two rails and some rungs."""

    id, family, grade, colours = "ladder", "lines", 2, 2
    conditions = ("two rails with rungs", "the right number of rungs", "evenly spaced", "equally thick")

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"rungs": whole(rng, 3, 6)}

    def rule(self, p: Params) -> str:
        return (
            "An upright ladder in one colour on a plain ground: two straight upright rails, apart, equally thick and "
            f"in the same rows, and {p['rungs']} straight level rungs from rail to rail, equally thick, with exactly "
            "the same gap of at least one cell between neighbouring rungs. Above the highest rung and below the lowest "
            "the rails may go on, as far as you like"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        rungs, thick = p["rungs"], 1 + (size >= 32 and whole(rng, 0, 1))
        gap = whole(rng, 1, (size - 1 - rungs * thick) // (rungs + 1))
        rail = whole(rng, 1, 2)
        width = whole(rng, 3, size // 2 - 2 * rail + 2)
        rows = [[1, 0, 1], [1, 1, 1]] * rungs + [[1, 0, 1]]
        figure = stretched(rows, [gap, thick] * rungs + [gap], [rail, width, rail])
        return compact(contrasting(rng), place(rng, size, figure))

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        ladder = collapse(cropped(look.figure))
        if ladder.shape[1] != 3 or ladder.shape[0] < 3 or not (ladder.cells[:, ::2] == 1).all():
            return ()
        rung = ladder.cells[:, 1] == 1
        between = [height for height, is_rung in zip(ladder.heights, rung, strict=True) if not is_rung]
        rungs = [height for height, is_rung in zip(ladder.heights, rung, strict=True) if is_rung]
        ends = [not rung[0], not rung[-1]]  # the rails' ends beyond the outer rungs may be of any length
        return (
            len(rungs) >= min(3, p["rungs"]),
            len(rungs) == p["rungs"],
            equal(between[ends[0] : len(between) - ends[1]]),
            equal(rungs) and ladder.widths[0] == ladder.widths[2],
        )


class Spiral(ExactKind):
    """A line that winds inwards."""

    id, family, grade, colours = "spiral", "lines", 3, 2
    conditions = (
        "one line with corners that never touches itself",
        "winding one way",
        "turns",
        "stretches",
        "no touching corners",
        "inwards all the way",
    )

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"turns": whole(rng, 2, 3)}

    def rule(self, p: Params) -> str:
        return (
            "A square or oblong spiral in one colour on a plain ground: a single line, one cell wide, that winds "
            f"inwards for at least {p['turns']} full turns. It is made of at least {4 * p['turns'] + 1} straight "
            "stretches, each at a right angle to the one before and all turning to the same side, and it never touches "
            "itself, not even at a corner"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        pitch = 2 if size < 24 else whole(rng, 2, 3)
        side = whole(rng, min(size, 4 * p["turns"] * pitch // 2 + 5), size)
        mask = np.zeros((side, side), dtype=np.bool_)
        row, column, turn = 0, 0, 0
        lengths = [side - 1, *(side - 1 - pitch * (n // 2) for n in range(2 * side))]
        mask[0, 0] = True
        for length in lengths:
            if length < 1 or (length < pitch and turn > 4 * p["turns"]):
                break
            for _ in range(length):
                row, column = row + (0, 1, 0, -1)[turn % 4], column + (1, 0, -1, 0)[turn % 4]
                mask[row, column] = True
            turn += 1
        mask = np.rot90(mask, whole(rng, 0, 3))
        return compact(contrasting(rng), place(rng, size, mask if whole(rng, 0, 1) else mask[:, ::-1]))

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        path = _trace(look.figure)
        corners = _corners(path)
        count = max(corners.count(1), corners.count(-1))
        return (
            len(corners) >= 4,
            count == len(corners),
            count >= 4 * p["turns"] - 1,  # four stretches for a turn
            count >= 4 * p["turns"],
            not _touches(path),
            _winds_inwards(path),
        )


def _trace(line: Mask) -> list[Cell]:
    """The cells of a line from end to end; none where it is not a line of single cells."""
    cells = {(int(row), int(column)) for row, column in np.argwhere(line)}
    steps = {(r, c): [(r + y, c + x) for y, x in _SIDES if (r + y, c + x) in cells] for r, c in cells}
    ends = sorted(cell for cell, near in steps.items() if len(near) == 1)
    if len(ends) != 2 or any(len(near) > 2 for near in steps.values()):
        return []
    path = [ends[0]]
    while after := [near for near in steps[path[-1]] if near not in path[-2:]]:
        path.append(after[0])
    return path if len(path) == len(cells) else []


def _steps(path: list[Cell]) -> list[Cell]:
    return [(after[0] - cell[0], after[1] - cell[1]) for cell, after in zip(path, path[1:], strict=False)]


def _winds_inwards(path: list[Cell]) -> bool:
    """Whether a line that turns to one side winds inwards from one of its ends: not out again, as a scroll does.

    From the fourth stretch on each is shorter than the last one parallel to it; the third may be longer than the first.
    """
    lengths = [len(list(stretch)) for _, stretch in groupby(_steps(path))]
    ways = (lengths[1:], lengths[-2::-1])
    return any(all(a > b for a, b in zip(way, way[2:], strict=False)) for way in ways)


def _corners(path: list[Cell]) -> list[int]:
    """The turns of a line: 1 to the right, −1 to the left."""
    ways = _steps(path)
    return [a[1] * b[0] - a[0] * b[1] for a, b in zip(ways, ways[1:], strict=False) if a != b]


def _touches(path: list[Cell]) -> bool:
    """Whether cells of a line that do not follow one another meet at a corner."""
    place = {cell: number for number, cell in enumerate(path)}
    diagonal = ((row + y, column + x) for row, column in path for y in (-1, 1) for x in (-1, 1))
    starts = (number for number in range(len(path)) for _ in range(4))
    return any(cell in place and abs(place[cell] - start) != 2 for cell, start in zip(diagonal, starts, strict=True))


_SIDES = ((-1, 0), (1, 0), (0, -1), (0, 1))


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
