"""A compact set of int64 keys: eight bytes each, except for the latest few thousand."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray


class Keys:
    """Integers of files, sorted, and a set of those added since.

    >>> keys = Keys([np.array([3, 1])])
    >>> keys.add(2)
    >>> len(keys), 2 in keys, 4 in keys
    (3, True, False)
    """

    def __init__(self, known: Iterable[NDArray[np.int64]] = ()) -> None:
        self._settled = array("q", np.unique(np.concatenate([np.empty(0, np.int64), *known])).tobytes())
        self._added: set[int] = set()

    def add(self, key: int) -> None:
        """Add a key; adding it again has no effect."""
        if key not in self:
            self._added.add(key)

    def settle(self) -> None:
        """Move added keys to the compact part."""
        merged = np.union1d(np.frombuffer(self._settled, np.int64), np.fromiter(self._added, np.int64))
        self._settled, self._added = array("q", merged.tobytes()), set()

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, int):
            return False
        place = bisect_left(self._settled, key)
        return (place < len(self._settled) and self._settled[place] == key) or key in self._added

    def __iter__(self) -> Iterator[int]:
        self.settle()
        return iter(self._settled)

    def __len__(self) -> int:
        return len(self._settled) + len(self._added)
