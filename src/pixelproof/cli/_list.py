"""`list`: benches, sources, controls and kinds of models."""

from __future__ import annotations

import dataclasses
import inspect
import json
from collections.abc import Callable
from typing import Any

import click

from pixelproof.contract import Bench, PixelProofError, Player

from ._echo import echo


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print benches, sources, controls, metrics and models as JSON.")
def list_command(as_json: bool) -> None:
    """List benches with their sources and controls, and the kinds of models."""
    from pixelproof.models import CHOICES

    benches, unloaded = _benches()
    if as_json:
        models = [{"name": choice.example, "about": choice.about} for choice in CHOICES]
        listed = {"benches": [_described(bench) for bench in benches], "unloaded": unloaded, "models": models}
        echo(json.dumps(listed, indent=2))
        return
    from rich.markup import escape
    from rich.table import Table

    from ._console import output

    console = output()
    for bench in benches:
        console.print(f"\n[bold]{bench.name}[/] {bench.version}  {escape(bench.title)}")
        table = Table(box=None, pad_edge=False, show_header=False)
        for source, about in bench.sources.items():
            table.add_row("  source", source, escape(about))
        for control, about in _controls(bench).items():
            table.add_row("  control", f"control/{control}", escape(about))
        console.print(table)
    for name, reason in unloaded.items():
        console.print(f"\n[bold]{escape(name)}[/]  {escape(reason)}")
    console.print("\n[bold]models[/]")
    table = Table(box=None, pad_edge=False, show_header=False)
    for choice in CHOICES:
        table.add_row(f"  {choice.example}", escape(choice.about))
    console.print(table)
    console.print("\nNext: [bold]pixelproof run BENCH --help[/]")


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
    return line[:1].lower() + line[1:] if line[1:2].islower() else line
