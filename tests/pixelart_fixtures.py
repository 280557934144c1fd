"""Drawings made by hand for the exact subjects of pixelart, designed from their texts.

`tests/benches/pixelart_fixtures/**/<kind>.txt` holds blocks that are separated by an empty line; text before the first
is free. A block is `right:` or `wrong:` with a comment, the parameters of the subject as JSON, perhaps
`colours: a=#c02040 c=#0000aa`, and the picture, one character per cell.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import ImageColor

FOLDER = Path(__file__).parent / "benches" / "pixelart_fixtures"
COLOURS = dict(
    zip(".#rgbyopke", "white black red green blue yellow orange purple pink grey".split(), strict=True)
)  # fmt: skip


@dataclass(frozen=True)
class Fixture:
    """A drawing with the verdict that it deserves."""

    kind: str
    right: bool
    comment: str
    params: dict
    grid: np.ndarray
    palette: list[tuple[int, int, int]]
    place: str
    """File and line, for messages."""


def read_fixtures(folder: Path = FOLDER) -> list[Fixture]:
    """All fixtures of a folder and its subfolders."""
    return [fixture for path in sorted(folder.rglob("*.txt")) for fixture in _read_file(path)]


def _read_file(path: Path) -> list[Fixture]:
    fixtures, line = [], 1
    for block in path.read_text().split("\n\n"):
        lines = block.strip("\n").splitlines()
        skipped = len(block) - len(block.lstrip("\n"))
        if lines and lines[0].startswith(("right:", "wrong:")):
            fixtures.append(_read_block(path.stem, lines, f"{path.relative_to(FOLDER.parent)}:{line + skipped}"))
        else:
            assert not fixtures or not lines, f"{path.name}:{line}: a block begins with right: or wrong:"
        line += block.count("\n") + 2
    return fixtures


def _read_block(kind: str, lines: list[str], place: str) -> Fixture:
    verdict, comment = lines[0].split(":", 1)
    rows, colours = lines[2:], dict(COLOURS)
    if rows[0].startswith("colours:"):
        colours |= dict(pair.split("=") for pair in rows.pop(0).removeprefix("colours:").split())
    assert {len(row) for row in rows} == {len(rows)}, f"{place}: the picture is not square"
    marks = sorted(set("".join(rows)))
    grid = np.array([[marks.index(mark) for mark in row] for row in rows])
    palette = [ImageColor.getrgb(colours[mark])[:3] for mark in marks]
    return Fixture(kind, verdict == "right", comment.strip(), json.loads(lines[1]), grid, palette, place)
