"""`pixelproof judge rank`: models by the scores of one judge, with tie groups by task, and drift of the judge."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from pixelproof.benches.evalmi._bench import EvalMi
from pixelproof.benches.evalmi._commands._common import PATH, plain
from pixelproof.benches.evalmi._drift import anchor_scores, check_drift, control_scores
from pixelproof.contract import Metric, PixelProofError, unknown_name

_RATINGS = ("images.csv.gz", "images.csv", "data.csv", "genai_image.json", "AIGI2025_MOS_yn.xlsx")
_TABLES = (".csv", ".gz", ".tsv", ".parquet", ".jsonl", ".json", ".xlsx")


@click.command("rank", short_help="Rank models by the scores of one judge.")
@click.argument("runs", type=PATH, nargs=-1, required=True)
@click.option("--metric", default="judge.correspondence", show_default=True, help="What to rank by.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def rank_command(runs: Sequence[Path], metric: str, as_json: bool) -> None:
    """Rank models by the scores of one judge, overall and by task.

    RUNS are run directories, or folders of them, that the same judge scored on the same prompts. A range of ranks holds
    those that the data cannot exclude: models whose ranges overlap are tied. Anchors that the judge scores otherwise
    than before are reported as drift.
    """
    from pixelproof.cli.helpers import echo, output
    from pixelproof.harness import dump

    for path in runs:
        _refuse_ratings(path)
    chosen = _metric(metric)
    content = _ranking(_open(runs), chosen)
    if as_json:
        echo(dump(plain(content)))
        return
    _print_ranking(output(), content, chosen)


def _metric(name: str) -> Metric:
    judged = {metric.name: metric for metric in EvalMi.metrics if metric.judged and metric.higher_is_better}
    if name not in judged:
        raise unknown_name("judged metric", name, judged)
    return judged[name]


def _refuse_ratings(path: Path) -> None:
    """Refuse what holds ratings of people, whatever its form."""
    file = path.is_file() and path.name.lower().endswith(_TABLES)
    if file or (path.is_dir() and any((path / name).is_file() for name in _RATINGS)):
        raise PixelProofError(
            f"{path} holds ratings, not a run: scores of a judge and ratings of people are not on one scale, and are "
            "never ranked together. Rank generators by ratings with 'pixelproof judge board', and measure how well a "
            "judge agrees with people with 'pixelproof judge meta'."
        )


def _open(paths: Sequence[Path]) -> list[Any]:
    """The views of all runs, which one judge scored on the same prompts."""
    from pixelproof.harness import Run
    from pixelproof.report import open_groups, run_directories

    found = run_directories(paths)
    runs = {path: Run.open(path) for path in found}
    for path, run in runs.items():
        card = run.about
        if card.bench != EvalMi.name:
            raise PixelProofError(f"{path} is a run of {card.bench}: give runs of {EvalMi.name}.")
        if not card.judge_card:
            raise PixelProofError(f"{path} has no judge: run it with --judge, the same for all runs.")
    first, *others = runs
    for path in others:
        for what, values in _conditions(runs[first], runs[path]).items():
            if values[0] != values[1]:
                raise PixelProofError(
                    f"{first} and {path} cannot be ranked together: {what} is {values[0]} in one and {values[1]} in "
                    "the other."
                )
    views = [view for group in open_groups(found) for view in group.views]
    return sorted(views, key=lambda view: str(view.about.created))


def _conditions(a: Any, b: Any) -> dict[str, tuple[str, str]]:
    """What must be equal → its values in two runs."""
    return {
        "the judge": (_judge_text(a.about), _judge_text(b.about)),
        "the version of the bench": (a.about.version, b.about.version),
        "the source": tuple(f"{run.about.source}, seed {run.about.seed}" for run in (a, b)),
        "the set of prompts": (_prompts_text(a), _prompts_text(b)),
    }


def _prompts_text(run: Any) -> str:
    """Number of the prompts and hash of their content."""
    return f"{run.state.planned // run.about.samples} prompts ({run.state.data_hash[:12]})"


def _judge_text(card: Any) -> str:
    """Name of the judge and hash of its card."""
    from pixelproof.store import digest

    return f"{card.judge} ({digest(card.judge_card)[:12]})"


def _ranking(views: Sequence[Any], metric: Metric) -> dict[str, Any]:
    from pixelproof.report import rank_ranges

    models = [view for view in views if not view.control] or list(views)
    tasks = sorted({str(task) for view in models for task in view.summary["groups"].get("task", {})})
    names = _run_names(views)
    card = views[0].about
    drift = check_drift(
        {names[view.key]: anchor_scores(view.run) for view in views},
        {names[view.key]: control_scores(view.run) for view in views},
    )
    return {
        "bench": card.bench,
        "version": card.version,
        "source": card.source,
        "judge": card.judge,
        "judge_hash": _judge_text(card).rpartition("(")[2].rstrip(")"),
        "metric": metric.name,
        "runs": _rows(models, names, metric, rank_ranges(models, [metric])[metric.name], None),
        "tasks": {
            task: _rows(models, names, metric, rank_ranges(models, [metric], {"task": task})[metric.name], task)
            for task in tasks
        },
        "drift": [
            {"before": finding.before, "after": finding.after, "moved": finding.drift.moved, "text": str(finding)}
            for finding in drift.findings
        ],
        "drift_unchecked": drift.unchecked,
        "remarks": drift.lines,
    }


def _run_names(views: Sequence[Any]) -> dict[str, str]:
    """Key of a run → name of its directory, or the whole path where names are equal."""
    names = [view.run.path.name for view in views]
    return {
        view.key: str(view.run.path) if names.count(name) > 1 else name for view, name in zip(views, names, strict=True)
    }


def _rows(
    views: Sequence[Any], names: dict[str, str], metric: Metric, ranges: Any, task: str | None
) -> list[dict[str, Any]]:
    from pixelproof.report import ordered

    rows = []
    for view in ordered(views, metric, None if task is None else {"task": task}):
        metrics = view.summary["metrics"] if task is None else view.summary["groups"]["task"].get(task, {})
        summary = metrics.get(metric.name) or {}
        shown = {key: summary.get(key) for key in ("value", "lo", "hi", "floor", "ceiling", "calibrated", "n")}
        rows.append({"model": view.model, "run": names[view.key], **shown, "ranks": ranges.get(view.key)})
    return rows


def _print_ranking(console: Any, content: dict[str, Any], metric: Metric) -> None:
    from rich.markup import escape

    from pixelproof.cli.helpers import new_table, number

    console.print(
        f"{content['metric']} by {content['judge']} ({content['judge_hash']}), {content['bench']} "
        f"{content['version']}, source {content['source']}",
        highlight=False, markup=False,
    )  # fmt: skip
    grid = new_table("Models: ranks that the data cannot exclude")
    grid.add_column("rank", justify="right")
    grid.add_column("model", overflow="fold")
    for column in ("value", "95 % interval", "calibrated", "n"):
        grid.add_column(column, justify="right", no_wrap=True)
    for row in content["runs"]:
        calibrated = number(row["calibrated"]["value"]) if row["calibrated"] else ""
        ends = f"{number(row['lo'])}, {number(row['hi'])}"
        grid.add_row(_ranks(row), escape(row["model"]), number(row["value"]), ends, calibrated, str(row["n"] or 0))
    console.print(grid)
    if content["tasks"]:
        _print_tasks(console, content)
    for line in content["remarks"]:
        console.print(line, style="yellow", highlight=False, markup=False)
    if not content["remarks"]:
        console.print("No drift: the judge scores the anchors as before.", style="dim")


def _print_tasks(console: Any, content: dict[str, Any]) -> None:
    from rich.markup import escape

    from pixelproof.cli.helpers import new_table, number

    grid = new_table("By task: value (ranks)")
    grid.add_column("task")
    runs = [(row["run"], row["model"]) for row in content["runs"]]
    for _, model in runs:
        grid.add_column(escape(model), justify="right", overflow="fold")
    for task, rows in content["tasks"].items():
        cells = {row["run"]: f"{number(row['value'])} ({_ranks(row)})" for row in rows}
        grid.add_row(task, *(cells.get(run, "") for run, _ in runs))
    console.print(grid)


def _ranks(row: dict[str, Any]) -> str:
    from pixelproof.report import rank_text

    return rank_text(row["ranks"])
