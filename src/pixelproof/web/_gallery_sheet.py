"""Images of a page: embedded within a budget, or linked."""

from __future__ import annotations

import base64
import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator

from PIL import Image

from pixelproof.contract import PixelProofError
from pixelproof.pixels import media_type_of, read_image
from pixelproof.store import BlobStore

SHOWN = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})
"""Types that browsers show without running anything; SVG is not one of them."""
_LARGEST = 96 * 1024
"""Bytes; larger files are embedded as reduced copies."""
_SIDE = 640
"""Pixels of the longer side of a reduced copy."""
_HEAD = 1024
"""Bytes that determine the type of a file."""


class GallerySheet(ABC):
    """Collects the addresses of images, each once."""

    def __init__(self) -> None:
        self.uris: list[str] = []
        self.full = False
        """Whether there was no space for an image; none is added after that."""
        self.unreadable = 0
        """Number of images that are missing, damaged, or of a type that is not shown."""
        self._places: dict[str, int | None] = {}

    def place(self, key: str, blobs: BlobStore) -> int | None:
        """The number of an image in `uris`, added if it is new; None if it cannot be shown or there is no space."""
        if key not in self._places and not self.full:
            try:
                uri = self._uri(key, blobs)
            except (PixelProofError, OSError, ValueError):  # missing, damaged, not an image, or not a key
                uri = None
            self.unreadable += uri is None
            self._places[key] = self._add(uri) if uri is not None else None
        return self._places.get(key)

    def _add(self, uri: str) -> int | None:
        if not self._fits(uri):
            self.full = True
            return None
        self.uris.append(uri)
        return len(self.uris) - 1

    @abstractmethod
    def _uri(self, key: str, blobs: BlobStore) -> str | None:
        """The address of an image; None if its type is not shown."""

    def _fits(self, uri: str) -> bool:
        return True


class EmbeddedSheet(GallerySheet):
    """Images inside the page, until a budget is spent."""

    def __init__(self, budget: int) -> None:
        """Start empty.

        Args:
            budget: Characters of all addresses together.
        """
        super().__init__()
        self._left = budget

    def _uri(self, key: str, blobs: BlobStore) -> str | None:
        return data_uri(blobs.get(key))

    def _fits(self, uri: str) -> bool:
        fits = len(uri) <= self._left
        self._left -= len(uri) if fits else 0
        return fits


class LinkedSheet(GallerySheet):
    """Images that the page's server delivers."""

    def __init__(self, url: Callable[[str], str]) -> None:
        """Start empty.

        Args:
            url: From the key of a blob to its address.
        """
        super().__init__()
        self._url = url

    def _uri(self, key: str, blobs: BlobStore) -> str | None:
        with blobs.file(key).open("rb") as file:
            return self._url(key) if media_type_of(file.read(_HEAD)) in SHOWN else None


def data_uri(data: bytes) -> str | None:
    """An image as a `data:` address, reduced if it is large; None if its type is not shown.

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
    """The numbers 0 to n - 1, in an order in which every prefix is spread evenly.

    >>> list(evenly(6))
    [0, 4, 2, 1, 5, 3]
    """
    bits = max(1, (n - 1).bit_length())
    for i in range(1 << bits):
        place = int(f"{i:0{bits}b}"[::-1], 2)
        if place < n:
            yield place
