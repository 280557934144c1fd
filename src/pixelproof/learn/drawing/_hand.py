"""Drawings typed by hand, one of each subject: never learnt from, and by no drawer of ours."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

_FILE = Path(__file__).with_name("hand.txt")
_COLOURS = {
    "k": "101014", "w": "ffffff", "e": "9a9aa4", "r": "d8261c", "o": "f68b1f", "y": "ffd93b", "g": "4caf50",
    "d": "1f6b35", "b": "2f5fd6", "c": "a9defc", "p": "7b3fa8", "m": "f48fb1", "n": "7a4a2a", "s": "f0d9a8",
}  # fmt: skip


@cache
def hand_drawings() -> dict[str, npt.NDArray[np.uint8]]:
    """Square pictures by subject, one pixel per cell."""
    blocks = _FILE.read_text("utf-8").split("\n\n")[2:]  # after the title and the key to the letters
    return dict(map(_picture, blocks))


def _picture(block: str) -> tuple[str, npt.NDArray[np.uint8]]:
    head, *rows = block.strip().split("\n")
    subject, ground = head.split()
    side = max(len(rows), len(rows[0]))
    lines = [row.center(side, ".") for row in rows]
    above = (side - len(lines)) // 2
    lines = ["." * side] * above + lines + ["." * side] * (side - len(lines) - above)
    colours = [[bytes.fromhex(_COLOURS[ground if letter == "." else letter]) for letter in line] for line in lines]
    return subject, np.frombuffer(b"".join(map(b"".join, colours)), dtype=np.uint8).reshape(side, side, 3)
