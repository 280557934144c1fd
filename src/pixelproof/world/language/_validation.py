"""Validation of the arguments of sentence generators."""

from __future__ import annotations

from typing import Any

import numpy as np

from pixelproof.contract import PixelProofError
from pixelproof.world._limits import require_number, require_seed, require_share, require_whole, require_word

from .view import View

__all__ = [
    "expect",
    "expect_arguments",
    "expect_view",
    "require_number",
    "require_seed",
    "require_share",
    "require_whole",
    "require_word",
]


def expect(value: Any, kind: type, advice: str) -> None:
    """Raise an error unless the value is an instance of a class.

    Raises:
        PixelProofError: The message begins with the advice, such as `Give a View`.
    """
    if not isinstance(value, kind):
        raise PixelProofError(f"{advice}, not {value if value is None else type(value).__name__}.")


def expect_view(view: Any) -> None:
    """Raise an error unless the value is a view."""
    expect(view, View, "Give a View, such as view_of(scene) makes")


def expect_arguments(view: Any, rng: Any, n: Any = 0) -> None:
    """Raise an error unless the values are a view, a random generator and a number of sentences."""
    expect_view(view)
    expect(rng, np.random.Generator, "Give a random generator, such as numpy.random.default_rng(7)")
    require_whole("sentences", n, 0)
