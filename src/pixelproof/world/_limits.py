"""Limits that all kinds of scenes share, and validation of arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any, TypeVar

from pixelproof.contract import PixelProofError, unknown_name

T = TypeVar("T")

LARGEST = 8192
"""Largest width and height of an image, in pixels."""
LARGEST_SEED = 2**63 - 1
"""Largest seed and index: the limit of int64 columns."""
FEWEST_FRAMES = 5
"""Fewest frames of a flat clip: the target is shown, passes behind a screen, and reappears to show its code."""


def counted(number: int, things: str) -> str:
    """A number with its noun, singular or plural, given the plural.

    >>> counted(1, "scenes"), counted(2, "scenes")
    ('1 scene', '2 scenes')
    """
    return f"{number} {things.removesuffix('s') if number == 1 else things}"


def require_whole(what: str, value: Any, least: int, most: int | None = None) -> None:
    """Raise an error unless the value is an integer from `least` to `most`.

    >>> require_whole("things", 3, 1)
    """
    valid = isinstance(value, Integral) and not isinstance(value, bool)
    if not valid or value < least or (most is not None and value > most):
        upto = " or more" if most is None else f" to {most}"
        raise PixelProofError(f"The number of {what} must be a whole number, {least}{upto}, not {_shown(value)}.")


def require_number(what: str, value: Any, least: float, most: float) -> None:
    """Raise an error unless the value is a number from `least` to `most`; NaN is not.

    >>> require_number("jitter of a clip", 2, 0, 8)
    """
    valid = isinstance(value, Real) and not isinstance(value, bool)
    if not valid or not least <= value <= most:
        raise PixelProofError(f"The {what} must be from {least:g} to {most:g}, not {_shown(value)}.")


def require_share(what: str, value: Any) -> None:
    """Raise an error unless the value is from 0 to 1.

    >>> require_share("strength of a shift", 0.5)
    """
    require_number(what, value, 0, 1)


def require_seed(seed: Any, index: Any = 0) -> None:
    """Raise an error unless the seed and the index are valid.

    >>> require_seed(7)
    """
    for what, value in (("A seed", seed), ("An index", index)):
        valid = isinstance(value, Integral) and not isinstance(value, bool)
        if not valid or not 0 <= value <= LARGEST_SEED:
            raise PixelProofError(f"{what} must be a whole number from 0 to 2**63 - 1, not {_shown(value)}.")


def require_word(what: str, word: Any, known: Iterable[str]) -> None:
    """Raise an error for an unknown name.

    >>> require_word("font", "sans", ("5x7", "sans"))
    """
    words = tuple(known)
    if word not in words:
        raise unknown_name(what, word, words)


def require_kind(what: str, value: Any, kind: type[Any], advice: str) -> None:
    """Raise an error unless the value is an instance of a class.

    >>> require_kind("What is drawn", "a picture", str, "write one")
    """
    if not isinstance(value, kind):
        actual = "None" if value is None else f"a {type(value).__name__}"
        raise PixelProofError(f"{what} must be a {kind.__name__}, not {actual}: {advice}.")


class ByName(dict[str, T]):
    """A dictionary whose lookup of an unknown name raises an error that lists the known names.

    >>> ByName("font", {"sans": 1})["sans"]
    1
    """

    def __init__(self, what: str, things: Mapping[str, T]) -> None:
        """Store the items; error messages call them `what`."""
        super().__init__(things)
        self._what = what

    def __missing__(self, name: str) -> T:
        """Raise the error for an unknown name."""
        raise unknown_name(self._what, name, self)


def _shown(value: Any) -> str:
    return (repr(value) if isinstance(value, str) else str(value))[:60]
