"""Canonical content hash of nested plain data."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator, Mapping
from dataclasses import Field, fields, is_dataclass
from functools import lru_cache
from typing import Any

import numpy as np

_KEPT = "_content_hash"
"""Attribute of an object that its hash is kept in."""
_SHORT = 64
"""Length of texts up to which hashes are cached."""


def digest(obj: Any) -> str:
    """SHA-256 of the content of an object; independent of the process and of the order of dictionaries.

    Lists and tuples are alike; numbers of different types (1, 1.0, True) are not. Dataclasses count by their declared
    name and by those fields that count when two of them are compared. So that code can be renamed, a class declares
    `content_name: ClassVar[str]` (else the name of the class counts), and the metadata of a field may have a
    `content_name`, for a field that had another name, and `later=True`, for one that was added: it counts unless it
    has its default.

    >>> digest({"a": 1, "b": [2.5, None]}) == digest({"b": (2.5, None), "a": 1})
    True
    >>> digest(1) == digest(1.0)
    False

    Raises:
        TypeError: There is something inside whose content is not defined.
    """
    return _hash(obj).hex()


def _hash(obj: Any) -> bytes:
    """Hash of a type tag and the content; containers hash the hashes of their parts (no ambiguous boundaries)."""
    if type(obj) is str and len(obj) <= _SHORT:
        return _hash_short(obj)
    if isinstance(obj, np.generic):
        obj = obj.item()
    if obj is None:
        return _leaf(b"none", b"")
    if isinstance(obj, bool):
        return _leaf(b"bool", b"1" if obj else b"0")
    if isinstance(obj, int):
        return _leaf(b"int", b"%x" % obj)
    if isinstance(obj, float):
        # One NaN for all, because payload bits differ between platforms.
        return _leaf(b"float", b"nan" if obj != obj else struct.pack(">d", obj))
    if isinstance(obj, str):
        return _hash_text(obj)
    if isinstance(obj, bytes):
        return _leaf(b"bytes", obj)
    if isinstance(obj, np.ndarray) and obj.dtype.kind in "biufc":
        little = np.ascontiguousarray(obj, dtype=obj.dtype.newbyteorder("<"))
        return _leaf(b"array", f"{little.dtype.str}{obj.shape}:".encode() + little.tobytes())
    if isinstance(obj, list | tuple):
        return _leaf(b"list", b"".join(_hash(value) for value in obj))
    if isinstance(obj, Mapping):
        return _leaf(b"dict", b"".join(sorted(_hash(key) + _hash(value) for key, value in obj.items())))
    if is_dataclass(obj) and not isinstance(obj, type):
        return _hash_dataclass(obj)
    raise TypeError(f"The content of a {type(obj).__qualname__} has no canonical form: use plain data or a dataclass.")


def _hash_dataclass(obj: Any) -> bytes:
    """Hash of a dataclass; kept with an object whose content cannot change, such as a palette that many items have."""
    kept = getattr(obj, "__dict__", {})
    if _KEPT in kept:
        return bytes(kept[_KEPT])
    name = vars(type(obj)).get("content_name") or type(obj).__qualname__  # not that of a base class
    content = {field.metadata.get("content_name", field.name): getattr(obj, field.name) for field in _counted(obj)}
    value = _leaf(b"dataclass", _hash(name) + _hash(content))
    if kept and _is_constant(obj):
        kept[_KEPT] = value
    return value


def _counted(obj: Any) -> Iterator[Field[Any]]:
    """The fields that count: those of comparisons, without later ones that have their default."""
    for field in fields(obj):
        added = field.metadata.get("later", False) and getattr(obj, field.name) == field.default
        if field.compare and not added:
            yield field


def _is_constant(obj: Any) -> bool:
    """Whether an object consists of numbers, text, and tuples and frozen dataclasses of such."""
    if _KEPT in getattr(obj, "__dict__", ()):
        return True
    if isinstance(obj, tuple):
        return all(map(_is_constant, obj))
    if is_dataclass(obj) and not isinstance(obj, type):
        parameters: Any = vars(type(obj)).get("__dataclass_params__")  # those of a base class do not count
        return bool(
            parameters and parameters.frozen and all(_is_constant(getattr(obj, field.name)) for field in fields(obj))
        )
    return obj is None or isinstance(obj, bool | int | float | str | bytes)


def _hash_text(text: str) -> bytes:
    return _leaf(b"str", text.encode("utf-8", "surrogatepass"))


_hash_short = lru_cache(1 << 12)(_hash_text)
"""As `_hash_text`; names of fields and labels, which all items of a run share, are hashed once."""


def _leaf(tag: bytes, content: bytes) -> bytes:
    return hashlib.sha256(tag + b":" + content).digest()
