"""A fast reader of plain PNGs: the same pixels as Pillow in a third of the time, where isal and numba are installed."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._compiled import kernels
from ._headers import Chunk, png_chunks

_HARMLESS = frozenset([b"IHDR", b"IDAT", b"IEND", b"pHYs", b"tIME", b"sRGB", b"gAMA", b"cHRM", b"sBIT", b"bKGD"])
"""Chunks that do not change what `read_image` gives: no profile, transparency, orientation or animation."""
_LONGEST_NOTE = 4096
_GREY, _RGB, _INDEXED = 0, 2, 3


class _Plain(NamedTuple):
    width: int
    height: int
    colour_type: int
    """Of the PNG: 0 grey, 2 RGB, 3 indexed."""
    parts: list[memoryview]
    """Compressed pixel data, by chunk."""
    colours: bytes
    """The colour table of an indexed image, red, green and blue of each index; empty for others."""


class FastLabels(NamedTuple):
    """Single-byte pixels of a PNG."""

    values: NDArray[np.uint8]
    """Grey values or indices, shape (height, width)."""
    colours: NDArray[np.uint8] | None
    """The colour table of an indexed image, shape (256, 3), with zeros beyond its end; None for a grey one."""


def read_fast_png(data: bytes, max_pixels: int) -> NDArray[np.uint8] | None:
    """Pixels of an undamaged PNG of 8-bit RGB without extras; None for all others, and without isal and numba."""
    read = _read(data, max_pixels, (_RGB,))
    return None if read is None else read[0]


def read_fast_labels(data: bytes, max_pixels: int) -> FastLabels | None:
    """Values of an undamaged 8-bit grey or indexed PNG without extras; None for all others, as `read_fast_png`."""
    read = _read(data, max_pixels, (_GREY, _INDEXED))
    if read is None:
        return None
    values, plain = read
    if plain.colour_type == _GREY:
        return FastLabels(values[..., 0], None)
    colours = np.zeros((256, 3), np.uint8)
    colours.reshape(-1)[: len(plain.colours)] = np.frombuffer(plain.colours, np.uint8)
    return FastLabels(values[..., 0], colours)


def _read(data: bytes, max_pixels: int, types: tuple[int, ...]) -> tuple[NDArray[np.uint8], _Plain] | None:
    """Pixels of a plain PNG of one of these colour types, shape (height, width, channels), and what it consists of."""
    loops, inflater = kernels("pixelproof.pixels._fast_png_kernel"), _module("isal.isal_zlib")
    if loops is None or inflater is None or (plain := _plain(data, max_pixels, types, inflater.crc32)) is None:
        return None
    try:
        pixels = _inflated(plain, inflater, loops)
    except Exception:  # Pillow says what is wrong with it
        return None
    return None if pixels is None else (pixels, plain)


def _inflated(plain: _Plain, inflater: ModuleType, loops: ModuleType) -> NDArray[np.uint8] | None:
    step = 3 if plain.colour_type == _RGB else 1
    size = plain.height * (1 + step * plain.width)
    stream = inflater.decompressobj()
    raw = stream.decompress(b"".join(plain.parts), size + 1)
    if len(raw) != size or not stream.eof or stream.unused_data:
        return None
    rows = np.empty((plain.height, step * plain.width), dtype=np.uint8)
    if not loops.unfilter(np.frombuffer(raw, dtype=np.uint8).reshape(plain.height, -1), rows, step):
        return None
    return rows.reshape(plain.height, plain.width, step)


@cache
def _module(name: str) -> ModuleType | None:
    try:
        return import_module(name)
    except ImportError:
        return None


def _plain(data: bytes, max_pixels: int, types: tuple[int, ...], crc32: Callable[..., int]) -> _Plain | None:
    """The parts of a PNG of one of these colour types, 8 bits per channel, with harmless chunks only."""
    head, last, colours = None, b"", b""
    parts: list[memoryview] = []
    for chunk in png_chunks(data):
        if chunk.kind == b"IHDR" and (
            len(chunk.body) != 13 or (chunk.body[8], chunk.body[9]) not in ((8, t) for t in types)
        ):
            return None  # before its checksums are computed
        if not _is_harmless(chunk, head) or not chunk.is_whole(crc32):
            return None
        if (chunk.kind == b"IHDR") != (last == b""):  # exactly once, as the first chunk
            return None
        if chunk.kind == b"IHDR":
            width, height, _, colour_type, *form = struct.unpack(">IIBBBBB", chunk.body)
            if form != [0, 0, 0] or not 0 < width * height <= max_pixels:
                return None
            head = width, height, colour_type
        if chunk.kind == b"PLTE":
            if colours or parts or not 0 < len(chunk.body) <= 768 or len(chunk.body) % 3:
                return None
            colours = bytes(chunk.body)
        if chunk.kind == b"IDAT":
            if parts and last != b"IDAT":  # consecutive
                return None
            parts.append(chunk.body)
        last = chunk.kind
    if head is None or not parts or last != b"IEND" or (head[2] == _INDEXED) != bool(colours):
        return None
    return _Plain(*head, parts, colours)


def _is_harmless(chunk: Chunk, head: tuple[int, int, int] | None) -> bool:
    """Whether a chunk changes nothing; text does not unless it hides an orientation or is long."""
    if chunk.kind == b"tEXt":
        return len(chunk.body) <= _LONGEST_NOTE and b"rofile" not in bytes(chunk.body)
    return chunk.kind in _HARMLESS or (chunk.kind == b"PLTE" and head is not None and head[2] == _INDEXED)
