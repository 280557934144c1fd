"""One-colour pixel icons as cells: SVG paths of straight lines on a 24 × 24 view box."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

_SIDE = 24
_TOKEN = re.compile(r"[a-zA-Z]|-?(?:\d+\.?\d*|\.\d+)")

Point = tuple[float, float]


def cells_of(svg: str) -> npt.NDArray[np.bool_]:
    """The cells whose middle is inside a path, by the rule of non-zero winding.

    >>> int(cells_of('<svg><path d="M2 2h4v3H2z"/></svg>').sum())
    12
    """
    inside = np.zeros((_SIDE, _SIDE), dtype=np.bool_)
    for path in re.findall(r'\bd="([^"]+)"', svg):
        inside |= _winding(outlines(path)) != 0
    return inside


def outlines(path: str) -> list[list[Point]]:
    """The corners of each closed outline of a path.

    >>> outlines("M1 1h2v2zm4 0l1 1H5z")
    [[(1.0, 1.0), (3.0, 1.0), (3.0, 3.0)], [(5.0, 1.0), (6.0, 2.0), (5.0, 2.0)]]

    Raises:
        ValueError: The path has curves, does not begin with a move, or breaks off.
    """
    found: list[list[Point]] = []
    x = y = 0.0
    command, tokens = "", _TOKEN.findall(path)[::-1]
    while tokens:
        if tokens[-1].isalpha():
            command = tokens.pop()
            if command.upper() not in "MLHVZ":
                raise ValueError(f"The command {command} is not a straight line.")
            if command.upper() == "Z" and found:
                x, y = found[-1][0]
                command = ""
                continue
        if not command or (not found and command.upper() != "M"):
            raise ValueError(f"The path {path[:40]!r} does not begin with a move, or goes on after its end.")
        needed = 1 if command.upper() in "HV" else 2
        if len(tokens) < needed or any(token.isalpha() for token in tokens[-needed:]):
            raise ValueError(f"The path {path[:40]!r} breaks off.")
        origin_x, origin_y = (x, y) if command.islower() else (0.0, 0.0)
        if command.upper() != "V":
            x = origin_x + float(tokens.pop())
        if command.upper() != "H":
            y = origin_y + float(tokens.pop())
        if command.upper() == "M":
            found.append([])
            command = "l" if command == "m" else "L"  # more pairs after a move are lines
        found[-1].append((x, y))
    return found


def _winding(shapes: list[list[Point]]) -> npt.NDArray[np.int64]:
    """How often each cell's middle is circled; ups count against downs."""
    middle = np.arange(_SIDE) + 0.5
    x, y = np.meshgrid(middle, middle)
    turns = np.zeros((_SIDE, _SIDE), dtype=np.int64)
    for corners in shapes:
        for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True):
            if ay != by:
                crossed = (y >= min(ay, by)) & (y < max(ay, by)) & (x < ax + (y - ay) * (bx - ax) / (by - ay))
                turns += np.where(crossed, 1 if by > ay else -1, 0)
    return turns
