"""Loops over pixels, compiled once per machine."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from pixelproof import pixels
from pixelproof.world._extra import need

Function = TypeVar("Function", bound=Callable[..., object])
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int32]
Places = npt.NDArray[np.int64]
Singles = npt.NDArray[np.float32]
_functions: list[Any] = []


def compiled(function: Function) -> Function:
    """Compile a function of numbers and arrays, without fast-math and threads, so that results are reproducible.

    The compiled code is cached in `__pycache__` until the function, one that it calls, or a constant changes.
    """
    need("numba")
    made = pixels.compiled(function)
    _functions.append(made)
    return made


def inlined(function: Function) -> Function:
    """Compile a function inline into its callers: for small functions with many arrays, whose calls are expensive."""
    need("numba")
    return pixels.compiled(function, inline=True)


def compilation() -> tuple[int, int]:
    """Number of the renderer's functions that this process has compiled or loaded so far, and of all."""
    import_module("._embree", __package__)
    return sum(bool(function.signatures) for function in _functions), len(_functions)
