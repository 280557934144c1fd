"""What ties the files of a run to its card: the card of a run that has ended lists each of them with its checksum.

Every file has checksums of its own, which a file of another run, or of another role, has too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from pixelproof.store import Attic, DamagedFile, FileRepair, read_sealed_json, seal_id

TIES = "files"
"""The entry of a card: name of a file → what identifies its content; None while files of an ended run change."""
_SUMMARY = "summary.json"
_TABLES = tuple(f"{name}.parquet" for name in ("answers", "judgements", "calls", "results", "items", "controls"))
_MADE = ("items.parquet", "results.parquet", "controls.parquet", _SUMMARY)
"""What a repair makes again."""
REMADE = ("results.parquet", "controls.parquet", _SUMMARY)
"""What is made again when a run is rescored."""
_ENDED = ("complete", "incomplete", "stopped")
_OTHER = "it is not the file that the card lists: it is another one of this run, or of another run"
_MISSING = "it is missing"


def tie(path: Path, card: dict[str, Any]) -> None:
    """List the files of a run in its card; one that has not ended lists none, because they change."""
    card.pop(TIES, None)
    if is_ended(card):
        marks = ((name, _mark(path / name)) for name in (*_TABLES, _SUMMARY))
        card[TIES] = {name: mark for name, mark in marks if mark}


def is_ended(card: Mapping[str, Any]) -> bool:
    """Whether the card is that of a run that has ended, which has an entry for the list of its files."""
    return card["state"] in _ENDED


def _ties(card: Mapping[str, Any]) -> Mapping[str, str]:
    """Name of a file → what identifies it; none for a run that has not ended, whose files change."""
    ties: Mapping[str, str] = (card.get(TIES) or {}) if is_ended(card) else {}
    return ties


def strangers(path: Path, card: Mapping[str, Any], but: Collection[str] = ()) -> Iterator[tuple[Path, str]]:
    """Files of a run that are not those that its card lists, and those that are missing, with the reason.

    Args:
        path: The run directory.
        card: Its card.
        but: Names of files that do not matter.
    """
    for name, known in _ties(card).items():
        mark = known if name in but else _mark(path / name)
        if mark != known:
            yield path / name, _MISSING if mark is None else _OTHER


def check_ties(path: Path, card: Mapping[str, Any], but: Collection[str] = ()) -> None:
    """Refuse a run with files that are not its own; the arguments are those of `strangers`.

    Raises:
        DamagedFile: The first of them.
    """
    for file, reason in strangers(path, card, but):
        # Without a seal it is refused when it is read; a run may have no summary yet.
        if _is_sealed(file) or (reason == _MISSING and file.name != _SUMMARY):
            raise DamagedFile(file, reason)


def foreign_card(content: Any, card: Mapping[str, Any]) -> str:
    """Why the content of an intact file is no card, or not that of the same run as another; empty if it is."""
    if not isinstance(content, dict) or "format" not in content or "bench" not in content:
        return "it is not the card of a run"
    same = all(content.get(name) == card.get(name) for name in ("bench", "model", "seed", "created"))
    return "" if same else "it is the card of another run"


def repair_ties(path: Path, card: Mapping[str, Any], attic: Attic) -> dict[str, FileRepair]:
    """Give exchanged files their places, move files of others to the attic, and name those that are missing.

    Returns:
        Name of a file → what was done; damaged files are not among them.
    """
    repairs = {file.name: FileRepair(file, "it was exchanged with another file") for file in _put_back(path, card)}
    for file, reason in strangers(path, card):
        if reason != _MISSING:
            if not _is_sealed(file):
                continue
            attic.move(file)
        repairs[file.name] = FileRepair(file, reason, 0 if file.name in _MADE else None)
    return repairs


def _put_back(path: Path, card: Mapping[str, Any]) -> list[Path]:
    """Give tables that were exchanged their names again; returns those that are right now."""
    ties = _ties(card)
    wrong = [file for file, _ in strangers(path, card) if file.suffix == ".parquet"]
    found = {_mark(file): file for file in wrong if file.exists()}
    moves = {file: found[ties[file.name]] for file in wrong if ties[file.name] in found}
    for target, source in moves.items():
        source.rename(target.with_name(f".{target.name}.back.tmp"))
    for target in moves:
        target.with_name(f".{target.name}.back.tmp").replace(target)
    return list(moves)


def _is_sealed(file: Path) -> bool:
    if file.name != _SUMMARY:
        return bool(_mark(file))
    try:
        read_sealed_json(file)
    except (OSError, ValueError, RecursionError):
        return False
    return True


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
