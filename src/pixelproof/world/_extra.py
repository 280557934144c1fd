"""The libraries of the `world` extra, imported when they are needed."""

from __future__ import annotations

import importlib
from typing import Any

from pixelproof.contract import PixelProofError


def need(module: str) -> Any:
    """Import a library that only the world needs.

    Raises:
        PixelProofError: It is not installed, or cannot be used as it is set up.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        library = module.partition(".")[0]
        raise PixelProofError(f"Solid scenes need {library}: pip install 'pixelproof[world]'.") from error
    except RuntimeError as error:  # so MuJoCo answers a value of MUJOCO_GL that it does not know
        raise PixelProofError(f"{module} cannot be loaded ({error}): correct that setting, or unset it.") from error
