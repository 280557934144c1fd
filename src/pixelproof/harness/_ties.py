"""What ties the files of a run to its card: the card of a run that has ended lists each of them with its checksum.

Every file has checksums of its own, which a file of another run, or of another role, has too.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pixelproof.harness._run_card import ABSENT, RunCard
from pixelproof.store import Attic, DamagedFile, FileRepair, VerifiedTable, read_sealed_json, seal_id

_SUMMARY = "summary.json"
_TABLES = tuple(f"{name}.parquet" for name in ("answers", "judgements", "calls", "results", "items", "controls"))
_PARTS = ("answers", "judgements", "results")
"""Tables whose parts would be read instead of them; calls may follow the end of a run."""
_MADE = ("items.parquet", "results.parquet", "controls.parquet", _SUMMARY)
"""What a repair makes again."""
_OTHER = "it is not the file that the card lists: it is another one of this run, or of another run"
_UNLISTED = "the card does not list it: it is of another run, or was added later"
_MISSING = "it is missing"


def tie(path: Path, card: RunCard) -> RunCard:
    """List the files of a run in its card; one that has not ended lists none, because they change."""
    if not card.state.ended:
        return card.with_state(files=ABSENT)
    marks = ((name, _mark(path / name)) for name in (*_TABLES, _SUMMARY))
    return card.with_state(files={name: mark for name, mark in marks if mark})


def ties_of(card: RunCard) -> Mapping[str, str]:
    """Name of a file → what identifies it; none for a run that has not ended, whose files change."""
    return (card.state.files or {}) if card.state.ended else {}


def strangers(path: Path, card: RunCard) -> Iterator[tuple[Path, str]]:
    """Files of a run that are not those that its card lists, and those that are missing, with the reason."""
    ties = ties_of(card)
    for name, known in ties.items():
        mark = _mark(path / name)
        if mark != known:
            yield path / name, _MISSING if mark is None else _damage(path / name)
    if ties:
        names = set(os.listdir(path))
        added = [path / name for name in (*_TABLES, _SUMMARY) if name in names and name not in ties]
        parts = [path / f"{name}.parts" for name in _PARTS if f"{name}.parts" in names]
        yield from (
            (file, _UNLISTED) for file in (*added, *(file for part in parts for file in sorted(part.glob("*.*"))))
        )


def check_ties(path: Path, card: RunCard) -> None:
    """Refuse a run with files that are not its own. Every reader of a table opens the card first, which calls this.

    Raises:
        DamagedFile: The first of them.
    """
    for file, reason in strangers(path, card):
        if reason != _MISSING or file.name != _SUMMARY:  # a run may have no summary yet
            raise DamagedFile(file, reason)


def foreign_card(content: Any, card: Mapping[str, Any]) -> str:
    """Why the content of an intact file is no card, or not that of the same run as another; empty if it is."""
    if not isinstance(content, dict) or "format" not in content or "bench" not in content:
        return "it is not the card of a run"
    same = all(content.get(name) == card.get(name) for name in ("bench", "model", "seed", "created"))
    return "" if same else "it is the card of another run"


def repair_ties(path: Path, card: RunCard, attic: Attic) -> dict[str, FileRepair]:
    """Give exchanged files their places, move files of others to the attic, and name those that are missing.

    Returns:
        Name of a file → what was done; damaged files are not among them.
    """
    repairs = {file.name: FileRepair(file, "it was exchanged with another file") for file in _put_back(path, card)}
    for file, reason in strangers(path, card):
        if reason in (_OTHER, _UNLISTED):
            attic.move(file)
        elif reason != _MISSING:
            continue
        remade = reason == _UNLISTED or file.name in _MADE
        repairs[file.name] = FileRepair(file, reason, 0 if remade else None)
    return repairs


def _put_back(path: Path, card: RunCard) -> list[Path]:
    """Give tables that were exchanged their names again; returns those that are right now."""
    ties = ties_of(card)
    wrong = [file for file, _ in strangers(path, card) if file.name in ties and file.suffix == ".parquet"]
    found = {_mark(file): file for file in wrong if file.exists()}
    moves = {file: found[ties[file.name]] for file in wrong if ties[file.name] in found}
    for target, source in moves.items():
        source.rename(target.with_name(f".{target.name}.back.tmp"))
    for target in moves:
        target.with_name(f".{target.name}.back.tmp").replace(target)
    return list(moves)


def _damage(file: Path) -> str:
    """Why a file is not the one that its card lists: its damage, or that it is an intact file of others."""
    try:
        if file.name == _SUMMARY:
            read_sealed_json(file)
        else:
            VerifiedTable(file).close()
    except DamagedFile as error:
        return error.reason
    except (OSError, ValueError, RecursionError) as error:
        return str(error)
    return _OTHER


def _mark(file: Path) -> str | None:
    """What identifies the content of a file: of a table, its seal, which is verified when it is read; None without it.

    Empty for a table without a seal.
    """
    try:
        return seal_id(file) if file.suffix == ".parquet" else hashlib.sha256(file.read_bytes()).hexdigest()[:16]
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return ""
