"""`list`: benches, sources, controls and kinds of models."""

from __future__ import annotations

import dataclasses
import inspect
import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from pixelproof.contract import Bench, PixelProofError, Player

from ._echo import echo

if TYPE_CHECKING:
    from rich.console import Console


@click.command("list", short_help="List benches and kinds of models; list BENCH for its sources.")
@click.argument("bench", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print benches, sources, controls, metrics and models as JSON.")
def list_command(bench: str | None, as_json: bool) -> None:
    """List the benches and the kinds of models; of one BENCH its sources, controls and headline metrics."""
    from rich.markup import escape

    from pixelproof.benches import get_bench
    from pixelproof.models import CHOICES

    from ._console import output

    benches, unloaded = _benches() if bench is None else ([get_bench(bench)], {})
    models = [{"name": choice.example, "about": choice.about} for choice in CHOICES]
    if as_json:
        listed = {"benches": [_described(bench) for bench in benches], "unloaded": unloaded, "models": models}
        echo(json.dumps(listed, indent=2))
        return
    console = output()
    if bench is not None:
        about = {metric.name: metric.about for metric in benches[0].metrics}
        console.print(f"[bold]{benches[0].name}[/] {benches[0].version}  {escape(benches[0].title)}")
        _print_names(console, "sources (--source)", benches[0].sources)
        _print_names(console, "controls (--model)", {f"control/{n}": text for n, text in _controls(benches[0]).items()})
        _print_names(console, "headline metrics", {name: about[name] for name in benches[0].display.headline})
        console.print(f"\nNext: [bold]pixelproof run {bench} --help[/] describes the options.")
        return
    _print_names(console, "benches", {f"{bench.name} {bench.version}": bench.title for bench in benches} | unloaded)
    _print_names(console, "models", {choice.example: choice.about for choice in CHOICES})
    console.print("\nNext: [bold]pixelproof list BENCH[/] (its sources and controls), [bold]pixelproof run BENCH[/]")


def _print_names(console: Console, title: str, names: Mapping[str, str]) -> None:
    from rich.markup import escape
    from rich.table import Table

    console.print(f"\n[bold]{title}[/]")
    table = Table(box=None, pad_edge=False, show_header=False)
    for name, about in names.items():
        table.add_row(f"  {escape(name)}", escape(about))
    console.print(table)


def _benches() -> tuple[list[Bench], dict[str, str]]:
    """The benches, and of those that cannot be loaded the name and the reason."""
    from pixelproof.benches import available, get_bench

    benches, unloaded = [], {}
    for name in sorted(available()):
        try:
            benches.append(get_bench(name))
        except PixelProofError as error:
            unloaded[name] = str(error)
    return benches, unloaded


def _described(bench: Bench) -> dict[str, Any]:
    """A bench as JSON values."""
    return {
        "name": bench.name,
        "version": bench.version,
        "title": bench.title,
        "sources": dict(bench.sources),
        "controls": _controls(bench),
        "options": {field.name: field.metadata.get("help", "") for field in dataclasses.fields(bench)},  # type: ignore[arg-type]
        "metrics": {metric.name: metric.about for metric in bench.metrics},
        "headline": list(bench.display.headline),
    }


def _controls(bench: Bench) -> dict[str, str]:
    """Controls with the first line of their docstrings."""
    functions = {n: c.reply if isinstance(c, Player) else c for n, c in bench.controls().items()}
    return {name: first_line(function) for name, function in functions.items()}


def first_line(function: Callable[..., object]) -> str:
    """First line of a function's docstring, as a phrase; empty if it has none.

    >>> first_line(first_line), first_line(lambda: None)
    ("first line of a function's docstring, as a phrase; empty if it has none", '')
    """
    text = inspect.getdoc(function) if inspect.isroutine(function) else None  # an object has its class's docstring
    line = (text or "").partition("\n")[0].rstrip(".")
    return line[:1].lower() + line[1:] if line[1:2].islower() or line.startswith("A ") else line
