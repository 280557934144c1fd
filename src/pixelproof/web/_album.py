"""Pictures inside a page: each once, within a budget."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterator

from PIL import Image

from pixelproof.contract import PixelProofError
from pixelproof.pixels import media_type_of, read_image

SHOWN = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})
"""What browsers draw without running anything; SVG is not among them on purpose."""
_LARGEST = 96 * 1024
"""Bytes; larger files are shown as reduced copies."""
_SIDE = 640
"""Pixels of the longer side of a reduced copy."""


class Album:
    """Collects pictures by the hash of their bytes until the budget is spent."""

    def __init__(self, budget: int) -> None:
        self.uris: list[str] = []
        self.full = False
        """Whether a picture had no room; nothing is loaded after that."""
        self.unreadable = 0
        self._left = budget
        self._places: dict[str, int | None] = {}

    def place(self, key: str, load: Callable[[str], bytes]) -> int | None:
        """The number of a picture in `uris`, put there if it is new; None if it cannot be shown or has no room."""
        if key not in self._places and not self.full:
            self._places[key] = self._add(key, load)
        return self._places.get(key)

    def _add(self, key: str, load: Callable[[str], bytes]) -> int | None:
        try:
            uri = data_uri(load(key))
        except (PixelProofError, ValueError):  # missing, damaged, not a picture, or not a key of ours
            uri = None
        if uri is None:
            self.unreadable += 1
            return None
        self.full = len(uri) > self._left
        if self.full:
            return None
        self._left -= len(uri)
        self.uris.append(uri)
        return len(self.uris) - 1


def data_uri(data: bytes) -> str | None:
    """A picture as a `data:` address, reduced if it is large; None if browsers do not draw its kind.

    Raises:
        ImageError: It is large, and cannot be decoded to be reduced.
    """
    kind = media_type_of(data)
    if kind not in SHOWN:
        return None
    if len(data) > _LARGEST:
        data, kind = _reduced(data), "image/webp"
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def _reduced(data: bytes) -> bytes:
    image = Image.fromarray(read_image(data))
    image.thumbnail((_SIDE, _SIDE), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    image.save(buffer, "WEBP", quality=85, method=2)
    return buffer.getvalue()


def evenly(n: int) -> Iterator[int]:
    """All of 0 to n - 1, so ordered that any beginning of it is spread evenly.

    >>> list(evenly(6))
    [0, 4, 2, 1, 5, 3]
    """
    bits = max(1, (n - 1).bit_length())
    for i in range(1 << bits):
        place = int(f"{i:0{bits}b}"[::-1], 2)
        if place < n:
            yield place
