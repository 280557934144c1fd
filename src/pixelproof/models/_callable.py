"""Names and fingerprints of Python callables that are passed as models."""

from __future__ import annotations

import functools
import hashlib
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from types import CodeType
from typing import Any

from pixelproof.contract import PixelProofError

_SIMPLE = (str, bytes, int, float, complex, bool, type(None))


def name_of(model: str | Callable[..., object]) -> str:
    """The name of a model for tables and run cards.

    A name stays as it is. A callable is `fn/module:qualname` where that leads back to it; otherwise (lambdas, closures,
    functions of a script or a notebook) it is `fn/qualname@hash`, with a hash of its source.

    >>> import json
    >>> name_of("gguf/smollm2"), name_of(json.dumps)
    ('gguf/smollm2', 'fn/json:dumps')

    Raises:
        PixelProofError: It is neither a name nor a callable.
    """
    if isinstance(model, str) and model:
        return model
    if isinstance(model, str) or not callable(model) or inspect.isclass(model):
        raise PixelProofError(
            f"A model is given by its name, such as gguf/smollm2, or as a function of the prompt, not as {model!r}."
        )
    module, qualname = getattr(model, "__module__", None), _qualname(model)
    if module and module != "__main__" and _resolves(module, qualname, model):
        return f"fn/{module}:{qualname}"
    return f"fn/{qualname}@{source_hash(model)[:12]}"


def source_hash(function: Callable[..., object]) -> str:
    """SHA-256 of a callable's source and of the simple values that it captures.

    Captured objects other than strings, numbers, collections of those, and functions count by their type alone.
    """
    total = hashlib.sha256()
    for piece in _fingerprint(function, depth=4):
        total.update(piece.encode("utf-8", "surrogatepass") + b"\0")
    return total.hexdigest()


def _qualname(model: Any) -> str:
    while isinstance(model, functools.partial):
        model = model.func
    return getattr(model, "__qualname__", None) or type(model).__qualname__


def _resolves(module: str, qualname: str, model: Callable[..., object]) -> bool:
    try:
        same = attrgetter(qualname)(sys.modules[module])
    except (KeyError, AttributeError):
        return False
    return same is model or (inspect.ismethod(same) and inspect.ismethod(model) and same == model)


def _fingerprint(value: Any, depth: int) -> Iterator[str]:
    """Strings that are equal for equal sources and equal captured values."""
    if isinstance(value, _SIMPLE):
        yield repr(value)
    elif depth == 0:
        yield type(value).__qualname__
    elif isinstance(value, dict | list | tuple):
        yield f"{type(value).__qualname__} of {len(value)}"
        yield from _each((part for pair in value.items() for part in pair) if isinstance(value, dict) else value, depth)
    elif isinstance(value, functools.partial):
        yield from _each((value.func, value.args, value.keywords), depth)
    elif inspect.ismethod(value):
        yield from _each((value.__func__, getattr(value.__self__, "__dict__", {})), depth)
    elif inspect.isfunction(value):
        yield _source(value)
        yield from _each((value.__defaults__, value.__kwdefaults__, *_cells(value)), depth)
    elif callable(value) and not inspect.isclass(value):
        yield _source(type(value))
        yield from _each([getattr(value, "__dict__", {})], depth)
    else:
        yield type(value).__qualname__


def _each(values: Iterable[Any], depth: int) -> Iterator[str]:
    for value in values:
        yield from _fingerprint(value, depth - 1)


def _cells(function: Any) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not assigned yet
            yield None


def _source(function: Any) -> str:
    """Source text; the compiled code of a lambda, whose text is the whole statement, and where there is no text."""
    code = getattr(function, "__code__", None)
    if code is not None and code.co_name == "<lambda>":
        return _compiled(code)
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return _compiled(code) if code else str(function.__qualname__)


def _compiled(code: CodeType) -> str:
    constants = [_compiled(one) if isinstance(one, CodeType) else repr(one) for one in code.co_consts]
    return "\n".join([code.co_code.hex(), *code.co_names, *constants])
