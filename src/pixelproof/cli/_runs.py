"""`runs`: the run directories below a directory."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ._echo import echo
from ._places import InputPlace

if TYPE_CHECKING:
    from pixelproof.harness import RunInfo

_COLUMNS: dict[str, Callable[[RunInfo], str]] = {
    "run": lambda run: _place(run),
    "bench": lambda run: run.bench,
    "model": lambda run: run.model,
    "source": lambda run: run.source,
    "seed": lambda run: "" if run.seed is None else str(run.seed),
    "answers": lambda run: "" if run.planned is None else f"{run.completed}/{run.planned}",
    "state": lambda run: run.state,
    "headline": lambda run: f"{run.metric} {run.value:.2f}" if run.value is not None else run.metric,
    "date": lambda run: run.created[:10],
}


def _place(run: RunInfo) -> str:
    from pixelproof.store import origin_of

    return origin_of(run.path)


@click.command("runs")
@click.argument("directory", default=".", type=InputPlace())
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list with an object per run.")
def runs_command(directory: Path, as_json: bool) -> None:
    """List the run directories below DIRECTORY (default: the current one), oldest first.

    Shows bench, model, source, seed, completed answers, state, the first headline metric and the date of each.
    Directories that cannot be read are listed as damaged, with the reason.
    """
    from rich.markup import escape
    from rich.table import Table

    from pixelproof.harness import list_runs

    from ._console import WIDE, output

    runs = list_runs(directory)
    if as_json:
        echo(json.dumps([{**dataclasses.asdict(run), "path": _place(run)} for run in runs], indent=2))
        return
    console = output()
    if not runs:
        console.print(
            f"No runs in {escape(str(directory.absolute()))}. Make one: [bold]pixelproof run BENCH --model MODEL[/]"
        )
        return
    wide = console.width >= WIDE
    shown = [name for name in _COLUMNS if wide or name not in ("source", "seed", "date")]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in shown:
        folds = name in ("run", "model", "headline")
        table.add_column(
            name, justify="right" if name in ("seed", "answers") else "left", overflow="fold", no_wrap=not folds
        )
    for run in runs:
        table.add_row(
            *(escape(_COLUMNS[name](run)) for name in shown), style="" if run.state == "complete" else "yellow"
        )
    console.print(table)
    if not wide:
        console.print("A wider terminal, and --json, also show source, seed and date.", style="dim")
    for run in runs:
        if run.problem:
            console.print(f"[yellow]{escape(_place(run))}[/]: {escape(run.problem)}", soft_wrap=True)
