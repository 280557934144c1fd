"""`env`: a bench as something to learn from."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from pixelproof.contract import Bench

from ._bench_options import BenchGroup, GroupedCommand, option_flags, split_options
from ._echo import echo
from .exit_codes import GATE_FIRED

if TYPE_CHECKING:
    from pixelproof.envs import Audit


@click.group("env", no_args_is_help=True)
def env_group() -> None:
    """Benches as environments to learn from."""


def _audit_command(bench: type[Bench]) -> click.Command:
    chosen: list[click.Parameter] = [
        click.Option(["--source"], help="Source of the items; default: the first that training may use."),
        click.Option(["--n"], type=click.IntRange(min=2), default=200, show_default=True, help="Number of items."),
        click.Option(["--seed"], type=int, help="Seed of the items; default: the first seed of training."),
        click.Option(
            ["--split"], type=click.Choice(["train", "eval", "all"]), default="train", show_default=True, help="Items."
        ),
        click.Option(["--fail-above"], type=float, help="Exit with 5 if a cheat may be paid more than this."),
        click.Option(["--json", "as_json"], is_flag=True, help="Print JSON."),
    ]
    return GroupedCommand(
        {f"Options of {bench.name}": option_flags(bench), "Audit": chosen},
        callback=lambda **given: _audit(bench, **given),
        help=f"What cheats are paid on {bench.name}: controls, and strategies that need no skill, under every reward.",
        short_help=bench.title,
    )


env_group.add_command(
    BenchGroup(_audit_command, name="audit", help="Show what cheats are paid, before training.", no_args_is_help=True)
)


def _audit(bench: type[Bench], **given: Any) -> int:
    from pixelproof import envs

    options, rest = split_options(bench, given)
    environment = envs.open_environment(
        bench.name, rest["source"], None, rest["seed"], rest["split"], calibrate=rest["n"], **options
    )
    report = envs.audit(environment, rest["n"], progress=lambda name: echo(f"playing {name}", err=True))
    if rest["as_json"]:
        echo(json.dumps(asdict(report), indent=2))
    else:
        _print_audit(report)
    limit = rest["fail_above"]
    return GATE_FIRED if limit is not None and report.above(limit) else 0


def _print_audit(report: Audit) -> None:
    """Show a table of payments for each metric."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from ._console import output

    for metric in dict.fromkeys(payment.metric for payment in report.payments):
        table = Table("strategy", "kind", "n", "exact", "calibrated", "95 % interval", "shaped", box=SIMPLE_HEAD)
        for column in table.columns[2:]:
            column.justify = "right"
        for pay in (pay for pay in report.payments if pay.metric == metric):
            interval = f"{pay.lo:+.3f} to {pay.hi:+.3f}"
            numbers = (f"{pay.exact:.3f}", f"{pay.calibrated:+.3f}", interval, f"{pay.shaped:.3f}")
            table.add_row(pay.strategy, pay.kind, str(pay.n), *numbers)
        output().print(f"\n[bold]{report.bench}[/]: {metric}")
        output().print(table)
