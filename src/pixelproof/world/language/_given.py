"""Refusal, in one sentence, of what the makers of sentences cannot use."""

from __future__ import annotations

from typing import Any

import numpy as np

from pixelproof.contract import PixelProofError
from pixelproof.world._limits import require_number, require_seed, require_share, require_whole, require_word

from ._view import View

__all__ = [
    "expect",
    "expect_usual",
    "expect_view",
    "require_number",
    "require_seed",
    "require_share",
    "require_whole",
    "require_word",
]


def expect(value: Any, kind: type, wish: str) -> None:
    """Refuse what is not of a kind.

    Raises:
        PixelProofError: A sentence that begins with the wish, such as `Give a View`.
    """
    if not isinstance(value, kind):
        raise PixelProofError(f"{wish}, not {value if value is None else type(value).__name__}.")


def expect_view(view: Any) -> None:
    """Refuse what is not a view."""
    expect(view, View, "Give a View, such as view_of(scene) makes")


def expect_usual(view: Any, rng: Any, n: Any = 0) -> None:
    """Refuse what is not a view, a source of chance and a number of sentences."""
    expect_view(view)
    expect(rng, np.random.Generator, "Give a random generator, such as numpy.random.default_rng(7)")
    require_whole("sentences", n, 0)
