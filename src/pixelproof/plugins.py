"""Code of others: entry points of installed packages, and functions that users name as module:function.

Groups of entry points: `pixelproof.benches`, `pixelproof.nets`, `pixelproof.commands` and `pixelproof.trace_commands`
(click commands), `pixelproof.findings` and `pixelproof.panels` (of reports), and `pixelproof.detectors` (of things in
photographs).
"""

from __future__ import annotations

import importlib
import sys
import tomllib
import traceback
from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from operator import attrgetter
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


def import_callable(spelling: str, kind: str = "function", prefix: str = "") -> Callable[..., Any]:
    """Import a function or class that a user named; modules of the working directory are found too.

    Args:
        spelling: `module:function`; after the colon there may be dots.
        kind: What it is, for the messages: `function` or `class`.
        prefix: What stands before the spelling in messages, such as `fn/`.

    Raises:
        PixelProofError: The spelling is malformed, the import fails, or there is nothing callable of that name.
    """
    shown = prefix + spelling
    module_name, colon, path = spelling.partition(":")
    if not (module_name and colon and path):
        raise PixelProofError(f"{shown} names no {kind}: write {prefix}module:{kind}.")
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)  # stays there, for later imports of the module
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise PixelProofError(f"{shown}: {module_name} needs the module {error.name}: install it.") from error
        raise PixelProofError(
            f"{shown}: there is no module {error.name}: run from the directory that contains it, or install it."
        ) from error
    except (Exception, SystemExit) as error:
        raise PixelProofError(f"{shown}: importing {module_name} failed with {describe_error(error)}.") from error
    try:
        value = attrgetter(path)(module)
    except AttributeError as error:
        raise PixelProofError(f"{shown}: the module {module_name} has no {path}.") from error
    if not callable(value):
        raise PixelProofError(f"{shown}: {path} is not a {kind} (its type is {type(value).__name__}).")
    return value  # type: ignore[no-any-return]


def describe_error(error: BaseException) -> str:
    """Type, message and innermost location of an exception, in one line."""
    text = " ".join(f"{type(error).__name__}: {error}".split())[:500]
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno}, in {frames[-1].name})" if frames else ""
    return text + place


@cache
def _declared() -> dict[str, dict[str, str]]:
    """Entry points in the pyproject.toml of a source tree; empty for an installed package."""
    try:
        project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
    except (OSError, ValueError, KeyError):
        return {}
    return dict(project.get("entry-points", {})) if project.get("name") == "pixelproof" else {}
