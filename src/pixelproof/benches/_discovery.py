"""Finding benches by name, and making them with options that may come from a command line."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable
from dataclasses import Field, fields
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, get_type_hints

from pixelproof.contract import Bench, PixelProofError

GROUP = "pixelproof.benches"
_TRUTHS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
_KINDS = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}


def available() -> dict[str, EntryPoint]:
    """The benches that there are, by name; nothing is imported yet.

    >>> "pixelart" in available()
    True
    """
    found = _checkout() | {entry.name: entry for entry in entry_points(group=GROUP)}
    return dict(sorted(found.items()))


def _checkout() -> dict[str, EntryPoint]:
    """What the project's own pyproject.toml declares, for a source tree that is on the path but not installed."""
    declaration = Path(__file__).parents[3] / "pyproject.toml"
    try:
        project = tomllib.loads(declaration.read_text("utf-8"))["project"]
    except (OSError, ValueError, KeyError):
        return {}
    if project.get("name") != "pixelproof":
        return {}
    declared = project.get("entry-points", {}).get(GROUP, {})
    return {name: EntryPoint(name, value, GROUP) for name, value in declared.items()}


def get_bench(name: str, **options: Any) -> Bench:
    """A bench with its options; text is converted to what the option wants.

    >>> get_bench("pixelart", grid="16").grid
    16
    """
    benches = available()
    if name not in benches:
        raise _unknown("bench", name, benches)
    try:
        bench = benches[name].load()
    except Exception as error:  # whatever a third party's module does at import
        where = benches[name].value
        raise PixelProofError(f"The bench {name!r} cannot be loaded from {where}: {error!r}; reinstall it.") from error
    if not (isinstance(bench, type) and issubclass(bench, Bench)):
        raise PixelProofError(f"The bench {name!r} at {benches[name].value} is not a subclass of Bench; reinstall it.")
    return bench(**_convert_all(bench, options))


def _convert_all(bench: type[Bench], options: dict[str, Any]) -> dict[str, Any]:
    known = {field.name: field for field in fields(bench) if field.init}  # type: ignore[arg-type]
    types = get_type_hints(bench)
    converted = {}
    for given, value in options.items():
        name = given.replace("-", "_")
        if name not in known:
            raise _unknown(f"{bench.name} option", given, known)
        converted[name] = _convert(known[name], types[name], value)
    return converted


def _convert(field: Field[Any], wanted: Any, value: Any) -> Any:
    """A value as the option's type, one of its choices if it has any."""
    if isinstance(value, str) and wanted is bool:
        value = _TRUTHS.get(value.lower(), value)
    elif isinstance(value, str) and wanted in (int, float):
        try:
            value = wanted(value)
        except ValueError:
            pass  # the check below says what is wanted
    if isinstance(wanted, type) and type(value) is not wanted:
        kind = _KINDS.get(wanted, wanted.__name__)
        raise PixelProofError(f"The option {field.name} wants {kind}, not {value!r}.")
    choices = field.metadata.get("choices")
    if choices is not None and value not in choices:
        raise _unknown(field.name, str(value), map(str, choices))
    return value


def _unknown(what: str, given: str, names: Iterable[str]) -> PixelProofError:
    names = list(names)
    close = difflib.get_close_matches(given, names, n=1)
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    return PixelProofError(f"There is no {what} {given!r}{hint}; choose from: {', '.join(names) or 'none'}.")
