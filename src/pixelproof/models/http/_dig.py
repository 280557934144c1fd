"""Reading untrusted JSON: a missing or wrong value gives a default, never an exception."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def dig(content: Any, *path: str | int) -> Any:
    """The value at a path in JSON; None if the path does not exist.

    >>> dig({"choices": [{"message": {"content": "hi"}}]}, "choices", 0, "message", "content")
    'hi'
    >>> dig({"choices": []}, "choices", 0, "message") is None
    True
    """
    for step in path:
        if isinstance(step, str) and isinstance(content, Mapping):
            content = content.get(step)
        elif isinstance(step, int) and isinstance(content, list) and -len(content) <= step < len(content):
            content = content[step]
        else:
            return None
    return content


def text_at(content: Any, *path: str | int) -> str:
    """The string at a path; empty if there is none."""
    value = dig(content, *path)
    return value if isinstance(value, str) else ""


def list_at(content: Any, *path: str | int) -> Sequence[Any]:
    """The list at a path; empty if there is none."""
    value = dig(content, *path)
    return value if isinstance(value, list) else []
