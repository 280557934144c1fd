"""`repair`: damaged run directories."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ._echo import echo
from ._places import OutputPlace
from .exit_codes import CHECK_FAILED, NOT_COMPLETE

if TYPE_CHECKING:
    from pixelproof.harness import Repair

_SHOWN = 20
"""Lost answers that are listed."""


@click.command("repair")
@click.argument("run", type=OutputPlace())
@click.option("--check", is_flag=True, help=f"Only verify all files; exit with {CHECK_FAILED} if any is damaged.")
def repair_command(run: str | Path, check: bool) -> int:
    """Repair a damaged run directory: name what is lost, keep everything else. Asks no model.

    Small damage of tables is undone. Damaged answers are removed with their results; the run's command with --resume
    asks for them again. Results, floors, ceilings and summary are made again from the answers. The damaged files are
    kept in the folder damaged/ of the run.

    With --check, RUN can also be a folder of runs, or a URL.
    """
    from pixelproof import harness
    from pixelproof.contract import PixelProofError
    from pixelproof.store import file_path

    from ._console import progress

    if isinstance(run, str):
        run = file_path(run) or run
    if isinstance(run, str) and not check:
        raise PixelProofError(
            f"The files at {run} are verified when they are read, and not repaired there: get a copy with "
            f"'pixelproof data pull {run} DIR', or check them with --check."
        )
    if check:
        damage = list(harness.find_damage(run))
        for path, problem in damage:
            echo(f"{path}: {problem}")
        found = "1 file is damaged." if len(damage) == 1 else f"{len(damage)} files are damaged."
        echo(found if damage else f"All files of {run} are intact.")
        if damage:
            return CHECK_FAILED
        for untied in (path for path in harness.find_runs(run) if not harness.Run.open(path).tied):
            echo(
                f"The card of {untied} does not list its files, because a process that changed them was ended: it is "
                f"not known whether they are all of this run. 'pixelproof runs repair {untied}' scores all answers "
                "again.",
                err=True,
            )
        return 0
    report = harness.repair(run, progress=progress())
    for line in describe(report):
        echo(line)
    return 0 if report.complete else NOT_COMPLETE


def describe(report: Repair) -> list[str]:
    """What a repair found and did, in lines."""
    lines = []
    for file in report.files:
        lost = "its rows are lost" if file.rows is None else f"{file.rows} rows are lost" if file.rows else ""
        lines.append(f"{file.path}: {file.problem}" + (f"; {lost}" if lost else ""))
    if not report.files and not (report.lost or report.unnamed or report.judgements):
        lines.append(f"All files of {report.path} are intact.")
    if report.lost:
        named = [f"{item}#{sample}" for item, sample in report.lost.values()]
        more = f" and {len(named) - _SHOWN} more" if len(named) > _SHOWN else ""
        lines.append(f"Lost answers ({len(named)}): {', '.join(named[:_SHOWN])}{more}")
    if report.unnamed:
        lines.append(f"Lost answers of unknown items: {report.unnamed}")
    if report.judgements:
        lines.append(f"Lost judgements: {report.judgements}")
    if report.unpriced:
        lines.append(
            f"Lost calls: {report.calls} or more, and what they cost is not known: the run cannot be continued with "
            "--max-cost, only without it."
        )
    elif report.calls:
        lines.append(
            f"Lost calls: {report.calls} at most. Each counts with the most that a call of this run could cost, which "
            "--max-cost adds to what is spent."
        )
    if report.files and report.complete:
        lines.append("No answer is lost.")
    if report.remade:
        lines.append(f"Made again: {', '.join(report.remade)}")
    if any((report.path / "damaged").glob("*")):
        lines.append(f"The damaged files are in {report.path / 'damaged'}.")
    if report.open:
        lines.append(f"Results could not be made again: {report.open}")
    if report.lost or report.unnamed or report.judgements or report.zeroed:
        lines.append("To ask again for what is lost, repeat the run's command with --resume.")
    return lines
