"""`show`, `compare`, `runs rescore` and `runs merge`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ._completion import RunPath
from ._echo import echo
from ._gate import GateCommand, Limit, describe_items, exit_code, require_one_each, write_junit, write_markdown
from ._places import OutputPlace
from ._workers import with_workers
from .exit_codes import CANNOT_TELL, GATE_FIRED, NOT_COMPLETE

if TYPE_CHECKING:
    from pixelproof.store import Workers

_RUN = RunPath()
_FILE = click.Path(dir_okay=False, path_type=Path)


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


@click.command("compare", cls=GateCommand, short_help="Is run B better than run A, item by item? A gate for CI.")
@click.argument("a", type=_RUN)
@click.argument("b", type=_RUN, required=False)
@click.option("--metric", "metrics", multiple=True, help="Metric or family to compare, or 'all'; repeatable.")
@click.option(
    "--fail-if-worse",
    "by",
    metavar="[BY]",
    type=click.FloatRange(min=0),
    help=f"Exit with {GATE_FIRED} if B is worse than A by more than BY (default 0) in the headline, or in the metrics "
    "named (one-sided p < 0.05, over all of them).",
)
@click.option(
    "--fail-under",
    "limits",
    type=Limit(),
    multiple=True,
    help=f"Exit with {GATE_FIRED} if the interval of a metric of B, or of the only run, is below X; repeatable.",
)
@click.option(
    "--inconclusive",
    type=click.Choice(["pass", "fail"]),
    default="pass",
    show_default=True,
    help=f"What a gate does that cannot tell, for want of items: warn, or exit with {CANNOT_TELL}.",
)
@click.option(
    "--allow-missing",
    type=click.FloatRange(0, 1),
    default=0.05,
    show_default=True,
    help=f"A gate exits with {NOT_COMPLETE} if a larger share of the answers is lost in one of the runs.",
)
@click.option("--junit", type=_FILE, help="Write the outcome as a JUnit file.")
@click.option("--markdown", type=_FILE, help="Write the outcome as Markdown, for a pull request.")
@click.option("--json", "as_json", is_flag=True, help="Print the comparison, or the outcome for one run, as JSON.")
def compare_command(
    a: Path,
    b: Path | None,
    *,
    metrics: tuple[str, ...],
    by: float | None,
    limits: tuple[tuple[str, float], ...],
    inconclusive: str,
    allow_missing: float,
    junit: Path | None,
    markdown: Path | None,
    as_json: bool,
) -> int:
    """Compare run B with run A, item by item; with one run, check it against --fail-under.

    Differences are paired; p values come from a sign-flip test over clusters of items and are adjusted for all metrics
    of the table (maxT). The interval excludes 0 exactly if this test does.
    """
    from pixelproof import harness

    from ._console import output
    from ._tables import print_comparison, print_verdict

    require_one_each(limits)
    if b is None and (not limits or by is not None):
        raise click.UsageError("Name a second run to compare with, or give the only run a --fail-under METRIC=X.")
    checked = harness.Run.open(a if b is None else b)
    title = "{bench} {version}: {model}".format_map(checked.summary)
    verdicts, comparison = [], None
    gated = by is not None or bool(limits) or junit is not None or markdown is not None
    if b is not None:
        title += f" against {harness.Run.open(a).summary['model']}"
        try:
            comparison = harness.compare(a, b, metrics=metrics, allow_missing=allow_missing, by=by or 0.0)
        except harness.NothingInCommon as error:
            if not gated:
                raise
            verdicts.append(harness.Verdict((), str(error)))
    if comparison is not None and (comparison.only_a or comparison.only_b):
        title += describe_items(comparison)
    if comparison is not None and (by is not None or not limits):
        verdicts.append(comparison.gate.verdict)
    if limits:
        verdicts.append(harness.check_limits(checked, dict(limits), allow_missing=allow_missing))
    verdict = harness.Verdict(
        [c for v in verdicts for c in v.checks], next((v.problem for v in verdicts if v.problem), "")
    )
    if as_json:
        echo(harness.dump(harness.comparison_to_json(comparison) if comparison else asdict(verdict)))
    else:
        if comparison is not None:
            print_comparison(output(), comparison)
        if gated:
            print_verdict(output(), verdict)
    if junit is not None:
        write_junit(junit, title, verdict, inconclusive)
    if markdown is not None:
        write_markdown(markdown, title, verdict, comparison)
    return exit_code(verdict, inconclusive) if by is not None or limits else 0
