"""Loops over pixels, compiled once per machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from pixelproof.world._extra import need

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile a function of numbers and arrays; without fast-math and threads, so that its results never vary.

    The compiled code is kept on disk, in `__pycache__`, until the file of the function changes. A change in another
    file, of a function that it calls, is not noticed there: delete the cached `.nbi` files after such a change.
    """
    return cast(Function, need("numba").njit(cache=True, nogil=True, error_model="numpy")(function))


def inlined(function: Function) -> Function:
    """Compile a function into those that call it: for small ones with many arrays, which are costly to hand over."""
    return cast(Function, need("numba").njit(inline="always", error_model="numpy")(function))
