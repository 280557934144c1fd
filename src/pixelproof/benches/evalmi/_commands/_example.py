"""`pixelproof judge example`: a small data set of made-up votes."""

from __future__ import annotations

from pathlib import Path

import click

from pixelproof.benches.evalmi._commands._common import PATH


@click.command("example", short_help="Write made-up votes and scores, to try the others.")
@click.argument("folder", type=PATH)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the random numbers.")
def example_command(folder: Path, seed: int) -> None:
    """Write a small data set of made-up votes and scores, to try the other commands. Nobody rated anything."""
    from pixelproof.benches.evalmi.example import write_example
    from pixelproof.cli.helpers import echo

    write_example(folder, seed)
    echo(f"Made-up votes and scores in {folder}: images.csv, prompts.csv, votes-*.csv, scores.csv.")
