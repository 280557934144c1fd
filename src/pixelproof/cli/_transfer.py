"""`data push` and `data pull`: runs and sets to and from URLs."""

from __future__ import annotations

from pathlib import Path

import click

from ._echo import echo


@click.command("push")
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("url")
def push_command(folder: Path, url: str) -> None:
    """Upload FOLDER, a run directory or a set, to URL, such as s3://bucket/run.

    Readers of the URL get the whole folder, or what was there before. Other commands read the URL as they read a
    folder: pixelproof show, compare, report, merge.
    """
    from pixelproof.store.remote import push

    push(folder, url)
    echo(f"{folder} is at {url}")


@click.command("pull")
@click.argument("url")
@click.argument("folder", type=click.Path(path_type=Path))
def pull_command(url: str, folder: Path) -> None:
    """Download the run or set at URL to FOLDER, which must not exist; every file is verified."""
    from pixelproof.store.remote import pull

    pull(url, folder)
    echo(f"{url} is in {folder}")
