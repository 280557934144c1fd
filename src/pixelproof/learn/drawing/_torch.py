"""The door to torch, which is imported only when something is trained."""

from __future__ import annotations

import importlib
from typing import Any

from pixelproof.contract import PixelProofError


def load_torch() -> Any:
    """The module torch.

    Raises:
        PixelProofError: It is not installed.
    """
    try:
        return importlib.import_module("torch")
    except ImportError as error:
        raise PixelProofError("Training needs torch: run pip install 'pixelproof[train]'.") from error
