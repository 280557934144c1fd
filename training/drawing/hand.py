"""Drawings typed by hand, one of each subject: never learnt from, and by no drawer of ours."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

Pixels = npt.NDArray[np.uint8]

_FILE = Path(__file__).with_name("hand.txt")
_COLOURS = {
    "k": "101014", "w": "ffffff", "e": "9a9aa4", "r": "d8261c", "o": "f68b1f", "y": "ffd93b", "g": "4caf50",
    "d": "1f6b35", "b": "2f5fd6", "c": "a9defc", "p": "7b3fa8", "m": "f48fb1", "n": "7a4a2a", "s": "f0d9a8",
}  # fmt: skip


@cache
def hand_drawings() -> dict[str, Pixels]:
    """Square pictures by subject, one pixel per cell."""
    blocks = _FILE.read_text("utf-8").split("\n\n")[2:]  # after the title and the key to the letters
    return dict(map(_picture, blocks))


def _on_page(pixels: Pixels, times: int) -> Pixels:
    """The drawing in the middle of a page that is larger by a factor."""
    side = len(pixels)
    page = np.broadcast_to(pixels[0, 0], (times * side, times * side, 3)).copy()
    start = (times - 1) * side // 2
    page[start : start + side, start : start + side] = pixels
    return page


def _cut_off(pixels: Pixels) -> Pixels:
    """Without what is in the right 30 %."""
    cut = pixels.copy()
    cut[:, round(0.7 * len(cut)) :] = pixels[0, 0]
    return cut


VIEWS: dict[str, Callable[[Pixels], Pixels]] = {
    "typed": lambda pixels: pixels,
    "typed, half the size": lambda pixels: _on_page(pixels, 2),
    "typed, a third of the size": lambda pixels: _on_page(pixels, 3),
    "typed, cut off": _cut_off,
}
"""The drawings as they are, and as careless models might place them."""


def _picture(block: str) -> tuple[str, Pixels]:
    head, *rows = block.strip().split("\n")
    subject, ground = head.split()
    side = max(len(rows), len(rows[0]))
    lines = [row.center(side, ".") for row in rows]
    above = (side - len(lines)) // 2
    lines = ["." * side] * above + lines + ["." * side] * (side - len(lines) - above)
    colours = [[bytes.fromhex(_COLOURS[ground if letter == "." else letter]) for letter in line] for line in lines]
    return subject, np.frombuffer(b"".join(map(b"".join, colours)), dtype=np.uint8).reshape(side, side, 3)
