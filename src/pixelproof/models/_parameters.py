"""Parameters in a model's name: `images/MODEL?size=1024x1024&quality=high`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import parse_qsl

from pixelproof.contract import PixelProofError, unknown_name


class Parameter(NamedTuple):
    """The legal values of a parameter: a pattern for the whole value, and a description for messages."""

    pattern: str
    description: str


def one_of(*values: str) -> Parameter:
    """A parameter with a fixed set of values.

    >>> one_of("1K", "2K").description
    'one of 1K, 2K'
    """
    return Parameter("|".join(map(re.escape, values)), f"one of {', '.join(values)}")


SIZE = Parameter(r"auto|[1-9]\d{0,4}x[1-9]\d{0,4}", "auto or WIDTHxHEIGHT, such as 1024x1024")
SERVICE = Parameter("[a-z][a-z0-9_-]*", "the name of a service, such as openrouter")
YES_OR_NO = one_of("yes", "no")


def split_parameters(name: str, spelling: str, known: Mapping[str, Parameter]) -> tuple[str, dict[str, str]]:
    """Split a model's name into the name that the service uses and its parameters.

    Parameters are part of the model's name on the run card: a run with another size is another run.

    >>> split_parameters("images/m?size=64x64", "m?size=64x64", {"size": SIZE})
    ('m', {'size': '64x64'})

    Args:
        name: The whole name, for messages.
        spelling: The name without its prefix.
        known: The parameters of this kind of model.

    Raises:
        PixelProofError: A parameter is unknown, malformed or given twice.
    """
    model, question, query = spelling.partition("?")
    if not model:
        raise PixelProofError(f"{name!r} has no model before the '?'.")
    try:
        pairs = parse_qsl(query or "?", keep_blank_values=True, strict_parsing=True) if question else []
    except ValueError:
        raise PixelProofError(f"Cannot read {name!r}: write parameters like ?size=1024x1024&quality=high.") from None
    for key, value in pairs:
        if key not in known:
            raise unknown_name(f"{name.partition('/')[0]} parameter", key, known)
        if not re.fullmatch(known[key].pattern, value, re.ASCII):
            raise PixelProofError(f"{name!r}: {key} cannot be {value!r}; it must be {known[key].description}.")
    if len(dict(pairs)) < len(pairs):
        raise PixelProofError(f"{name!r} gives a parameter twice: give it once.")
    return model, dict(pairs)
