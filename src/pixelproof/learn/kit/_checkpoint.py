"""Checkpoints: everything that a run needs to go on, in one file that is replaced in one step."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from pixelproof.contract import PixelProofError
from pixelproof.nets import read_weights, write_weights

Value = Any
"""A tensor, a number, a text, or a dictionary or list of them."""
State = dict[str, Value]
_MOST_BYTES = 16 * 2**30
FILE = "last.npz"


class Checkpoints:
    """The newest state of a run in `out/last.npz`, with the CPU time and the number of legs so far.

    Args:
        out: Directory of the run.
    """

    def __init__(self, out: Path) -> None:
        self._path = out / FILE
        self._before = 0.0
        self._start = time.process_time()
        self.legs = 1

    @property
    def cpu_seconds(self) -> float:
        """CPU time of this process and of those before it, up to their last checkpoint."""
        return self._before + time.process_time() - self._start

    def load(self) -> State | None:
        """The state that was saved last, with arrays as tensors; None if there is none.

        Raises:
            PixelProofError: The file is damaged, or no checkpoint.
        """
        if not self._path.exists():
            return None
        arrays, facts = read_weights(self._path, _MOST_BYTES)
        try:
            self._before, self.legs = float(facts["cpu_seconds"]), int(facts["legs"]) + 1
            state = _unpack(facts["state"], arrays)
            return dict(state)
        except (KeyError, TypeError, ValueError) as error:
            raise PixelProofError(f"{self._path} is not a checkpoint ({error!r}): remove it to begin anew.") from error

    def save(self, **state: Value) -> None:
        """Save tensors, numbers, texts, and dictionaries and lists of them, such as `optimizer.state_dict()`.

        Raises:
            PixelProofError: The file cannot be written.
        """
        arrays: State = {}
        facts = {"cpu_seconds": self.cpu_seconds, "legs": self.legs, "state": _pack(state, arrays)}
        write_weights(self._path, arrays, facts)


def _pack(value: Value, arrays: State) -> Value:
    """A value as JSON, in which tensors are the names of arrays."""
    if isinstance(value, torch.Tensor | np.ndarray):
        name = f"a{len(arrays)}"
        arrays[name] = np.asarray(value.detach().cpu() if isinstance(value, torch.Tensor) else value)
        return {"array": name}
    if isinstance(value, Mapping):
        return {"items": [[key, _pack(inner, arrays)] for key, inner in value.items()]}
    if isinstance(value, list | tuple):
        return [_pack(inner, arrays) for inner in value]
    return value


def _unpack(value: Value, arrays: State) -> Value:
    if isinstance(value, dict) and "array" in value:
        return torch.from_numpy(arrays[value["array"]].copy())
    if isinstance(value, dict):
        return {key: _unpack(inner, arrays) for key, inner in value["items"]}
    return [_unpack(inner, arrays) for inner in value] if isinstance(value, list) else value
