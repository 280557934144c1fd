"""Optional dependencies, imported on first use."""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from typing import Any

from pixelproof.contract import PixelProofError


class MissingExtra(PixelProofError):
    """An optional dependency is not installed; the message names the extra that installs it."""


def can_import(*modules: str) -> bool:
    """Whether all of these top-level modules are installed; none is imported.

    >>> can_import("json"), can_import("json", "no_such_module")
    (True, False)
    """
    try:
        return all(find_spec(name) is not None for name in modules)
    except ModuleNotFoundError:
        return False


def import_extra(module: str, extra: str, purpose: str) -> Any:
    """Import a module of an optional dependency.

    >>> import_extra("json", "all", "Reading").dumps([])
    '[]'

    Args:
        module: Dotted name of the module.
        extra: The extra of `pixelproof` that installs it.
        purpose: What needs it, as the subject of the error message, such as `Training`.

    Raises:
        MissingExtra: It is not installed; the message names the extra.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        library = module.partition(".")[0]
        raise MissingExtra(f"{purpose} needs {library}: run pip install 'pixelproof[{extra}]'.") from error
