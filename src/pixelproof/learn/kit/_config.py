"""The numbers of a training run: one frozen dataclass is the config file, the flags and a part of the card."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pixelproof.contract import PixelProofError, unknown_name
from pixelproof.store import replacing

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

C = TypeVar("C", bound="DataclassInstance")
Value = Any
"""A TOML value."""


def read_config(base: C, file: Path | None = None, settings: Sequence[str] = ()) -> C:
    """A config with the values of a file and of `key=value` settings; settings come last.

    Args:
        base: A dataclass whose values are the defaults, and give each key its type.
        file: TOML with keys at the top level.
        settings: Such as `lr=0.003` or `name=long run`.

    Raises:
        PixelProofError: The file cannot be read, a key is unknown, or a value has another type.
    """
    values: dict[str, Value] = {}
    if file is not None:
        try:
            values |= tomllib.loads(file.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise PixelProofError(
                f"{file} is not a config file ({error}): give TOML with lines such as seed = 1."
            ) from error
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals:
            raise PixelProofError(f"--set {setting} has no value: write --set key=value.")
        try:
            values[key.strip()] = tomllib.loads(f"value = {text}")["value"]
        except ValueError:
            values[key.strip()] = text
    defaults = {field.name: getattr(base, field.name) for field in fields(base)}
    return replace(base, **{key: convert_value(key, value, defaults) for key, value in values.items()})


def convert_value(key: str, value: Value, defaults: dict[str, Value]) -> Value:
    """A value, in the type of the default; whole numbers stand for floats."""
    if key not in defaults:
        raise unknown_name("setting", key, defaults)
    kind = type(defaults[key])
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        raise PixelProofError(f"{key} is {value!r}: give a value of type {kind.__name__}, such as {defaults[key]!r}.")
    return value


def write_config(config: DataclassInstance, path: Path) -> None:
    """Write a config as TOML that `read_config` reads."""
    lines = [f"{key} = {json.dumps(value)}\n" for key, value in asdict(config).items()]
    with replacing(path) as temporary:
        temporary.write_text("".join(lines), "utf-8")


def compare_configs(old: DataclassInstance, new: DataclassInstance) -> list[str]:
    """Keys whose values differ between two configs."""
    return [key for key, value in asdict(old).items() if asdict(new)[key] != value]
