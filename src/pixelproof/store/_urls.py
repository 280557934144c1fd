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
PROBLEM = ".problem"
"""File in the view of a folder of runs, in place of a run that cannot be read: the reason."""
_URL = re.compile(r"([a-z][a-z0-9+.-]*)://(.*)", re.DOTALL | re.IGNORECASE)
_MISTYPED = re.compile(r"(s3|gs|gcs|memory|file):", re.IGNORECASE)
_LONGEST = 200
"""Bytes of a name in the cache: a file system has 255, and temporary names are longer."""
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

    @property
    def parent(self) -> Location | None:
        """The folder that this one is in; None for a bucket."""
        path = self.path.rpartition("/")[0]
        return Location(self.scheme, path) if path else None

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
    _refuse_credentials(scheme, host)
    path = match[2].strip("/")
    parts = path.split("/")
    if any(len(part.encode("utf-8", "replace")) > _LONGEST for part in parts):
        raise PixelProofError(
            f"The URL {url[:60]}… has a name of more than {_LONGEST} bytes between two slashes, which a local copy "
            "cannot have: choose a shorter one."
        )
    if not host or any(part in ("", ".", "..") for part in parts) or not path.isprintable():
        raise PixelProofError(f"{url!r} is no address of a folder: write it like {scheme}://bucket/folder.")
    return Location(scheme, path)


def _refuse_credentials(scheme: str, host: str) -> None:
    """Refuse a URL whose first part is no bucket or host; a secret may have a slash, and would go on after it."""
    if "@" in host or ":" in host:
        raise PixelProofError(
            f"A URL must not contain credentials ({scheme}://…@…), and a bucket has no colon: leave them out, and set "
            "them where other programs find them, such as AWS_PROFILE, AWS_ACCESS_KEY_ID or "
            "GOOGLE_APPLICATION_CREDENTIALS."
        )


def require_path(text: str | Path) -> None:
    """Refuse a path that was meant as a URL, such as `s3:/bucket/run`.

    Raises:
        PixelProofError: It begins with the scheme of a URL.
    """
    match = _MISTYPED.match(str(text))
    if match and not is_url(str(text)):
        rest = str(text)[match.end() :].lstrip("/")
        shown = "" if "@" in rest else f" {match[1].lower()}://{rest}"
        raise PixelProofError(f"A path must not begin with {match[0]!r}: write the URL{shown} with two slashes.")


def file_path(url: str) -> Path | None:
    """The path of a `file://` URL; None for other URLs.

    >>> file_path("file:///data/my%20runs").as_posix()
    '/data/my runs'
    """
    parts = urlsplit(url)
    if parts.scheme.lower() != "file":
        return None
    _refuse_credentials("file", parts.netloc)
    if parts.netloc not in ("", "localhost"):
        raise PixelProofError(f"{url!r} names another machine: write file:///folder for a folder of this one.")
    return Path(unquote(parts.path))
