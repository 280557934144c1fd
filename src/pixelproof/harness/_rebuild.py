"""What a repaired run lacks, made again from its intact answers: results, floors and ceilings, summary."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from pixelproof.contract import Bench, PixelProofError
from pixelproof.harness._card import scorer_fingerprint
from pixelproof.harness._controls import read_controls
from pixelproof.harness._opened import plan_of
from pixelproof.harness._plan import Plan
from pixelproof.harness._progress import Progress
from pixelproof.harness._run import rescored
from pixelproof.harness._run_card import RunCard
from pixelproof.harness._rundir import RunDirectory
from pixelproof.harness._scoring import score
from pixelproof.harness._session import Session

Lost = dict[int, tuple[str, int]]
"""Order → item and sample."""


def drop_orphans(path: Path, bench: Bench) -> Lost:
    """Remove the results whose answers are lost, and name these."""
    with RunDirectory(path, bench, remake=True) as directory:
        orphans = {
            row["order"]: (row["item"], row["sample"])
            for row in directory.results.rows(["item", "sample", "status"])
            if row["status"] != "infrastructure-fault" and row["order"] not in directory.answers
        }
        if orphans:
            directory.results.replace(row for row in directory.results.rows() if row["order"] not in orphans)
            (path / "summary.json").unlink(missing_ok=True)
    return orphans


def rebuild(path: Path, card: RunCard, bench: Bench, progress: Progress) -> list[str]:
    """Make whatever a repaired run lacks, and say what; runs that have not ended are left to `--resume`.

    Raises:
        PixelProofError: There is nothing to make it from, or the items are not those of the run.
    """
    if not card.state.ended:
        return []
    with RunDirectory(path, bench, remake=True) as directory:
        missing = {order for order in directory.answers if order not in directory.results}
        shown = _without_evidence(directory)
        made = [name for name in ("items.parquet", "summary.json") if not (path / name).exists()]
        known = read_controls(path)
        if not known and card.state.calibrated_on != 0:
            made.append("controls.parquet")
        listed = card.state.files is not None
        if listed and not (missing or shown or made):
            return []
        if not len(directory.answers):
            raise PixelProofError(f"{path} has no answers left to score: continue the run with --resume.")
        same = card.card.scorer == scorer_fingerprint(bench)
        if listed and (same or not missing):
            plan = plan_of(card.card, bench)
            _check_items(directory, plan, card)
            for ask, answer, judgements in directory.stored(plan) if same else ():
                if ask.order in missing | shown:
                    directory.keep_result(ask, score(bench, ask, answer, judgements))
            session = Session(directory, plan, card, progress)
            session.summarise(session.calibrate(known), card.state.state)
            if same and missing | shown:
                made.append(f"results of {len(missing | shown)} answers")
            return made
    # A table must not mix the scores of two versions of the scorer, and nothing tells whose results are not listed.
    made.append(f"all results, with the current scorer (the run had {card.card.version})")
    rescored(path, bench, progress)
    return made


def _without_evidence(directory: RunDirectory) -> set[int]:
    """Results whose evidence is lost."""

    def keys(text: str | None) -> Iterator[str]:
        yield from json.loads(text or "{}").values()

    return {
        row["order"]
        for row in directory.results.rows(["evidence"])
        if any(key not in directory.blobs for key in keys(row["evidence"])) and row["order"] in directory.answers
    }


def _check_items(directory: RunDirectory, plan: Plan, card: RunCard) -> None:
    """Make the table of items if it is missing; raises if the source gives other items now."""
    if (directory.path / "items.parquet").exists():
        return
    content, _ = directory.write_items(plan)
    if content != card.state.data_hash:
        (directory.path / "items.parquet").unlink()
        raise PixelProofError(
            f"The source {plan.source.name!r} gives other items than those of {directory.path}: restore its "
            "items.parquet from a backup."
        )
