"""Inference libraries, imported when a network is opened."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pixelproof.contract import PixelProofError


def runtime(module: str) -> Any:
    """Import a library of the extra `nets`.

    Raises:
        PixelProofError: It is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise PixelProofError(f"This network needs {module}: run pip install 'pixelproof[nets]'.") from error
