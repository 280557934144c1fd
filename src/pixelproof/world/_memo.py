"""Values that are computed once per object and kept while the object exists."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Generic, TypeVar

V = TypeVar("V")


class Memo(Generic[V]):
    """Cache by identity, for objects that cannot be hashed, or whose comparison takes long.

    A value is freed with its object, or when more than `most` newer ones are kept.

    >>> class Owner: ...
    >>> lengths, owner = Memo[int](2), Owner()
    >>> lengths.get(owner, lambda: 3), lengths.get(owner, lambda: 4)
    (3, 3)
    >>> del owner
    >>> len(lengths)
    0
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[int, tuple[weakref.ref[Any], V]] = {}

    def __len__(self) -> int:
        """Number of values that are kept."""
        return len(self._kept)

    def get(self, owner: object, make: Callable[[], V]) -> V:
        """The value of an object, made on first use."""
        key = id(owner)
        known = self._kept.get(key)
        if known is not None and known[0]() is owner:
            return known[1]
        value = make()

        def forget(gone: weakref.ref[Any]) -> None:
            if key in self._kept and self._kept[key][0] is gone:
                del self._kept[key]

        self._kept.pop(key, None)
        while len(self._kept) >= self._most:
            self._kept.pop(next(iter(self._kept)), None)
        self._kept[key] = weakref.ref(owner, forget), value
        return value
