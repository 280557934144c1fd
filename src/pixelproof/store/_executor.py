"""What all executors have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


class Executor(ABC):
    """Maps a function over items, as a context manager."""

    @abstractmethod
    def map(self, fn: Callable[[T], R], items: Iterable[T], *, chunk: int = 16) -> Iterator[R]:
        """Results in the order of the items, which are consumed lazily.

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
