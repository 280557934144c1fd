"""The libraries of the `world` extra, imported when they are needed."""

from __future__ import annotations

import importlib
from typing import Any

from pixelproof.contract import PixelProofError


def need(module: str) -> Any:
    """Import a library that only the world needs.

    Raises:
        PixelProofError: It is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        library = module.partition(".")[0]
        raise PixelProofError(f"{library} needs the world extra: pip install 'pixelproof[world]'.") from error
