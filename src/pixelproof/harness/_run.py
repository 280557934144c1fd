"""Run and rescore: what the command line and the Python API share."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pixelproof.contract import Bench, PixelProofError
from pixelproof.harness import _rows as rows
from pixelproof.harness._begin import begin
from pixelproof.harness._card import default_directory, new_card, scorer_fingerprint, software
from pixelproof.harness._ledger import Ledger
from pixelproof.harness._native import worth_spreading
from pixelproof.harness._opened import Run, bench_of, plan_of
from pixelproof.harness._plan import Plan
from pixelproof.harness._progress import Progress, Silent
from pixelproof.harness._run_card import RunCard
from pixelproof.harness._rundir import RunDirectory, StoredRows, read_card, read_card_alone, write_card
from pixelproof.harness._scoring import score
from pixelproof.harness._session import OpenModels, Session, model_name, prices_of
from pixelproof.options import Decoding, ModelName, Settings
from pixelproof.store import BlobStore, Executor, Workers, executor_for, local_path, place_of, refresh_secrets, writable


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
    Ledger(prices_of(settings), settings.max_cost)  # refuses wrong settings before anything is made
    plan = replace(plan, bench=plan.bench.for_model(model_name(model)))
    with closing(OpenModels.open(model, plan.bench, judge, decoding, settings)) as models:
        card = new_card(plan, models.name, decoding, judge, models.model, models.judge_card)
        with writable(place_of(settings.out or default_directory(card))) as folder:
            path = folder.absolute()  # a user's function may change the working directory
            with (
                begin(path, RunCard(card), settings.resume) as known,
                RunDirectory(path, plan.bench, locked=True) as files,
            ):
                session = Session(files, plan, known, progress, settings.workers)
                session.list_items(plan.bench.check_item if models.plays else None)
                with session.interruptible():
                    session.ask(models)
                    on = plan.bench.calibrate_on if settings.calibrate is None else settings.calibrate
                    session.enter(calibrated_on=on if plan.shard is None else 0)
                    session.summarise(session.calibrate())
            return Run(path, session.card)


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
    known = read_card_alone(path)
    bench = bench or bench_of(known.card)
    plan = plan_of(known.card, bench)
    with RunDirectory(path, bench, remake=True) as directory:
        _check_answers(directory)
        write_card(path, known, tied=False)  # results are about to change
        scorer = replace(known.card, version=bench.version, scorer=scorer_fingerprint(bench), software=software())
        session = Session(directory, plan, replace(known, card=scorer), progress, workers)
        outcome = "interrupted" if known.state.state == "running" else known.state.state  # we hold the lock
        session.enter(remarks=[*known.state.remarks, *directory.doubts()])
        session.list_items()
        _score_again(directory, plan, progress, workers)
        session.summarise(session.calibrate(), outcome)
    return Run(path, session.card)


def _score_again(directory: RunDirectory, plan: Plan, progress: Progress, workers: Workers) -> None:
    """Replace the results of all stored answers."""
    bench = plan.bench
    progress.begin("rescoring", len(directory.answers))

    def score_rows(pool: Executor) -> Iterator[dict[str, Any]]:
        scorer = _Rescorer(bench, directory.path.absolute() / "blobs")
        for row in pool.map(scorer, directory.stored_rows(plan), chunk=4):
            progress.advance(row["status"])
            yield row

    lost = (row for row in directory.results.rows() if row["order"] not in directory.answers)
    spread = worth_spreading(bench, len(directory.answers), workers)
    with executor_for(workers if spread else 1) as pool:
        directory.results.replace(heapq.merge(score_rows(pool), lost, key=lambda row: row["order"]))
    progress.end()


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
