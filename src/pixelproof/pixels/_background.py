"""Compilation of loops in a process of its own, while this one goes on with numpy.

A package with compiled loops has a module `_rehearsal` whose `rehearse()` calls everything that uses them. Once it has
returned, all machine code is in numba's cache, and a stamp file beside it says so. The process runs `_compile_ahead`.
"""

from __future__ import annotations

import hashlib
import logging
import os
import subprocess
import sys
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_log = logging.getLogger(__name__)
_PROGRAM = "pixelproof.pixels._compile_ahead"
_children: dict[str, subprocess.Popen[bytes]] = {}


def has_rehearsal(package: str) -> bool:
    """Whether the loops of a package can be compiled ahead of their use."""
    return bool(package) and find_spec(f"{package}._rehearsal") is not None


@cache
def stamp_path(package: str, dispatcher: Any) -> Path | None:
    """The file that exists if all loops of a package are compiled: for these sources, this processor, these versions.

    Args:
        package: Name of the package.
        dispatcher: One of its compiled functions.

    Returns:
        None where numba has no place for its cache.
    """
    import llvmlite
    import numba
    import numpy as np

    directory = getattr(getattr(dispatcher, "_cache", None), "cache_path", None)
    if directory is None:
        return None
    folders = {Path(__file__).parent, Path(str(import_module(package).__file__)).parent}
    sources = sorted(hashlib.sha256(file.read_bytes()).hexdigest() for one in folders for file in one.glob("*.py"))
    processor = (llvmlite.binding.get_host_cpu_name(), sorted(llvmlite.binding.get_host_cpu_features().items()))
    parts = (package, sources, processor, sys.version, numba.__version__, llvmlite.__version__, np.__version__)
    return Path(directory) / f"{package}-{hashlib.sha256(repr(parts).encode()).hexdigest()[:16]}.ready"


def start_compiling(package: str, stamp: Path) -> None:
    """Compile the loops of a package at low priority, unless this or another process does so already.

    The process outlives this one: otherwise, programs that take a few seconds would compile for ever.
    """
    if package in _children:
        if _children[package].poll():
            _say(f"The compiled loops of {package} cannot be made: numpy is used, with the same numbers.")
        return
    try:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(stamp.with_name("compiling.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        return
    try:
        if not _is_locked(lock) and not stamp.exists():
            _start(package, lock)
    finally:
        os.close(lock)  # the child has it, too


def _start(package: str, lock: int) -> None:
    command = [sys.executable, "-m", _PROGRAM, package]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    handed_on: dict[str, Any] = {} if sys.platform == "win32" else {"pass_fds": (lock,), "start_new_session": True}
    nothing = subprocess.DEVNULL
    with suppress(OSError):
        _children[package] = subprocess.Popen(
            command, env=environment, stdin=nothing, stdout=nothing, stderr=nothing, **handed_on
        )
        _say(
            "Compiling loops over pixels in the background, once per version of the package; "
            "until that is done, numpy is used, which gives the same numbers."
        )


def _is_locked(descriptor: int) -> bool:
    """Whether another process holds the lock; if not, this one does until all copies of the descriptor are closed."""
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    return False


@cache
def _say(text: str) -> None:
    """Log a line, once per process."""
    _log.warning(text)
