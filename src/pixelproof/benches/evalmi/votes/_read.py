"""Votes of raters as a matrix, and pairwise votes: which of two generators is better, or neither."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError, unknown_name
from pixelproof.stats import Strengths, bradley_terry
from pixelproof.store import as_numbers, as_texts, read_table

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Votes:
    """Ratings of images by people."""

    items: tuple[str, ...]
    raters: tuple[str, ...]
    ratings: FloatArray
    """Shape (items, raters); nan where a rater did not rate an item."""
    repeats: int = 0
    """Rows that say again what the same rater said about the same item."""


def read_votes(
    path: Path,
    rater: str = "rater",
    item: str = "image_id",
    score: str = "score",
    scale: tuple[float, float] | None = None,
) -> Votes:
    """Read a table with one row per vote.

    Args:
        path: CSV, Parquet or JSONL.
        rater: Column with the rater.
        item: Column with the image.
        score: Column with the vote.
        scale: Lowest and highest vote that is possible; None: not checked.

    Raises:
        PixelProofError: A column is missing, a score is not a number or not on the scale, or a rater gave an item two
            different scores.
    """
    table = read_table(path)
    for name in (rater, item, score):
        if name not in table:
            raise PixelProofError(f"{path}: {unknown_name('column', name, table)}")
    numbers, bad = as_numbers(table[score])
    if bad or np.isnan(numbers).any():
        row = bad[0] if bad else int(np.flatnonzero(np.isnan(numbers))[0])
        raise PixelProofError(f"{path}, row {row + 2}: {score} is not a number.")
    if scale is not None and (outside := np.flatnonzero((numbers < scale[0]) | (numbers > scale[1]))).size:
        row, more = int(outside[0]), f" and {len(outside) - 1} more" if len(outside) > 1 else ""
        raise PixelProofError(
            f"{path}, row {row + 2}{more}: {score} is {numbers[row]:g}, not on the scale from {scale[0]:g} to "
            f"{scale[1]:g}. Correct or remove these votes."
        )
    for name in (rater, item):
        if "" in (texts := as_texts(table[name])):
            raise PixelProofError(f"{path}, row {texts.index('') + 2}: {name} is empty.")
    raters, items = (list(dict.fromkeys(as_texts(table[name]))) for name in (rater, item))
    of_rater, of_item = ({name: k for k, name in enumerate(names)} for names in (raters, items))
    ratings = np.full((len(items), len(raters)), np.nan)
    repeats = 0
    for who, what, value in zip(as_texts(table[rater]), as_texts(table[item]), numbers.tolist(), strict=True):
        place = of_item[what], of_rater[who]
        if np.isnan(ratings[place]):
            ratings[place] = value
        elif ratings[place] == value:
            repeats += 1
        else:
            raise PixelProofError(
                f"{path}: {who!r} gave {what!r} two different scores ({ratings[place]:g}, {value:g})."
            )
    if len(items) < 2 or len(raters) < 2:
        raise PixelProofError(
            f"{path} needs at least two items and two raters, and has {len(items)} and {len(raters)}."
        )
    return Votes(tuple(items), tuple(raters), ratings, repeats)


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
