"""Shell completion of sources, models and run directories."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem
from click.types import StringParamType

from pixelproof.contract import Bench, PixelProofError
from pixelproof.plugins import plugins

from ._places import InputPlace

_MOST = 200
"""Candidates that a shell can usefully show."""


class SourceName(StringParamType):
    """The name of a source of a bench."""

    name = "source"

    def __init__(self, bench: type[Bench]) -> None:
        self._bench = bench

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The bench's sources, with their descriptions."""
        sources = self._bench.sources.items()
        return [CompletionItem(name, help=about) for name, about in sources if name.startswith(incomplete)]


class ModelName(StringParamType):
    """The name of a model; without a bench, controls are not completed."""

    name = "model"

    def __init__(self, bench: type[Bench] | None = None) -> None:
        self._bench = bench

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Kinds of models until there is a slash, then the names of that kind."""
        kind, slash, rest = incomplete.partition("/")
        if slash:
            names = (f"{kind}/{name}" for name in self._names(kind, rest))
            return [CompletionItem(name) for name in islice((n for n in names if n.startswith(incomplete)), _MOST)]
        from pixelproof.models import CHOICES

        kinds = {choice.prefix + "/" * ("/" in choice.example): choice.about for choice in CHOICES if choice.prefix}
        return [CompletionItem(name, help=about) for name, about in kinds.items() if name.startswith(kind)]

    def _names(self, kind: str, rest: str) -> Iterable[str]:
        if kind == "control" and self._bench is not None:
            try:
                return sorted(self._bench().controls())
            except PixelProofError:
                return ()
        if kind == "nets":
            return sorted(plugins("pixelproof.nets"))
        if kind == "gguf":
            return ["smollm2", *_paths(rest, lambda path: path.suffix == ".gguf")]
        if kind in ("folder", "diffusers"):
            return _paths(rest, lambda path: False)
        return ()


class RunPath(InputPlace):
    """A run directory, or the URL of one."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Run directories that begin with what is typed, at any depth; else let the shell complete directories."""
        from pixelproof.harness import find_runs

        parent = Path(os.path.dirname(incomplete) or ".")
        try:
            paths = (str(path) for path in find_runs(parent) if path != parent)
            runs = list(islice((path for path in paths if path.startswith(incomplete)), _MOST))
        except (PixelProofError, OSError):
            runs = []
        return [CompletionItem(path) for path in runs] or [CompletionItem(incomplete, type="dir")]


def _paths(incomplete: str, is_file: Any) -> Iterator[str]:
    """Directories, with a slash, and accepted files that begin with what is typed."""
    parent, _, name = incomplete.rpartition("/")
    folder = Path(parent or ("/" if incomplete.startswith("/") else "."))
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for path in entries:
        if path.name.startswith(name) and (path.is_dir() or is_file(path)):
            yield f"{incomplete[: len(incomplete) - len(name)]}{path.name}{'/' * path.is_dir()}"
