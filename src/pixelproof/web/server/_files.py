"""Files of a server: by the hash of their content, never by a path."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from pixelproof.contract import PixelProofError
from pixelproof.pixels import media_type_of
from pixelproof.web._gallery_sheet import SHOWN

FILES = "/files"
_KEY = re.compile(r"[0-9a-f]{64}")


def file_url(key: str) -> str:
    """The address of a file on its server.

    >>> file_url("0" * 64) == "/files/" + "0" * 64
    True
    """
    if not _KEY.fullmatch(key):
        raise ValueError(f"A key is 64 hexadecimal digits, not {key!r}.")
    return f"{FILES}/{key}"


class ContentFiles:
    """Serves the bytes of a SHA-256. Images are shown; everything else is a download without a type."""

    def __init__(self, load: Callable[[str], bytes]) -> None:
        """Serve from a store.

        Args:
            load: From a key to its bytes; raises PixelProofError if there are none. What it returns is verified.
        """
        self._load = load

    async def __call__(self, request: Request) -> Response:
        """Respond to `/files/KEY`."""
        key = str(request.path_params["key"])
        data = await run_in_threadpool(self._read, key) if _KEY.fullmatch(key) else None
        if data is None:
            return PlainTextResponse("There is no such file.", 404)
        kind = media_type_of(data)
        headers = {"Cache-Control": "private, max-age=31536000, immutable"}
        if kind not in SHOWN:  # SVG and HTML could run scripts
            kind = "application/octet-stream"
            headers["Content-Disposition"] = "attachment"
        return Response(data, media_type=kind, headers=headers)

    def _read(self, key: str) -> bytes | None:
        try:
            data = self._load(key)
        except PixelProofError:
            return None
        return data if hashlib.sha256(data).hexdigest() == key else None
