"""Plain objects as a folder of files, read one by one."""

from __future__ import annotations

from pixelproof.contract import PixelProofError
from pixelproof.store._urls import parse_url

from ._objects import Objects


class RemoteFolder:
    """The objects directly below a URL, which any program may have written."""

    def __init__(self, url: str) -> None:
        self._objects = Objects(parse_url(url))
        self._sizes: dict[str, int] = {}

    def __str__(self) -> str:
        return self._objects.url

    def names(self) -> list[str]:
        """Names of the objects, sorted.

        Raises:
            PixelProofError: They cannot be listed.
        """
        self._sizes = self._objects.children()
        return list(self._sizes)

    def read(self, name: str, most: int) -> bytes:
        """The bytes of an object.

        Raises:
            OSError: It is missing, cannot be read, or has more than `most` bytes.
        """
        try:
            size = self._sizes[name] if name in self._sizes else self._objects.size(name)
            if size > most:
                raise OSError(f"{self}/{name} has more than {most >> 20} MB")
            data = self._objects.read(name)
        except FileNotFoundError as error:
            raise FileNotFoundError(2, "No such object", f"{self}/{name}") from error
        except PixelProofError as error:
            raise OSError(str(error)) from error
        if len(data) != size:
            raise OSError(f"{self}/{name} has {len(data)} bytes instead of {size}: it is being written")
        return data
