"""Disk cache of compiled functions, valid until anything changes that is compiled into them.

Numba alone discards the machine code of a function when its own file changes. But the functions that it calls, and the
constants that it uses, are compiled into it as well, and may be in other files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import numpy as np


def source_stamp(function: Any) -> str:
    """Hash of all that is compiled into a function: its file, those of the functions it calls, and constants."""
    files, constants = {_file(function)}, set[str]()
    reached, rest = {function}, [function]
    while rest:
        for name, value in _globals(rest.pop()):
            called = getattr(value, "py_func", None)
            if called is not None and called not in reached:
                reached.add(called)
                rest.append(called)
                files.add(_file(called))
            elif isinstance(value, np.ndarray):
                constants.add(f"{name} {value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}")
            elif isinstance(value, bool | int | float | str | tuple):
                constants.add(f"{name} {value!r}")
    parts = [*sorted(_content(file) for file in files), *sorted(constants)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def keep_compiled(dispatcher: Any) -> None:
    """Have numba cache a compiled function by its `source_stamp` instead of its file's time and size.

    Raises:
        RuntimeError: This version of numba keeps its cache otherwise.
    """
    file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if not hasattr(file, "_source_stamp"):
        raise RuntimeError("numba's cache has another form")
    file._source_stamp = source_stamp(dispatcher.py_func)  # type: ignore[union-attr]


def is_compiled(dispatcher: Any) -> bool:
    """Whether machine code of a function is in the disk cache, and up to date."""
    file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    return file is not None and bool(file._load_index())


def _globals(function: Any) -> Iterator[tuple[str, Any]]:
    """The global names that a function uses, with their values; those defined later are in its own file."""
    known = {**function.__globals__}
    for cell, name in zip(function.__closure__ or (), function.__code__.co_freevars, strict=True):
        known[name] = cell.cell_contents
    for name in sorted(_names(function.__code__)):
        if name in known and not isinstance(known[name], ModuleType):
            yield name, known[name]


def _names(code: CodeType) -> set[str]:
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return {*code.co_names, *code.co_freevars}.union(*map(_names, inner))


def _file(function: Any) -> str:
    return str(function.__code__.co_filename)


@lru_cache(maxsize=256)
def _content(file: str) -> str:
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError:  # not from a file
        return file
