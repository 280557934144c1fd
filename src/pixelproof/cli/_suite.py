"""`suite`: many runs from one file."""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pixelproof.contract import unknown_name

from ._echo import echo
from .exit_codes import NOT_COMPLETE

if TYPE_CHECKING:
    from pixelproof.harness.suites import Suite

_EXAMPLES = {path.stem: path for path in sorted(Path(__file__).with_name("suites").glob("*.toml"))}
"""Name → file of the suites that come with the package."""
_ABOUT = f"""Run models × benches × options × seeds from one file.

\b
pixelproof suite run suite.toml --dry-run    the runs, and what they cost at most
pixelproof suite run suite.toml              carry them out, then write one page about all
pixelproof suite example NAME > suite.toml   a suite to begin with: {", ".join(_EXAMPLES)}
pixelproof suite schema > suite.schema.json  the JSON Schema, for editors

The format is in docs/suites.md.
"""


@click.group("suite", help=_ABOUT, short_help="Run models × benches × options × seeds from one file.")
def suite_group() -> None:
    """Suites."""


@suite_group.command("run")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Directory of the runs. Default: as in FILE.")
@click.option("--resume", is_flag=True, help="Continue the runs in that directory: ask only for missing answers.")
@click.option("--max-cost", type=float, help="Budget of all runs in US dollars. Default: as in FILE.")
@click.option("--dry-run", is_flag=True, help="Print the runs with requests and maximum cost; ask nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print runs and page as JSON.")
def suite_run_command(
    file: Path, out: Path | None, resume: bool, max_cost: float | None, dry_run: bool, as_json: bool
) -> int:
    """Carry out the runs of FILE, a suite or the name of an example, then write one page about all of them.

    After an interruption, the same command with --resume continues.
    """
    from pixelproof.harness import list_runs
    from pixelproof.harness.suites import read_suite, run_suite
    from pixelproof.report import write_report

    from ._console import output, progress
    from ._runs import print_runs

    def say(text: str) -> None:
        echo(text, err=True)

    if not file.exists() and file.suffix != ".toml" and str(file) not in _EXAMPLES:
        raise unknown_name("suite or file", str(file), _EXAMPLES)
    suite = read_suite(file if file.exists() else _EXAMPLES.get(str(file), file), out, max_cost)
    if dry_run:
        _print_estimates(suite, as_json)
        return 0
    with redirect_stdout(sys.stderr):  # stdout is for results; a user's function may print
        done = list(run_suite(suite, resume, progress()))
        runs = [result.run for result in done if result.run]
        page = str(write_report(runs, suite.out / "report.html", warn=say)) if runs else None
    infos = [info for result in done if result.run for info in list_runs(result.planned.path)]
    problems = {str(result.planned): result.problem for result in done if result.problem}
    if as_json:
        rows = [{**asdict(info), "path": str(info.path)} for info in infos]
        cost = sum(run.cost for run in suite.runs)
        echo(json.dumps({"runs": rows, "problems": problems, "cost": cost, "page": page}, indent=2))
    else:
        print_runs(output(), infos)
        for planned, problem in problems.items():
            echo(f"{planned}: {problem}", err=True)
        echo(f"Page: {page}" if page else "No run was carried out.")
    return 0 if all(result.complete for result in done) else NOT_COMPLETE


def _print_estimates(suite: Suite, as_json: bool) -> None:
    """Show how often the models of a suite would be asked, and what that may cost."""
    from rich.markup import escape

    from ._console import output
    from ._tables import new_table

    estimates = {str(run): run.estimate() for run in suite.runs}
    asks, cost = (sum(row[name] or 0 for row in estimates.values()) for name in ("asks", "cost_at_most"))
    if as_json:
        total = {"asks": asks, "cost_at_most": cost, "max_cost": suite.max_cost}
        echo(json.dumps({"runs": list(estimates.values()), "total": total}, indent=2))
        return
    table = new_table(f"{escape(suite.title)}: {len(suite.runs)} runs; nothing was asked")
    for name in ("run", "answers", "judge questions", "cost at most"):
        table.add_column(name, justify="left" if name == "run" else "right", overflow="fold")
    for described, row in estimates.items():
        price = "" if row["cost_at_most"] is None else f"${row['cost_at_most']:.2f}"
        table.add_row(escape(described), f"{row['asks']:,}", f"{row['judge_questions_at_most']:,}", price)
    table.add_row("all", f"{asks:,}", "", f"${cost:.2f}")
    output().print(table)
    if suite.max_cost is not None:
        echo(f"The suite stops before it costs more than ${suite.max_cost:g}.")


@suite_group.command("example")
@click.argument("name", type=click.Choice(list(_EXAMPLES)))
def suite_example_command(name: str) -> None:
    """Print a suite that comes with the package."""
    echo(_EXAMPLES[name].read_text("utf-8").rstrip("\n"))


@suite_group.command("schema")
def suite_schema_command() -> None:
    """Print the JSON Schema of suites, with the benches that are installed and their options."""
    from pixelproof.harness.suites import suite_schema

    echo(json.dumps(suite_schema(), indent=2, ensure_ascii=False))
