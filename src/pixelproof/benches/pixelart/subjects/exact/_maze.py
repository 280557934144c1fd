"""Mazes: winding, narrow, and open where they should be."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from pixelproof.benches.pixelart.subjects._drawing import (
    Drawing,
    Grid,
    Mask,
    Rng,
    compact,
    pick,
    reduce_colours,
    rgb_of,
)
from pixelproof.benches.pixelart.subjects._kind import ExactKind, Params, Verdict, best_verdict
from pixelproof.benches.pixelart.subjects._look import Look, inner, largest, looks_of, pieces
from pixelproof.benches.pixelart.subjects._paint import contrasting
from pixelproof.stats import generator

_WINDING = 1.25  # the shortest way through, over the straight one
_DEAD_ENDS = 3
_CROSS = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
_MARK = 4  # so few cells of a colour mark the start or the goal, and can be walked on
Cell = tuple[int, int]


class Maze(ExactKind):
    """A maze from one corner to the opposite one."""

    id, family, grade, colours = "maze", "lines", 3, 2
    conditions: tuple[str, ...] = (
        "paths one cell wide that hang together",
        "entrance",
        "exit",
        "no other opening",
        "winding",
        "dead ends",
    )

    def choose(self, rng: Rng) -> dict[str, Any]:
        return {"from": pick(rng, ("left", "right"))}

    def rule(self, p: Params) -> str:
        side, other = ("left", "right") if p["from"] == "left" else ("right", "left")
        return (
            "A maze seen from above, in one colour for walls and one for paths. Paths are one cell wide: nowhere are 2 "
            "by 2 cells all path. From every path cell one can walk to every other, up, down, left and right along the "
            "path. Of the cells along the four edges of the picture exactly two are path: the entrance, in the top row "
            f"or the {side} column, less than a quarter of the side of the picture away from the corner at the top "
            f"{side}, and the exit, in the bottom row or the {other} column, as near to the corner at the bottom "
            f"{other}. The shortest way from entrance to exit has at least 1.25 times as many steps as it would have "
            "without any walls, and there are at least three dead ends, entrance and exit not counted"
        )

    def paint(self, p: Params, rng: Rng, size: int, colours: int) -> Drawing:
        palette = contrasting(rng)
        while True:
            walls = carve(rng, size)
            if size > walls.shape[0]:  # an even grid has a double wall on two sides
                walls = np.pad(walls, ((0, 1), (0, 1)), mode="edge")
            walls = walls if p["from"] == "left" else walls[:, ::-1]
            if self.check(walls, rgb_of(palette), p).solved:  # few are too straight
                return compact(palette, walls)

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        cells = look.cells if p["from"] == "left" else look.cells[:, ::-1]
        if look.colours != 2:
            return ()
        return max((_judge(cells == colour) for colour in range(2)), key=sum)


def _judge(paths: Mask) -> tuple[bool, ...]:
    """The conditions of a maze whose entrance is at the top left."""
    blocks = paths[1:, 1:] & paths[:-1, 1:] & paths[1:, :-1] & paths[:-1, :-1]
    if blocks.any() or len(pieces(paths, corners=False)) != 1 or min(paths.shape) < 3:
        return ()
    height, width = paths.shape
    edge = np.pad(np.zeros((height - 2, width - 2), dtype=np.bool_), 1, constant_values=True)
    openings = {(int(row), int(column)) for row, column in np.argwhere(paths & edge)}
    starts = {(row, column) for row, column in openings if min(row, column) == 0 and 4 * max(row, column) < height}
    turned = {(height - 1 - row, width - 1 - column): (row, column) for row, column in openings}
    goals = {turned[row, column] for row, column in turned if min(row, column) == 0 and 4 * max(row, column) < height}
    ways = [found for start in sorted(starts) if (found := _shortest(paths, start, goals - {start}))]
    steps, straight = min(ways, default=(0, 0))
    neighbours = ndimage.convolve(paths.astype(np.int64), _CROSS, mode="constant")
    ends = {(int(row), int(column)) for row, column in np.argwhere(paths & (neighbours == 1))}
    return (
        True,
        bool(starts),
        bool(goals),
        len(openings) == 2,
        bool(ways) and steps >= _WINDING * straight,
        len(ends - openings) >= _DEAD_ENDS,
    )


def carve(rng: Rng, size: int) -> Grid:
    """A perfect maze of an odd side, 1 for walls: exactly one way between any two places, open at two corners."""
    odd = size - 1 + size % 2
    walls = np.ones((odd, odd), dtype=np.int64)
    stack = [(1, 1)]
    walls[1, 1] = 0
    while stack:
        row, column = stack[-1]
        ways = [
            (row + dr, column + dc, row + dr // 2, column + dc // 2)
            for dr, dc in ((-2, 0), (2, 0), (0, -2), (0, 2))
            if 0 < row + dr < odd and 0 < column + dc < odd and walls[row + dr, column + dc]
        ]
        if not ways:
            stack.pop()
            continue
        row, column, between_row, between_column = ways[int(rng.integers(len(ways)))]
        walls[row, column] = walls[between_row, between_column] = 0
        stack.append((row, column))
    walls[0, 1] = walls[odd - 1, odd - 2] = 0
    return walls


class PublishedMaze(Maze):
    """The published subject, whose text says no more than that it is a maze with an entrance and an exit."""

    conditions = ("narrow corridors that hang together", "entrance", "exit", "a way through", "winding")

    def text(self, p: Params) -> str:
        return "A maze, entrance at top left, exit bottom right"

    def reference(self, size: int, colours: int) -> Drawing:
        """Hedges that catch the light where a path runs above them; always the same."""
        walls = carve(generator(0, "pixelart-maze", size), size)
        if size > walls.shape[0]:
            walls = np.pad(walls, ((0, 1), (0, 1)), mode="edge")
        lit = walls.copy()
        lit[1:] += (walls[1:] == 1) & (walls[:-1] == 0)
        return reduce_colours(compact(("f2e3b6", "1f6b35", "35924c"), lit), colours)

    def examine(self, look: Look, p: Params) -> tuple[bool, ...]:
        """What the text must mean, also with a margin, and with cells of other colours that mark start and goal."""
        cells = inner(look.cells)
        if look.cells[0, 0] in cells:  # no margin, but an outer wall
            cells = look.cells
        marks = [colour for colour in range(look.colours) if np.count_nonzero(cells == colour) <= _MARK]
        return max((_walk(np.isin(cells, [*marks, colour])) for colour in range(look.colours)), key=sum)

    def check(self, grid: npt.ArrayLike, rgb: npt.ArrayLike, p: Params) -> Verdict:
        return best_verdict(self.conditions, (self.examine(look, p) for look in looks_of(grid, rgb)))


def _walk(paths: Mask) -> tuple[bool, ...]:
    """Walk the corridors from top left to bottom right."""
    way = largest(paths)
    if way is None or way.area < 0.8 * paths.sum() or not 0.15 <= way.area / paths.size <= 0.8:
        return ()
    corridors = np.zeros_like(paths)
    corridors[way.box] = way.mask
    border = np.concatenate([corridors[0], corridors[-1], corridors[1:-1, 0], corridors[1:-1, -1]])
    if _has_hall(corridors) or border.mean() > 0.9:  # what runs all around is the wall
        return ()
    height, width = paths.shape
    starts, goals = _openings(corridors), {(height - 1 - r, width - 1 - c) for r, c in _openings(corridors[::-1, ::-1])}
    ways = [found for start in sorted(starts) if (found := _shortest(corridors, start, goals))]
    steps, straight = min(ways, default=(0, 0))
    return True, bool(starts), bool(goals), bool(ways), bool(ways) and steps >= _WINDING * straight


def _has_hall(mask: Mask) -> bool:
    """Whether somewhere three by three cells are open: no corridor, but a hall."""
    windows = np.lib.stride_tricks.sliding_window_view(mask, (3, 3)) if min(mask.shape) >= 3 else np.zeros((1, 1, 1, 1))
    return bool(windows.all(axis=(2, 3)).any())


def _openings(corridors: Mask) -> set[Cell]:
    """The open cells on the two edges at the top left corner, at most a quarter of a side away from it."""
    height, width = corridors.shape
    edge = [(0, column) for column in range(max(2, width // 4))] + [(row, 0) for row in range(max(2, height // 4))]
    return {cell for cell in edge if cell[0] < height and cell[1] < width and corridors[cell]}


def _shortest(corridors: Mask, start: Cell, goals: set[Cell]) -> tuple[int, int] | None:
    """Steps of the shortest way to a goal, and of the straight way there."""
    distance, queue = {start: 0}, deque([start])
    while queue:
        row, column = queue.popleft()
        if (row, column) in goals:
            return distance[row, column], abs(row - start[0]) + abs(column - start[1])
        for cell in ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)):
            inside = 0 <= cell[0] < corridors.shape[0] and 0 <= cell[1] < corridors.shape[1]
            if inside and corridors[cell] and cell not in distance:
                distance[cell] = distance[row, column] + 1
                queue.append(cell)
    return None
