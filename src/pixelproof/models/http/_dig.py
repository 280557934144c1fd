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


def count_at(content: Any, *path: str | int) -> int:
    """The number of tokens at a path; 0 if it is missing or implausible.

    >>> [count_at({"tokens": value}, "tokens") for value in (7, -7, "7", True, None, 10**30)]
    [7, 0, 0, 0, 0, 0]
    """
    value = dig(content, *path)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else 0


def dollars_at(content: Any, *path: str | int) -> float | None:
    """The price in US dollars at a path; None if it is missing or implausible.

    >>> [dollars_at({"cost": value}, "cost") for value in (0.5, 2, -1, "2", float("nan"), float("inf"), 10**400)]
    [0.5, 2.0, None, None, None, None, None]
    """
    value = dig(content, *path)
    plausible = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e9
    return float(value) if plausible else None
