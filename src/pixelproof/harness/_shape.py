"""Validation of the JSON files of a run directory, which may be truncated or edited."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NUMBER = int | float | None
Shape = Mapping[str, Any]
"""Dotted name → type, as `isinstance` takes it."""


def lacking(content: Any, shape: Shape) -> str | None:
    """The first name that is absent or has another type; None if there is none.

    >>> lacking({"source": {"name": "published"}}, {"source.name": str, "source.data": str | None})
    'source.data'
    """
    for name, kinds in shape.items():
        value = content
        for key in name.split("."):
            value = value.get(key, ...) if isinstance(value, dict) else ...
        if not isinstance(value, kinds):
            return name
    return None
