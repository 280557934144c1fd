"""`pixelproof judge board`: generators by the ratings of people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pixelproof.benches.evalmi._commands._common import WHERE, data_options, load_ratings, plain


@click.command("board", short_help="Rank the generators of a data set by its ratings.")
@data_options
@click.option("--ceiling-images", type=click.IntRange(0), default=300, show_default=True,
              help="Images whose votes are recovered for the noise ceiling; 0: no ceiling.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of what is resampled.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def board_command(data: Path, mapping: str | None, ceiling_images: int, seed: int, as_json: bool) -> None:
    """Rank the generators of a data set by its ratings, and describe its tasks and labels."""
    from pixelproof.benches.evalmi.board import board
    from pixelproof.cli.helpers import echo, output
    from pixelproof.harness import dump

    table = load_ratings(data, mapping)
    found = board(table, ceiling_images, seed)
    if as_json:
        echo(dump(plain(found)))
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
    for name, separation in found.separations.items():
        text = (
            f"{name}: {separation.tied} of {separation.pairs} pairs are not separable at 5 %, "
            f"{separation.tied_holm} after Holm"
        )
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
    from pixelproof.cli.helpers import number

    lines = []
    for name, distribution in found.distributions.items():
        low, high = distribution["range"]
        edges = " / ".join(f"{edge:.1f}" for edge in distribution["quintiles"])
        levels = " / ".join(f"{edge:.2f}" for edge in distribution["level_edges"])
        mean, deviation = distribution["mean"], distribution["sd"]
        lines.append(f"{name}: mean {mean:.2f}, SD {deviation:.2f}, {low:.2f} to {high:.2f}; quintiles {edges}")
        lines.append(f"  five levels of equal width: {levels}")
    for pair, levels in found.relations.items():
        for level in ("overall", "within_prompt", "within_generator", "between_generators"):
            shown = " / ".join(number(value, 3) for value in levels[level])
            lines.append(f"{pair}, {WHERE.get(level, level)}: SRCC / PLCC / KRCC {shown}")
    for name, threshold in found.thresholds.items():
        lines.append(
            f"qa by {name}: AUC {threshold['auc']:.4f}, best at {threshold['grid_threshold']:.2f} "
            f"({100 * threshold['grid_agreement']:.2f} % agree), no yes below {threshold['lowest_yes']:.2f}, "
            f"no no above {threshold['highest_no']:.2f}"
        )
    for name, shares in ((name, shares) for name, shares in found.variances.items() if shares):
        lines.append(f"variance of {name}: " + ", ".join(f"{key} {100 * share:.0f} %" for key, share in shares.items()))
    for name, sizes in found.stability.items():
        lines.append(
            f"ranking by {name} on some prompts, SRCC with all: "
            + ", ".join(f"{n}: {number(v, 3)}" for n, v in sizes.items())
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
        lines.append(f"noise ceiling of {name}: SRCC {number(top.srcc, 3)}, PLCC {number(top.plcc, 3)} ({top.source})")
    for line in lines:
        console.print(line, highlight=False, markup=False)
