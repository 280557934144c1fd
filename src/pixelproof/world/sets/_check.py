"""Checks of a set on disk: hashes, tables, stray files, and the checks of its kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from pixelproof.contract import PixelProofError
from pixelproof.store import Progress, Workers, digest, executor_for, no_progress
from pixelproof.world._limits import counted

from ._cards import Card, read_card, require_edition
from ._files import file_sizes, read_arrays, read_text, scene_digest, suffixes
from ._recipe import Finding, Recipe, Row
from ._tables import changed_tables, count_rows, table_rows, tables_of


@dataclass(frozen=True)
class Problem:
    """Something that is wrong in a set."""

    scene: str
    rule: str
    thing: str
    message: str


def check_set(directory: Path, *, workers: Workers = None, progress: Progress = no_progress) -> Iterator[Problem]:
    """Check a set; yields the problems, item by item.

    Raises:
        PixelProofError: There is no set.
    """
    card = read_card(directory)
    require_edition(directory, card.recipe, card.edition, card.software)
    changed = tables_of(card.recipe) if not card.complete else changed_tables(directory, card)
    broken = {table.name for table in changed if not count_rows(directory, table)}
    yield from _check_tables(directory, card, broken)
    yield from _check_strays(directory, card)
    tasks = _with_parts(_items(directory, card, broken), _parts(directory, card, broken))
    check = partial(_check_stored, directory, card, card.recipe.parts.name not in broken)
    with executor_for(workers) as pool:
        for done, problems in enumerate(pool.map(check, tasks, chunk=4), 1):
            progress(done, card.n)
            yield from problems


def _items(directory: Path, card: Card, broken: set[str]) -> Iterator[Row]:
    """The rows of all items; index and id only, if the table is damaged."""
    if card.recipe.items.name not in broken:
        return table_rows(directory, card.recipe.items)
    return ({"index": index, "id": card.recipe.item_id(index)} for index in range(card.n))


def _parts(directory: Path, card: Card, broken: set[str]) -> Iterator[Row]:
    return iter(()) if card.recipe.parts.name in broken else table_rows(directory, card.recipe.parts)


def _with_parts(items: Iterator[Row], parts: Iterator[Row]) -> Iterator[tuple[Row, list[Row]]]:
    """Join the rows of items with those of their parts; both are sorted."""
    groups = groupby(parts, key=lambda row: row["index"])
    index, group = next(groups, (-1, iter(())))
    for row in items:
        while 0 <= index < row["index"]:
            index, group = next(groups, (-1, iter(())))
        yield row, list(group) if index == row["index"] else []


def _check_tables(directory: Path, card: Card, broken: set[str]) -> Iterator[Problem]:
    for name in sorted(broken):
        message = f"{name}.parquet is missing or damaged: run the command that made the set again"
        yield Problem("", "files", "", message)
    if not card.complete:
        yield Problem("", "complete", "", "scenes are missing: run the command that made the set again")
        return
    for table in changed_tables(directory, card):
        if table.name not in broken:
            yield Problem("", "hash", "", f"{table.name}.parquet is not the file that was written")
    if card.recipe.items.name in broken:
        return
    digests = [row["digest"] for row in table_rows(directory, card.recipe.items, ["digest"])]
    if len(digests) != card.n:
        rows = counted(len(digests), card.recipe.items.name)
        yield Problem("", "complete", "", f"the table has {rows} instead of {card.n}")
    elif digest(digests) != card.digest:
        yield Problem("", "hash", "", "the hashes of the scenes differ from the card")


def _check_strays(directory: Path, card: Card) -> Iterator[Problem]:
    """Files that belong to no item; hidden files are ignored."""
    known = {"card.json"} | {f"{table.name}.{end}" for table in tables_of(card.recipe) for end in ("parquet", "parts")}
    ends, files = suffixes(card.recipe.layers, card.recipe.moving), dict[str, set[str]]()
    for index in range(card.n):
        files.setdefault(card.shard_of(index), set()).update(f"{index:06d}{end}" for end in ends)
    for path in sorted(directory.iterdir()):
        own = files.get(path.name.removesuffix(".part"))
        strays = [path] if own is None else [file for file in sorted(path.glob("*")) if file.name not in own]
        for stray in strays:
            name = str(stray.relative_to(directory))
            if not stray.name.startswith(".") and name not in known:
                yield Problem("", "stray", "", f"{name} does not belong to the set: move it away")


def _check_stored(directory: Path, card: Card, with_parts: bool, task: tuple[Row, list[Row]]) -> list[Problem]:
    row, parts = task
    stem, recipe = card.stem(directory, row["index"]), card.recipe
    try:
        text = read_text(stem)
        arrays = read_arrays(stem, recipe.layers, recipe.height if recipe.moving else None)
        if "digest" in row and (scene_digest(text, arrays) != row["digest"] or text != row["scene"]):
            message = f"{stem}.* differ from their hash: delete them and run the command that made the set again"
            return [Problem(row["id"], "hash", "", message)]
        findings = recipe.check(row["index"], recipe.parse(text), arrays, parts)
        problems = [Problem(row["id"], *finding) for finding in findings if with_parts or finding[0] != "table"]
        if "sizes" in row and file_sizes(stem, suffixes(recipe.layers, recipe.moving)) != row["sizes"]:
            message = f"{stem}.* have another size: run the command that made the set again"
            problems.append(Problem(row["id"], "files", "", message))
        return problems
    except PixelProofError as error:
        return [Problem(row["id"], "files", "", str(error))]


def rows_that_differ(recipe: Recipe, fresh: list[Row], stored: list[Row]) -> Iterator[Finding]:
    """Compare the stored rows of an item's parts with rows that were computed again."""
    file = f"{recipe.parts.name}.parquet"
    if len(fresh) != len(stored):
        yield "table", "", f"{file} has {len(stored)} of {len(fresh)} {recipe.parts.name}"
        return
    for new, old in zip(fresh, stored, strict=True):
        for key in new:
            if not _almost_equal(new[key], old[key]):
                yield "table", new["thing"], f"{file} has {key} {old[key]}, expected {new[key]}"


def _almost_equal(a: Any, b: Any) -> bool:
    """Whether two values are equal up to rounding, which may differ between processors."""
    if a == b or a is None or b is None or isinstance(a, str):
        return bool(a == b)
    if isinstance(a, list) and a and isinstance(a[0], str):
        return False
    return np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-9, atol=1e-6)
