"""Array operations that differ between numpy and torch; torch itself is never imported here."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

Array = Any
"""A numpy array or a torch tensor."""


def namespace(array: Array) -> Any:
    """The library that an array belongs to.

    >>> namespace(np.zeros(3)).__name__
    'numpy'
    """
    return sys.modules[type(array).__module__.partition(".")[0]]


def cast(array: Array, dtype: str) -> Array:
    """Convert an array to another dtype."""
    xp = namespace(array)
    return array.astype(getattr(xp, dtype), copy=False) if xp is np else array.to(getattr(xp, dtype))


def count(n: int, like: Array, dtype: str) -> Array:
    """`arange(n)` on the device of `like`."""
    xp = namespace(like)
    kind = getattr(xp, dtype)
    return np.arange(n, dtype=kind) if xp is np else xp.arange(n, dtype=kind, device=like.device)


def empty(shape: tuple[int, ...], like: Array, dtype: str) -> Array:
    """An uninitialised array on the device of `like`."""
    xp = namespace(like)
    kind = getattr(xp, dtype)
    return np.empty(shape, kind) if xp is np else xp.empty(shape, dtype=kind, device=like.device)
