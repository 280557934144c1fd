"""Download of a file of the Hugging Face hub: with huggingface_hub if it is installed, else over HTTPS with resume."""

from __future__ import annotations

import importlib
import importlib.util
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import IO
from urllib.request import OpenerDirector

from pixelproof.contract import PixelProofError

from ._catalogue import Carrier

Report = Callable[[int], None]
_HUB = "https://huggingface.co"
_CHUNK = 1 << 20
_TIMEOUT = 30.0
_PAUSES = (1.0, 4.0)
"""Pauses in seconds after attempts that received nothing; attempts that received something do not count."""
_PASSING = (408, 429, 500, 502, 503, 504)


def fetch_from_hub(source: Carrier, size: int, directory: Path, report: Report) -> Path:
    """Download a file of known size into a directory, continuing an earlier attempt.

    Raises:
        PixelProofError: It cannot be had; what has arrived is kept.
    """
    if importlib.util.find_spec("huggingface_hub"):
        return _by_client(source)
    path = directory / source.archive()
    endpoint = os.environ.get("HF_ENDPOINT") or _HUB
    url = f"{endpoint}/{source.repo}/resolve/{source.revision}/{urllib.parse.quote(source.file)}"
    partial = path.with_name(path.name + ".partial")
    download(url, partial, size, report)
    return partial.replace(path)


def _by_client(source: Carrier) -> Path:
    """Download with the hub's client, which has the user's token and cache, and resumes."""
    hub = importlib.import_module("huggingface_hub")
    try:
        return Path(hub.hf_hub_download(source.repo, source.file, revision=source.revision))
    except Exception as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise PixelProofError(
            f"Downloading {source.words} failed ({reason[:300].rstrip('.:')}): correct that, or download "
            f"{source.archive()} elsewhere and give its path with --from."
        ) from error


def download(url: str, partial: Path, size: int, report: Report, opener: OpenerDirector | None = None) -> None:
    """Download the missing rest of a file of known size; the opener, if any, has the user's credentials.

    Raises:
        PixelProofError: The server refuses, sends too much, or the connection breaks again and again.
    """
    if not url.startswith(("https://", "http://")):
        raise PixelProofError(f"{url} is not an HTTP address: correct HF_ENDPOINT.")
    pauses = list(_PAUSES)
    while (there := partial.stat().st_size if partial.exists() else 0) != size:
        if there > size:
            partial.unlink()
            continue
        try:
            reason = _go_on(url, partial, there, size, report, opener)
        except urllib.error.HTTPError as error:
            reason = f"the server answers {error.code} {error.reason}"
            if error.code == 416:
                partial.unlink(missing_ok=True)  # the partial file is not a prefix of the server's file
            elif error.code not in _PASSING:
                raise PixelProofError(f"{url} cannot be downloaded: {reason}.") from error
        if partial.exists() and partial.stat().st_size > there:
            pauses = list(_PAUSES)
        elif pauses:
            time.sleep(pauses.pop(0))
        else:
            raise PixelProofError(
                f"The download of {url} stopped at {there:,} of {size:,} bytes ({reason}): the same command continues "
                "from there."
            )


def _go_on(url: str, partial: Path, there: int, size: int, report: Report, opener: OpenerDirector | None = None) -> str:
    """Request the rest and append it; returns the reason if the transfer ended early."""
    request = urllib.request.Request(url, headers={"Range": f"bytes={there}-", "Accept-Encoding": "identity"})
    try:
        reply = (opener.open if opener else urllib.request.urlopen)(request, timeout=_TIMEOUT)
    except urllib.error.HTTPError:
        raise
    except (OSError, HTTPException) as error:
        return str(getattr(error, "reason", error)) or type(error).__name__
    with reply:
        resumed = reply.status == 206
        if resumed and not str(reply.headers["Content-Range"]).startswith(f"bytes {there}-"):
            return "the server sends another part than it was asked for"
        with partial.open("ab" if resumed else "wb") as file:
            return _append(reply, file, there if resumed else 0, size, report)


def _append(reply: HTTPResponse, file: IO[bytes], there: int, size: int, report: Report) -> str:
    while there <= size:
        report(there)
        try:
            data = reply.read1(_CHUNK)
        except (OSError, HTTPException) as error:
            return str(error) or type(error).__name__
        if not data:
            return "the connection ended too early"
        file.write(data)
        there += len(data)
    raise PixelProofError(f"The server sent more than the {size:,} bytes of the file: it is another file.")
