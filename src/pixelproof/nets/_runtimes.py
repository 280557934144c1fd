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


def onnx_session(onnx: Any, path: str) -> Any:
    """Open a network for onnxruntime on the CPU."""
    options = onnx.SessionOptions()
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # idle threads must not spin
    options.log_severity_level = 3
    return onnx.InferenceSession(path, options, providers=["CPUExecutionProvider"])
