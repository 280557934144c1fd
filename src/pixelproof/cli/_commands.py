"""`show`, `compare`, `runs rescore` and `runs merge`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ._completion import RunPath
from ._echo import echo
from ._places import OutputPlace
from ._workers import with_workers
from .exit_codes import CANNOT_TELL, GATE_FIRED, NOT_COMPLETE

if TYPE_CHECKING:
    from pixelproof.store import Workers

_RUN = RunPath()


@click.command("show")
@click.argument("run", type=_RUN)
@click.option(
    "--all", "everything", is_flag=True, help="Show all tables: every family of metrics and every group of items."
)
@click.option("--json", "as_json", is_flag=True, help="Print summary.json.")
def show_command(run: Path, everything: bool, as_json: bool) -> None:
    """Show the tables of a run directory."""
    from pixelproof import harness

    from ._console import output
    from ._tables import print_summary

    opened = harness.Run.open(run)
    if as_json:
        echo(harness.dump(opened.summary))
    else:
        print_summary(output(), opened, harness.bench_of(opened.about), everything)


@click.command("rescore")
@click.argument("run", type=OutputPlace())
@with_workers
@click.option("--json", "as_json", is_flag=True, help="Print summary.json.")
def rescore_command(run: str | Path, workers: Workers, as_json: bool) -> int:
    """Score the stored answers of a run again with the current scorer. Calls no model."""
    from pixelproof import harness

    from ._console import output, progress
    from ._tables import print_result

    rescored = harness.rescore(run, progress=progress(), workers=workers)
    if as_json:
        echo(harness.dump(rescored.summary))
    else:
        print_result(output(), rescored, harness.bench_of(rescored.about))
    return 0 if rescored.complete else NOT_COMPLETE


@click.command("merge")
@click.argument("runs", type=_RUN, nargs=-1, required=True)
@click.option("--out", type=OutputPlace(), required=True, help="The new run directory, or a URL.")
@click.option(
    "--calibrate",
    type=click.IntRange(min=0),
    help="Measure floors and ceilings on N items, evenly chosen; 0: not at all. Default: as in 'run'.",
)
@with_workers
@click.option("--json", "as_json", is_flag=True, help="Print summary.json.")
def merge_command(
    runs: tuple[Path, ...], out: str | Path, calibrate: int | None, workers: Workers, as_json: bool
) -> int:
    """Merge runs of one plan into a new run directory: shards (--shard K/N), or parts that several people asked.

    The runs must have the same bench, options, items, model and scorer; they are not changed. Answers that are still
    missing are asked for by the run's command with --resume on the new directory.
    """
    from pixelproof import harness

    from ._console import output, progress
    from ._tables import print_result

    merged = harness.merge(runs, out, progress=progress(), calibrate=calibrate, workers=workers)
    if as_json:
        echo(harness.dump(merged.summary))
    else:
        print_result(output(), merged, harness.bench_of(merged.about))
    return 0 if merged.complete else NOT_COMPLETE


@click.command("compare", short_help="Is run B better than run A, item by item?")
@click.argument("a", type=_RUN)
@click.argument("b", type=_RUN)
@click.option("--metric", "metrics", multiple=True, help="Metric or family to compare, or 'all'; repeatable.")
@click.option(
    "--fail-if-worse",
    is_flag=True,
    help=f"Exit with {GATE_FIRED} if B is worse than A in the headline, or in the metrics named (one-sided p < 0.05, "
    f"over all of them); with {CANNOT_TELL} if the items are too few to show it.",
)
@click.option(
    "--allow-missing",
    type=click.FloatRange(0, 1),
    default=0.05,
    show_default=True,
    help=f"Exit with {NOT_COMPLETE} if a larger share of the answers to common items is lost in one of the runs.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON.")
def compare_command(
    a: Path, b: Path, metrics: tuple[str, ...], fail_if_worse: bool, allow_missing: float, as_json: bool
) -> int:
    """Compare run B with run A, item by item.

    Differences are paired; p values come from a sign-flip test over clusters of items and are adjusted for all metrics
    of the table (maxT). The interval excludes 0 exactly if this test does.
    """
    from pixelproof import harness

    from ._console import output
    from ._tables import print_comparison

    comparison = harness.compare(a, b, metrics=metrics, allow_missing=allow_missing)
    if as_json:
        echo(harness.dump(harness.comparison_to_json(comparison)))
    else:
        print_comparison(output(), comparison, gate=fail_if_worse)
    if not fail_if_worse:
        return 0
    if comparison.gate.incomplete:
        return NOT_COMPLETE
    return GATE_FIRED if comparison.gate.worse else 0 if comparison.gate.testable else CANNOT_TELL
