"""`tools trace make`: traces by executing tools on challenges; `agent suite`: gains over a base model."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pixelproof.benches.agent.tasks import LEVELS, TASKS
from pixelproof.cli.helpers import echo, new_table, number, output
from pixelproof.contract import PixelProofError, unknown_name

if TYPE_CHECKING:
    from pixelproof.harness import Run


@click.command("make")
@click.option("--out", type=click.Path(path_type=Path), default=Path("traces.jsonl"), show_default=True)
@click.option("--n", "count", type=click.IntRange(min=1), default=100, show_default=True, help="Number of questions.")
@click.option("--seed", type=click.IntRange(min=0), default=2, show_default=True, help="Seed of the scenes.")
@click.option("--task", default="all", show_default=True, help=f"Tasks, separated by commas: {', '.join(TASKS)}.")
@click.option("--level", type=click.Choice(LEVELS), default="base", show_default=True)
@click.option(
    "--mistakes", type=click.FloatRange(0, 1), default=0.4, show_default=True, help="Share of traces with a mistake."
)
@click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON.")
def make_traces_command(
    out: Path, count: int, seed: int, task: str, level: str, mistakes: float, as_json: bool
) -> None:
    """Make traces for training: questions about generated scenes, and calls that were executed.

    Golden traces have the shortest right chain; recoveries and traps begin with a mistake, which is left out of the
    loss. Only what leads to the right answer, and can be executed again with the same result, is kept.
    """
    from pixelproof.benches.agent.traces import make_traces
    from pixelproof.tools.episodes import TraceFile

    names = tuple(TASKS) if task == "all" else tuple(name.strip() for name in task.split(","))
    for name in names:
        if name not in TASKS:
            raise unknown_name("task", name, ("all", *TASKS))
    if out.exists():
        raise PixelProofError(f"{out} exists: choose another --out, or remove it.")
    made = make_traces(TraceFile(out), count, seed, names, level, mistakes)
    if as_json:
        echo(json.dumps({"kept": dict(made.kept), "dropped": dict(made.dropped)}))
        return
    kinds = ", ".join(f"{times} {kind}" for kind, times in made.kept.items())
    echo(f"{out}: {sum(made.kept.values())} traces ({kinds or 'none'})")
    for reason, times in made.dropped.items():
        echo(f"   {times} left out: {reason}")


@click.group("agent")
def agent_group() -> None:
    """Runs of the bench agent, taken together (docs/benches/agent-reference.md)."""


def _open_run(path: Path) -> Run:
    """A run of this bench.

    Raises:
        PixelProofError: There is no run, or it is of another bench.
    """
    from pixelproof.harness import Run, bench_of

    run = Run.open(path)
    name = bench_of(run.about).name
    if name != "agent":
        raise PixelProofError(f"{path} is a run of {name}: give runs of agent.")
    return run


@agent_group.command("suite")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--base", default="", help="Model to compare with. Default: the same model without tools.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def suite_command(runs: tuple[Path, ...], base: str, as_json: bool) -> None:
    """Compare the models of RUNS with a base, data set by data set, on common items: absolute and relative gains.

    Without --base, each model is compared with its own run with --intervention no-tools.
    """
    from pixelproof.benches.agent._suite import mean_gains, suite_gains
    from pixelproof.harness import bench_of

    opened = [_open_run(path) for path in runs]
    gains = suite_gains([(run.about, list(run.results(bench_of(run.about)))) for run in opened], base)
    if as_json:
        rows = [gain.to_json() for gain in gains]
        echo(json.dumps({"sets": rows, "mean": mean_gains(gains)}, ensure_ascii=False))
        return
    table = new_table("Gains over the base")
    for name in ("model", "source", "base", "score", "gain", "relative", "n"):
        table.add_column(name, justify="left" if name in ("model", "source") else "right")
    for gain in gains:
        ends = "" if gain.lo is None else f" [{gain.lo:+.2f}, {gain.hi:+.2f}]"
        relative = "–" if gain.relative is None else f"{100 * gain.relative:+.1f} %"
        cells = (number(gain.base), number(gain.score), f"{gain.absolute:+.3f}{ends}", relative, str(gain.n))
        table.add_row(gain.model, gain.source, *cells)
    output().print(table)
    for model, (absolute, relative_mean) in mean_gains(gains).items():
        mean = "–" if relative_mean is None else f"{100 * relative_mean:+.1f} %"
        echo(f"{model}: mean gain {absolute:+.3f}, relative {mean}")


@agent_group.command("fidelity")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def fidelity_command(run: Path, as_json: bool) -> None:
    """Fidelity of the evidence of RUN against the truth and against pseudo-references, and how well they agree.

    Pseudo-references are what at least three answers to one item agree on: the run needs --samples 3 or more.
    """
    from pixelproof.benches.agent._pseudo import run_fidelities
    from pixelproof.harness import bench_of
    from pixelproof.stats import correlation

    opened = _open_run(run)
    pairs = run_fidelities(list(opened.results(bench_of(opened.about))), list(opened.answers()))
    if not pairs:
        raise PixelProofError(f"No step of {run} has a pseudo-reference: run with --samples 3 or more.")
    truth, agreed = ([pair[place] for pair in pairs] for place in (0, 1))
    means = [sum(values) / len(values) for values in (truth, agreed)]
    ranks = correlation(truth, agreed, method="spearman")
    if as_json:
        spearman = None if math.isnan(ranks.value) else ranks.value
        numbers = {"visfid_truth": means[0], "visfid_pseudo": means[1], "spearman": spearman, "answers": len(pairs)}
        echo(json.dumps(numbers))
        return
    echo(f"VisFid of {len(pairs)} answers: {means[0]:.3f} against the truth, {means[1]:.3f} against pseudo-references")
    echo(f"rank correlation: {number(ranks.value)} ({number(ranks.lo)} to {number(ranks.hi)})")
