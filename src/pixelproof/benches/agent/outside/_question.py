"""A question about a picture or clip in a file, and reading the reply to it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
Kind = Literal["choice", "text", "number"]
_LETTER = re.compile(r"\(?([A-Z])\)?(?:[.:)]|\s|$)")
_NUMBER = re.compile(r"-?\d+(?:,\d{3})*(?:\.\d+)?")


@dataclass(frozen=True)
class VisualQuestion:
    """A question with its right answers, which only scorers and controls read."""

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


def read_choice(text: str, options: tuple[str, ...]) -> str | None:
    """The option that a reply names, by its letter or its text; None if it names none, or several.

    >>> read_choice("(B)", ("red", "blue")), read_choice("It is blue.", ("red", "blue")), read_choice("C", ("a", "b"))
    ('blue', 'blue', None)
    """
    stripped = text.strip()
    if match := _LETTER.match(stripped):
        rest = stripped[match.end() :].strip()
        place = LETTERS.index(match[1])
        if place < len(options) and (not rest or rest.lower().startswith(options[place].lower())):
            return options[place]
    named = [
        option
        for option in options
        if option and re.search(rf"(?<!\w){re.escape(option.strip().rstrip('.'))}(?!\w)", stripped, re.IGNORECASE)
    ]
    longest = [option for option in named if not any(option != o and option.lower() in o.lower() for o in named)]
    return longest[0] if len(longest) == 1 else None


def read_number(text: str) -> float | None:
    """The last number in a reply; None if there is none.

    >>> read_number("about 1,200.5 cm"), read_number("many")
    (1200.5, None)
    """
    numbers = _NUMBER.findall(text)
    return float(numbers[-1].replace(",", "")) if numbers else None
