"""URLs of storage: which ones there are, and how they are written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pixelproof.contract import PixelProofError, unknown_name

EXTRAS = {"s3": "s3", "gs": "gs", "memory": "s3"}
"""Scheme of a URL → the extra that installs its library; `file` needs none."""
REMOTE_BLOBS = ".remote.json"
"""File among the blobs of a view: where those are that have not been read yet."""
ORIGIN = ".origin"
"""File of a view or working copy: how the URLs of what is beside it begin."""
_URL = re.compile(r"([a-z][a-z0-9+.-]*)://(.*)", re.DOTALL | re.IGNORECASE)
_WINDOWS_DRIVE = re.compile(r"[a-z]:[\\/]", re.IGNORECASE)


@dataclass(frozen=True)
class Location:
    """A folder of objects: everything whose key begins with a path."""

    scheme: str
    path: str
    """Bucket and key, without slashes at the ends."""

    @property
    def url(self) -> str:
        """The URL, without a slash at the end."""
        return f"{self.scheme}://{self.path}"

    def __truediv__(self, name: str) -> Location:
        return Location(self.scheme, f"{self.path}/{name}") if name else self


def is_url(text: object) -> bool:
    """Whether a text is a URL and not a path; a path can have a colon, too.

    >>> is_url("s3://bucket/run"), is_url("runs/a"), is_url("C:/runs")
    (True, False, False)
    """
    return isinstance(text, str) and bool(_URL.fullmatch(text)) and not _WINDOWS_DRIVE.match(text)


def parse_url(url: str) -> Location:
    """The location of a URL.

    >>> parse_url("s3://bucket/runs/a/").path
    'bucket/runs/a'

    Raises:
        PixelProofError: Its scheme is unknown, it has no bucket, or it contains credentials, which are not repeated.
    """
    match = _URL.fullmatch(url)
    scheme = match[1].lower() if match else ""
    if scheme == "gcs":
        scheme = "gs"
    if match is None or scheme not in EXTRAS:
        raise unknown_name("kind of storage", f"{scheme}://", [*(f"{name}://" for name in EXTRAS), "file://"])
    host = match[2].partition("/")[0]
    if "@" in host:
        raise PixelProofError(
            f"A URL must not contain credentials ({scheme}://…@…): leave them out, and set them where other programs "
            "find them, such as AWS_PROFILE, AWS_ACCESS_KEY_ID or GOOGLE_APPLICATION_CREDENTIALS."
        )
    path = match[2].strip("/")
    parts = path.split("/")
    if not host or any(part in ("", ".", "..") for part in parts) or not path.isprintable():
        raise PixelProofError(f"{url!r} is no address of a folder: write it like {scheme}://bucket/folder.")
    return Location(scheme, path)


def file_path(url: str) -> Path | None:
    """The path of a `file://` URL; None for other URLs.

    >>> file_path("file:///data/my%20runs").as_posix()
    '/data/my runs'
    """
    parts = urlsplit(url)
    if parts.scheme.lower() != "file":
        return None
    if parts.netloc not in ("", "localhost"):
        raise PixelProofError(f"{url!r} names another machine: write file:///folder for a folder of this one.")
    return Path(unquote(parts.path))
