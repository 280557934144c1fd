"""Repair of a damaged run directory: what is intact is kept, what is lost is named, and no model is asked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from pixelproof.contract import Bench, PixelProofError
from pixelproof.harness import _rows as rows
from pixelproof.harness._calls import SHORTEST_LINE, CallTable
from pixelproof.harness._listing import find_runs
from pixelproof.harness._opened import bench_of
from pixelproof.harness._plan import MAX_SAMPLES
from pixelproof.harness._progress import Progress, Silent
from pixelproof.harness._rebuild import drop_orphans, rebuild
from pixelproof.harness._run_card import RunCard
from pixelproof.harness._rundir import CARD, CARD_COPY, parse_card, read_card_alone, read_table, write_card
from pixelproof.harness._summary import read_summary
from pixelproof.harness._ties import foreign_card, repair_ties, strangers, tie, ties_of
from pixelproof.store import (
    Attic,
    BlobStore,
    DamagedFile,
    FileRepair,
    Lock,
    LostReference,
    Records,
    file_path,
    is_url,
    journal_damage,
    local_path,
    read_sealed_json,
    repair_parquet,
    repair_table,
    view_problem,
    write_sealed_json,
)

_GROWING = ("answers", "judgements", "calls", "results")
"""Tables of which intact rows are kept."""


@dataclass
class Repair:
    """What was damaged in a run, what is lost, and what was made again."""

    path: Path
    files: list[FileRepair] = field(default_factory=list)
    """Files that were damaged or missing."""
    lost: dict[int, tuple[str, int]] = field(default_factory=dict)
    """Order → item and sample of the answers that are lost."""
    unnamed: int = 0
    """Lost answers of which it is not known to which items they belong."""
    judgements: int = 0
    """Lost answers of the judge."""
    calls: int = 0
    """Lost rows of the table of calls, which count with the most that a call of the run could cost."""
    unpriced: bool = False
    """Whether it is not known what these could cost, so that the run can have no budget any more."""
    remade: list[str] = field(default_factory=list)
    """What was made again from intact files."""
    open: str = ""
    """Why results or the summary could not be made again; empty if they could."""

    @property
    def complete(self) -> bool:
        """Whether nothing is lost and nothing is left to do."""
        return not (self.lost or self.unnamed or self.judgements or self.open or self.zeroed)

    @property
    def zeroed(self) -> bool:
        """Whether rows may be lost of which nothing is known."""
        return any(file.zeroed for file in self.files)


def repair(path: str | Path, bench: Bench | None = None, progress: Progress | None = None) -> Repair:
    """Repair a run directory. Damaged files are kept in its folder `damaged/`.

    Small damage of tables is undone. Answers whose damage cannot be undone are removed, with their results;
    `--resume` asks for them again. Everything else is made again from the answers.

    Args:
        path: The run directory.
        bench: The bench of the run, if it is not an installed one.
        progress: Is notified of every answer that is scored again.

    Raises:
        PixelProofError: There is no card left, or another process is using the run.
    """
    path = Path(path)
    report, attic = Repair(path), Attic(path)
    with Lock(path):
        _repair_card(path, attic, report)
        card = read_card_alone(path)
        untied = repair_ties(path, card, attic)
        journal = _journal_bytes(path)
        seals = {name.removesuffix(".parquet"): seal for name, seal in ties_of(card).items()}
        damage = {name: repair_table(path, name, attic, seals.get(name)) for name in _GROWING}
        for name in ("items", "controls"):
            damage[name] = _repair_whole(path / f"{name}.parquet", attic, seals.get(name))
        for file, repaired in untied.items():
            damage.setdefault(file.removesuffix(".parquet"), []).append(repaired)
        report.files += chain.from_iterable(damage.values())
        _replace_calls(path, damage["calls"], journal - _journal_bytes(path), report)
        _repair_blobs(path, attic, report)
        _drop_rows_without_blobs(path, report)
        _repair_summary(path, attic, report)
        lost = [repaired.rows for repaired in damage["judgements"]]
        report.judgements += sum((card.state.planned or 0) if count is None else count for count in lost)
    try:
        bench = bench or bench_of(card.card)
        report.lost |= drop_orphans(path, bench)
        report.remade = rebuild(path, card, bench, progress or Silent())
    except PixelProofError as error:
        report.open = str(error)
    _name_lost(path, card, damage["answers"], report)
    _tie_again(path)
    return report


def _tie_again(path: Path) -> None:
    """Make the card list the files as they are after the repair."""
    with Lock(path):
        card = read_card_alone(path)
        if tie(path, card).state.files != card.state.files:
            write_card(path, card)


def find_damage(place: str | Path) -> Iterator[tuple[str | Path, str]]:
    """Files of a run, or of all runs below a folder, that are damaged, with the reason; nothing is changed.

    Args:
        place: A run directory, a folder that contains some, or the URL of either, of which all objects are verified.

    Raises:
        PixelProofError: There is none.
    """
    remote = isinstance(place, str) and is_url(place) and file_path(place) is None
    if remote:
        from pixelproof.store.remote import find_damaged

        objects = list(find_damaged(str(place)))
        yield from objects
        if objects and not _is_readable(place):
            return
    path = local_path(place)
    for run in list(find_runs(path)) or [path]:
        if not view_problem(run):  # its objects are named already
            yield from _find_in_run(run, blobs=not remote)  # packs, which hold the blobs, are objects


def _is_readable(place: str | Path) -> bool:
    try:
        local_path(place)
    except PixelProofError:
        return False
    return True


def _find_in_run(path: Path, blobs: bool) -> Iterator[tuple[Path, str]]:
    found = dict(_find_in_files(path, blobs))
    yield from found.items()
    if path / CARD not in found:
        yield from (pair for pair in _find_strangers(path) if pair[0] not in found)


def _find_strangers(path: Path) -> Iterator[tuple[Path, str]]:
    """Intact files that belong to another run, or have another role."""
    cards = {name: read_sealed_json(path / name) for name in (CARD, CARD_COPY) if (path / name).exists()}
    for name, content in cards.items():
        if reason := _card_problem(content) or foreign_card(content, cards[CARD]):
            yield path / name, reason
    if not _card_problem(cards[CARD]):
        yield from strangers(path, parse_card(cards[CARD]))


def _card_problem(content: object) -> str:
    """Why the content of an intact file is no usable card; empty if it is one."""
    try:
        parse_card(content)
    except ValueError as error:
        return str(error)
    return ""


def _find_in_files(path: Path, blobs: bool) -> Iterator[tuple[Path, str]]:
    for name in (CARD, CARD_COPY, "summary.json"):
        try:
            read_sealed_json(path / name)
        except FileNotFoundError:
            if name != "summary.json":
                yield path / name, "it is missing"
        except (OSError, ValueError) as error:
            yield path / name, str(error)
    for table in sorted([*path.glob("*.parquet"), *path.glob("*.parts/*.parquet")]):
        try:
            read_table(table)
        except DamagedFile as error:
            yield error.path, error.reason
    for journal in sorted(path.glob("*.parts/journal.jsonl")):
        if reason := journal_damage(journal):
            yield journal, reason
    store = BlobStore(path / "blobs")
    for key in store.keys() if blobs else ():
        try:
            store.get(key)
        except DamagedFile as error:
            yield error.path, error.reason
        except LostReference as error:
            yield error.file, f"it {error.reason}"


def _repair_card(path: Path, attic: Attic, report: Repair) -> None:
    """Restore the card from its copy, or the copy from the card."""
    contents: dict[str, Any] = {}
    problems: dict[str, str] = {}
    for name in (CARD, CARD_COPY):
        try:
            contents[name] = read_sealed_json(path / name)
            if reason := _card_problem(contents[name]):
                problems[name] = reason
                del contents[name]
        except FileNotFoundError:
            problems[name] = "it is missing"
        except (OSError, ValueError, RecursionError) as error:
            problems[name] = str(error)
    if len(contents) == 2 and (reason := foreign_card(contents[CARD_COPY], contents[CARD])):
        other = max((CARD_COPY, CARD), key=lambda name: sum(1 for _ in strangers(path, parse_card(contents[name]))))
        problems[other] = reason
        del contents[other]
    if not contents:
        if all(problem == "it is missing" for problem in problems.values()):
            raise PixelProofError(f"{path} is not a run directory: it has no card.json.")
        raise PixelProofError(
            f"Both {path / CARD} and its copy are damaged ({problems[CARD]}): restore one of them from a backup."
        )
    for name, problem in problems.items():
        if (path / name).exists():
            attic.keep(path / name)
        report.files.append(FileRepair(path / name, problem))
    card = contents.get(CARD, contents.get(CARD_COPY))
    for name in problems:
        write_sealed_json(path / name, card)


def _repair_whole(path: Path, attic: Attic, known: str | None) -> list[FileRepair]:
    """Repair a table that is of use only as a whole: one that has lost rows is moved to the attic, and made again."""
    repaired = repair_parquet(path, attic, known) if path.exists() else None
    if repaired is None:
        return []
    if repaired.rows != 0:
        path.unlink(missing_ok=True)
        repaired = replace(repaired, rows=0)
    return [repaired]


def _repair_summary(path: Path, attic: Attic, report: Repair) -> None:
    summary = path / "summary.json"
    if not summary.exists():
        return
    try:
        read_summary(path)
    except PixelProofError as error:
        report.files.append(FileRepair(summary, str(error.__cause__ or error)))
        attic.move(summary)


def _repair_blobs(path: Path, attic: Attic, report: Repair) -> None:
    """Move damaged blobs to the attic."""
    blobs = BlobStore(path / "blobs")
    for key in list(blobs.keys()):
        try:
            blobs.get(key)
        except DamagedFile as error:
            report.files.append(FileRepair(error.path, error.reason))
            attic.move(error.path)
        except LostReference as error:  # the file may come back: the answer stays
            report.open = str(error)


def _journal_bytes(path: Path) -> int:
    journal = path / "calls.parts" / "journal.jsonl"
    return journal.stat().st_size if journal.exists() else 0


def _replace_calls(path: Path, damage: list[FileRepair], cut: int, report: Repair) -> None:
    """Have every call that may be lost count with the most that it could cost.

    Args:
        path: The run directory.
        damage: Of the table of calls.
        cut: Bytes that the journal has lost.
        report: Is told.
    """
    if not damage:
        return
    table = CallTable(path)
    whole = sum(repaired.rows or 0 for repaired in damage if repaired.path.suffix == ".parquet")
    lines = sum(repaired.rows or 0 for repaired in damage if repaired.path.suffix != ".parquet")
    unknown = any(repaired.rows is None for repaired in damage)
    report.calls = table.replace_lost(whole + max(lines, cut // SHORTEST_LINE), unknown)
    report.unpriced = table.unpriced()
    table.close_files()


def _drop_rows_without_blobs(path: Path, report: Repair) -> None:
    """Remove answers and judgements that refer to blobs that are lost; of a lost prompt, the reference alone."""
    blobs = BlobStore(path / "blobs")
    with Records(path, "answers", rows.ANSWER_SCHEMA) as table:
        lost = {row["order"]: (row["item"], row["sample"]) for row in table.rows() if _lacks(_answer_keys(row), blobs)}
        prompts = {row["order"] for row in table.rows(["prompt"]) if _lacks(_keys(_json(row["prompt"])), blobs)} - {
            *lost
        }
        if lost or prompts:
            kept = (row for row in table.rows() if row["order"] not in lost)
            table.replace(row | {"prompt": None} if row["order"] in prompts else row for row in kept)
    report.lost |= lost
    with Records(path, "judgements", rows.JUDGEMENT_SCHEMA) as table:
        wrong = {
            row["order"]
            for row in table.rows()
            if row["order"] in lost or any(_lacks(_answer_keys(one), blobs) for one in _json(row["answers"]).values())
        }
        if wrong:
            table.replace(row for row in table.rows() if row["order"] not in wrong)
    report.judgements += len(wrong - {*lost})


def _lacks(keys: Iterator[str], blobs: BlobStore) -> bool:
    return any(key not in blobs and not blobs.is_reference(key) for key in keys)


def _answer_keys(row: Mapping[str, Any]) -> Iterator[str]:
    """Keys of the blobs that an answer consists of."""
    if row["text_blob"]:
        yield row["text_blob"]
    yield from row["images"] or ()
    for name in ("trace", "calls", "logprobs"):
        yield from _keys(_json(row[name]))


def _keys(value: Any) -> Iterator[str]:
    """Keys of the blobs that a JSON value refers to."""
    if isinstance(value, dict):
        reference = value.get(rows.ARTEFACT) or (value.get("blob") if value.keys() == {"blob"} else None)
        if isinstance(reference, str):
            yield reference
            return
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _keys(part)


def _json(text: str | None) -> Any:
    return json.loads(text) if text else None


def _name_lost(path: Path, card: RunCard, damage: list[FileRepair], report: Repair) -> None:
    """Add the answers that lay in damaged parts of the table of answers."""
    rows_lost = [repaired.rows for repaired in damage]
    if not any(count != 0 for count in rows_lost):
        return
    with Records(path, "answers", rows.ANSWER_SCHEMA) as table:
        kept = set(table)
    with suppress(PixelProofError):
        items = read_table(path / "items.parquet", ["item"])["item"].to_pylist()
        for first, last in chain.from_iterable(repaired.ranges for repaired in damage):
            for order in range(first, last + 1):
                index, sample = divmod(order, MAX_SAMPLES)
                if order not in kept and sample < card.card.samples and index < len(items):
                    report.lost[order] = (items[index], sample)
    if None not in rows_lost:
        report.unnamed = max(0, sum(count or 0 for count in rows_lost) - len(report.lost))
    elif not report.lost:
        report.unnamed = max(0, (card.state.planned or 0) - len(kept))
