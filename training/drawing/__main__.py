"""The command line of the trainer."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from pixelproof.contract import Estimate, PixelProofError
from pixelproof.nets import WEIGHTS

_MISSING = 3  # as in the other commands: something is missing or does not fit


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Train or evaluate the network that recognises what a drawing shows."""


@main.command()
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The file to write.")
@click.option("--seed", default=0, show_default=True, help="Of everything that is left to chance.")
@click.option("--epochs", default=24, show_default=True, help="How often each drawing is seen.")
@click.option("--share", default=1.0, show_default=True, help="Of the training set, for trying things out.")
@click.option("--threads", default=1, show_default=True, help="Of torch, and as many that prepare batches.")
@click.option("--workers", type=int, help="Processes that make drawings.  [default: one per core]")
def train(out: Path, seed: int, epochs: int, share: float, threads: int, workers: int | None) -> None:
    """Make the training set, train a network on it, calibrate it and write it.

    Needs torch (pip install 'pixelproof[train]') and drawings of others (pixelproof data assets get crawl-tiles
    minetest-textures quick-draw unifont). About six minutes with a GPU, several hours without: see --share.
    """
    from training.drawing.network import Recipe
    from training.drawing.run import train as run

    run(out, Recipe(seed=seed, epochs=epochs, threads=threads), share, workers, _tell, _progress)


@main.command()
@click.option("--weights", type=click.Path(path_type=Path), default=WEIGHTS, help="[default: the shipped network]")
@click.option("--out", type=click.Path(path_type=Path), help="A folder for measures.json and the charts.")
@click.option("--seed", default=0, show_default=True, help="Of the test drawings.")
@click.option("--workers", type=int, help="Processes that make drawings.  [default: one per core]")
def evaluate(weights: Path, out: Path | None, seed: int, workers: int | None) -> None:
    """Measure a network on drawings that it could not have seen, and on pictures of nothing.

    Needs all drawings of others: those of the training, and pixelarticons, hackernoon-pixel-icons, craftax-tiles,
    noto-color-emoji and symbola. No torch.
    """
    from training.drawing.evaluation import evaluate as run

    measures = run(weights, out, seed, workers, _progress)
    columns = ("likeliest_right", "among_three", "named", "named_right", "right_of_named")
    _table("drawings", columns, measures["accuracy"])
    _table("backgrounds", ("named_right", "on_white"), measures["grounds"])
    _table("pictures of nothing", ("abstained",), {**measures["controls"], **measures["strangers"]})


def _table(what: str, columns: Sequence[str], rows: Mapping[str, Mapping[str, Any]]) -> None:
    """A table in Markdown, for people and for the card."""
    heads = [what, "n", *(column.replace("_", " ") for column in columns)]
    click.echo(f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|")
    for name, row in rows.items():
        click.echo(f"| {name} | {row['n']:,} | {' | '.join(_percent(row[column]) for column in columns)} |")
    click.echo()


def _percent(estimate: Estimate) -> str:
    return f"{estimate.value:.1%} ({estimate.lo:.1%}–{estimate.hi:.1%})"


def _tell(line: str) -> None:
    click.echo(line, err=True)


def _progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r{done:,} of {total:,} drawings made", err=True, nl=done == total)


def run(**options: Any) -> None:
    """Run, and say what the user can put right in one sentence."""
    try:
        main(**options)
    except PixelProofError as error:
        click.echo(str(error), err=True)
        sys.exit(_MISSING)


if __name__ == "__main__":
    run()
