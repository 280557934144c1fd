"""Images of runs that are not in their directories."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from pixelproof.contract import PixelProofError
from pixelproof.store import read_parquet

from ._groups import Group
from ._views import View


def missing_images(groups: Sequence[Group]) -> list[str]:
    """A notice for each run that lacks images of its answers or of its evidence, and how to get them."""
    return [notice for group in groups for view in group.views if (notice := _notice(view))]


def _notice(view: View) -> str:
    name = view.run.path.name
    try:
        keys = set(_keys(view))
        lacking = sum(key not in view.blobs and not view.blobs.is_reference(key) for key in keys)
    except PixelProofError as error:  # of a run at a URL: where they are cannot be read
        return f"The images of the run {name} are not shown. {error}"
    if not lacking:
        return ""
    return (
        f"The run {name} lacks {lacking:,} of its {len(keys):,} images, which its folder 'blobs' should have: copy the "
        "whole run again ('pixelproof data pull URL DIR' does, from a URL), then write the report again."
    )


def _keys(view: View) -> Iterator[str]:
    """Keys of the blobs that answers and results refer to."""
    for keys in _column(view, "answers", "images"):
        yield from keys or ()
    for text in _column(view, "results", "evidence"):
        yield from json.loads(text).values() if text else ()


def _column(view: View, table: str, name: str) -> list[Any]:
    """A column of a table; empty while the run goes on."""
    path = view.run.path / f"{table}.parquet"
    return read_parquet(path, [name])[name].to_pylist() if path.exists() else []
