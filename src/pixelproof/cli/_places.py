"""Arguments that are paths or URLs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


class OutputPlace(click.Path):
    """A path, or a URL such as `s3://bucket/folder`, which stays text."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """A URL as text; else a `Path`."""
        if _is_url(value):
            return value
        _require_path(value)
        return super().convert(value, param, ctx)


class InputPlace(OutputPlace):
    """A path that is read; of a URL, the local view."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """A `Path`."""
        if not _is_url(value):
            _require_path(value)
            return super().convert(value, param, ctx)
        from pixelproof.store import local_path

        return local_path(value)


def _require_path(value: object) -> None:
    if isinstance(value, str) and ":" in value:
        from pixelproof.store import require_path

        require_path(value)


def _is_url(value: object) -> bool:
    if not isinstance(value, str) or "://" not in value:
        return False
    from pixelproof.store import is_url  # only then: the store takes a while to load

    return is_url(value)
