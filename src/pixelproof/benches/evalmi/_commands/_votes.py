"""`pixelproof judge mos` and `judge pairs`: scores of votes; `judge example`: a small data set of made-up votes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from pixelproof.benches.evalmi._commands._common import PATH, plain
from pixelproof.contract import PixelProofError


@click.command("example", short_help="Write made-up votes and scores, to try the others.")
@click.argument("folder", type=PATH)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the random numbers.")
def example_command(folder: Path, seed: int) -> None:
    """Write a small data set of made-up votes and scores, to try the other commands. Nobody rated anything."""
    from pixelproof.benches.evalmi.example import write_example
    from pixelproof.cli.helpers import echo

    write_example(folder, seed)
    echo(f"Made-up votes and scores in {folder}: images.csv, prompts.csv, votes-*.csv, scores.csv.")


@click.command("mos", short_help="Turn votes into mean opinion scores.")
@click.argument("votes", type=PATH)
@click.option("--rater", default="rater", show_default=True, help="Column with the rater.")
@click.option("--item", default="image_id", show_default=True, help="Column with the image.")
@click.option("--score", default="score", show_default=True, help="Column with the vote.")
@click.option("--scale", type=float, nargs=2, metavar="LOW HIGH", help="Refuse votes outside of LOW to HIGH.")
@click.option("--bt500-only", is_flag=True, help="Keep raters who do not agree with the others, if BT.500 keeps them.")
@click.option("--out", type=PATH, help="Write scores and standard errors of all images here, as CSV.")
@click.option("--html", type=PATH, help="Write a page here: agreement and reliability of the raters.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the splits of raters.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def mos_command(
    votes: Path,
    rater: str,
    item: str,
    score: str,
    scale: tuple[float, float] | None,
    bt500_only: bool,
    out: Path | None,
    html: Path | None,
    seed: int,
    as_json: bool,
) -> None:
    """Turn votes into mean opinion scores, and say how reliable raters and scores are.

    VOTES is a CSV, Parquet or JSONL file with one vote per row. Raters are screened as in ITU-R BT.500, and by whether
    they agree with the others at all; votes are standardised per rater and rescaled to 0 to 100. A maximum likelihood
    estimate with a bias and an inconsistency per rater stands beside.
    """
    from pixelproof.benches.evalmi._commands._pages import votes_sections, write_page
    from pixelproof.benches.evalmi.votes import analyse_votes, read_votes
    from pixelproof.cli.helpers import echo, output
    from pixelproof.harness import dump

    found = analyse_votes(read_votes(votes, rater, item, score, scale), not bt500_only, seed)
    if out is not None:
        _write_scores(out, item, found)
    if html is not None:
        page_summary = ", ".join(f"{value:,} {name.replace('_', ' ')}" for name, value in _vote_counts(found).items())
        write_page(html, "Agreement of raters", page_summary, votes_sections(found))
    if as_json:
        echo(dump(plain(_mos_json(found))))
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
        "range": _vote_range(found),
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
        "votes": sum(rater.votes for rater in found.raters),
        "repeated": found.votes.repeats,
        "dropped": found.scores.dropped,
        "items_without_score": int((found.scores.counts == 0).sum()),
    }


def _vote_range(found: Any) -> tuple[float, float]:
    """Lowest and highest vote: a typing error such as 55 shows here."""
    import numpy as np

    return float(np.nanmin(found.votes.ratings)), float(np.nanmax(found.votes.ratings))


def _write_scores(path: Path, item: str, found: Any) -> None:
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    rows = plain(_mos_json(found))["scores"]
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
    low, high = _vote_range(found)
    console.print(f"{counts}; votes from {low:g} to {high:g}", highlight=False)
    grid = new_table("Raters")
    grid.padding = (0, 1, 0, 0)
    grid.add_column("rater", max_width=16, overflow="fold")
    for column in ("votes", "mean", "SD", "SRCC", "high", "low", "bias", "noise"):
        grid.add_column(column, justify="right", no_wrap=True)
    grid.add_column("rejected")
    for rater in found.raters:
        cells = [number(rater.mean), number(rater.deviation), number(rater.agreement), str(rater.high), str(rater.low)]
        grid.add_row(
            escape(rater.name),
            str(rater.votes),
            *cells,
            f"{rater.bias:+.2f}",
            number(rater.inconsistency),
            rater.rejected,
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


@click.command("pairs", short_help="Rank generators by pairwise votes.")
@click.argument("votes", type=PATH)
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
        echo(dump(plain(content)))
        return
    console = output()
    grid = new_table(f"{table.votes:,} votes, {table.undecided:,} of them ties")
    grid.add_column("generator", overflow="fold")
    for column in ("strength", "95 % interval", "possible ranks"):
        grid.add_column(column, justify="right", no_wrap=True)
    for k in order:
        strength, (low, high) = found.strengths[k], found.ranks[found.names[k]]
        ranks = str(low) if low == high else f"{low}–{high}"
        grid.add_row(found.names[k], f"{strength.value:+.3f}", f"{strength.lo:+.3f} to {strength.hi:+.3f}", ranks)
    console.print(grid)
    console.print("strength: logarithm; a difference d means that a wins exp(d) times as often as b.", style="dim")
