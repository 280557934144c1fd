"""Votes of raters as a matrix."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError, unknown_name
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
