"""Merging runs: shards of one plan, or the runs of several people with one plan, become one run directory."""

from __future__ import annotations

import heapq
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from pixelproof.contract import Bench, PixelProofError
from pixelproof.harness._card import identity_of
from pixelproof.harness._opened import Run, bench_of, plan_of
from pixelproof.harness._plan import Shard
from pixelproof.harness._progress import Progress, Silent
from pixelproof.harness._run_card import Entries, RunCard
from pixelproof.harness._rundir import RunDirectory, read_card
from pixelproof.harness._session import Session, shard_remark
from pixelproof.models import MACHINE
from pixelproof.store import BlobStore, Lock, Workers, digest, is_url, local_path, writable

_SAME = ("version", "samples", "limit", "judge_card")
"""Entries that must be equal besides those that make it the same run; the items are compared by their hash, wherever
their data lies."""
_COUNTED = ("input_tokens", "output_tokens", "images", "cost", "seconds", "assumed_calls")
_INSTANT = 0.001
"""Seconds up to which two answers may have taken equally long by chance; no call that is billed is as quick."""
_VARYING = ("seconds", "cost")
"""Columns of an answer that differ where the same answer was given twice."""


def merge(
    runs: Sequence[str | Path],
    out: str | Path,
    bench: Bench | None = None,
    progress: Progress | None = None,
    calibrate: int | None = None,
    workers: Workers = None,
) -> Run:
    """Put the answers and results of runs of one plan together, and measure floors, ceilings and the summary.

    Pooled metrics, intervals and calibrated scores are those of one run of the whole plan. If answers are missing, the
    merged run says so, and its command with `--resume` asks for them. Nothing is scored again.

    Args:
        runs: Run directories, or their URLs, with the same bench, options, items, model and scorer; they are not
            changed.
        out: A new run directory, or a URL.
        bench: The bench of the runs, if it is not an installed one.
        progress: Of copying and calibrating.
        calibrate: Measure floors and ceilings on this many items; None: as many as the bench sets, or all; 0: none.
        workers: Processes, or a cluster, that measure controls.

    Raises:
        PixelProofError: The runs differ in more than their items, two of them have different answers to one item, or
            the new directory exists.
    """
    paths = [local_path(run) for run in runs]
    cards = [read_card(path) for path in paths]
    _require_one_plan(paths, cards)
    if not is_url(out):
        _require_apart(Path(out), paths)
    with writable(out) as folder:
        return _merge(paths, cards, folder.absolute(), bench, progress or Silent(), calibrate, workers)


def _merge(
    paths: Sequence[Path],
    cards: Sequence[RunCard],
    out: Path,
    bench: Bench | None,
    progress: Progress,
    calibrate: int | None,
    workers: Workers,
) -> Run:
    if out.exists() and any(file.name != ".lock" for file in out.iterdir()) and not (out / _MARK).exists():
        raise PixelProofError(f"{out} exists: choose a new directory with --out.")
    bench = bench or bench_of(cards[0].card)
    with ExitStack() as open_files:
        open_files.enter_context(Lock(out))
        (out / _MARK).touch()
        parts = [open_files.enter_context(RunDirectory(path, bench, read_only=True)) for path in paths]
        merged = open_files.enter_context(RunDirectory(out, bench, locked=True))
        _copy_tables(parts, merged)
        _copy_blobs(parts, merged, progress)
        for path in paths:
            if (path / "logs").is_dir():
                shutil.copytree(path / "logs", out / "logs", dirs_exist_ok=True)
        shutil.copyfile(paths[0] / "items.parquet", out / "items.parquet")
        card = _merged_card(cards)
        plan = plan_of(card.card, bench)
        session = Session(merged, plan, card, progress, workers)
        session.enter(
            planned=plan.count(sum(1 for _ in Run(out, card).items())),
            calibrated_on=bench.calibrate_on if calibrate is None else calibrate,
        )
        session.summarise(session.calibrate(), "complete")
        (out / _MARK).unlink()
    return Run(out, session.card)


_MARK = ".merging"
"""File of a directory whose merge has not ended: it may be started again."""


def _require_one_plan(paths: Sequence[Path], cards: Sequence[RunCard]) -> None:
    """Refuse runs that cannot be parts of one run."""
    if len({path.resolve() for path in paths}) < max(2, len(paths)):
        raise PixelProofError("Merging needs two or more different run directories.")
    for path, card in zip(paths, cards, strict=True):
        if card.state.state == "running":
            raise PixelProofError(f"{path} is in use by another process: wait until it ends.")
        if not (path / "summary.json").exists():
            raise PixelProofError(f"{path} has not ended: continue it with --resume, then merge.")
        for name in (*(n for n in card.card.identity() if n not in ("shard", "source")), *_SAME, "data_hash"):
            if _comparable(card, name) != _comparable(cards[0], name):
                raise PixelProofError(
                    f"{path} and {paths[0]} are not runs of one plan: {name} is {card.get(name)!r} in the first and "
                    f"{cards[0].get(name)!r} in the second."
                )
        if card.card.scorer != cards[0].card.scorer:
            raise PixelProofError(
                f"{path} and {paths[0]} were scored by different code: run 'pixelproof runs rescore' on both with "
                "one version."
            )


def _comparable(card: RunCard, name: str) -> object:
    return card.state.data_hash if name == "data_hash" else identity_of(card.card, name)


def _require_apart(out: Path, paths: Sequence[Path]) -> None:
    """Refuse a place that is a file, or inside one of the runs, which are not changed."""
    if out.is_file() or any(
        out.resolve() != path.resolve() and path.resolve() in out.resolve().parents for path in paths
    ):
        raise PixelProofError(f"{out} is a file, or inside one of the runs: choose a new directory with --out.")


def _copy_tables(parts: Sequence[RunDirectory], merged: RunDirectory) -> None:
    answers = heapq.merge(*(_named(part, part.answers.rows()) for part in parts), key=lambda pair: pair[0]["order"])
    merged.answers.replace(_unique(answers))
    results = heapq.merge(*(part.results.rows() for part in parts), key=lambda row: row["order"])
    merged.results.replace(_best(results))
    judgements = heapq.merge(*(part.judgements.rows() for part in parts), key=lambda row: row["order"])
    if any(len(part.judgements) for part in parts):
        merged.judgements.replace(_best(judgements))
    merged.calls.add(row for part in parts for row in part.calls.rows())


def _named(part: RunDirectory, rows: Iterable[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], Path]]:
    return ((row, part.path) for row in rows)


def _unique(rows: Iterable[tuple[dict[str, Any], Path]]) -> Iterator[dict[str, Any]]:
    """One row per answer; raises where two runs have different ones."""
    for _, same in groupby(rows, key=lambda pair: pair[0]["order"]):
        (first, path), *others = same
        for row, other in others:
            if any(row[name] != first[name] for name in row if name not in _VARYING):
                raise PixelProofError(
                    f"{path} and {other} have different answers to {row['item']}, sample {row['sample']}: merge runs "
                    "of different shards, or leave one of them out."
                )
            if row["seconds"] > _INSTANT and row["seconds"] == first["seconds"]:
                raise PixelProofError(
                    f"{path} and {other} have one and the same answer to {row['item']}, sample {row['sample']}: one "
                    "run is a copy of the other, and its costs would count twice, so leave one of them out."
                )
        yield first


def _best(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """One row per order: a final one before one that would be asked or scored again, in whichever run it is."""
    for _, same in groupby(rows, key=lambda row: row["order"]):
        yield min(same, key=lambda row: _RANKS.get(row.get("status", "scored"), 0))


_RANKS = {"instrument-fault": 1, "infrastructure-fault": 2}
"""Status of a result → its rank; all others are final."""


def _copy_blobs(parts: Sequence[RunDirectory], merged: RunDirectory, progress: Progress) -> None:
    """Copy every blob once, verified; references to files elsewhere stay references."""
    keys = {key: part for part in reversed(parts) for key in part.blobs.keys()}
    progress.begin("copying files", len(keys))
    plain = BlobStore(merged.path / "blobs")
    for key, part in sorted(keys.items(), key=lambda pair: pair[0]):
        if part.blobs.is_reference(key) and not plain.path(key).exists():
            plain.path(key).parent.mkdir(parents=True, exist_ok=True)
            os.symlink(os.readlink(part.blobs.path(key)), plain.path(key))
        elif key not in plain:
            plain.put(part.blobs.get(key))
        progress.advance("scored")
    progress.end()


def _merged_card(cards: Sequence[RunCard]) -> RunCard:
    """The card of the whole run, with what all parts have used."""
    known = [card.state.ledger for card in cards if card.state.ledger]
    total = {name: sum(ledger.get(name) or 0 for ledger in known) for name in _COUNTED}
    parts = [
        {"shard": card.card.shard, "created": card.card.created, "software": card.card.software, **_machine(card)}
        for card in cards
    ]
    first = replace(cards[0], card=replace(cards[0].card, shard=None, created=min(c.card.created for c in cards)))
    return first.with_state(
        ledger={**known[0], **total} if known else None, counted=None, remarks=_remarks(cards), merged=parts
    )


def _machine(card: RunCard) -> Entries:
    """What the card of a model says about its machine."""
    return {key: value for key, value in card.card.model_card.items() if key == MACHINE}


def _remarks(cards: Sequence[RunCard]) -> list[str]:
    """The remarks of all parts, once each, without those about shards."""
    remarks = dict.fromkeys(remark for card in cards for remark in card.state.remarks)
    about_shards = {shard_remark(card.card.shard) for card in cards if card.card.shard}
    kept = [remark for remark in remarks if remark not in about_shards and not remark.startswith(_MISSING)]
    machines = len({digest(_machine(card)) for card in cards})
    mixed = [f"The answers were made on {machines} kinds of processors, on which a model may answer differently."]
    return [*kept, *(mixed if machines > 1 else []), *_missing_shards(cards)]


_MISSING = "Shards are missing: "


def _missing_shards(cards: Sequence[RunCard]) -> list[str]:
    """A remark that names the missing shards, if all parts are shards of one division."""
    shards = [Shard.parse(card.card.shard) for card in cards if card.card.shard]
    counts = {shard.count for shard in shards}
    if len(shards) < len(cards) or len(counts) > 1:
        return []
    missing = sorted(set(range(1, shards[0].count + 1)) - {shard.number for shard in shards})
    names = ", ".join(f"{number}/{shards[0].count}" for number in missing[:8]) + (", …" if len(missing) > 8 else "")
    return [f"{_MISSING}{names} ({len(missing)} of {shards[0].count})."] if missing else []
