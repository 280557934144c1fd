"""`data assets`: list, download and verify weights and images of others."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pixelproof.contract import PixelProofError

from ._echo import echo

if TYPE_CHECKING:
    from rich.console import Console

    from pixelproof.store import Asset, Carrier

INTERRUPTED, DAMAGED = 130, 3


@click.group("assets")
def assets_group() -> None:
    """List, download and verify weights and images of others. Nothing is downloaded unless you ask for it."""


@assets_group.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print name, licence, size and path as JSON.")
def list_assets(as_json: bool) -> None:
    """List the assets with size, licence and whether they are installed."""
    import json

    from rich.table import Table

    from pixelproof.store import assets

    from ._console import output

    if as_json:
        shown = ("name", "about", "licence", "terms", "size", "sha256")
        rows = [{key: getattr(a, key) for key in shown} | {"path": _here(a)} for a in assets().values()]
        echo(json.dumps(rows, indent=2))
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("asset", "description", "size", "licence", "installed"):
        table.add_column(heading, justify="right" if heading == "size" else "left")
    for asset in assets().values():
        table.add_row(asset.name, asset.about, size_words(asset.size), asset.licence, _state(asset))
    console = output()
    console.print(table)
    console.print("\nNext: [bold]pixelproof data assets get NAME[/]")


@assets_group.command("get")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option(
    "--from",
    "source",
    type=click.Path(path_type=Path),
    help="Use a copy on disk: the file, a package that contains it, or a folder with either.",
)
@click.option("--yes", is_flag=True, help="Accept the licence and the download without a question.")
def get_assets(names: tuple[str, ...], source: Path | None, yes: bool) -> int:
    """Download assets, after showing licence, size and source. Completed downloads are not repeated."""
    from pixelproof.store import find_asset, find_on_disk, get_asset, verify_asset

    from ._console import output

    console = output()
    wanted = [find_asset(name) for name in names]
    if source is not None:
        for asset in wanted:  # report a wrong path before asking questions
            find_on_disk(asset, source)
    try:
        for asset in wanted:
            try:
                path = verify_asset(asset, alone=False)
            except PixelProofError:
                _show(console, asset, source)
                _consent(asset.name, yes)
                with _bar() as progress:
                    path = get_asset(asset, source, progress)
            console.print(f"{asset.name} is in {path}", soft_wrap=True, markup=False)
    except (KeyboardInterrupt, click.Abort):
        echo("\nInterrupted. Downloaded parts are stored: the same command continues.", err=True)
        return INTERRUPTED
    return 0


@assets_group.command("verify")
@click.argument("names", nargs=-1, metavar="[NAME...]")
def verify_assets(names: tuple[str, ...]) -> int:
    """Read every byte of the installed assets (or of those named) and report damaged or unexpected files."""
    from pixelproof.store import assets, verify_asset

    from ._console import output

    chosen = names or [asset.name for asset in assets().values() if _state(asset) != "no"]
    console, damaged = output(), False
    for name in chosen:
        try:
            console.print(f"{name}: intact, in {verify_asset(name)}", soft_wrap=True, markup=False)
        except PixelProofError as error:
            echo(f"Error: {error}", err=True)
            damaged = True
    if not chosen:
        console.print("No asset is installed: [bold]pixelproof data assets list[/] shows the catalogue.")
    return DAMAGED if damaged else 0


def size_words(size: int) -> str:
    """A size in MB or GB.

    >>> size_words(98_362_432)
    '98.4 MB'
    """
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"


def _here(asset: Asset) -> str | None:
    from pixelproof.store import asset_path

    try:
        return str(asset_path(asset))
    except PixelProofError:
        return None


def _state(asset: Asset) -> str:
    from pixelproof.store import asset_folder

    return "yes" if _here(asset) else "damaged" if asset_folder(asset).is_dir() else "no"


def _show(console: Console, asset: Asset, source: Path | None) -> None:
    from rich.markup import escape
    from rich.table import Table

    from pixelproof.store import asset_folder

    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_row("licence", f"{asset.licence}\n{asset.terms}")
    table.add_row("project", asset.project)
    table.add_row("size", size_words(asset.size))
    carriers = [_carrier(carrier) for carrier in asset.sources if carrier.kind != "installed"]
    for number, words in enumerate(carriers if source is None else [str(source)]):
        table.add_row("or from" if number else "from", escape(words))
    table.add_row("into", escape(str(asset_folder(asset))))
    console.print(f"\n[bold]{asset.name}[/]  {asset.about}")
    console.print(table)


def _carrier(source: Carrier) -> str:
    by = f" by {source.client}" if source.client else ""
    return f"{source.words}{by} ({size_words(source.size)})"


def _consent(name: str, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise PixelProofError(f"{name} is downloaded only if you accept its licence: add --yes.")
    if not click.confirm("Accept the licence and download?"):
        raise PixelProofError(f"{name} was not downloaded, because you declined.")


@contextmanager
def _bar() -> Iterator[Callable[[int, int], None]]:
    """A progress bar on stderr during a download."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn

    from ._console import SafeConsole

    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    console = SafeConsole(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
