"""Benches by name, created with options that may come from a command line."""

from __future__ import annotations

from dataclasses import Field, fields
from importlib.metadata import EntryPoint
from typing import Any, get_type_hints

from pixelproof.contract import Bench, PixelProofError, unknown_name
from pixelproof.plugins import load_plugin, plugins

GROUP = "pixelproof.benches"
_TRUTHS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
_KINDS = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}


def available() -> dict[str, EntryPoint]:
    """The registered benches by name; nothing is imported yet.

    >>> "pixelart" in available()
    True
    """
    return plugins(GROUP)


def get_bench(name: str, **options: Any) -> Bench:
    """Create a bench with options; text is converted to the option's type.

    >>> get_bench("pixelart", grid="16").grid
    16
    """
    benches = available()
    if name not in benches:
        raise unknown_name("bench", name, benches)
    bench = load_plugin(benches[name], "bench")
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
            raise unknown_name(f"{bench.name} option", given, known)
        converted[name] = _convert(known[name], types[name], value)
    return converted


def _convert(field: Field[Any], wanted: Any, value: Any) -> Any:
    """Convert a value to the option's type, and check that it is one of its choices."""
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
        raise unknown_name(field.name, str(value), map(str, choices))
    return value
