"""The executor that runs on a Ray cluster (extra `ray`)."""

from __future__ import annotations

import os
import re
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from pixelproof.contract import PixelProofError

from ._executor import Executor, apply_kept
from ._extras import import_extra

T = TypeVar("T")
R = TypeVar("R")

_SECONDS = 2.0
"""Work that a task should have: a task costs about 10 ms of overhead."""
_MOST = 4096
"""Most items of a task."""
_CONNECT_SECONDS = 10
_RETRIES = 10
"""How often a task whose worker or node died is run again."""


class RayExecutor(Executor):
    """Runs a function in tasks of a Ray cluster; a task whose worker or node dies is run again.

    The number of items of a task follows from the time that the tasks so far took. Worker processes keep the function
    between tasks, with everything that it has loaded, as actors would; unlike actors, tasks need no care when a worker
    dies.
    """

    def __init__(self, address: str | None, workers: int | None) -> None:
        """Connect to a cluster, or start one on this machine.

        Args:
            address: Of the cluster, such as `auto` or `ray://head:10001`; None: one on this machine, for this process.
            workers: Tasks at once; None: one per CPU of the cluster.

        Raises:
            PixelProofError: Ray is not installed, or the cluster cannot be reached.
        """
        self._ray = ray = import_extra("ray", "ray", "The executor ray")
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        self._started = not ray.is_initialized()
        if self._started:
            try:
                _require_open_port(address)
                ray.init(**_settings(address, workers))
            except (ConnectionError, RuntimeError, ValueError, OSError) as error:
                where = "on this machine" if address is None else f"at {address}"
                raise PixelProofError(
                    f"Cannot reach a Ray cluster {where} ({error}): start one with 'ray start --head', or check "
                    "--address."
                ) from error
        resources = ray.cluster_resources()
        self._workers = workers or max(1, int(resources.get("CPU", 1)))
        self._gpus = float(resources.get("GPU", 0))
        self._task = ray.remote(max_retries=_RETRIES, num_cpus=1)(_timed)

    def map(self, fn: Callable[[T], R], items: Iterable[T], *, chunk: int = 16) -> Iterator[R]:
        """Results in the order of the items, which are consumed lazily; a task has `chunk` items or more."""
        try:
            function = self._ray.put(fn)
        except Exception as error:
            raise PixelProofError(
                f"A Ray cluster cannot run {fn!r} ({error}): define it at the top level of an installed module."
            ) from error
        return self._results(function, iter(items), chunk, self._gpus_per_task(float(getattr(fn, "gpus", 0))))

    def _gpus_per_task(self, wanted: float) -> float:
        """GPUs that a task reserves: as many as the function wants, none in a cluster without any."""
        if not self._gpus or not wanted:
            return 0.0
        if wanted > self._gpus:
            raise PixelProofError(
                f"The work needs {wanted:g} GPUs per task, and the Ray cluster has {self._gpus:g}: add nodes with GPUs."
            )
        return wanted

    def _results(self, function: Any, items: Iterator[T], chunk: int, gpus: float) -> Iterator[R]:
        pending: deque[Any] = deque()
        size = chunk
        task = self._task.options(num_gpus=gpus) if gpus else self._task
        at_once = min(self._workers, max(1, int(self._gpus / gpus))) if gpus else self._workers
        try:
            while True:
                while len(pending) < 2 * at_once and (part := list(islice(items, size))):
                    pending.append(task.remote([function], function.hex(), part))
                if not pending:
                    return
                results, seconds = self._ray.get(pending.popleft())
                size = _next_size(chunk, len(results), seconds)
                yield from results
        except self._ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, self._ray.exceptions.RayError):  # the task could not get the function
                raise _lost(error.cause) from error
            raise (error.cause if isinstance(error.cause, Exception) else error) from None
        except self._ray.exceptions.RayError as error:
            raise _lost(error) from error
        finally:
            for reference in pending:
                self._ray.cancel(reference, force=False)

    def close(self) -> None:
        """Disconnect, and end a cluster that was started here."""
        if self._started:
            self._ray.shutdown()


def _lost(error: Exception) -> PixelProofError:
    return PixelProofError(
        f"The Ray cluster lost work for good ({type(error).__name__}): check its nodes, then run the same command "
        "again, which does only what is missing."
    )


def _require_open_port(address: str | None) -> None:
    """Raise an `OSError` at once for an address that does not answer; Ray itself would wait for minutes."""
    match = re.fullmatch(r"(?:ray://)?\[?([^/\]]+)\]?:([0-9]+)", address or "")
    if match:
        socket.create_connection((match[1], int(match[2])), _CONNECT_SECONDS).close()


def _settings(address: str | None, workers: int | None) -> dict[str, Any]:
    """Arguments of `ray.init`."""
    settings: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    if address is not None:
        return settings | {"address": address}
    path = os.pathsep.join(entry for entry in sys.path if entry)
    return settings | {
        "address": "local",  # without it, Ray would use a cluster of somebody else on this machine
        "num_cpus": workers,
        "include_dashboard": False,
        "runtime_env": {"env_vars": {"PYTHONPATH": path}},  # workers import what this process can
    }


def _next_size(chunk: int, items: int, seconds: float) -> int:
    """Number of items of the next task: a multiple of `chunk`, with about `_SECONDS` of work.

    >>> _next_size(4, 4, 0.4), _next_size(4, 4, 40.0)
    (20, 4)
    """
    fitting = int(_SECONDS * items / max(seconds, 1e-6))
    return max(chunk, min(fitting, _MOST) // chunk * chunk)


def _timed(reference: list[Any], key: str, part: list[T]) -> tuple[list[Any], float]:
    """Results of a task, and the seconds that they took, loading included.

    Args:
        reference: A list with the reference of the function, which Ray would otherwise load for every task.
        key: Of the function.
        part: Items of the task.
    """
    import ray

    start = time.perf_counter()
    return apply_kept(key, partial(ray.get, reference[0]), part), time.perf_counter() - start
