"""`fn/module:function`: any Python function as a model."""

from __future__ import annotations

import hashlib
import inspect
import io
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from pixelproof.contract import Answer, Artefact, Call, Failure, Fault, Item, PixelProofError, Prompt, Usage
from pixelproof.pixels import encode_png, media_type_of
from pixelproof.plugins import describe_error, import_callable
from pixelproof.stats import derive_seed

from ._callable import source_hash
from ._conversation import with_ids

EXTRAS = ("item_id", "sample", "seed")
"""Optional parameters of a function that receive further information."""


class FunctionModel:
    """Calls `function(prompt)`, with the whole conversation and the tools, but without the truth.

    The function returns text, an image (uint8 array, PIL image, encoded bytes, `Artefact`) or an `Answer`, which may
    hold tool calls; calls without an id get one.
    """

    answers_items = False
    spreads = False
    connections = 1

    def __init__(self, name: str, function: str | Callable[..., object]) -> None:
        self.name = name
        self._function = import_callable(function, prefix="fn/") if isinstance(function, str) else function
        self._extras = _extras(self._function, name)
        self.gpus = float(getattr(self._function, "gpus", 0))

    def answer(self, prompt: Prompt, item: Item, sample: int, seed: int) -> Answer:
        """Call the function; an exception is an infrastructure failure, not a fault of a model."""
        extras = {"item_id": item.id, "sample": sample, "seed": derive_seed(seed, f"fn/{item.id}", sample)}
        began = time.perf_counter()
        try:
            value = self._function(prompt, **{name: extras[name] for name in self._extras})
        except (Exception, SystemExit) as error:
            return _failed("function-raised", describe_error(error), began)
        try:
            answer = as_reply(value, prompt)
        except (TypeError, ValueError, OSError) as error:
            return _failed("unusable-return", str(error), began)
        if answer.usage.seconds:
            return answer
        return replace(answer, usage=replace(answer.usage, seconds=time.perf_counter() - began))

    def card(self) -> Mapping[str, Any]:
        """The function, and the hash of its file or, for other callables, of its source."""
        card = {"kind": "function", "function": self.name.removeprefix("fn/")}
        if ":" not in self.name:  # a callable that no module holds under its name
            return card | {"sha256": source_hash(self._function)}
        try:
            source = Path(inspect.getfile(inspect.unwrap(self._function))).read_bytes()
        except (TypeError, OSError):  # built in, or an object without a source file
            return card
        return card | {"sha256": hashlib.sha256(source).hexdigest()}

    def close(self) -> None:
        """Nothing to release."""


def _failed(name: str, detail: str, began: float) -> Answer:
    usage = Usage(seconds=time.perf_counter() - began)
    return Answer(failure=Failure(Fault.INFRASTRUCTURE, name, detail), usage=usage)


def as_reply(value: object, prompt: Prompt) -> Answer:
    """Convert the return value of a function to the reply to a prompt; calls without an id get one.

    Raises:
        TypeError, ValueError, OSError: As for `as_answer`.
    """
    answer = as_answer(value)
    return replace(answer, calls=with_ids(answer.calls, prompt)) if answer.calls else answer


def as_answer(value: object) -> Answer:
    """Convert the return value of a function to an answer.

    >>> as_answer("hello").text
    'hello'
    >>> as_answer(np.zeros((2, 2, 3), np.uint8)).images[0].media_type
    'image/png'

    Raises:
        TypeError: It has an unsupported type.
        ValueError: It is an array, but not an image.
        OSError: It is an image in a mode that PNG does not support.
    """
    match value:
        case Answer():
            _check_types(value)
            return value
        case str():
            return Answer(text=value)
        case Artefact():
            image = value
        case bytes():
            image = Artefact(value, media_type_of(value))
        case np.ndarray():
            image = encode_png(value)
        case Image.Image():
            buffer = io.BytesIO()
            value.save(buffer, "PNG")
            image = Artefact(buffer.getvalue())
        case _:
            raise TypeError(
                f"it returned {type(value).__name__}; it may return str, bytes, a uint8 array, a PIL image, "
                "an Artefact or an Answer"
            )
    return Answer(images=(image,), usage=Usage(images=1))


def _check_types(answer: Answer) -> None:
    """Refuse an answer with fields of wrong types, which could not be stored."""
    wrong = [
        f"{name} holds {type(value).__name__}, not {expected.__name__}"
        for name, values, expected in (
            ("text", (answer.text,), str),
            ("images", answer.images, Artefact),
            ("calls", answer.calls, Call),
        )
        for value in values
        if not isinstance(value, expected)
    ]
    if wrong:
        raise TypeError(f"it returned an Answer whose {'; '.join(wrong)}")


def _extras(function: Callable[..., object], name: str) -> tuple[str, ...]:
    if inspect.iscoroutinefunction(function):
        raise PixelProofError(f"{name} is an async function: give a plain one.")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # built in: the signature is unknown
        return ()
    parameters = signature.parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        extras: tuple[str, ...] = EXTRAS
    else:
        named = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
        extras = tuple(name for name in EXTRAS if name in named)
    try:
        signature.bind(None, **dict.fromkeys(extras))
    except TypeError as error:
        raise PixelProofError(
            f"{name} must take the prompt and may take {', '.join(EXTRAS)}, but its signature does not fit: {error}."
        ) from error
    return extras
