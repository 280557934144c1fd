"""Many callers, one worker: what they ask at about the same time is done in one go."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from typing import Generic, TypeVar

Job = TypeVar("Job")
Done = TypeVar("Done")

_GATHERING = 0.05
"""Seconds to wait for one more job of the same kind."""


class Batcher(Generic[Job, Done]):
    """Gathers jobs of one kind, `size` at most, and does them together in a thread of its own.

    Args:
        work: Does a list of jobs; gives as many results, in order.
        kind: Only jobs of an equal kind can be done together.
        size: Of the largest batch.
    """

    def __init__(self, work: Callable[[Sequence[Job]], Sequence[Done]], kind: Callable[[Job], Hashable], size: int):
        self._work, self._kind, self._size = work, kind, size
        self._queue: queue.Queue[tuple[Job, Future[Done]] | None] = queue.Queue()
        self._others: deque[tuple[Job, Future[Done]]] = deque()
        self._closing = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def __call__(self, job: Job) -> Done:
        """Have a job done; what the work raises is raised to all whose job was in the batch.

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
        """Finish what has been asked for, and stop."""
        with self._closing:
            if not self._closed:
                self._queue.put(None)
            self._closed = True
        self._thread.join()

    def _run(self) -> None:
        while batch := self._gather():
            try:
                results = self._work([job for job, _ in batch])
                done = list(zip(batch, results, strict=True))
            except BaseException as error:  # whatever it is, nobody may wait for ever
                for _, future in batch:
                    future.set_exception(error)
            else:
                for (_, future), result in done:
                    future.set_result(result)

    def _gather(self) -> list[tuple[Job, Future[Done]]]:
        """The next batch; empty when there is nothing more to do."""
        first = self._others.popleft() if self._others else self._queue.get()
        if first is None:
            return []
        batch, kind = [first], self._kind(first[0])
        waiting, self._others = self._others, deque()
        for other in waiting:
            self._sort_in(other, batch, kind)
        while len(batch) < self._size:
            try:
                more = self._queue.get(timeout=_GATHERING)
            except queue.Empty:
                break
            if more is None:
                self._queue.put(None)
                break
            self._sort_in(more, batch, kind)
        return batch

    def _sort_in(self, one: tuple[Job, Future[Done]], batch: list[tuple[Job, Future[Done]]], kind: Hashable) -> None:
        fits = len(batch) < self._size and self._kind(one[0]) == kind
        (batch if fits else self._others).append(one)
