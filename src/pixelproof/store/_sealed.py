"""Parquet files with checksums of every byte, and enough redundancy to undo small damage.

A seal stands between the row groups and the footer, where Parquet allows anything: it stays a plain Parquet file.

    data | head | copy of the footer | CRC-32 of each block | parity blocks | head | footer | length, "PAR1"

The data are divided into blocks of 512 bytes. Block i belongs to stripe i modulo the number of stripes, and the parity
block of a stripe is the XOR of its blocks. One damaged block per stripe can be restored: a flipped bit costs nothing,
nor does a damaged run of about 1/16 of the data, or of 2 KB if that is more.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

BLOCK = 512
_BLOCKS_PER_STRIPE, _FEWEST_STRIPES = 16, 4
_MAGIC = b"PIXELPROOFSEAL01"
_FIELDS = struct.Struct("<16sQIIQII")
_HEAD = _FIELDS.size + 4
_TAIL = 8
_CHUNK = 1 << 20


class Damage(Exception):
    """The bytes of a file are not those that were written."""


@dataclass(frozen=True)
class _Head:
    """What the two equal heads of a seal say."""

    data: int
    data_crc: int
    footer: int
    payload: int
    footer_crc: int
    payload_crc: int

    def pack(self) -> bytes:
        fields = (self.data, self.data_crc, self.footer, self.payload, self.footer_crc, self.payload_crc)
        body = _FIELDS.pack(_MAGIC, *fields)
        return body + struct.pack("<I", zlib.crc32(body))

    def identity(self) -> str:
        return hashlib.sha256(self.pack()).hexdigest()[:16]

    @classmethod
    def unpack(cls, raw: bytes) -> _Head | None:
        """The head, or None if the bytes are no intact head."""
        if len(raw) != _HEAD or struct.unpack("<I", raw[-4:])[0] != zlib.crc32(raw[:-4]):
            return None
        magic, *fields = _FIELDS.unpack(raw[:-4])
        return cls(*fields) if magic == _MAGIC else None


def seal(path: Path) -> None:
    """Add a seal to a Parquet file that has none."""
    with open(path, "r+b") as file:
        size = file.seek(0, os.SEEK_END)
        footer, tail = _read_footer(file, size)
        data = size - _TAIL - len(footer)
        file.seek(0)
        checksums, parity, total = _redundancy(file, data)
        payload = footer + checksums + parity
        head = _Head(data, total, len(footer), len(payload), zlib.crc32(footer), zlib.crc32(payload)).pack()
        file.seek(data)
        file.write(head + payload + head + footer + tail)


def seal_id(path: Path) -> str:
    """A hash of the checksums in the seal of a Parquet file, which are not verified; empty if it has none."""
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        try:
            footer, _ = _read_footer(file, size)
        except Damage:
            return ""
        file.seek(max(0, size - _TAIL - len(footer) - _HEAD))
        head = _Head.unpack(file.read(_HEAD))
        return "" if head is None else head.identity()


def verify(path: Path) -> None:
    """Check every byte of a Parquet file.

    Raises:
        Damage: The file has no seal, or differs from what was written.
        OSError: It cannot be read.
    """
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        footer, _ = _read_footer(file, size)
        end = size - _TAIL - len(footer)
        file.seek(max(0, end - _HEAD))
        head = _Head.unpack(file.read(_HEAD))
        if head is None:
            raise Damage("its seal is broken" if _mentions_seal(file) else "it has no checksums")
        if head.footer != len(footer) or head.data + 2 * _HEAD + head.payload != end:
            raise Damage("its length is wrong")
        file.seek(0)
        if _crc_of(file, head.data) != head.data_crc:
            raise Damage("the checksum of its rows is wrong")
        if _Head.unpack(file.read(_HEAD)) != head or _crc_of(file, head.payload) != head.payload_crc:
            raise Damage("the checksum of its seal is wrong")
        if zlib.crc32(footer) != head.footer_crc:
            raise Damage("the checksum of its footer is wrong")


@dataclass(frozen=True)
class Restored:
    """What could be restored of a damaged file, as a Parquet file without a seal."""

    content: bytes
    """Row groups at their old places, and the footer."""
    lost: tuple[tuple[int, int], ...]
    """Byte ranges, end exclusive, that are still wrong."""


def restore(raw: bytes, known: str | None = None) -> Restored | None:
    """Undo the damage of a sealed Parquet file as far as possible; None if no seal or no footer is left.

    Args:
        raw: The content of the file.
        known: The `seal_id` that the file had; another seal counts as none.
    """
    head = next((head for head in _heads(raw) if known in (None, head.identity())), None)
    if head is None:
        return None
    begin = head.data + _HEAD
    payload = raw[begin : begin + head.payload].ljust(head.payload, b"\0")
    data, lost = _restore_data(raw[: head.data].ljust(head.data, b"\0"), head, payload)
    place = begin + head.payload + _HEAD
    copies = (payload[: head.footer], raw[place : place + head.footer])
    footer = next((copy for copy in copies if zlib.crc32(copy) == head.footer_crc), None)
    if footer is None:
        return None
    return Restored(data + footer + struct.pack("<I", len(footer)) + b"PAR1", lost)


def _restore_data(raw: bytes, head: _Head, payload: bytes) -> tuple[bytes, tuple[tuple[int, int], ...]]:
    """The data with one wrong block per stripe restored, and the byte ranges that are still wrong."""
    if zlib.crc32(raw) == head.data_crc:
        return raw, ()
    count = _blocks(head.data)
    stripes = _stripes(count)
    known = np.frombuffer(payload, "<u4", count, head.footer)
    parity = np.frombuffer(payload, np.uint8, stripes * BLOCK, head.footer + 4 * count).reshape(stripes, BLOCK)
    blocks = np.frombuffer(raw.ljust(count * BLOCK, b"\0"), np.uint8).reshape(count, BLOCK).copy()
    actual = _block_checksums(blocks, head.data)
    wrong = np.flatnonzero(actual != known)
    alone = [block for block in wrong if (wrong % stripes == block % stripes).sum() == 1]
    for block in alone:
        others = blocks[block % stripes :: stripes]
        blocks[block] ^= np.bitwise_xor.reduce(others, axis=0) ^ parity[block % stripes]
    data = blocks.tobytes()[: head.data]
    if zlib.crc32(data) == head.data_crc:
        return data, ()
    still = np.flatnonzero(_block_checksums(blocks, head.data) != known)
    return data, tuple((int(block) * BLOCK, min(head.data, (int(block) + 1) * BLOCK)) for block in still)


def _block_checksums(blocks: NDArray[np.uint8], length: int) -> NDArray[np.uint32]:
    content = blocks.tobytes()[:length]
    return np.array([zlib.crc32(content[at : at + BLOCK]) for at in range(0, length, BLOCK)], np.uint32)


def _heads(raw: bytes) -> Iterator[_Head]:
    place = raw.find(_MAGIC)
    while place >= 0:
        head = _Head.unpack(raw[place : place + _HEAD])
        if head is not None and place in (head.data, head.data + _HEAD + head.payload):
            yield head
        place = raw.find(_MAGIC, place + 1)


def _blocks(length: int) -> int:
    return -(-length // BLOCK)


def _stripes(blocks: int) -> int:
    return max(_FEWEST_STRIPES, -(-blocks // _BLOCKS_PER_STRIPE))


def _redundancy(file: BinaryIO, length: int) -> tuple[bytes, bytes, int]:
    """CRC-32 of each block, the parity blocks, and the CRC-32 of all data."""
    stripes = _stripes(_blocks(length))
    parity = np.zeros(stripes * BLOCK, np.uint8)
    checksums, total, place = [], 0, 0
    while place < length:
        chunk = file.read(min(stripes * BLOCK, length - place))
        view = memoryview(chunk)
        checksums += [zlib.crc32(view[at : at + BLOCK]) for at in range(0, len(chunk), BLOCK)]
        total = zlib.crc32(chunk, total)
        parity[: len(chunk)] ^= np.frombuffer(chunk, np.uint8)
        place += len(chunk)
    return np.array(checksums, "<u4").tobytes(), parity.tobytes(), total


def _crc_of(file: BinaryIO, length: int) -> int:
    """CRC-32 of the next bytes of a file."""
    total = 0
    while length > 0 and (chunk := file.read(min(_CHUNK, length))):
        total = zlib.crc32(chunk, total)
        length -= len(chunk)
    return total


def _read_footer(file: BinaryIO, size: int) -> tuple[bytes, bytes]:
    """The footer and the last eight bytes."""
    file.seek(max(0, size - _TAIL))
    tail = file.read(_TAIL)
    length = int.from_bytes(tail[:4], "little")
    if len(tail) < _TAIL or tail[4:] != b"PAR1" or length + _TAIL > size:
        raise Damage("it does not end like a Parquet file")
    file.seek(size - _TAIL - length)
    return file.read(length), tail


def _mentions_seal(file: BinaryIO) -> bool:
    """Whether there is a trace of a seal anywhere in a file."""
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(_MAGIC) >= 0
