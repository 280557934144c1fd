"""Loops over pixels, compiled once per machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

from pixelproof import pixels
from pixelproof.world._extra import need

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile a function of numbers and arrays, without fast-math and threads, so that results are reproducible.

    The compiled code is cached in `__pycache__` until the file of the function changes. A change of a function that it
    calls in another file does not invalidate it: delete the cached `.nbi` files after such a change.
    """
    need("numba")
    return pixels.compiled(function)


def inlined(function: Function) -> Function:
    """Compile a function inline into its callers: for small functions with many arrays, whose calls are expensive."""
    need("numba")
    return pixels.compiled(function, inline=True)


def is_cached(function: Callable[..., object]) -> bool:
    """Whether the compiled code of a function is cached on disk and no older than its source file."""
    dispatcher = cast(Any, function)
    source, python = Path(dispatcher.py_func.__code__.co_filename), "py{}{}".format(*sys.version_info)
    name = f"{source.stem}.{dispatcher.py_func.__qualname__}-*.{python}*.nbi"
    cached = Path(dispatcher.stats.cache_path).glob(name)
    return any(index.stat().st_mtime >= source.stat().st_mtime for index in cached)
