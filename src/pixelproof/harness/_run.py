"""Run and rescore: what the command line and the Python API share."""

from __future__ import annotations

import heapq
import json
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from pixelproof.contract import Bench, PixelProofError, Usage
from pixelproof.harness import _rows as rows
from pixelproof.harness._budget_note import overshoot_note
from pixelproof.harness._calls import CallTable
from pixelproof.harness._card import check_resumable, new_card, scorer_fingerprint, software
from pixelproof.harness._channels import count_channels, frequent_channels
from pixelproof.harness._controls import measure_controls, write_controls
from pixelproof.harness._counted import check_calls, counted
from pixelproof.harness._judge import CachedJudge, OpenJudge, open_judge
from pixelproof.harness._ledger import Ledger, Prices
from pixelproof.harness._native import Answerer, NativeRunner, settle_stored, worth_spreading
from pixelproof.harness._opened import Run, bench_of, plan_of
from pixelproof.harness._plan import Plan
from pixelproof.harness._progress import Progress, Silent
from pixelproof.harness._rundir import RunDirectory, StoredRows, read_card, read_card_alone, read_column, write_card
from pixelproof.harness._scoring import score
from pixelproof.harness._summary import summarise
from pixelproof.models import Model, allow_failures, name_of, open_model
from pixelproof.options import Decoding, ModelName, Settings
from pixelproof.store import (
    BlobStore,
    Executor,
    Lock,
    StorageError,
    Workers,
    digest,
    executor_for,
    local_path,
    place_of,
    refresh_secrets,
    writable,
)

BUDGETED_CONNECTIONS = 10
"""Concurrent calls of a run through Inspect that has a budget; without one, Inspect adapts their number."""


def run(
    plan: Plan,
    model: ModelName,
    decoding: Decoding | None = None,
    judge: str | None = None,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> Run:
    """Ask a model everything that is planned, and measure the answers.

    Raises:
        PixelProofError: The set-up is wrong; the message says what to do.
        KeyboardInterrupt: Raised after all answers so far are stored.
    """
    decoding, settings, progress = decoding or Decoding(), settings or Settings(), progress or Silent()
    refresh_secrets()
    name = checked_name(model)
    Ledger(prices_of(settings), settings.max_cost)  # refuses wrong settings before anything is made
    plan = replace(plan, bench=plan.bench.for_model(name))
    opened = open_model(model, plan.bench, decoding)
    opened_judge = open_judge(judge, plan.bench)
    judge_card = None if opened_judge is None else opened_judge.card
    card = new_card(plan, name, decoding, judge, opened.card() if opened else None, judge_card)
    with writable(place_of(settings.out or default_directory(card))) as folder:
        path = folder.absolute()  # a user's function may change the working directory
        return _carried_out(path, plan, name, opened, decoding, opened_judge, card, settings, progress)


def _carried_out(
    path: Path,
    plan: Plan,
    name: str,
    opened: Model | None,
    decoding: Decoding,
    opened_judge: OpenJudge | None,
    card: dict[str, Any],
    settings: Settings,
    progress: Progress,
) -> Run:
    """Ask, measure and conclude in a local directory."""
    with _begun(path, card, settings.resume) as card, RunDirectory(path, plan.bench, locked=True) as directory:
        doubts = directory.doubts()
        for doubt in doubts:
            progress.announce(doubt)
        plays = opened is None or not opened.answers_items
        checks = [plan.bench.check_item] if plays else []
        card["data_hash"], n_items = directory.write_items(plan, *checks)
        card["planned"] = plan.count(n_items)
        directory.write_card(card)
        asked = opened is None or not (opened.answers_items or opened.spreads)
        billable = asked or opened_judge is not None
        if billable:
            check_calls(directory, card.get("counted"), asked, settings.max_cost is not None)
        ledger = _open_ledger(directory, settings, card.get("ledger"))
        if billable:
            card["counted"] = counted(directory, asked)
            directory.write_card(card)
        if len(directory.answers):
            allow_failures(opened, None)
        if settings.max_cost is not None and (opened is None or not opened.spreads):
            connections = connections_of(opened, opened_judge, settings)
            progress.announce(overshoot_note(settings.max_cost, connections, (name, card["judge"])))
        progress.begin(name, card["planned"], len(directory.settled()))
        try:
            _ask_all(directory, plan, name, opened, decoding, opened_judge, ledger, settings, progress)
            outcome = "stopped" if ledger.stopped else "complete"
        except BaseException:
            card["state"] = "interrupted"
            raise
        finally:
            if opened is not None:
                opened.close()
            progress.end()
            card["ledger"] = ledger.card()
            if billable:
                card["counted"] = counted(directory, asked)
            directory.write_card(card)
        card["calibrated_on"] = plan.bench.calibrate_on if settings.calibrate is None else settings.calibrate
        card["remarks"] = [*plan.bench.remarks(plan.source, plan.samples), *doubts]
        if plan.shard is not None:
            card["calibrated_on"] = 0
            card["remarks"].append(shard_remark(str(plan.shard)))
        card["portable"] = not directory.refers_to_files()
        if not card["portable"]:
            card["remarks"].append(_NOT_PORTABLE)
        about_controls = None
        if opened_judge is not None:
            ask, connections = opened_judge.within(ledger), opened_judge.connections
            about_controls = CachedJudge(opened_judge.card, ask, connections)
        try:
            card["state"] = outcome
            conclude(directory, plan, card, progress, settings.workers, about_controls)
        except BaseException:
            card["state"] = "interrupted"
            raise
        finally:
            card["ledger"] = ledger.card()
            directory.write_card(card)
            if opened_judge is not None:
                opened_judge.close()
    return Run(path, card)


_NOT_PORTABLE = (
    "The run refers to the files of the answers by path and hash, and has no copies: it is not portable. Keep these "
    "files where they are to rescore it, or to show them in a report."
)


def shard_remark(shard: str) -> str:
    """What the card of a shard says."""
    return f"This is shard {shard}: 'pixelproof runs merge' puts shards together, and measures floors and ceilings."


def checked_name(model: object) -> str:
    if not model or not (isinstance(model, str) or callable(model)):
        raise PixelProofError(f"A model is a name, such as gguf/smollm2, or a Python function, not {model!r}.")
    return name_of(model)


def prices_of(settings: Settings) -> Prices | None:
    """The prices that the user states."""
    return None if settings.price is None else Prices.parse(settings.price)


def _ask_all(
    directory: RunDirectory,
    plan: Plan,
    model: str,
    opened: Model | None,
    decoding: Decoding,
    judge: OpenJudge | None,
    ledger: Ledger,
    settings: Settings,
    progress: Progress,
) -> None:
    ask_judge = None if judge is None else judge.within(ledger)
    settle_stored(directory, plan, ask_judge, progress, ledger)
    if opened is None:
        from pixelproof.harness._inspect_run import run_inspect

        name = None if judge is None else judge.name
        budgeted = settings.max_cost is not None
        connections = connections_of(None, judge, settings) if budgeted else settings.connections
        run_inspect(directory, plan, model, decoding, ledger, progress, name, connections)
        return
    NativeRunner(
        directory,
        plan,
        Answerer.around(opened, plan.bench, decoding),
        ledger,
        progress,
        ask_judge,
        connections=connections_of(opened, judge, settings),
        workers=settings.workers,
    )()


def connections_of(model: Model | None, judge: OpenJudge | None, settings: Settings) -> int:
    """The number of calls in flight at once."""
    if model is None:
        return settings.connections or BUDGETED_CONNECTIONS
    waits_for_judge = judge is not None and model.answers_items
    return settings.connections or (judge.connections if judge and waits_for_judge else model.connections)


@contextmanager
def _begun(path: Path, card: dict[str, Any], resume: bool) -> Iterator[dict[str, Any]]:
    """Lock, then make or check the directory; a start that fails before anything was paid leaves nothing behind.

    Only the process that holds the lock may delete what is there.
    """
    with _locked(path):
        fresh = not (path / "card.json").exists()
        card = _begin(path, card, resume)
        try:
            yield card
        except BaseException:
            if fresh and not _holds_run(path):
                shutil.rmtree(path, ignore_errors=True)
            raise


def _locked(path: Path) -> Lock:
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


def _begin(path: Path, card: dict[str, Any], resume: bool) -> dict[str, Any]:
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
    check_resumable(old, card, path)
    if card["samples"] < old["samples"]:
        raise PixelProofError(
            f"{path} has {old['samples']} samples per item: a run can grow but not shrink, "
            f"so use --samples {old['samples']} or more, or choose another --out."
        )
    write_card(path, old, tied=False)  # its files are about to change
    return {**card, "created": old["created"], "ledger": old.get("ledger"), "counted": old.get("counted")}


def default_directory(card: dict[str, Any]) -> Path:
    """`runs/BENCH/MODEL-xxxxxxxx`; the same command gives the same directory, so that it can be resumed."""
    identity = {name: card[name] for name in ("options", "source", "seed", "model", "decoding", "judge")}
    identity |= {name: card[name] for name, default in (("shard", None), ("split", "all")) if card[name] != default}
    slug = re.sub(r"[^A-Za-z0-9.]+", "-", card["model"]).strip("-.")[-60:]
    return Path("runs", card["bench"], f"{slug}-{digest(identity)[:8]}")


def _open_ledger(directory: RunDirectory, settings: Settings, known: Mapping[str, Any] | None) -> Ledger:
    """The ledger of a run with what it has used so far: at least what its calls and its answers say, and its card."""
    prices = prices_of(settings)

    def price(usage: Usage) -> float | None:
        return usage.cost if prices is None else prices.cost(usage)

    answers = Usage()
    for row in directory.answers.rows(["input_tokens", "output_tokens", "image_count", "cost", "seconds"]):
        usage = rows.usage_of(row)
        answers = answers + replace(usage, cost=price(usage) if usage.cost is None else usage.cost)
    calls, assumed = directory.calls.spent(price)
    noted = Usage(**{field.name: (known or {}).get(field.name) or 0 for field in fields(Usage)})
    spent = Usage(
        **{f.name: max(getattr(usage, f.name) or 0 for usage in (answers, calls, noted)) for f in fields(Usage)}
    )
    return Ledger(prices, settings.max_cost, spent, directory.calls, assumed)


def conclude(
    directory: RunDirectory,
    plan: Plan,
    card: dict[str, Any],
    progress: Progress,
    workers: Workers = None,
    judge: CachedJudge | None = None,
    known: Mapping[str, pa.Table] | None = None,
) -> None:
    """Compact the tables, measure floors and ceilings unless they are known, write summary and card."""
    directory.compact()
    count = card["planned"] // plan.samples
    channels = frequent_channels(count_channels(read_column(directory.path / "results.parquet", "channel")))
    controls = known or measure_controls(
        plan, card["data_hash"], count, progress, card.get("calibrated_on"), workers, judge, channels
    )
    if judge is not None and not judge.complete:
        card["remarks"] = [
            *card.get("remarks", ()),
            "The judge did not answer all questions about floors and ceilings.",
        ]
    if not known:
        write_controls(directory.path, controls)
    summary = summarise(directory.path, plan.bench, card["model"], card["planned"], controls, plan.source)
    counts = summary.counts
    if card["state"] == "complete" and counts.completed + counts.unscored + counts.errored < counts.planned:
        card["state"] = "stopped"
    if card["state"] == "complete" and counts.errored + counts.unscored:
        card["state"] = "incomplete"
    directory.write_summary(summary)
    directory.write_card(card)


@dataclass(frozen=True)
class _Rescorer:
    """Scores a stored answer in a worker process, which reads and writes blobs itself."""

    bench: Bench
    blobs: Path

    def __call__(self, stored: StoredRows) -> dict[str, Any]:
        """The row of the result."""
        blobs = BlobStore(self.blobs, refers=not self.bench.copies_answers)
        result = score(self.bench, stored.ask, *stored.read(blobs))
        return rows.result_row(stored.ask.order, result, self.bench.metrics, blobs)


def rescore(
    path: str | Path, bench: Bench | None = None, progress: Progress | None = None, workers: Workers = None
) -> Run:
    """Score the stored answers of a run again with the installed scorer. No model and no judge is called.

    Args:
        path: The run directory, or its URL.
        bench: The bench of the run, if it is not an installed one.
        progress: Is notified of every answer.
        workers: Processes, or a cluster, that score; None: a process per core if there are enough answers.
    """
    read_card(local_path(path))  # refuses what is no run before anything is written
    with writable(place_of(path)) as folder:
        read_card(folder)
        return rescored(folder, bench, progress or Silent(), workers)


def rescored(path: Path, bench: Bench | None, progress: Progress, workers: Workers = None) -> Run:
    """Score the stored answers of a local run again, whatever became of its results."""
    card = read_card_alone(path)
    bench = bench or bench_of(card)
    plan = plan_of(card, bench)
    with RunDirectory(path, bench, remake=True) as directory:
        _check_answers(directory)
        write_card(path, card, tied=False)  # results are about to change
        card["remarks"] = [*card.get("remarks", ()), *directory.doubts()]
        if card["state"] == "running":  # it is not: we hold the lock
            card["state"] = "interrupted"
        card["data_hash"], n_items = directory.write_items(plan)
        card["planned"] = plan.count(n_items)
        progress.begin("rescoring", len(directory.answers))

        def scored(pool: Executor) -> Iterator[dict[str, Any]]:
            for row in pool.map(_Rescorer(bench, path.absolute() / "blobs"), directory.stored_rows(plan), chunk=4):
                progress.advance(row["status"])
                yield row

        lost = (row for row in directory.results.rows() if row["order"] not in directory.answers)
        spread = worth_spreading(bench, len(directory.answers), workers)
        with executor_for(workers if spread else 1) as pool:
            directory.results.replace(heapq.merge(scored(pool), lost, key=lambda row: row["order"]))
        progress.end()
        card |= {"version": bench.version, "scorer": scorer_fingerprint(bench), "software": software()}
        judge = CachedJudge(card["judge_card"], None) if card["judge_card"] else None
        conclude(directory, plan, card, progress, workers, judge)
    return Run(path, card)


def _check_answers(directory: RunDirectory) -> None:
    """Refuse to rescore a run that has lost answers."""
    orphans = len(directory.settled()) - len(directory.answers)
    if not len(directory.answers):
        raise PixelProofError(f"{directory.path} has no answers to score: continue the run with --resume.")
    if orphans > 0:
        raise PixelProofError(
            f"{directory.path} lacks the answers of {orphans} results: restore answers.parquet from a backup, or ask "
            "again with --resume."
        )


def dump(summary: dict[str, Any]) -> str:
    """A summary as `--json` prints it."""
    return json.dumps(summary, indent=2, allow_nan=False)
