"""Pairwise votes: which of two generators is better, or neither."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pixelproof.contract import PixelProofError, unknown_name
from pixelproof.stats import Strengths, bradley_terry
from pixelproof.store import as_texts, read_table

from ._read import FloatArray

TIES = ("tie", "both", "neither", "")


@dataclass(frozen=True)
class PairVotes:
    """Counts of wins and ties between generators."""

    names: tuple[str, ...]
    wins: FloatArray
    """wins[i, j]: votes that prefer i to j."""
    ties: FloatArray
    """Symmetric."""

    @property
    def undecided(self) -> int:
        """Number of ties."""
        return int(np.triu(self.ties).sum())

    @property
    def votes(self) -> int:
        """Number of votes, ties included."""
        return int(self.wins.sum()) + self.undecided

    def strengths(self) -> Strengths:
        """Bradley-Terry strengths.

        Raises:
            PixelProofError: A group of generators never lost or never won against the rest.
        """
        try:
            return bradley_terry(self.names, self.wins, self.ties if self.ties.any() else None)
        except ValueError as error:
            raise PixelProofError(f"The votes cannot be ranked: {error}. Collect votes that connect them.") from None


def read_pairs(path: Path, first: str = "left", second: str = "right", winner: str = "winner") -> PairVotes:
    """Read a table with one pairwise vote per row.

    Raises:
        PixelProofError: A column is missing, or a winner is neither of the two nor a tie.
    """
    table = read_table(path)
    for name in (first, second, winner):
        if name not in table:
            raise PixelProofError(f"{path}: {unknown_name('column', name, table)}")
    left, right, won = (as_texts(table[name]) for name in (first, second, winner))
    if not left:
        raise PixelProofError(f"{path} has no votes: it has columns, but no rows.")
    if "" in (*left, *right):
        row = next(row for row, names in enumerate(zip(left, right, strict=True)) if "" in names)
        raise PixelProofError(f"{path}, row {row + 2}: {first} or {second} is empty.")
    names = tuple(sorted({*left, *right}))
    place = {name: k for k, name in enumerate(names)}
    wins, ties = np.zeros((2, len(names), len(names)))
    for row, (a, b, who) in enumerate(zip(left, right, won, strict=True)):
        if a == b:
            raise PixelProofError(f"{path}, row {row + 2}: {a!r} is compared with itself.")
        i, j = place[a], place[b]
        if who in (a, b) or who in (first, second):
            better = who in (a, first)
            wins[(i, j) if better else (j, i)] += 1
        elif who.lower() in TIES:
            ties[i, j] += 1
            ties[j, i] += 1
        else:
            raise PixelProofError(f"{path}, row {row + 2}: the winner {who!r} is neither {a!r}, {b!r} nor 'tie'.")
    return PairVotes(names, wins, ties)
