"""A disk cache of rendered layers: compressed, verified on reading, rendered again if damaged."""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from PIL import Image

from pixelproof.contract import Artefact, PixelProofError
from pixelproof.pixels import read_image
from pixelproof.store import StorageError, replacing

Array = npt.NDArray[Any]
Arrays = dict[str, Array]

_LEVEL = 3


def pack(array: Array) -> bytes:
    """Serialise an array with its type, shape and checksum; RGB images as lossless WebP, the rest by zstd.

    >>> unpack(pack(np.array([[1.5, -2.0]], np.float32))).tolist()
    [[1.5, -2.0]]
    """
    picture = array.dtype == np.uint8 and array.ndim == 3
    body = _webp(array) if picture else _compressed(array)
    head = json.dumps([array.dtype.str, list(array.shape), "webp" if picture else "zstd", zlib.crc32(body)])
    return head.encode() + b"\n" + body


def unpack(data: bytes) -> Array:
    """Deserialise an array.

    Raises:
        ValueError: The bytes are damaged.
    """
    head, _, body = data.partition(b"\n")
    try:
        kind, shape, form, checksum = json.loads(head)
        if zlib.crc32(body) != checksum:
            raise ValueError("the checksum is wrong")
        array = _picture(body) if form == "webp" else _decompressed(body, np.dtype(kind), shape)
    except (TypeError, SyntaxError, OSError, PixelProofError) as error:  # numpy parses the names of types
        raise ValueError(str(error)) from error
    if array.dtype.str != kind or list(array.shape) != shape:
        raise ValueError(f"it holds {array.dtype} {array.shape}, not {kind} {shape}")
    return array


class FrameCache:
    """A folder of facts and arrays that can be made again.

    An entry that cannot be read counts as missing; one that cannot be written, as on a full disk, is not kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def facts(self, key: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Facts of an entry as plain JSON data; made and stored if they are missing."""
        path = self._folder / f"{key}.json"
        with suppress(OSError, ValueError, TypeError, KeyError):
            stored = json.loads(path.read_text("utf-8"))
            if stored["crc32"] == _checksum(stored["facts"]):
                return dict(stored["facts"])
        made = make()
        self._write(path, json.dumps({"crc32": _checksum(made), "facts": made}, ensure_ascii=False).encode())
        return made

    def arrays(self, key: str, names: Iterable[str], make: Callable[[list[str]], Arrays]) -> Arrays:
        """Layers of an entry; those that are missing are made in one call, and stored."""
        paths = {name: self._folder / f"{key}.{name}" for name in names}
        found: Arrays = {}
        for name, path in paths.items():
            with suppress(OSError, ValueError):
                found[name] = unpack(path.read_bytes())
        if missing := [name for name in paths if name not in found]:
            for name, array in make(missing).items():
                found[name] = array
                self._write(paths[name], pack(array))
        return found

    def _write(self, path: Path, data: bytes) -> None:
        with suppress(StorageError), replacing(path, sync=False) as temporary:  # a full disk stops no measurement
            temporary.write_bytes(data)


def _checksum(facts: Any) -> int:
    return zlib.crc32(json.dumps(facts, sort_keys=True).encode())


def _webp(picture: Array) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, "WEBP", lossless=True, quality=30, method=0)
    return buffer.getvalue()


def _picture(body: bytes) -> Array:
    return read_image(Artefact(body, "image/webp"))


def _compressed(array: Array) -> bytes:
    """Zstd after byte shuffling (all first bytes, then all second ones), which halves the size of floats."""
    planes = np.ascontiguousarray(array).view(np.uint8).reshape(-1, array.itemsize).T
    body: bytes = pa.Codec("zstd", _LEVEL).compress(np.ascontiguousarray(planes).tobytes(), asbytes=True)
    return body


def _decompressed(body: bytes, kind: np.dtype[Any], shape: list[int]) -> Array:
    size = int(np.prod(shape)) * kind.itemsize
    planes = np.frombuffer(pa.Codec("zstd").decompress(body, size, asbytes=True), np.uint8)
    return np.ascontiguousarray(planes.reshape(kind.itemsize, -1).T).view(kind).reshape(shape)
