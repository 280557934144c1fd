"""Parameters in a model's name: `images/MODEL?size=1024x1024&quality=high`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import parse_qsl

from pixelproof.contract import PixelProofError, unknown_name


class Parameter(NamedTuple):
    """What a parameter may be: a pattern that its value matches as a whole, and the same in words."""

    pattern: str
    words: str


def one_of(*values: str) -> Parameter:
    """A parameter with a few values.

    >>> one_of("1K", "2K").words
    'one of 1K, 2K'
    """
    return Parameter("|".join(map(re.escape, values)), f"one of {', '.join(values)}")


SIZE = Parameter(r"auto|[1-9]\d{0,4}x[1-9]\d{0,4}", "auto or WIDTHxHEIGHT, such as 1024x1024")
SERVICE = Parameter("[a-z][a-z0-9_-]*", "the name of a service, such as openrouter")
YES_OR_NO = one_of("yes", "no")


def split_parameters(name: str, spelling: str, known: Mapping[str, Parameter]) -> tuple[str, dict[str, str]]:
    """The name that the service itself uses, and the parameters.

    They are part of the model's name, and so of the run card: a run with another size is another run.

    >>> split_parameters("images/m?size=64x64", "m?size=64x64", {"size": SIZE})
    ('m', {'size': '64x64'})

    Args:
        name: The whole name, for messages.
        spelling: What stands behind its prefix.
        known: The parameters of this kind of model.

    Raises:
        PixelProofError: A parameter is unknown, malformed or given twice.
    """
    model, question, query = spelling.partition("?")
    if not model:
        raise PixelProofError(f"{name!r} names no model before the '?'.")
    try:
        pairs = parse_qsl(query or "?", keep_blank_values=True, strict_parsing=True) if question else []
    except ValueError:
        raise PixelProofError(f"Cannot read {name!r}: write parameters like ?size=1024x1024&quality=high.") from None
    for key, value in pairs:
        if key not in known:
            raise unknown_name(f"{name.partition('/')[0]} parameter", key, known)
        if not re.fullmatch(known[key].pattern, value, re.ASCII):
            raise PixelProofError(f"{name!r}: {key} cannot be {value!r}; it must be {known[key].words}.")
    if len(dict(pairs)) < len(pairs):
        raise PixelProofError(f"{name!r} gives a parameter twice: give it once.")
    return model, dict(pairs)
