"""Whether the JSON of a run directory has all that its readers count on; a file may be cut short or edited by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NUMBER = int | float | None
Shape = Mapping[str, Any]
"""Dotted name → type, as `isinstance` knows types."""


def lacking(content: Any, shape: Shape) -> str | None:
    """The first name that is absent, or is something else than it should be; None if all is well.

    >>> lacking({"source": {"name": "published"}}, {"source.name": str, "source.data": str | None})
    'source.data'
    """
    for name, kinds in shape.items():
        found = content
        for key in name.split("."):
            found = found.get(key, ...) if isinstance(found, dict) else ...
        if not isinstance(found, kinds):
            return name
    return None
