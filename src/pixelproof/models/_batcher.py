"""Batching of jobs that several threads submit at about the same time."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from typing import Generic, TypeVar

Job = TypeVar("Job")
Done = TypeVar("Done")

_PATIENCE = 0.05
"""Seconds to wait for another job of the same kind."""


class Batcher(Generic[Job, Done]):
    """Collects up to `size` jobs of one kind and processes them as a batch, in a thread of its own.

    Args:
        work: Processes a list of jobs and returns their results in order.
        kind: The kind of a job; only jobs of equal kind share a batch.
        size: Largest number of jobs in a batch.
    """

    def __init__(self, work: Callable[[Sequence[Job]], Sequence[Done]], kind: Callable[[Job], Hashable], size: int):
        self._work, self._kind, self._size = work, kind, size
        self._queue: queue.Queue[tuple[Job, Future[Done]] | None] = queue.Queue()
        self._postponed: deque[tuple[Job, Future[Done]]] = deque()
        self._closing = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def __call__(self, job: Job) -> Done:
        """Submit a job and wait for its result; an exception of the batch is raised to all its callers.

        Raises:
            RuntimeError: The batcher is closed.
        """
        future: Future[Done] = Future()
        with self._closing:
            if self._closed:
                raise RuntimeError("the batcher is closed")
            self._queue.put((job, future))
        return future.result()

    def close(self) -> None:
        """Process all submitted jobs, then stop."""
        with self._closing:
            if not self._closed:
                self._queue.put(None)
            self._closed = True
        self._thread.join()

    def _run(self) -> None:
        while batch := self._next_batch():
            try:
                results = self._work([job for job, _ in batch])
                done = list(zip(batch, results, strict=True))
            except BaseException as error:  # a caller must never wait for ever
                for _, future in batch:
                    future.set_exception(error)
            else:
                for (_, future), result in done:
                    future.set_result(result)

    def _next_batch(self) -> list[tuple[Job, Future[Done]]]:
        """The next batch; empty once the batcher is closed."""
        first = self._postponed.popleft() if self._postponed else self._queue.get()
        if first is None:
            return []
        batch, kind = [first], self._kind(first[0])
        waiting, self._postponed = self._postponed, deque()
        for entry in waiting:
            self._add(entry, batch, kind)
        while len(batch) < self._size:
            try:
                more = self._queue.get(timeout=_PATIENCE)
            except queue.Empty:
                break
            if more is None:
                self._queue.put(None)
                break
            self._add(more, batch, kind)
        return batch

    def _add(self, entry: tuple[Job, Future[Done]], batch: list[tuple[Job, Future[Done]]], kind: Hashable) -> None:
        fits = len(batch) < self._size and self._kind(entry[0]) == kind
        (batch if fits else self._postponed).append(entry)
