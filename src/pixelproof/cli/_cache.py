"""`data cache`: what is in the cache, and removal of copies of what is at URLs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ._echo import echo

if TYPE_CHECKING:
    from pixelproof.store.remote import LocalCopy

_KINDS = {
    "work": "working copies of what was written at URLs",
    "views": "runs and sets that were read at URLs",
    "objects": "downloaded objects (those in a view take no space of their own)",
}


@click.command("cache")
@click.option("--clear", "clearing", is_flag=True, help="Remove the copies of what is at URLs that no process uses.")
@click.option(
    "--unsent",
    is_flag=True,
    help="With --clear: also remove working copies that were not uploaded. What is only there is lost.",
)
def cache_command(clearing: bool, unsent: bool) -> None:
    """Show what is in the cache, PIXELPROOF_CACHE or ~/.cache/pixelproof, and which uploads are not complete.

    Copies of what is at URLs are removed on their own, those first that were not used for longest, when all of them
    take more than PIXELPROOF_CACHE_GB gigabytes (20 by default); what was not uploaded is kept.
    """
    from pixelproof.store import cache_root
    from pixelproof.store.remote import clear_copies, local_copies

    if unsent and not clearing:
        raise click.UsageError("--unsent needs --clear.")
    if clearing:
        before = sum(copy.size for copy in local_copies())
        left = clear_copies(unsent)
        echo(f"{_size(before - sum(copy.size for copy in left))} were removed.")
        used = [copy for copy in left if copy.sent or unsent]
        if used:
            echo(f"{len(used)} copies are in use and were kept.")
        _name_unsent([copy for copy in left if not copy.sent and not unsent])
        return
    echo(cache_root())
    copies = local_copies()
    for kind, about in _KINDS.items():
        chosen = [copy for copy in copies if copy.kind == kind]
        echo(f"{_size(sum(copy.size for copy in chosen)):>10}  remote/{kind}: {len(chosen)} {about}")
    for folder in sorted(path for path in _folders(cache_root()) if path.name != "remote"):
        echo(f"{_size(_bytes_below(folder)):>10}  {folder.name}")
    _name_unsent([copy for copy in copies if not copy.sent])


def _name_unsent(copies: list[LocalCopy]) -> None:
    if not copies:
        return
    echo("Not uploaded completely (a command still runs, was killed, or its upload failed: run it again):")
    for copy in copies:
        names = [path.name for path in _folders(copy.path) if not path.name.startswith(".")]
        shown = ", ".join(f"{copy.origin}/{name}" for name in names) or copy.origin
        echo(f"{_size(copy.size):>10}  {shown} (in {copy.path.parent.name}/{copy.path.name})")


def _folders(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.is_dir()]
    except OSError:
        return []


def _bytes_below(folder: Path) -> int:
    return sum(os.lstat(Path(root, name)).st_size for root, _, names in os.walk(folder) for name in names)


def _size(count: float) -> str:
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
