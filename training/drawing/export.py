"""From a trained network to the file that `nets` reads."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pixelproof.contract import PixelProofError
from pixelproof.store import plain

_MOST_BYTES = 2_000_000


def write_network(path: Path, layers: Sequence[tuple[Any, Any]], card: Mapping[str, Any]) -> None:
    """Write weights in half precision beside the card.

    Raises:
        PixelProofError: The file cannot be written, or would be too large to come with the package.
    """
    halves: dict[str, Any] = {}
    for n, (weight, bias) in enumerate(layers):
        halves |= {f"weight{n}": np.asarray(weight, dtype=np.float16), f"bias{n}": np.asarray(bias, dtype=np.float16)}
    size = sum(value.nbytes for value in halves.values())
    if size > _MOST_BYTES:
        raise PixelProofError(f"The network has {size:,} bytes, more than {_MOST_BYTES:,}: make its layers narrower.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            np.savez(file, card=np.array(json.dumps(plain(card), ensure_ascii=False)), **halves)
    except OSError as error:
        raise PixelProofError(f"Cannot write {path} ({error.strerror}): give another --out.") from error
