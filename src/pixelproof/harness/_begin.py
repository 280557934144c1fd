"""The start of a run: its directory is locked, and made or checked."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from pixelproof.contract import PixelProofError
from pixelproof.harness._calls import CallTable
from pixelproof.harness._card import check_resumable
from pixelproof.harness._run_card import RunCard
from pixelproof.harness._rundir import read_card, write_card
from pixelproof.store import Lock, StorageError


@contextmanager
def begin(path: Path, card: RunCard, resume: bool) -> Iterator[RunCard]:
    """Lock a run directory, make or check it, and give the card to continue with.

    A start that fails before anything was paid leaves nothing behind.

    Only the process that holds the lock may delete what is there.

    Raises:
        PixelProofError: The directory is not that of a run, or of another run.
    """
    with _lock(path):
        fresh = not (path / "card.json").exists()
        card = _continue(path, card, resume)
        try:
            yield card
        except BaseException:
            if fresh and not _holds_run(path):
                shutil.rmtree(path, ignore_errors=True)
            raise


def _lock(path: Path) -> Lock:
    try:
        if not (path / ".lock").exists():  # leave no lock in the directory of somebody else
            _require_run_directory(path)
        return Lock(path)
    except (OSError, StorageError) as error:
        cause = error.__cause__ if isinstance(error, StorageError) else error
        reason = getattr(cause, "strerror", None) or str(cause)
        raise PixelProofError(f"Cannot make the run directory {path} ({reason}): choose another --out.") from error


def _holds_run(path: Path) -> bool:
    """Whether a directory has answers, or calls that may be billed."""
    if (path / "answers.parquet").exists() or (path / "answers.parts").exists():
        return True
    return CallTable(path).may_be_billed()


_FIRST_FILES = re.compile(r"\.lock|items\.parquet|\..*\.tmp|logs|blobs|\w+\.parts")
"""Files that a start can leave which is killed before it writes the card."""


def _require_run_directory(path: Path) -> None:
    if (path / "card.json").exists() or not path.exists():
        return
    locked = (path / ".lock").exists()
    if path.is_file() or any(not (locked and _FIRST_FILES.fullmatch(file.name)) for file in path.iterdir()):
        raise PixelProofError(f"{path} exists and is not a run directory: choose another --out.")


def _continue(path: Path, card: RunCard, resume: bool) -> RunCard:
    """Check the directory; returns the card to continue with."""
    _require_run_directory(path)
    if not (path / "card.json").exists():
        return card
    if not resume and _holds_run(path):
        raise PixelProofError(
            f"{path} already holds a run: add --resume (in Python, resume=True) to continue it, "
            "or choose another --out."
        )
    if not resume:
        return card  # a start that was killed before the first answer
    old = read_card(path)
    check_resumable(old.card, card.card, path)
    if card.card.samples < old.card.samples:
        raise PixelProofError(
            f"{path} has {old.card.samples} samples per item: a run can grow but not shrink, "
            f"so use --samples {old.card.samples} or more, or choose another --out."
        )
    write_card(path, old, tied=False)  # its files are about to change
    before = old.state
    state = replace(card.state, ledger=before.ledger or None, counted=before.counted or None)
    return RunCard(replace(card.card, created=old.card.created), state)
