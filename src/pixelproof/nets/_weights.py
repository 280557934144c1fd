"""Weights in a file: arrays and a card as an npz without pickle; files of others are checked before they are read."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError
from pixelproof.store import plain, replacing

Arrays = dict[str, npt.NDArray[Any]]
Json = Any
"""A JSON value."""
Facts = Mapping[str, Json]
"""The card."""
MOST_BYTES = 64 * 2**20
"""Largest file of weights that is read."""
_CARD = "card"
_SCALE = ".scale"
_KINDS = "fiub"


def write_weights(path: Path, arrays: Mapping[str, npt.NDArray[Any]], card: Facts) -> None:
    """Write arrays and a card of JSON values to one file, which replaces an older one in one step.

    Raises:
        PixelProofError: The file cannot be written.
    """
    text = json.dumps(plain(card), ensure_ascii=False, allow_nan=False).encode()
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, **{_CARD: np.frombuffer(text, np.uint8)}, **arrays)


def read_weights(path: Path, most_bytes: int = MOST_BYTES) -> tuple[Arrays, Facts]:
    """Read what `write_weights` wrote. Nothing of the file is executed, and no array is larger than the file.

    Args:
        path: The file.
        most_bytes: Largest file that is read.

    Returns:
        The arrays by name, and the card.

    Raises:
        PixelProofError: There is no such file, or it is damaged, too large, compressed, pickled or not finite.
    """
    try:
        if path.stat().st_size > most_bytes:
            raise ValueError(f"it has more than {most_bytes:,} bytes")
        with zipfile.ZipFile(path) as archive:
            _check_members(archive)
            arrays = {member.removesuffix(".npy"): _read_array(archive, member) for member in archive.namelist()}
        card = json.loads(arrays.pop(_CARD).tobytes().decode("utf-8"))
        if not isinstance(card, dict):
            raise ValueError("its card is not a JSON object")
    except (OSError, EOFError, ValueError, KeyError, RecursionError, NotImplementedError, zipfile.BadZipFile) as error:
        raise PixelProofError(
            f"{path} has no weights that can be read ({error}): train or download it again."
        ) from error
    return arrays, card


def _check_members(archive: zipfile.ZipFile) -> None:
    """Refuse archives whose members are compressed, doubled, or not arrays."""
    members = archive.infolist()
    names = [member.filename for member in members]
    if len(set(names)) < len(names) or not all(name.endswith(".npy") for name in names):
        raise ValueError("its members are not arrays with different names")
    if any(
        member.compress_type != zipfile.ZIP_STORED or member.compress_size != member.file_size for member in members
    ):
        raise ValueError("it is compressed")


def _read_array(archive: zipfile.ZipFile, name: str) -> npt.NDArray[Any]:
    """One member as an array; its type and size are checked before memory is allocated."""
    with archive.open(name) as file:
        version = np.lib.format.read_magic(file)
        if version != (1, 0):
            raise ValueError(f"{name} has an unknown format")
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
        data = file.read()
    count = int(np.prod([int(length) for length in shape], dtype=object))
    if dtype.kind not in _KINDS or dtype.hasobject or dtype.shape or min(shape, default=0) < 0:
        raise ValueError(f"{name} does not hold numbers")
    if count * dtype.itemsize != len(data):
        raise ValueError(f"{name} has not the size that its header states")
    array = np.frombuffer(data, dtype).reshape(shape, order="F" if fortran else "C")
    if dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{name} is not finite")
    return array


def quantise(arrays: Mapping[str, npt.NDArray[Any]]) -> Arrays:
    """Store matrices as 8-bit integers with a scale for each row; `dequantise` gives them back, rounded.

    >>> dequantise(quantise({"w": np.array([[1.27, -0.01]], np.float32)}))["w"].astype(float).round(3).tolist()
    [[1.27, -0.01]]
    """
    small: Arrays = {}
    for name, value in arrays.items():
        scale = np.abs(value).max(-1, keepdims=True).astype(np.float32) / 127
        small[name] = np.round(value / np.where(scale == 0, 1, scale)).astype(np.int8)
        small[name + _SCALE] = scale
    return small


def dequantise(arrays: Mapping[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[np.float32]]:
    """Arrays in single precision, whether they were quantised or not."""
    return {
        name: value.astype(np.float32) * arrays.get(name + _SCALE, np.float32(1))
        for name, value in arrays.items()
        if not name.endswith(_SCALE)
    }
