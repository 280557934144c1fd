"""`pixelproof discs`: the truth of the discs of a seed."""

import click

from pixelproof.benches import get_bench
from pixelproof.contract import Source


@click.command("discs")
@click.option("--seed", default=0, show_default=True, help="Seed of the discs.")
def discs(seed):
    """Print position and radius of every disc."""
    for item in get_bench("discs").items(Source("noise"), seed, None):
        click.echo(f"{item.id} {' '.join(map(str, item.truth))}")
