"""What all executors have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")


class Executor(ABC):
    """Maps a function over items, as a context manager."""

    @abstractmethod
    def map(self, fn: Callable[[T], R], items: Iterable[T], *, chunk: int = 16) -> Iterator[R]:
        """Results in the order of the items, which are consumed lazily.

        A worker unpickles the function once and keeps it with everything that it has loaded, such as a network. A
        function that can use a GPU has the attribute `gpus`, the number that each worker reserves, such as 1 or 0.5:
        a cluster that has GPUs schedules it accordingly.

        Args:
            fn: A function; for processes, one (or a `partial`) that other processes can import.
            items: The arguments; may be infinite.
            chunk: Number of items that are sent to a process at once.
        """

    def close(self) -> None:
        """Release the workers; work that has not begun is dropped."""
        return None

    def __enter__(self) -> Executor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


_kept: dict[str, Callable[[Any], Any]] = {}
"""The function of this worker's last task, by its key."""


def apply_kept(key: str, load: Callable[[], Any], part: list[Any]) -> list[Any]:
    """Results of a part of the items, in a worker.

    Args:
        key: Identifies the function among those that this worker may get.
        load: Returns the function; called unless the last part had the same one.
        part: The items.
    """
    if key not in _kept:
        _kept.clear()
        _kept[key] = load()
    fn = _kept[key]
    return [fn(item) for item in part]
