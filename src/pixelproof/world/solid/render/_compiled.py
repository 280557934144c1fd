"""Loops over pixels, compiled once per machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from pixelproof import pixels
from pixelproof.world._extra import need

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile a function of numbers and arrays, without fast-math and threads, so that results are reproducible.

    The compiled code is cached in `__pycache__` until the function, one that it calls, or a constant changes.
    """
    need("numba")
    return pixels.compiled(function)


def inlined(function: Function) -> Function:
    """Compile a function inline into its callers: for small functions with many arrays, whose calls are expensive."""
    need("numba")
    return pixels.compiled(function, inline=True)
