"""Loops over pixels: compiled where numba is installed and has compiled them, numpy elsewhere, with equal results."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TypeVar, cast

from ._background import has_rehearsal, stamp_path, start_compiling
from ._kernel_cache import is_compiled, keep_compiled

Function = TypeVar("Function", bound=Callable[..., object])

LOADING_S = 1.0
"""CPU seconds that importing numba and loading machine code takes: before that much work is done, numpy is used."""
_CHECK_S = 0.5
"""Seconds between two looks at whether the background has compiled the loops."""

_log = logging.getLogger(__name__)
_numpy_alone = ContextVar("_numpy_alone", default=False)
_settled: dict[str, ModuleType | None] = {}
"""Module → its loops, or None without numba, once that does not change any more."""
_next_check: dict[str, float] = {}
_foreground: list[bool] = []


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
    """Import a module of compiled loops; None where the caller has to use numpy.

    That is so without numba, within `numpy_alone`, in the first second of work, and until the loops are compiled, which
    a process in the background does. Loops of a package without a `_rehearsal` are compiled at their first call.
    """
    if _numpy_alone.get():
        return None
    if module in _settled:
        return _settled[module]
    if not _foreground and (_work_s() < LOADING_S or time.monotonic() < _next_check.get(module, 0.0)):
        return None
    if not _has_numba():
        _settled[module] = None
        return None
    loops, package = import_module(module), module.rpartition(".")[0]
    if _foreground or not has_rehearsal(package):
        if not all(map(is_compiled, _compiled_in(loops))):
            _announce()
    elif not _is_ready(package, loops):
        _next_check[module] = time.monotonic() + _CHECK_S
        return None
    _settled[module] = loops
    return loops


def compile_first() -> None:
    """From now on, compile loops at their first call instead of in the background: for tests and benchmarks."""
    _foreground.append(True)


def write_stamp(package: str) -> None:
    """Note that the loops of a package, which were all used in this process, are compiled."""
    used = [loops for name, loops in _settled.items() if loops is not None and name.rpartition(".")[0] == package]
    stamp = stamp_path(package, _compiled_in(used[0])[0]) if used else None
    if stamp is not None:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.touch()


@contextmanager
def numpy_alone() -> Iterator[None]:
    """A context in which compiled loops are not used, to compare both implementations."""
    token = _numpy_alone.set(True)
    try:
        yield
    finally:
        _numpy_alone.reset(token)


def _work_s() -> float:
    """CPU seconds of this process since the first call."""
    began = _began()
    return time.process_time() - began


@cache
def _began() -> float:
    return time.process_time()


@cache
def _has_numba() -> bool:
    try:
        import_module("numba")
    except ImportError:  # not installed, or not for this version of numpy
        return False
    return True


def _is_ready(package: str, loops: ModuleType) -> bool:
    """Whether the loops of a package are compiled; if not, see to it."""
    stamp = stamp_path(package, _compiled_in(loops)[0])
    if stamp is None:
        _say_uncached()
        return False
    if not stamp.exists():
        start_compiling(package, stamp)
        return False
    return True


@cache
def _announce() -> None:
    """Say once per process that the first use takes longer."""
    _log.warning(
        "Compiling loops over pixels for this processor, once per version of the package: up to half a minute."
    )


@cache
def _say_uncached() -> None:
    _log.warning("Compiled loops cannot be stored, so numpy is used: set NUMBA_CACHE_DIR to a folder that is writable.")


def _compiled_in(module: ModuleType) -> list[object]:
    """The public compiled functions that a module defines."""
    return [
        value
        for name, value in vars(module).items()
        if not name.startswith("_")
        and getattr(value, "py_func", None) is not None
        and value.__module__ == module.__name__
    ]
