"""Loops over pixels: compiled where numba is installed, numpy elsewhere, with equal results."""

from __future__ import annotations

import logging
import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TypeVar, cast

from ._kernel_cache import is_compiled, keep_compiled

Function = TypeVar("Function", bound=Callable[..., object])

_log = logging.getLogger(__name__)
_numpy_alone = ContextVar("_numpy_alone", default=False)


def compiled(function: Function, *, inline: bool = False) -> Function:
    """Compile a function with numba; without fast-math and threads, so that results never vary.

    Use it only in modules that are imported where numba is known to be installed, such as those that `kernels` imports.
    The machine code is cached on disk until the file of the function changes, or that of any function that it calls, or
    a constant that they use.

    Args:
        function: A function of numbers and arrays.
        inline: Whether to compile it into its callers: for small functions with many arrays, whose calls are costly.

    Raises:
        ImportError: Numba is not installed.
    """
    from numba import njit

    if inline:
        return cast(Function, njit(inline="always", error_model="numpy")(function))
    try:
        made = njit(cache=True, nogil=True, error_model="numpy")(function)
        keep_compiled(made)
    except RuntimeError:  # no place for a cache, as on a read-only disk, or an unknown form of it
        made = njit(nogil=True, error_model="numpy")(function)
    return cast(Function, made)


def kernels(module: str) -> ModuleType | None:
    """Import a module of compiled loops; None where numba is missing or `numpy_alone` is active."""
    return None if _numpy_alone.get() else _imported(module)


@contextmanager
def numpy_alone() -> Iterator[None]:
    """A context in which compiled loops are not used, to compare both implementations."""
    token = _numpy_alone.set(True)
    try:
        yield
    finally:
        _numpy_alone.reset(token)


@cache
def _imported(module: str) -> ModuleType | None:
    try:
        import_module("numba")
    except ImportError:  # not installed, or not for this version of numpy
        return None
    loops = import_module(module)
    if multiprocessing.parent_process() is None and not all(map(is_compiled, _compiled_in(loops))):
        _announce()
    return loops


@cache
def _announce() -> None:
    """Say once per process that the first use takes longer."""
    _log.warning(
        "Compiling loops over pixels for this processor, once per version of the package: up to half a minute."
    )


def _compiled_in(module: ModuleType) -> list[object]:
    """The public compiled functions that a module defines."""
    return [
        value
        for name, value in vars(module).items()
        if not name.startswith("_")
        and getattr(value, "py_func", None) is not None
        and value.__module__ == module.__name__
    ]
