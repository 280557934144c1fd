"""Media type and declared size from the header of a file, without decoding it."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

_SIGNATURES = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (0, b"II*\x00", "image/tiff"),
    (0, b"MM\x00*", "image/tiff"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftypheic", "image/heic"),
    (4, b"ftypmif1", "image/heif"),
    (0, b"\xff\x0a", "image/jxl"),
    (4, b"JXL \r\n\x87\n", "image/jxl"),
    (4, b"jP  \r\n\x87\n", "image/jp2"),
    (0, b"8BPS", "image/vnd.adobe.photoshop"),
    (0, b"%!PS", "application/postscript"),
    (0, b"%PDF-", "application/pdf"),
)


def media_type_of(data: bytes) -> str:
    r"""Media type by magic number; `application/octet-stream` if it is unknown.

    >>> media_type_of(b"\x89PNG\r\n\x1a\n....")
    'image/png'
    >>> media_type_of(b"I cannot draw that.")
    'application/octet-stream'
    """
    for offset, magic, media_type in _SIGNATURES:
        if data.startswith(magic, offset):
            return media_type
    # "BM" also begins ordinary text: check the size of the second header as well, which is a small number.
    if data.startswith(b"BM") and data[15:18] == b"\0\0\0":
        return "image/bmp"
    head = data[:1024].lstrip()
    if head.startswith(b"<svg") or (head.startswith(b"<?xml") and b"<svg" in head):
        return "image/svg+xml"
    return "application/octet-stream"


def declared_size(data: bytes, media_type: str) -> tuple[int, int] | None:
    """Width and height of a WebP or GIF, whose decoders allocate while opening; None for the formats that do not.

    Raises:
        IndexError, struct.error: The header is cut off.
    """
    if media_type == "image/webp":
        return _webp_size(data)
    return _gif_size(data) if media_type == "image/gif" else None


def _webp_size(data: bytes) -> tuple[int, int]:
    kind = data[12:16]
    if kind == b"VP8X":
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    width, height = struct.unpack_from("<HH", data, 26)
    return width & 0x3FFF, height & 0x3FFF


def _gif_size(data: bytes) -> tuple[int, int]:
    """Size of the logical screen, or of the first frame where that is larger."""
    width, height, flags = struct.unpack_from("<HHB", data, 6)
    at = 13 + (3 << (flags & 7) + 1 if flags & 0x80 else 0)
    while data[at] == 0x21:  # extensions before the frame: a label, then blocks up to an empty one
        at += 2
        while data[at]:
            at += data[at] + 1
        at += 1
    left, top, frame_width, frame_height = struct.unpack_from("<HHHH", data, at + 1)
    return max(width, left + frame_width), max(height, top + frame_height)


class Chunk(NamedTuple):
    """A chunk of a PNG."""

    kind: bytes
    body: memoryview
    checksum: int

    def is_whole(self, crc32: Callable[..., int] = zlib.crc32) -> bool:
        """Whether the checksum matches; `crc32` may be a faster implementation."""
        return crc32(self.body, crc32(self.kind)) == self.checksum


def png_chunks(data: bytes) -> Iterator[Chunk]:
    """The chunks of a PNG, up to its end or a truncated one; none for other files."""
    if not data.startswith(b"\x89PNG\r\n\x1a\n"):
        return
    view, at = memoryview(data), 8
    while at + 12 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        end = at + 8 + length
        if end + 4 > len(data):
            return
        yield Chunk(kind, view[at + 8 : end], *struct.unpack_from(">I", data, end))
        if kind == b"IEND":
            return
        at = end + 4


def ends_early(data: bytes) -> bool:
    r"""Whether a PNG, JPEG, WebP or GIF lacks its end, as after an interrupted download; found without decoding.

    >>> ends_early(b"\xff\xd8\xff\xe0...\xff\xd9"), ends_early(b"\xff\xd8\xff\xe0...")
    (False, True)
    """
    media_type = media_type_of(data)
    if media_type == "image/png":
        *_, last = ("", *(bytes(chunk.kind) for chunk in png_chunks(data)))
        return last != b"IEND"
    if media_type == "image/webp":
        return len(data) < 8 + int.from_bytes(data[4:8], "little")
    if media_type == "image/jpeg":  # other data may follow the end: a second image of a phone, an index
        return b"\xff\xd9" not in data
    return media_type == "image/gif" and not data.rstrip(b"\0").endswith(b";")
