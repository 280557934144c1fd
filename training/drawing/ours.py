"""Our own drawings: what the bench's drawers make, with part of their chances kept for the test."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.benches.pixelart.subjects import KINDS
from pixelproof.contract import PixelProofError

Rng = np.random.Generator
Pixels = npt.NDArray[np.uint8]

NOT_LEARNT = frozenset({"hope"})
"""Nobody can say what hope looks like; one drawer's idea of it must not be the measure of others."""

SUBJECTS = tuple(sorted(kind.id for kind in KINDS.values() if kind.scoring == "thing" and kind.id not in NOT_LEARNT))
"""What the network learns to name."""

LOOSE = frozenset({"carrot", "fish", "key", "pizza", "rocket", "saturn", "sword", "watermelon"})
"""What people draw at any angle."""

PATTERNS = tuple(sorted(kind.id for kind in KINDS.values() if kind.exact and kind.id != "rainbow-stripes"))
"""What the bench checks cell by cell. The network learns that these show none of its subjects."""

SMALLEST = 10
"""Cells to the side of the smallest drawing of a subject: one of two things on a page of 24."""

KEPT = 0.2
"""Share of every range that training never sees."""


class Chance:
    """A source of chance for drawers, with regions that are kept for the test.

    Every number that a drawer draws from a range is, in training, never from the top fifth of the range; and of three
    or more options it is never the last. A test drawing takes each of its draws from there with a probability of one
    half, so in all likelihood no drawing of the test could have come up in training.
    """

    def __init__(self, rng: Rng, test: bool) -> None:
        self._rng = rng
        self._test = test

    def random(self, size: Any = None) -> Any:
        """Numbers from 0 to 1; textures, which are drawn as arrays, are not split."""
        if size is not None:
            return self._rng.random(size)
        value = float(self._rng.random())
        return 1 - KEPT * value if self._from_kept() else (1 - KEPT) * value

    def integers(self, low: int, high: int | None = None, size: Any = None) -> Any:
        """Whole numbers below an end, which is `low` where `high` is not given."""
        low, high = (0, low) if high is None else (low, high)
        if size is not None or high - low < 3:
            return self._rng.integers(low, high, size)
        return high - 1 if self._from_kept() else int(self._rng.integers(low, high - 1))

    def _from_kept(self) -> bool:
        return self._test and float(self._rng.random()) < 0.5


def draw(name: str, rng: Rng, *, test: bool = False) -> Pixels:
    """A drawing by the bench's drawer: any size up to 32 cells, mostly with all the colours it asks for.

    Raises:
        PixelProofError: There is no such drawer.
    """
    if name not in KINDS:
        raise PixelProofError(f"The bench has no drawer of {name!r}: train the network for the subjects it has.")
    size = int(rng.integers(16 if KINDS[name].exact else SMALLEST, 33))  # exact kinds need room for what is checked
    colours = int(rng.integers(3, 11)) if rng.random() < 0.3 else 10
    chance: Any = Chance(rng, test)  # stands in for a Generator, of which drawers use these two methods
    return KINDS[name].draw(chance, size, colours).pixels()
