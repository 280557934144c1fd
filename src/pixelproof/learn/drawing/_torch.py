"""The only import of torch, made when something is trained."""

from __future__ import annotations

from typing import Any

from pixelproof.store import import_extra


def load_torch() -> Any:
    """Import torch.

    Raises:
        PixelProofError: It is not installed.
    """
    return import_extra("torch", "train", "Training")
