"""A question about a picture or clip in a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
Kind = Literal["choice", "text", "number"]


@dataclass(frozen=True)
class VisualQuestion:
    """A question with its right answers, which only scorers and controls read."""

    content_name: ClassVar[str] = "VisualQuestion"

    text: str
    """The question, with the options where there are any."""
    file: str
    """Path of the picture or clip."""
    answers: tuple[str, ...]
    """Any of them is right; for a choice, the text of the right option."""
    kind: Kind = "text"
    options: tuple[str, ...] = ()
    """Of a choice, in the order of their letters."""
    group: str = ""
    """Category of the data set."""


def with_letters(text: str, options: tuple[str, ...]) -> str:
    """A question with its options, each with a letter.

    >>> print(with_letters("Which?", ("red", "blue")))
    Which?
    (A) red
    (B) blue
    Answer with the letter of the right option.
    """
    lines = [f"({letter}) {option}" for letter, option in zip(LETTERS, options, strict=False)]
    return "\n".join([text, *lines, "Answer with the letter of the right option."])
