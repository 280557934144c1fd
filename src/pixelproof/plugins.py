"""Plug-ins: what installed packages declare under the entry-point groups of ours.

`pixelproof.benches`, `pixelproof.nets`, `pixelproof.commands` and `pixelproof.trace_commands` (click commands),
`pixelproof.panels` (of reports), `pixelproof.lifters` (from photographs to boxes in space) and `pixelproof.detectors`
(of things in photographs).
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from pixelproof.contract import PixelProofError

_OWN = "pixelproof."


def plugins(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by name, sorted; nothing is imported yet.

    In a source tree, what its pyproject.toml declares takes precedence over the metadata of its installation, which may
    be older; so a tree that is on the path but not installed works too.
    """
    installed = {point.name: point for point in entry_points(group=group)}
    if declared := _declared():
        installed = {name: point for name, point in installed.items() if not point.module.startswith(_OWN)}
        installed |= {name: EntryPoint(name, value, group) for name, value in declared.get(group, {}).items()}
    return dict(sorted(installed.items()))


def load_plugin(point: EntryPoint, kind: str) -> Any:
    """Import what an entry point refers to.

    Args:
        point: The entry point.
        kind: What it is, for the message, such as `bench`.

    Raises:
        PixelProofError: The import fails.
    """
    try:
        return point.load()
    except PixelProofError as error:  # its message says what to do
        raise PixelProofError(f"The {kind} {point.name!r} cannot be loaded: {error}") from error
    except Exception as error:  # whatever a third party's module does at import
        raise PixelProofError(
            f"The {kind} {point.name!r} cannot be loaded from {point.value}: {error!r}; reinstall it."
        ) from error


@cache
def _declared() -> dict[str, dict[str, str]]:
    """Entry points in the pyproject.toml of a source tree; empty for an installed package."""
    try:
        project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
    except (OSError, ValueError, KeyError):
        return {}
    return dict(project.get("entry-points", {})) if project.get("name") == "pixelproof" else {}
