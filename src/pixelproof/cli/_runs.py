"""`runs list`: the run directories below a directory; `runs export`: a run as a table."""

from __future__ import annotations

import csv
import dataclasses
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pixelproof.contract import PixelProofError

from ._completion import RunPath
from ._echo import echo
from ._places import InputPlace

if TYPE_CHECKING:
    from rich.console import Console

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


_MOST_IN_TABLE = 1000
"""Runs whose columns are fitted to the terminal; this takes half a millisecond each, so longer lists are plain."""


def _place(run: RunInfo) -> str:
    from pixelproof.store import origin_of

    return origin_of(run.path)


@click.command("list")
@click.argument("directory", default=".", type=InputPlace())
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list with an object per run.")
def list_runs_command(directory: Path, as_json: bool) -> None:
    """List the run directories below DIRECTORY (default: the current one), oldest first.

    Shows bench, model, source, seed, completed answers, state, the first headline metric and the date of each.
    Directories that cannot be read are listed as damaged, with the reason.
    """
    from rich.markup import escape

    from pixelproof.harness import list_runs

    from ._console import output

    runs = list_runs(directory)
    if as_json:
        echo(json.dumps([{**dataclasses.asdict(run), "path": _place(run)} for run in runs], indent=2))
    elif runs:
        print_runs(output(), runs)
    else:
        output().print(
            f"No runs in {escape(str(directory.absolute()))}. Make one: [bold]pixelproof run BENCH --model MODEL[/]"
        )


def print_runs(console: Console, runs: Sequence[RunInfo]) -> None:
    """Show a table of runs, with fewer columns on a narrow terminal."""
    from rich.markup import escape
    from rich.table import Table

    from ._console import WIDE

    wide = console.width >= WIDE
    shown = [name for name in _COLUMNS if wide or name not in ("source", "seed", "date")]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in shown:
        folds = name in ("run", "model", "headline")
        table.add_column(
            name, justify="right" if name in ("seed", "answers") else "left", overflow="fold", no_wrap=not folds
        )
    for run in runs[:_MOST_IN_TABLE]:
        cells = (escape(_COLUMNS[name](run)) for name in shown)
        table.add_row(*cells, style="" if run.state == "complete" else "yellow")
    if len(runs) <= _MOST_IN_TABLE:
        console.print(table)
    else:
        rows = [shown, *([_COLUMNS[name](run) for name in shown] for run in runs)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        echo("\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows))
    if not wide:
        console.print("A wider terminal, and --json, also show source, seed and date.", style="dim")
    for run in runs:
        if run.problem:
            console.print(f"[yellow]{escape(_place(run))}[/]: {escape(run.problem)}", soft_wrap=True)


@click.command("export")
@click.argument("run", type=RunPath())
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The table: FILE.csv or FILE.jsonl.")
def export_command(run: Path, out: Path) -> None:
    """Write a table of RUN with a row per answer: outcome, tags, metrics, notes, reply, tokens, cost.

    Images are named by their keys in the blobs/ of the run. In CSV, a text that a spreadsheet would compute has an
    apostrophe before it.
    """
    from pixelproof.harness import Run
    from pixelproof.store import replacing

    if out.suffix not in (".csv", ".jsonl"):
        raise PixelProofError(f"{out} has another format: name it {out.with_suffix('.csv')} or .jsonl.")
    rows = list(Run.open(run).rows())
    with replacing(out) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        if out.suffix == ".jsonl":
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        else:
            names = list(dict.fromkeys(name for row in rows for name in row))
            writer = csv.DictWriter(file, names, lineterminator="\n")
            writer.writeheader()
            writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    echo(f"{len(rows):,} answers are in {out}")


def _cell(value: object) -> object:
    """A value for a cell of a spreadsheet, which computes texts that look like formulas."""
    text = " ".join(map(str, value)) if isinstance(value, list) else value
    return f"'{text}" if isinstance(text, str) and text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
