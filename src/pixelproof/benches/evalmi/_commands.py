"""`pixelproof judge`: scores, generators and votes, measured against people."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import click

from pixelproof.contract import PixelProofError

_PATH = click.Path(path_type=Path)
_WHERE = {
    "": "overall",
    "within_prompt": "within prompts",
    "within_generator": "within generators",
    "within_task": "within tasks",
    "between_generators": "between generators",
}
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


@click.group("judge")
def judge_group() -> None:
    """Scores of images, generators and votes, measured against people."""


def _data_options(command: Any) -> Any:
    command = click.option(
        "--map", "mapping", help="Columns of any other table: image_id=COL,model=COL,prompt=COL,perception=COL,qa=COL."
    )(command)
    return click.option(
        "--data", type=_PATH, required=True, help="EvalMi-50K, AGIQA-3K or GenAI-Bench directory; a file with --map."
    )(command)


def _load(data: Path, mapping: str | None) -> Any:
    from pixelproof.benches.evalmi.data import load

    if mapping is None:
        return load(data)
    pairs = [part.partition("=") for part in mapping.split(",")]
    if any(not name or not column for name, _, column in pairs):
        raise PixelProofError("--map is a list such as image_id=file,model=generator,prompt=text,perception=mos.")
    return load(data, {name.strip(): column.strip() for name, _, column in pairs})


@judge_group.command("meta")
@_data_options
@click.option("--scores", type=_PATH, required=True, help="CSV, Parquet or JSONL: image_id, or model and prompt_id.")
@click.option("--column", "columns", multiple=True, help="Score column; repeat to compare. Default: all with numbers.")
@click.option("--lower-is-better", is_flag=True, help="The scores are distances: their sign is changed.")
@click.option("--target", "targets", multiple=True, help="perception, correspondence, qa or components; default: all.")
@click.option("--folds", default="prompts", show_default=True, help="prompts, generators, or the authors' JSONL files.")
@click.option("--ties", type=click.Choice(["wrong", "half", "skip"]), default="wrong", show_default=True,
              help="What a pair of images with equal scores counts in the pairwise accuracy.")  # fmt: skip
@click.option("--resamples", type=click.IntRange(100), default=2000, show_default=True, help="Of the bootstrap.")
@click.option("--ceiling-images", type=click.IntRange(0), default=300, show_default=True,
              help="Images whose votes are recovered for the noise ceiling; 0: no ceiling.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of folds and resamples.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def meta_command(
    data: Path,
    mapping: str | None,
    scores: Path,
    columns: Sequence[str],
    lower_is_better: bool,
    targets: Sequence[str],
    folds: str,
    ties: Any,
    resamples: int,
    ceiling_images: int,
    seed: int,
    as_json: bool,
) -> None:
    """Measure how well scores of images agree with people.

    Every value stands beside the best predictor that never sees a pixel (floor) and what the noise of raters allows
    (ceiling). Intervals are clustered by prompt. With several columns, each is tested against the first.
    """
    from pixelproof.benches.evalmi.data import generator_folds, prompt_folds, read_folds
    from pixelproof.benches.evalmi.meta import Reference, compare_scores, evaluate, read_scores
    from pixelproof.cli.helpers import echo, output
    from pixelproof.harness import dump

    table = _load(data, mapping)
    makers = {"prompts": prompt_folds, "generators": generator_folds}
    split = makers[folds](table, seed=seed) if folds in makers else read_folds(table, Path(folds))
    joined = read_scores(table, scores, columns, lower_is_better)
    reference = Reference.of(table, split, folds != "prompts", tuple(targets), ceiling_images, seed)
    found = [evaluate(reference, one, resamples, seed, ties) for one in joined]
    tests = {one.scores.column: compare_scores(reference, found[0], one, resamples, seed) for one in found[1:]}
    if as_json:
        echo(dump(_plain(_meta_json(table, split, reference, found, tests, resamples, seed))))
        return
    console = output()
    for one in found:
        _print_evaluation(console, table, reference, split, one)
    for column, differences in tests.items():
        _print_differences(console, found[0].scores.column, column, differences)


def _meta_json(
    table: Any, split: Any, reference: Any, found: Sequence[Any], tests: Any, resamples: int, seed: int
) -> Any:
    from pixelproof.benches.evalmi.meta import published

    of_scores = [
        {
            "model": one.scores.column,
            "counts": _counts(split, one),
            "metrics": one.metrics,
            "groups": one.groups,
            "floors": one.floors,
            "details": one.details,
            "warnings": one.warnings,
        }
        for one in found
    ]
    return {
        "data": table.name,
        **of_scores[0],
        "others": of_scores[1:],
        "tests": tests,
        "ceilings": reference.ceilings,
        "published": [asdict(one) for target in reference.targets for one in published(table.name, target)],
        "split": {
            "kind": split.kind,
            "folds": len(split.folds),
            "shared_prompts": split.shared_prompts,
            "shared_generators": split.shared_generators,
        },
        "resamples": resamples,
        "seed": seed,
    }


def _counts(split: Any, one: Any) -> dict[str, Any]:
    problems = {name: asdict(getattr(one.scores, name)) for name in ("missing", "unknown", "duplicates", "not_numbers")}
    return {"planned": int((split.fold >= 0).sum()), "completed": one.n, **problems}


def _plain(value: Any) -> Any:
    """A structure as JSON takes it: dataclasses as mappings, arrays as lists, nan as null, 9 significant digits."""
    if is_dataclass(value) and not isinstance(value, type):
        return {name: _plain(one) for name, one in vars(value).items()}
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float):
        # Sums of threads and fits differ in the last digits; equal seeds give equal output.
        return float(f"{value:.9g}") if math.isfinite(value) else None
    return value


def _print_evaluation(console: Any, table: Any, reference: Any, split: Any, one: Any) -> None:
    from rich.markup import escape

    from pixelproof.benches.evalmi.meta import published
    from pixelproof.cli.helpers import new_table, number

    counts = _counts(split, one)
    title = f"{escape(one.scores.column)} on {escape(table.name)}: {one.n:,} of {counts['planned']:,} images"
    console.print(title, style="bold", highlight=False)
    for name, label in (("missing", "images without a score"), ("unknown", "unknown keys"),
                        ("duplicates", "duplicate keys"), ("not_numbers", "scores that are no number")):  # fmt: skip
        if counts[name]["count"]:
            such = ", ".join(counts[name]["examples"])
            console.print(f"{counts[name]['count']:,} {label}, such as {escape(such)}", style="yellow", highlight=False)
    if filled := one.details.get("filled"):
        shown = ", ".join(f"{name} {number(value, 3)}" for name, value in filled.items())
        console.print(f"With the median score for images without one: {shown}", style="yellow", highlight=False)
    for line in one.warnings:
        console.print(escape(line), style="yellow", highlight=False)
    for target in reference.targets:
        rows = {name.removeprefix(f"{target}."): m for name, m in one.metrics.items() if name.startswith(f"{target}.")}
        grid = new_table(target)
        grid.padding = (0, 1, 0, 0)
        for column in ("", "value", "95 % interval", "floor", "ceiling", "calibrated"):
            grid.add_column(column, justify="left" if not column else "right")
        for name, metric in rows.items():
            level, _, measure = name.rpartition(".")
            label = _NAMES[measure] + (f" {_WHERE[level]}" if level else "")
            ends = "–" if math.isnan(metric.lo) else f"{metric.lo:.3f}, {metric.hi:.3f}"
            calibrated = number(metric.calibrated.value) if metric.calibrated else ""
            grid.add_row(
                label, number(metric.value, 3), ends, number(metric.floor, 3), number(metric.ceiling, 3), calibrated
            )
        console.print(grid)
        _print_floors(console, one.floors.get(target, {}))
        if (top := reference.ceilings.get(target)) is not None:
            text = f"Ceiling: {top.source}; {top.raters} raters, standard error of a score {top.error:.2f}."
            console.print(text, style="dim", highlight=False)
        if known := published(table.name, target):
            listed = ", ".join(f"{row.method} {row.srcc:.3f}" for row in known[-4:])
            console.print(
                f"Published SRCC, not measured here: {listed} (sources: --json).", style="dim", highlight=False
            )
    for dimension, groups in one.groups.items():
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
    for one in differences:
        gap = one.difference
        grid.add_row(
            one.metric, f"{gap.value:+.3f}", f"{gap.lo:+.3f} to {gap.hi:+.3f}", f"{one.p:.2g}", f"{one.p_holm:.2g}"
        )
    console.print(grid)
    console.print(
        "SRCC, PLCC: paired bootstrap over prompts. Within prompts, accuracy: sign flips over prompts.", style="dim"
    )


@judge_group.command("board")
@_data_options
@click.option("--ceiling-images", type=click.IntRange(0), default=300, show_default=True,
              help="Images whose votes are recovered for the noise ceiling; 0: no ceiling.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of what is resampled.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def board_command(data: Path, mapping: str | None, ceiling_images: int, seed: int, as_json: bool) -> None:
    """Rank the generators of a data set by its ratings, and describe its tasks and labels."""
    from pixelproof.benches.evalmi.board import board
    from pixelproof.cli.helpers import echo, output
    from pixelproof.harness import dump

    table = _load(data, mapping)
    found = board(table, ceiling_images, seed)
    if as_json:
        echo(dump(_plain(found)))
        return
    console = output()
    counts = ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in found.counts.items())
    console.print(f"{table.name}: {counts}", highlight=False)
    _print_models(console, found)
    _print_tasks(console, found)
    _print_labels(console, found)


def _label(name: str, value: float, digits: int = 2) -> str:
    return f"{100 * value if name == 'qa' else value:.{digits}f}"


def _print_models(console: Any, found: Any) -> None:
    from rich.markup import escape

    from pixelproof.cli.helpers import new_table

    labels = list(found.separations)
    grid = new_table("Generators: mean (rank, ranks that are possible)")
    grid.padding = (0, 1, 0, 0)
    grid.add_column("#", justify="right")
    grid.add_column("generator", max_width=17, overflow="fold")
    for name in labels:
        grid.add_column(name, justify="right", no_wrap=True)
    grid.add_column("sum", justify="right")
    shared = [row.rank for row in found.models]
    for row in found.models:
        cells = []
        for name in labels:
            low, high = row.possible[name]
            tied = "" if low == high else f", {low}–{high}"
            cells.append(f"{_label(name, row.means[name].value)} ({row.ranks[name]}{tied})")
        rank = f"{row.rank}{'=' if shared.count(row.rank) > 1 else ''}"
        grid.add_row(rank, escape(row.title), *cells, str(row.rank_sum))
    console.print(grid)
    for name, one in found.separations.items():
        text = f"{name}: {one.tied} of {one.pairs} pairs are not separable at 5 %, {one.tied_holm} after Holm"
        console.print(text, style="dim", highlight=False)


def _print_tasks(console: Any, found: Any) -> None:
    from pixelproof.cli.helpers import new_table, number

    if len(found.tasks) < 2:
        return
    labels = list(found.separations)
    grid = new_table("Tasks: means, SRCC of the first two labels, ranking against all tasks")
    grid.padding = (0, 1, 0, 0)
    grid.add_column("task")
    for name in ("prompts", *labels, "SRCC", "ranking"):
        grid.add_column(name, justify="right")
    for row in found.tasks:
        means = [_label(name, row[name], 1 if name == "qa" else 2) for name in labels]
        grid.add_row(
            row["task"], str(row["prompts"]), *means, number(row.get("srcc"), 3), number(row["ranking"][labels[-1]])
        )
    console.print(grid)


def _print_labels(console: Any, found: Any) -> None:
    lines = []
    for name, one in found.distributions.items():
        low, high = one["range"]
        edges = " / ".join(f"{edge:.1f}" for edge in one["quintiles"])
        levels = " / ".join(f"{edge:.2f}" for edge in one["level_edges"])
        lines.append(f"{name}: mean {one['mean']:.2f}, SD {one['sd']:.2f}, {low:.2f} to {high:.2f}; quintiles {edges}")
        lines.append(f"  five levels of equal width: {levels}")
    for pair, levels in found.relations.items():
        for level in ("overall", "within_prompt", "within_generator", "between_generators"):
            shown = " / ".join(f"{value:.3f}" for value in levels[level])
            lines.append(f"{pair}, {_WHERE.get(level, level)}: SRCC / PLCC / KRCC {shown}")
    for name, one in found.thresholds.items():
        lines.append(
            f"qa by {name}: AUC {one['auc']:.4f}, best at {one['grid_threshold']:.2f} "
            f"({100 * one['grid_agreement']:.2f} % agree), no yes below {one['lowest_yes']:.2f}, "
            f"no no above {one['highest_no']:.2f}"
        )
    for name, shares in ((name, one) for name, one in found.variances.items() if one):
        lines.append(f"variance of {name}: " + ", ".join(f"{key} {100 * share:.0f} %" for key, share in shares.items()))
    for name, sizes in found.stability.items():
        lines.append(
            f"ranking by {name} on some prompts, SRCC with all: " + ", ".join(f"{n}: {v:.3f}" for n, v in sizes.items())
        )
    if found.opposite is not None:
        lines.append(
            f"prompts with the first two labels on opposite sides of their medians: {100 * found.opposite:.2f} %"
        )
    if parts := found.components:
        lines.append(
            f"component questions: {parts['answers']:,} on {parts['images']:,} images; the main answer is their "
            f"conjunction in {100 * parts['conjunction']:.1f} % (all yes, main no: {parts['all_yes_but_main_no']}; the "
            f"reverse: {parts['main_yes_but_not_all']})"
        )
    for name, scale in found.scales.items():
        lines.append(f"votes behind {name}: {len(scale.shares)} raters, unanimous images (1 to 5): {scale.unanimous}")
    for name, top in found.ceilings.items():
        lines.append(f"noise ceiling of {name}: SRCC {top.srcc:.3f}, PLCC {top.plcc:.3f} ({top.source})")
    for line in lines:
        console.print(line, highlight=False, markup=False)


@judge_group.command("mos")
@click.argument("votes", type=_PATH)
@click.option("--rater", default="rater", show_default=True, help="Column with the rater.")
@click.option("--item", default="image_id", show_default=True, help="Column with the image.")
@click.option("--score", default="score", show_default=True, help="Column with the vote.")
@click.option("--bt500-only", is_flag=True, help="Keep raters who do not agree with the others, if BT.500 keeps them.")
@click.option("--out", type=_PATH, help="Write scores and standard errors of all images here, as CSV.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the splits of raters.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def mos_command(
    votes: Path, rater: str, item: str, score: str, bt500_only: bool, out: Path | None, seed: int, as_json: bool
) -> None:
    """Turn votes into mean opinion scores, and say how reliable raters and scores are.

    VOTES is a CSV, Parquet or JSONL file with one vote per row. Raters are screened as in ITU-R BT.500, and by whether
    they agree with the others at all; votes are standardised per rater and rescaled to 0 to 100. A maximum likelihood
    estimate with a bias and an inconsistency per rater stands beside.
    """
    from pixelproof.benches.evalmi.votes import analyse_votes, read_votes
    from pixelproof.cli.helpers import echo, output
    from pixelproof.harness import dump

    found = analyse_votes(read_votes(votes, rater, item, score), not bt500_only, seed)
    if out is not None:
        _write_scores(out, item, found)
    if as_json:
        echo(dump(_plain(_mos_json(found))))
        return
    _print_votes(output(), found)
    if out is not None:
        echo(f"Written to {out}.")


def _mos_json(found: Any) -> dict[str, Any]:
    scores = zip(
        found.votes.items,
        found.scores.mos,
        found.scores.errors,
        found.scores.counts,
        found.likelihood.quality,
        found.likelihood.errors,
        strict=True,
    )
    names = ("item", "mos", "error", "votes", "likelihood", "likelihood_error")
    return {
        "counts": _vote_counts(found),
        "raters": list(found.raters),
        "icc": found.icc,
        "alpha": {"interval": found.alpha_interval, "ordinal": found.alpha_ordinal},
        "ceiling": found.ceiling,
        "raters_wanted": found.raters_wanted,
        "scores": [dict(zip(names, row, strict=True)) for row in scores],
    }


def _vote_counts(found: Any) -> dict[str, int]:
    return {
        "items": len(found.votes.items),
        "raters": len(found.votes.raters),
        "rejected": int(found.scores.rejected.sum()),
        "votes": sum(one.votes for one in found.raters),
        "repeated": found.votes.repeats,
        "dropped": found.scores.dropped,
        "items_without_score": int((found.scores.counts == 0).sum()),
    }


def _write_scores(path: Path, item: str, found: Any) -> None:
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    rows = _plain(_mos_json(found))["scores"]
    writer.writerow([item, *list(rows[0])[1:]])
    writer.writerows([["" if value is None else value for value in row.values()] for row in rows])
    try:
        path.write_text(text.getvalue(), "utf-8")
    except OSError as error:
        raise PixelProofError(f"The scores cannot be written to {path}: {error.strerror}.") from None


def _print_votes(console: Any, found: Any) -> None:
    from rich.markup import escape

    from pixelproof.cli.helpers import new_table, number

    counts = ", ".join(f"{value:,} {name.replace('_', ' ')}" for name, value in _vote_counts(found).items())
    console.print(counts, highlight=False)
    grid = new_table("Raters")
    grid.padding = (0, 1, 0, 0)
    grid.add_column("rater", max_width=16, overflow="fold")
    for column in ("votes", "mean", "SD", "SRCC", "high", "low", "bias", "noise"):
        grid.add_column(column, justify="right", no_wrap=True)
    grid.add_column("rejected")
    for one in found.raters:
        cells = [number(one.mean), number(one.deviation), number(one.agreement), str(one.high), str(one.low)]
        grid.add_row(
            escape(one.name), str(one.votes), *cells, f"{one.bias:+.2f}", number(one.inconsistency), one.rejected
        )
    console.print(grid)
    console.print(
        "SRCC: with the mean of all others. high, low: votes at or beyond the bounds of their image (BT.500).\n"
        "bias, noise: of the maximum likelihood estimate, on the scale of the votes.",
        style="dim",
    )
    icc, top = found.icc, found.ceiling
    for line in (
        f"ICC(1,1) {number(icc.icc1, 3)}, ICC(2,1) {number(icc.icc2, 3)}, ICC(3,1) {number(icc.icc3, 3)}; of the mean: "
        f"ICC(1,k) {number(icc.icc1k, 3)}, ICC(2,k) {number(icc.icc2k, 3)}, ICC(3,k) {number(icc.icc3k, 3)}",
        f"Krippendorff's alpha: interval {number(found.alpha_interval, 3)}, ordinal {number(found.alpha_ordinal, 3)}",
        f"Standard error of a score: {number(top.error)} points; reliability {number(top.reliability, 3)}",
        f"Noise ceiling of a perfect metric: SRCC {number(top.srcc, 3)}, PLCC {number(top.plcc, 3)} ({top.source})",
        "Raters for a ceiling of the PLCC: "
        + ", ".join(f"{key}: {_needed(value)}" for key, value in found.raters_wanted.items()),
    ):
        console.print(line, highlight=False)


def _needed(value: float) -> str:
    return str(math.ceil(value)) if math.isfinite(value) else "no number is enough"


@judge_group.command("pairs")
@click.argument("votes", type=_PATH)
@click.option("--first", default="left", show_default=True, help="Column with one generator.")
@click.option("--second", default="right", show_default=True, help="Column with the other.")
@click.option("--winner", default="winner", show_default=True, help="Column with a generator's name, or 'tie'.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def pairs_command(votes: Path, first: str, second: str, winner: str, as_json: bool) -> None:
    """Rank generators by pairwise votes: Bradley-Terry strengths with ties, intervals and tie groups."""
    from pixelproof.benches.evalmi.votes import read_pairs
    from pixelproof.cli.helpers import echo, new_table, output
    from pixelproof.harness import dump

    table = read_pairs(votes, first, second, winner)
    found = table.strengths()
    order = sorted(range(len(found.names)), key=lambda k: -found.strengths[k].value)
    if as_json:
        rows = [
            {"name": found.names[k], **vars(found.strengths[k]), "ranks": found.ranks[found.names[k]]} for k in order
        ]
        content = {"votes": table.votes, "ties": table.undecided, "tie_rate": found.tie_rate, "strengths": rows}
        echo(dump(_plain(content)))
        return
    console = output()
    grid = new_table(f"{table.votes:,} votes, {table.undecided:,} of them ties")
    grid.add_column("generator", overflow="fold")
    for column in ("strength", "95 % interval", "possible ranks"):
        grid.add_column(column, justify="right", no_wrap=True)
    for k in order:
        one, (low, high) = found.strengths[k], found.ranks[found.names[k]]
        ranks = str(low) if low == high else f"{low}–{high}"
        grid.add_row(found.names[k], f"{one.value:+.3f}", f"{one.lo:+.3f} to {one.hi:+.3f}", ranks)
    console.print(grid)
    console.print("strength: logarithm; a difference d means that a wins exp(d) times as often as b.", style="dim")
