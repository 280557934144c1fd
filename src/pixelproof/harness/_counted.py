"""Whether the table of calls of a run is complete, so that a budget can be kept.

A table that has lost its end, or all of its files, cannot tell that itself. So the card notes how many calls and
answers there were when a session began and ended: every answer since then took at least one call.
"""

from __future__ import annotations

from collections.abc import Mapping

from pixelproof.contract import PixelProofError
from pixelproof.harness._rundir import RunDirectory


def counted(directory: RunDirectory, asked: bool) -> dict[str, int]:
    """The entry on the card of a run that may be billed.

    Args:
        directory: The run.
        asked: Whether each of its answers took a call; else only its judge is called.
    """
    answers = sum(not row["failure"] for row in directory.answers.rows(["failure"])) if asked else 0
    return {"calls": len(directory.calls), "answers": answers}


def check_calls(directory: RunDirectory, noted: Mapping[str, int] | None, asked: bool, budget: bool) -> None:
    """Refuse a budget for a run that has lost calls; without a budget, note the loss in the table of calls.

    Args:
        directory: The run.
        noted: The entry on its card; None for a new run and for a merged one.
        asked: Whether each of its answers took a call.
        budget: Whether the run has a budget.

    Raises:
        PixelProofError: Calls are lost, and what they cost is not known.
    """
    now = counted(directory, asked)
    least = 0 if not noted else noted["calls"] + max(0, now["answers"] - noted["answers"])
    lost = now["calls"] < least
    if budget and (lost or directory.calls.unpriced()):
        raise PixelProofError(
            f"The table of calls of {directory.path} has lost calls ({now['calls']} are left), so what this run has "
            "cost is not known, and --max-cost cannot be kept: restore calls.parquet and calls.parts/ from a backup, "
            "continue without --max-cost, or start again with another --out."
        )
    if lost:
        directory.calls.replace_lost(0, unknown=True)
