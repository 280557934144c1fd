"""The libraries of the `world` extra, imported on first use."""

from __future__ import annotations

from typing import Any

from pixelproof.contract import PixelProofError
from pixelproof.store import import_extra


def need(module: str) -> Any:
    """Import a library of the `world` extra.

    Raises:
        PixelProofError: It is not installed, or its settings prevent it from loading.
    """
    try:
        return import_extra(module, "world", "The solid world")
    except RuntimeError as error:  # MuJoCo raises it for an unknown value of MUJOCO_GL
        raise PixelProofError(f"{module} cannot be loaded ({error}): correct that setting, or unset it.") from error
