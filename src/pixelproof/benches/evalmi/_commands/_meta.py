"""`pixelproof judge meta`: how well scores of images agree with people."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pixelproof.benches.evalmi._commands._common import PATH, WHERE, data_options, load_ratings, plain
from pixelproof.cli.helpers import with_workers

if TYPE_CHECKING:
    from pixelproof.store import Workers

_WORTH_SPREADING = 4
"""Least number of columns for which starting processes pays off."""
_NAMES = {
    "srcc": "SRCC",
    "plcc": "PLCC",
    "krcc": "KRCC",
    "plcc_logistic4": "PLCC, logistic 4",
    "plcc_logistic5": "PLCC, logistic 5",
    "pair_accuracy": "pairs of a prompt",
    "pair_accuracy_clear": "… clear pairs",
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "auc": "AUC",
}


@click.command("meta")
@data_options
@click.option("--scores", type=PATH, required=True,
              help="CSV, Parquet or JSONL: image_id, or model and prompt_id; or a judged run of evalmi.")  # fmt: skip
@click.option("--column", "columns", multiple=True, help="Score column; repeat to compare. Default: all with numbers.")
@click.option("--lower-is-better", is_flag=True, help="All scores are distances: their sign is changed.")
@click.option("--lower", multiple=True, metavar="COLUMN", help="This column is a distance; repeat for others.")
@click.option("--target", "targets", multiple=True, help="perception, correspondence, qa or components; default: all.")
@click.option("--folds", default="prompts", show_default=True, help="prompts, generators, or the authors' JSONL files.")
@click.option("--ties", type=click.Choice(["wrong", "half", "skip"]), default="wrong", show_default=True,
              help="What a pair of images with equal scores counts in the pairwise accuracy.")  # fmt: skip
@click.option("--resamples", type=click.IntRange(100), default=2000, show_default=True, help="Of the bootstrap.")
@click.option("--ceiling-images", type=click.IntRange(0), default=300, show_default=True,
              help="Images whose votes are recovered for the noise ceiling; 0: no ceiling.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of folds and resamples.")
@with_workers
@click.option("--html", type=PATH, help="Write a page here: agreement between floor and ceiling, scatter plots.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def meta_command(
    data: Path,
    mapping: str | None,
    scores: Path,
    columns: Sequence[str],
    lower_is_better: bool,
    lower: Sequence[str],
    targets: Sequence[str],
    folds: str,
    ties: Any,
    resamples: int,
    ceiling_images: int,
    seed: int,
    workers: Workers,
    html: Path | None,
    as_json: bool,
) -> None:
    """Measure how well scores of images agree with people.

    Every value stands beside the best predictor that never sees a pixel (floor) and what the noise of raters allows
    (ceiling). Intervals are clustered by prompt. With several columns, each is tested against the first.
    """
    from pixelproof.benches.evalmi._commands._judge_images import scores_of_runs
    from pixelproof.benches.evalmi._commands._pages import meta_sections, write_page
    from pixelproof.benches.evalmi.data import generator_folds, prompt_folds, read_folds
    from pixelproof.benches.evalmi.meta import Reference, compare_scores, evaluate, read_scores
    from pixelproof.cli.helpers import echo, output
    from pixelproof.harness import dump
    from pixelproof.store import Cluster, executor_for

    table = load_ratings(data, mapping)
    makers = {"prompts": prompt_folds, "generators": generator_folds}
    split = makers[folds](table, seed=seed) if folds in makers else read_folds(table, Path(folds))
    judged = scores_of_runs(scores) if scores.is_dir() else None
    joined = read_scores(table, scores, columns, lower_is_better or lower, judged)
    reference = Reference.of(table, split, folds != "prompts", tuple(targets), ceiling_images, seed)
    measure = partial(evaluate, reference, resamples=resamples, seed=seed, ties=ties)
    spread = isinstance(workers, Cluster) or len(joined) >= _WORTH_SPREADING
    with executor_for(workers if spread else 1) as pool:
        found = list(pool.map(measure, joined, chunk=1))
    tests = {
        evaluation.scores.column: compare_scores(reference, found[0], evaluation, resamples, seed)
        for evaluation in found[1:]
    }
    if html is not None:
        page_summary = f"{table.name} · {len(table):,} images · {len(table.models)} generators · folds by {folds}"
        write_page(html, "Scores measured against people", page_summary, meta_sections(table, reference, found, _NAMES))
    if as_json:
        echo(dump(plain(_meta_json(table, split, reference, found, tests, resamples, seed))))
        return
    console = output()
    for evaluation in found:
        _print_evaluation(console, table, reference, split, evaluation)
    for column, differences in tests.items():
        _print_differences(console, found[0].scores.column, column, differences)


def _meta_json(
    table: Any, split: Any, reference: Any, found: Sequence[Any], tests: Any, resamples: int, seed: int
) -> Any:
    from pixelproof.benches.evalmi.meta import published

    of_scores = [
        {
            "model": evaluation.scores.column,
            "higher_is_better": not evaluation.scores.lower_is_better,
            "counts": _counts(split, evaluation),
            "metrics": evaluation.metrics,
            "groups": evaluation.groups,
            "floors": evaluation.floors,
            "details": evaluation.details,
            "warnings": evaluation.warnings,
        }
        for evaluation in found
    ]
    return {
        "data": table.name,
        **of_scores[0],
        "others": of_scores[1:],
        "tests": tests,
        "ceilings": reference.ceilings,
        "published": [asdict(figure) for target in reference.targets for figure in published(table.name, target)],
        "split": {
            "kind": split.kind,
            "folds": len(split.folds),
            "shared_prompts": split.shared_prompts,
            "shared_generators": split.shared_generators,
        },
        "resamples": resamples,
        "seed": seed,
    }


def _counts(split: Any, evaluation: Any) -> dict[str, Any]:
    problems = {
        name: asdict(getattr(evaluation.scores, name)) for name in ("missing", "unknown", "duplicates", "not_numbers")
    }
    return {"planned": int((split.fold >= 0).sum()), "completed": evaluation.n, **problems}


def _print_evaluation(console: Any, table: Any, reference: Any, split: Any, evaluation: Any) -> None:
    from rich.markup import escape

    from pixelproof.benches.evalmi.meta import published
    from pixelproof.cli.helpers import new_table, number

    counts = _counts(split, evaluation)
    title = (
        f"{escape(evaluation.scores.column)} on {escape(table.name)}: {evaluation.n:,} of {counts['planned']:,} images"
    )
    console.print(title, style="bold", highlight=False)
    better = "lower" if evaluation.scores.lower_is_better else "higher"
    console.print(f"Direction of the score: {better} is better.", style="dim", highlight=False)
    for name, label in (("missing", "images without a score"), ("unknown", "unknown keys"),
                        ("duplicates", "duplicate keys"), ("not_numbers", "scores that are no number")):  # fmt: skip
        if counts[name]["count"]:
            such = ", ".join(counts[name]["examples"])
            console.print(f"{counts[name]['count']:,} {label}, such as {escape(such)}", style="yellow", highlight=False)
    if filled := evaluation.details.get("filled"):
        shown = ", ".join(f"{name} {number(value, 3)}" for name, value in filled.items())
        console.print(f"With the median score for images without one: {shown}", style="yellow", highlight=False)
    for line in evaluation.warnings:
        console.print(escape(line), style="yellow", highlight=False)
    for target in reference.targets:
        rows = {
            name.removeprefix(f"{target}."): m
            for name, m in evaluation.metrics.items()
            if name.startswith(f"{target}.")
        }
        grid = new_table(target)
        grid.padding = (0, 1, 0, 0)
        for column in ("", "value", "95 % interval", "floor", "ceiling", "calibrated"):
            grid.add_column(column, justify="left" if not column else "right")
        for name, metric in rows.items():
            level, _, measure = name.rpartition(".")
            label = _NAMES[measure] + (f" {WHERE[level]}" if level else "")
            ends = "–" if math.isnan(metric.lo) else f"{metric.lo:.3f}, {metric.hi:.3f}"
            calibrated = number(metric.calibrated.value) if metric.calibrated else ""
            grid.add_row(
                label, number(metric.value, 3), ends, number(metric.floor, 3), number(metric.ceiling, 3), calibrated
            )
        console.print(grid)
        _print_floors(console, evaluation.floors.get(target, {}))
        if (top := reference.ceilings.get(target)) is not None:
            text = f"Ceiling: {top.source}; {top.raters} raters, standard error of a score {top.error:.2f}."
            console.print(text, style="dim", highlight=False)
        if known := published(table.name, target):
            listed = ", ".join(f"{row.method} {row.srcc:.3f}" for row in known[-4:])
            console.print(
                f"Published SRCC, not measured here: {listed} (sources: --json).", style="dim", highlight=False
            )
    for dimension, groups in evaluation.groups.items():
        _print_groups(console, dimension, groups, reference)


def _print_floors(console: Any, floors: Mapping[str, Mapping[str, float]]) -> None:
    from pixelproof.benches.evalmi.meta import FLOORS
    from pixelproof.cli.helpers import number

    for name, values in floors.items():
        key = "srcc" if "srcc" in values else "accuracy"
        text = f"Floor {name} ({FLOORS[name]}): {_NAMES[key]} {number(values[key], 3)}"
        console.print(text, style="dim", highlight=False)


def _print_groups(console: Any, dimension: str, groups: Mapping[str, Any], reference: Any) -> None:
    from pixelproof.cli.helpers import new_table, number

    grid = new_table(f"SRCC by {'words of the prompt' if dimension == 'words' else dimension}")
    grid.add_column(dimension)
    grid.add_column("images", justify="right")
    targets = [target for target in reference.targets if target in reference.data.targets]
    for target in targets:
        grid.add_column(target, justify="right")
    for name, metrics in groups.items():
        cells = [metrics[f"{target}.srcc"] for target in targets]
        shown = [f"{number(m.value, 3)} [{number(m.lo)}, {number(m.hi)}]" for m in cells]
        grid.add_row(name, f"{cells[0].n:,}", *shown)
    console.print(grid)


def _print_differences(console: Any, first: str, second: str, differences: Sequence[Any]) -> None:
    from rich.markup import escape

    from pixelproof.cli.helpers import new_table

    grid = new_table(f"{escape(second)} − {escape(first)}, on the images that have both")
    grid.padding = (0, 1, 0, 0)
    grid.add_column("", overflow="fold")
    for column in ("difference", "95 % interval", "p", "p (Holm)"):
        grid.add_column(column, justify="right", no_wrap=True)
    for difference in differences:
        gap = difference.difference
        grid.add_row(
            difference.metric,
            f"{gap.value:+.3f}",
            f"{gap.lo:+.3f} to {gap.hi:+.3f}",
            f"{difference.p:.2g}",
            f"{difference.p_holm:.2g}",
        )
    console.print(grid)
    console.print(
        "SRCC, PLCC: paired bootstrap over prompts. Within prompts, accuracy: sign flips over prompts.", style="dim"
    )
