"""Sweeps: ten cases are tests of `make test`, all of them of `make soak`."""

from collections.abc import Iterable
from typing import Any

import pytest

TEN = 10


def sweep(names: str, cases: Iterable[Any], ids: Iterable[str] | None = None) -> pytest.MarkDecorator:
    """Parametrise a test with cases, of which ten, evenly spread, are not marked as a sweep."""
    listed = list(cases)
    known = list(ids) if ids is not None else [None] * len(listed)
    kept = {index * len(listed) // TEN for index in range(TEN)}
    return pytest.mark.parametrize(
        names,
        [
            pytest.param(*(case if "," in names else [case]), id=id, marks=() if index in kept else pytest.mark.sweep)
            for index, (case, id) in enumerate(zip(listed, known, strict=True))
        ],
    )
