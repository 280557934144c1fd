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
    """Compile a function of numbers and arrays; without fast-math and threads, so that its results never vary.

    The compiled code is kept on disk, in `__pycache__`, until the file of the function changes. A change in another
    file, of a function that it calls, is not noticed there: delete the cached `.nbi` files after such a change.
    """
    need("numba")
    return pixels.compiled(function)


def inlined(function: Function) -> Function:
    """Compile a function into those that call it: for small ones with many arrays, which are costly to hand over."""
    need("numba")
    return pixels.compiled(function, inline=True)


def is_kept(function: Callable[..., object]) -> bool:
    """Whether the code of a compiled function is on disk, and no older than the function's file."""
    dispatcher = cast(Any, function)
    source, python = Path(dispatcher.py_func.__code__.co_filename), "py{}{}".format(*sys.version_info)
    name = f"{source.stem}.{dispatcher.py_func.__qualname__}-*.{python}*.nbi"
    kept = Path(dispatcher.stats.cache_path).glob(name)
    return any(index.stat().st_mtime >= source.stat().st_mtime for index in kept)
