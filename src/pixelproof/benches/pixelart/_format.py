"""The format of a reply: prompt family, size and number of colours."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

FAMILIES = {"original": "1", "lite": "1"}
"""The prompt families and the version of our wording of each."""


@dataclass(frozen=True)
class Format:
    """The format of a reply."""

    family: str
    size: int
    """Rows, and cells per row."""
    colours: int
    """Largest number of palette colours."""

    @property
    def fewest(self) -> int:
        """Smallest number of palette colours: the lite prompt sets none."""
        return 2 if self.family == "original" else 1

    @property
    def rows(self) -> type:
        """Type of a row: a string of digits, or a list of integers."""
        return str if self.family == "original" else list

    def write(self, palette: Sequence[str], grid: Sequence[Sequence[int]]) -> str:
        """Serialise a drawing in this format; palette colours are six hexadecimal digits.

        >>> Format("original", 2, 10).write(["000000", "ffffff"], [[0, 1], [1, 0]])
        '{"palette":["000000","ffffff"],"grid":["01","10"]}'
        >>> Format("lite", 2, 10).write(["000000", "ffffff"], [[0, 1], [1, 0]])
        '{"palette":["#000000","#ffffff"],"grid":[[0,1],[1,0]]}'
        """
        mark = "" if self.rows is str else "#"
        rows = ["".join(map(str, row)) if self.rows is str else list(row) for row in grid]
        return json.dumps({"palette": [mark + colour for colour in palette], "grid": rows}, separators=(",", ":"))
