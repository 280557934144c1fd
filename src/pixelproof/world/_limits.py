"""What every kind of scene keeps to, and the sentences that say so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any, TypeVar

from pixelproof.contract import PixelProofError, unknown_name

T = TypeVar("T")

LARGEST = 8192
"""Pixels of a side."""
LARGEST_SEED = 2**63 - 1
"""Of seeds and of indices: what a table can hold."""
FEWEST_FRAMES = 5
"""Of a flat clip: the target can be seen, pass behind a screen, and come out to show its code."""


def counted(number: int, things: str) -> str:
    """A number of things in words, given their plural.

    >>> counted(1, "scenes"), counted(2, "scenes")
    ('1 scene', '2 scenes')
    """
    return f"{number} {things.removesuffix('s') if number == 1 else things}"


def require_whole(what: str, value: Any, least: int, most: int | None = None) -> None:
    """Refuse what is no whole number from `least` to `most`.

    >>> require_whole("things", 3, 1)
    """
    right = isinstance(value, Integral) and not isinstance(value, bool)
    if not right or value < least or (most is not None and value > most):
        upto = " or more" if most is None else f" to {most}"
        raise PixelProofError(f"The number of {what} is a whole number, {least}{upto}, not {_shown(value)}.")


def require_number(what: str, value: Any, least: float, most: float) -> None:
    """Refuse what is no number from `least` to `most`, as `nan` is.

    >>> require_number("jitter of a clip", 2, 0, 8)
    """
    right = isinstance(value, Real) and not isinstance(value, bool)
    if not right or not least <= value <= most:
        raise PixelProofError(f"The {what} is from {least:g} to {most:g}, not {_shown(value)}.")


def require_share(what: str, value: Any) -> None:
    """Refuse what is not from 0 to 1.

    >>> require_share("strength of a shift", 0.5)
    """
    require_number(what, value, 0, 1)


def require_seed(seed: Any, index: Any = 0) -> None:
    """Refuse what is no seed of a set, or no index in it.

    >>> require_seed(7)
    """
    for what, value in (("A seed", seed), ("An index", index)):
        right = isinstance(value, Integral) and not isinstance(value, bool)
        if not right or not 0 <= value <= LARGEST_SEED:
            raise PixelProofError(f"{what} is a whole number from 0 to 2**63 - 1, not {_shown(value)}.")


def require_word(what: str, word: Any, known: Iterable[str]) -> None:
    """Refuse a word that is not known.

    >>> require_word("font", "sans", ("5x7", "sans"))
    """
    words = tuple(known)
    if word not in words:
        raise unknown_name(what, word, words)


def require_kind(what: str, value: Any, kind: type[Any], advice: str) -> None:
    """Refuse what is of another class.

    >>> require_kind("What is drawn", "a picture", str, "write one")
    """
    if not isinstance(value, kind):
        found = "None" if value is None else f"a {type(value).__name__}"
        raise PixelProofError(f"{what} is a {kind.__name__}, not {found}: {advice}.")


class ByName(dict[str, T]):
    """Things by name; to ask for a name that is not there is refused with those that are.

    >>> ByName("font", {"sans": 1})["sans"]
    1
    """

    def __init__(self, what: str, things: Mapping[str, T]) -> None:
        """Hold things that a sentence calls `what`."""
        super().__init__(things)
        self._what = what

    def __missing__(self, name: str) -> T:
        """Say which names there are."""
        raise unknown_name(self._what, name, self)


def _shown(value: Any) -> str:
    return (repr(value) if isinstance(value, str) else str(value))[:60]
