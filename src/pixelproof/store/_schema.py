"""Validation of rows before they are stored: a journal with an invalid row could not be sealed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

Fits = Callable[[Any], bool]
_USUAL = {pa.float32(): float, pa.float64(): float, pa.string(): str}
"""The usual type of values, each of which fits: lists of it need no further check."""


def row_checker(schema: pa.Schema) -> Callable[[Mapping[str, Any]], None]:
    """A function that raises TypeError unless a row fits the schema; missing columns are null.

    Raises:
        ValueError: The schema has a column of an unsupported type, or no `order`.
    """
    if "order" not in schema.names or schema.field("order").type != pa.int64():
        raise ValueError("A schema of records needs an int64 column `order`.")
    columns = {field.name: _fits(field.type) for field in schema}
    required = [field.name for field in schema if field.name == "order" or not field.nullable]

    def check(row: Mapping[str, Any]) -> None:
        if not row.keys() <= columns.keys():
            raise TypeError(f"There is no column {', '.join(sorted(row.keys() - columns.keys()))}.")
        wrong = [name for name, value in row.items() if value is not None and not columns[name](value)]
        wrong += [name for name in required if row.get(name) is None]
        if wrong:
            raise TypeError(f"Column {wrong[0]} has type {schema.field(wrong[0]).type}, not {row.get(wrong[0])!r:.80}.")

    return check


def _fits(kind: pa.DataType) -> Fits:
    if pa.types.is_boolean(kind):
        return lambda value: isinstance(value, bool)
    if pa.types.is_integer(kind):
        low = -(2 ** (kind.bit_width - 1)) if pa.types.is_signed_integer(kind) else 0
        high = low + 2**kind.bit_width
        return lambda value: isinstance(value, int) and not isinstance(value, bool) and low <= value < high
    if kind in (pa.float32(), pa.float64()):
        exact = 2**24 if kind == pa.float32() else 2**53
        return lambda value: (
            isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool) and abs(value) <= exact)
        )
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return lambda value: isinstance(value, str)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        item, usual = _fits(kind.value_type), {_USUAL.get(kind.value_type)}
        return lambda value: (
            isinstance(value, list | tuple)
            and ({*map(type, value)} <= usual or all(part is None or item(part) for part in value))
        )
    if pa.types.is_struct(kind):
        parts = {field.name: _fits(field.type) for field in kind}
        return lambda value: (
            isinstance(value, dict)
            and value.keys() <= parts.keys()
            and all(part is None or parts[name](part) for name, part in value.items())
        )
    raise ValueError(f"Records cannot hold {kind}: use numbers, text, lists and structs, and a BlobStore for bytes.")
