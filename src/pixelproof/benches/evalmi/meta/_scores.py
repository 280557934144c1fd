"""Scores of a metric, joined to the images that they are about; what does not fit is named and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pixelproof.benches.evalmi.data import Annotations
from pixelproof.contract import PixelProofError, unknown_name
from pixelproof.store import Columns, as_numbers, as_texts, read_table

KEYS = ("image_id", "model", "prompt_id", "component")
EXAMPLES = 3
LARGE = 1e100


@dataclass(frozen=True)
class Problem:
    """Rows or images that cannot be used."""

    count: int = 0
    examples: tuple[str, ...] = ()

    @classmethod
    def of(cls, names: Sequence[str]) -> Problem:
        """Count names and keep the first as examples."""
        return cls(len(names), tuple(names[:EXAMPLES]))


@dataclass(frozen=True)
class Scores:
    """One score per image of a data set, higher is better; nan where there is none."""

    column: str
    values: np.ndarray[Any, np.dtype[np.float64]]
    components: np.ndarray[Any, np.dtype[np.float64]] | None = None
    """Scores for component questions, shape (rows, questions), where the file has them."""
    missing: Problem = field(default_factory=Problem)
    """Images without a row."""
    unknown: Problem = field(default_factory=Problem)
    """Keys that are not in the data set."""
    duplicates: Problem = field(default_factory=Problem)
    """Keys that occur again with the same score; the first counts."""
    not_numbers: Problem = field(default_factory=Problem)
    """Images whose score is empty, nan, infinite or text."""
    lower_is_better: bool = False

    @property
    def scaled(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The values, divided by the largest of them if squares would overflow or vanish: no measure depends on it."""
        largest = float(np.nanmax(np.abs(self.values), initial=0.0))
        moderate = largest == 0 or 1 / LARGE < largest < LARGE
        return self.values if moderate else self.values / largest


def read_scores(
    data: Annotations,
    path: Path,
    columns: Sequence[str] = (),
    lower_is_better: bool | Sequence[str] = False,
    table: Columns | None = None,
) -> list[Scores]:
    """Read score columns from a CSV, Parquet or JSONL file and join them to the images.

    Args:
        data: The images.
        path: A table with `image_id`, or `model` and `prompt_id`, and score columns; a column `component` (1, 2, …)
            marks rows that answer a component question, 0 or empty all others.
        columns: Score columns; none: all columns with numbers that are no keys.
        lower_is_better: Columns that are distances, or True for all: their sign is changed.
        table: The content of the path, if it is no table.

    Raises:
        PixelProofError: Keys or columns are missing, no key fits, a key fits several images, or has two different
            scores.
    """
    table = read_table(path) if table is None else table
    keys = _keys(table, path)
    known = {image: row for row, image in enumerate(data.image_ids)}
    if "image_id" not in table:
        pairs = zip(data.model.tolist(), data.prompt.tolist(), strict=True)
        named = [f"{data.models[m]}\n{_plain(data.prompts.ids[p])}" for m, p in pairs]
        known = {key: row for row, key in enumerate(named)}
        if len(known) < len(named):
            raise PixelProofError(
                f"{path} has no image_id, and {data.name} has several images of a model for the same prompt, such as "
                f"{_shown([next(key for key, count in Counter(named).items() if count > 1)])}: add a column image_id."
            )
    rows = np.array([known.get(key, -1) for key in keys], np.int64)
    if not keys:
        raise PixelProofError(f"{path} has no scores: it has columns, but no rows.")
    if not (rows >= 0).any():
        raise PixelProofError(
            f"{path}: no key is in {data.name}. Keys of the file: {_shown(keys[:2])}; of the data: "
            f"{_shown(list(known)[:2])}."
        )
    chosen = list(dict.fromkeys(columns)) or _score_columns(table)
    if not chosen:
        raise PixelProofError(f"{path} has no column with numbers besides {', '.join(KEYS)}.")
    lower = chosen if lower_is_better is True else list(lower_is_better or ())
    for name in (*chosen, *lower):
        if name not in table or name in KEYS:
            raise PixelProofError(f"{path}: {unknown_name('score column', name, [c for c in table if c not in KEYS])}")
    component = _component(table, path)
    return [_joined(data, path, table, name, keys, rows, component, name in lower) for name in chosen]


def _plain(number: str) -> str:
    return str(int(number)) if number.isdigit() else number


def _keys(table: Columns, path: Path) -> list[str]:
    if "image_id" in table:
        return as_texts(table["image_id"])
    if "model" in table and "prompt_id" in table:
        numbers = map(_plain, as_texts(table["prompt_id"]))
        return [f"{model}\n{number}" for model, number in zip(as_texts(table["model"]), numbers, strict=True)]
    columns = ", ".join(map(repr, table)) or "none"
    raise PixelProofError(f"{path} needs a column image_id, or the columns model and prompt_id. It has: {columns}.")


def _shown(keys: Sequence[str]) -> str:
    return ", ".join(repr(key.replace("\n", " / ")) for key in keys)


def _score_columns(table: Columns) -> list[str]:
    return [name for name in table if name not in KEYS and not np.isnan(as_numbers(table[name])[0]).all()]


def _component(table: Columns, path: Path) -> np.ndarray[Any, np.dtype[np.int64]]:
    if "component" not in table:
        return np.zeros(len(next(iter(table.values()))), np.int64)
    numbers, bad = as_numbers(table["component"])
    if bad or (numbers % 1 > 0).any() or (numbers < 0).any():
        raise PixelProofError(f"{path}: component must be 1, 2, … or empty (the main question).")
    return np.nan_to_num(numbers).astype(np.int64)


def _joined(
    data: Annotations,
    path: Path,
    table: Columns,
    name: str,
    keys: Sequence[str],
    rows: np.ndarray[Any, np.dtype[np.int64]],
    component: np.ndarray[Any, np.dtype[np.int64]],
    lower_is_better: bool,
) -> Scores:
    numbers, _ = as_numbers(table[name])
    width = 1 + (0 if data.components is None else data.components.shape[1])
    values = np.full((len(data), width), np.nan)
    present = np.zeros((len(data), width), np.bool_)
    unknown, duplicates = [], []
    for key, row, part, number in zip(keys, rows.tolist(), component.tolist(), numbers.tolist(), strict=True):
        shown = key.replace("\n", " / ") + (f" (component {part})" if part else "")
        if row < 0 or part >= width:
            unknown.append(shown)
        elif not present[row, part]:
            present[row, part] = True
            values[row, part] = number
        elif number == values[row, part] or (np.isnan(number) and np.isnan(values[row, part])):
            duplicates.append(shown)
        else:
            raise PixelProofError(
                f"{path}: {shown!r} has two different values of {name} ({values[row, part]:g} and {number:g}): "
                f"keep one row per image."
            )
    images = np.array(data.image_ids, dtype=object)
    sign = -1.0 if lower_is_better else 1.0
    return Scores(
        name,
        sign * values[:, 0],
        sign * values[:, 1:] if component.any() else None,
        Problem.of(images[~present[:, 0]].tolist()),
        Problem.of(unknown),
        Problem.of(duplicates),
        Problem.of(images[present[:, 0] & np.isnan(values[:, 0])].tolist()),
        lower_is_better,
    )
