"""Looking into JSON that nobody vouches for: whatever it holds, nothing is raised."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def dig(content: Any, *path: str | int) -> Any:
    """What stands at a path in JSON; None where the path leads nowhere.

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
    found = dig(content, *path)
    return found if isinstance(found, str) else ""


def list_at(content: Any, *path: str | int) -> Sequence[Any]:
    """The list at a path; empty if there is none."""
    found = dig(content, *path)
    return found if isinstance(found, list) else []


def count_at(content: Any, *path: str | int) -> int:
    """The number of tokens at a path; 0 if there is none that makes sense.

    >>> [count_at({"tokens": told}, "tokens") for told in (7, -7, "7", True, None, 10**30)]
    [7, 0, 0, 0, 0, 0]
    """
    found = dig(content, *path)
    return found if isinstance(found, int) and not isinstance(found, bool) and 0 <= found < 2**53 else 0


def dollars_at(content: Any, *path: str | int) -> float | None:
    """The price at a path; None if there is none that makes sense.

    >>> [dollars_at({"cost": told}, "cost") for told in (0.5, 2, -1, "2", float("nan"), float("inf"), 10**400)]
    [0.5, 2.0, None, None, None, None, None]
    """
    found = dig(content, *path)
    sensible = isinstance(found, int | float) and not isinstance(found, bool) and 0 <= found < 1e9
    return float(found) if sensible else None
