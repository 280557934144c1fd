"""Data classes as JSON files, read strictly."""

from __future__ import annotations

import dataclasses
import json
import math
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeVar, Union, get_args, get_origin, get_type_hints

from pixelproof.contract import PixelProofError
from pixelproof.store import replacing

T = TypeVar("T")


class Document:
    """A data class that is stored as a JSON file with a `version`."""

    what: ClassVar[str]
    """Name of the document in error messages."""
    current: ClassVar[int]
    """The file version that can be read."""

    def to_json(self) -> str:
        """Serialise to JSON; `from_json` reads it back to an equal document."""
        return json.dumps(dataclasses.asdict(self), allow_nan=False, ensure_ascii=False)  # type: ignore[call-overload]

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Parse JSON.

        Raises:
            PixelProofError: The text is not such a document of this version; the message says where it is wrong.
        """
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise PixelProofError(f"This is not a {cls.what}: it is not JSON ({error}).") from error
        version = data.get("version") if isinstance(data, dict) else None
        if version != cls.current:
            raise PixelProofError(f"This is not a {cls.what} of version {cls.current} but {version!r}: make it again.")
        return read(cls, data, cls.what)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a file.

        Raises:
            PixelProofError: It cannot be read, or is not such a document; the message says where it is wrong.
        """
        try:
            text = path.read_bytes().decode("utf-8", "replace")
        except OSError as error:
            raise PixelProofError(f"Cannot read {path} ({error.strerror}): name the file of a {cls.what}.") from error
        try:
            return cls.from_json(text)
        except PixelProofError as error:
            raise PixelProofError(f"{path}: {error}") from error

    def save(self, path: Path) -> None:
        """Write a file that `load` reads back to an equal document."""
        with replacing(path) as temporary:
            temporary.write_text(self.to_json() + "\n", "utf-8")


def read(cls: type[T], data: object, where: str) -> T:
    """Convert a JSON object to a data class, recursively.

    Args:
        cls: A data class with fields of data classes, tuples, mappings of numbers, strings, numbers, literals or None.
        data: The parsed JSON object.
        where: Name of the object in error messages.

    Raises:
        PixelProofError: A key is missing or unknown, or a value is of another type or not finite.
    """
    if not isinstance(data, Mapping):
        raise _wrong(where, "an object", data)
    hints = get_type_hints(cls)
    for key in data:
        if key not in hints:
            raise PixelProofError(f"{where} has {key!r}, which is unknown: its fields are {', '.join(hints)}.")
    values = {}
    for field in dataclasses.fields(cls):  # type: ignore[arg-type]
        if field.name in data:
            values[field.name] = _value(hints[field.name], data[field.name], f"{where}.{field.name}")
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise PixelProofError(f"{where} lacks {field.name!r}: the file is damaged or not of this version.")
    return cls(**values)


def _value(hint: Any, data: object, where: str) -> Any:
    origin, parts = get_origin(hint), get_args(hint)
    if dataclasses.is_dataclass(hint):
        return read(hint, data, where)  # type: ignore[arg-type]
    if origin in (Union, types.UnionType):
        return None if data is None else _value(next(part for part in parts if part is not type(None)), data, where)
    if origin is Literal:
        if data not in parts:
            raise _wrong(where, f"one of {', '.join(parts)}", data)
        return data
    if origin is tuple:
        return _items(parts, data, where)
    if origin is Mapping:
        if not isinstance(data, Mapping):
            raise _wrong(where, "an object", data)
        return {key: _value(parts[1], value, f"{where}.{key}") for key, value in data.items()}
    return _plain(hint, data, where)


def _items(parts: tuple[Any, ...], data: object, where: str) -> tuple[Any, ...]:
    if not isinstance(data, list):
        raise _wrong(where, "a list", data)
    if parts[-1] is ...:
        return tuple(_value(parts[0], item, f"{where}[{index}]") for index, item in enumerate(data))
    if len(data) != len(parts):
        raise _wrong(where, f"a list of {len(parts)}", data)
    return tuple(
        _value(part, item, f"{where}[{index}]") for index, (part, item) in enumerate(zip(parts, data, strict=True))
    )


def _plain(hint: Any, data: object, where: str) -> Any:
    if hint is float and isinstance(data, int | float) and not isinstance(data, bool) and math.isfinite(data):
        return float(data)
    if hint in (str, int, bool) and type(data) is hint:
        return data
    names = {float: "a finite number", str: "a text", int: "a whole number", bool: "true or false"}
    raise _wrong(where, names[hint], data)


def _wrong(where: str, expected: str, value: object) -> PixelProofError:
    return PixelProofError(f"{where} must be {expected}, not {str(value)[:60]!r}.")
