"""The form of a reply: what a prompt family asks for at one size and number of colours."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

FAMILIES = {"original": "1", "lite": "1"}
"""The prompt families and the version of our wording of each."""


@dataclass(frozen=True)
class Format:
    """A form that a reply can be written in and read against."""

    family: str
    size: int
    """Rows, and cells per row."""
    colours: int
    """The most colours that a palette may hold."""

    @property
    def fewest(self) -> int:
        """The fewest colours that a palette may hold: the lite prompt does not count them."""
        return 2 if self.family == "original" else 1

    @property
    def rows(self) -> type:
        """What a row is: a string of digits, or a list of integers."""
        return str if self.family == "original" else list

    def write(self, palette: Sequence[str], grid: Sequence[Sequence[int]]) -> str:
        """A drawing as a reply of this form; the palette is in six hexadecimal digits.

        >>> Format("original", 2, 10).write(["000000", "ffffff"], [[0, 1], [1, 0]])
        '{"palette":["000000","ffffff"],"grid":["01","10"]}'
        >>> Format("lite", 2, 10).write(["000000", "ffffff"], [[0, 1], [1, 0]])
        '{"palette":["#000000","#ffffff"],"grid":[[0,1],[1,0]]}'
        """
        mark = "" if self.rows is str else "#"
        rows = ["".join(map(str, row)) if self.rows is str else list(row) for row in grid]
        return json.dumps({"palette": [mark + colour for colour in palette], "grid": rows}, separators=(",", ":"))
