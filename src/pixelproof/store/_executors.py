"""Executors: this process, a pool of processes, or a Ray cluster."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import islice
from multiprocessing.connection import wait
from typing import Any, TypeVar

from pixelproof.contract import PixelProofError, unknown_name

from ._executor import Executor, apply_kept

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Cluster:
    """A Ray cluster that does the work instead of processes of this machine."""

    address: str | None = None
    """Address of the cluster, such as `auto` or `ray://head:10001`; None: one on this machine, for this process."""
    workers: int | None = None
    """Tasks at once; None: one per CPU of the cluster."""


Workers = int | Cluster | None
"""Who does the work: so many processes, a cluster, or (None) a process per core."""


def executor_for(workers: Workers) -> Executor:
    """The executor of this many workers: this process for 1, a pool of processes, or a cluster."""
    if isinstance(workers, Cluster):
        from ._ray import RayExecutor

        return RayExecutor(workers.address, workers.workers)
    return executor("serial" if workers == 1 else "processes", workers)


def executor(name: str, workers: int | None = None) -> Executor:
    """An executor by name: `serial`, or `processes`, by default with a worker per core; or `ray`, on this machine.

    >>> with executor("serial") as pool:
    ...     list(pool.map(abs, [1, -2]))
    [1, 2]
    """
    if name == "serial":
        return _Serial()
    if name == "processes":
        return _Processes(workers or _cores())
    if name == "ray":
        return executor_for(Cluster(workers=workers))
    raise unknown_name("executor", name, ("serial", "processes", "ray"))


def _cores() -> int:
    """Number of cores that this process may use; in a container, fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Serial(Executor):
    def map(self, fn: Callable[[T], R], items: Iterable[T], *, chunk: int = 16) -> Iterator[R]:
        return map(fn, items)


class _Processes(Executor):
    def __init__(self, workers: int) -> None:
        # Spawned, not forked: a fork inherits held locks, threads and open journals.
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin_worker)
        self._in_flight = 2 * workers

    def map(self, fn: Callable[[T], R], items: Iterable[T], *, chunk: int = 16) -> Iterator[R]:
        try:
            pickled = pickle.dumps(fn)
        except Exception as error:
            raise PixelProofError(
                f"Processes cannot run {fn!r} ({error}): define it at the top level of a module, or use serial."
            ) from error
        return self._results(pickled, iter(items), chunk)

    def _results(self, pickled: bytes, items: Iterator[T], chunk: int) -> Iterator[Any]:
        pending: deque[Future[list[Any]]] = deque()
        key, needs_main = uuid.uuid4().hex, b"__main__" in pickled
        try:
            while True:
                while len(pending) < self._in_flight and (part := list(islice(items, chunk))):
                    with nullcontext() if needs_main else _hidden_main():
                        pending.append(self._pool.submit(_apply, key, pickled, part))
                if not pending:
                    return
                yield from pending.popleft().result()
        except BrokenProcessPool as error:
            raise PixelProofError(
                "A worker process died (killed, out of memory, or unable to import the function): use fewer workers, "
                'and in a script start the work under `if __name__ == "__main__"`.'
            ) from error
        finally:
            for future in pending:
                future.cancel()

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)


@contextmanager
def _hidden_main() -> Iterator[None]:
    """Start workers without importing the main module, so that a script needs no `if __name__ == "__main__"`."""
    main = sys.modules["__main__"]
    spec, file = main.__spec__, main.__dict__.pop("__file__", None)
    main.__spec__ = None
    try:
        yield
    finally:
        main.__spec__ = spec
        if file is not None:
            main.__file__ = file


def _apply(key: str, pickled: bytes, part: list[Any]) -> list[Any]:
    return apply_kept(key, partial(pickle.loads, pickled), part)


def _begin_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the parent, which ends the workers
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    """End this worker when its parent dies: it holds both ends of its queue and would wait forever."""
    wait([sentinel])
    os._exit(1)
