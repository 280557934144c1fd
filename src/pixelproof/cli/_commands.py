"""`list`, `show`, `compare` and `rescore`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path

import click

NOT_COMPLETE, WORSE = 4, 5
_RUN = click.Path(path_type=Path)


@click.command("list")
def list_command() -> None:
    """List benches with their sources and controls, and the kinds of models."""
    from rich.markup import escape
    from rich.table import Table

    from pixelproof.benches import available, get_bench
    from pixelproof.contract import Player
    from pixelproof.models import CHOICES

    from ._console import output

    console = output()
    for name in sorted(available()):
        bench = get_bench(name)
        console.print(f"\n[bold]{name}[/] {bench.version}  {bench.title}")
        table = Table(box=None, pad_edge=False, show_header=False)
        for source, about in bench.sources.items():
            table.add_row("  source", source, about)
        for control, answer in bench.controls().items():
            function = answer.reply if isinstance(answer, Player) else answer
            table.add_row("  control", f"control/{control}", escape(first_line(function)))
        console.print(table)
    console.print("\n[bold]models[/]")
    table = Table(box=None, pad_edge=False, show_header=False)
    for choice in CHOICES:
        table.add_row(f"  {choice.example}", choice.about)
    console.print(table)
    console.print("\nNext: [bold]pixelproof run BENCH --help[/]")


def first_line(function: Callable[..., object]) -> str:
    """What a function says of itself, in a line; empty if it says nothing.

    >>> first_line(first_line), first_line(lambda: None)
    ('what a function says of itself, in a line; empty if it says nothing', '')
    """
    told = inspect.getdoc(function) if inspect.isroutine(function) else None  # of an object it would be its class's
    line = (told or "").partition("\n")[0].rstrip(".")
    return line[:1].lower() + line[1:] if line[1:2].islower() else line


@click.command("show")
@click.argument("run", type=_RUN)
@click.option(
    "--all", "everything", is_flag=True, help="All tables: every family of metrics, and every group of items."
)
@click.option("--json", "as_json", is_flag=True, help="Print summary.json.")
def show_command(run: Path, everything: bool, as_json: bool) -> None:
    """Show the table of a run directory."""
    from pixelproof import harness

    from ._console import output
    from ._tables import print_summary

    opened = harness.Run.open(run)
    if as_json:
        click.echo(harness.dump(opened.summary))
    else:
        print_summary(output(), opened, harness.bench_of(opened.card), everything)


@click.command("rescore")
@click.argument("run", type=_RUN)
@click.option("--json", "as_json", is_flag=True, help="Print summary.json.")
def rescore_command(run: Path, as_json: bool) -> int:
    """Score the stored answers of a run again, with the scorer of today. No model is called."""
    from pixelproof import harness

    from ._console import output, progress
    from ._tables import print_summary

    rescored = harness.rescore(run, progress=progress())
    if as_json:
        click.echo(harness.dump(rescored.summary))
    else:
        print_summary(output(), rescored, harness.bench_of(rescored.card))
    return 0 if rescored.complete else NOT_COMPLETE


@click.command("compare")
@click.argument("a", type=_RUN)
@click.argument("b", type=_RUN)
@click.option("--metric", "metrics", multiple=True, help="Metric or family to compare (repeatable), or 'all'.")
@click.option(
    "--fail-if-worse", is_flag=True, help=f"Exit with {WORSE} if B is worse than A in any of them (p < 0.05)."
)
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON.")
def compare_command(a: Path, b: Path, metrics: tuple[str, ...], fail_if_worse: bool, as_json: bool) -> int:
    """Compare run B with run A, item by item.

    Differences are paired, their intervals are clustered, their p values come from a permutation test and are corrected
    for the number of metrics (Holm).
    """
    from pixelproof import harness

    from ._console import output
    from ._tables import print_comparison

    comparison = harness.compare(a, b, metrics=metrics)
    if as_json:
        click.echo(harness.dump(harness.comparison_to_json(comparison)))
    else:
        print_comparison(output(), comparison)
    return WORSE if fail_if_worse and comparison.worse else 0
