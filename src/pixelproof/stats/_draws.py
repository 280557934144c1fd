"""Random generators derived from (seed, purpose, index), independent of the order of use."""

from __future__ import annotations

import hashlib

import numpy as np


def generator(seed: int, purpose: str, index: int = 0) -> np.random.Generator:
    """An independent generator for a purpose and an index; the same in every process and on every platform.

    >>> int(generator(7, "scene", 3).integers(1000)), int(generator(7, "scene", 4).integers(1000))
    (886, 265)
    """
    return np.random.default_rng(int.from_bytes(_digest(seed, purpose, index), "big"))


def derive_seed(seed: int, purpose: str, index: int = 0) -> int:
    """A seed of 31 bits, which every model provider accepts.

    >>> derive_seed(7, "sample", 0), derive_seed(7, "sample", 1)
    (2005020762, 657548863)
    """
    return int.from_bytes(_digest(seed, purpose, index)[:4], "big") >> 1


def _digest(seed: int, purpose: str, index: int) -> bytes:
    # The two numbers come first, so that no purpose can be mistaken for another triple.
    return hashlib.sha256(f"{int(seed)}/{int(index)}/{purpose}".encode()).digest()
