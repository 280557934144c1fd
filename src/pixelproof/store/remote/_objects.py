"""Objects below a URL: listed, read, written and created, with retries and messages that say what to do."""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from pixelproof.contract import PixelProofError
from pixelproof.store._extras import import_extra
from pixelproof.store._scrub import scrub
from pixelproof.store._urls import EXTRAS, Location

R = TypeVar("R")

_PAUSES = (0.2, 1.0, 3.0)
"""Seconds before each further attempt; the libraries below also retry on their own."""
_TRANSIENT = {errno.EBUSY, errno.EIO, errno.ETIMEDOUT, errno.ECONNRESET, getattr(errno, "EREMOTEIO", errno.EIO)}
_TRANSIENT_NAMES = ("Timeout", "ConnectionClosed", "IncompleteRead", "PayloadError", "Disconnected")
_EXISTS = ("PreconditionFailed", "412")
_SKEWED = {"RequestTimeTooSkewed"}
_EXPIRED = {"ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "RequestExpired"}
_FAILING = {"InternalError", "ServiceUnavailable", "SlowDown", "500", "502", "503", "504"}
_BUSY = ("ConditionalRequestConflict", "OperationAborted", "SlowDown", "ServiceUnavailable", "InternalError")


class DamagedObject(PixelProofError):
    """The content of an object is not what was written."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(place, reason)  # all in args, so that the error survives pickling
        self.place, self.reason = place, reason

    def __str__(self) -> str:
        return f"{self.place} is damaged ({self.reason}): restore that object, or write the folder again elsewhere."


class Objects:
    """The objects below a location. A put is atomic: a reader gets a whole object or none."""

    def __init__(self, location: Location) -> None:
        """Connect lazily; credentials come from where the library of the scheme looks for them.

        Raises:
            PixelProofError: The library is not installed.
        """
        self.location = location
        fsspec = import_extra("fsspec", EXTRAS[location.scheme], f"Storage on {location.scheme}://")
        options: dict[str, Any] = {} if location.scheme == "memory" else {"use_listings_cache": False}
        try:
            self._fs = fsspec.filesystem(location.scheme, **options)
        except ImportError as error:
            raise PixelProofError(
                f"Storage on {location.scheme}:// needs a library: run pip install "
                f"'pixelproof[{EXTRAS[location.scheme]}]'."
            ) from error

    @property
    def url(self) -> str:
        """URL of the folder."""
        return self.location.url

    def sizes(self, folder: str = "") -> dict[str, int]:
        """Name → size of every object at any depth; names are relative to the location, sorted."""
        place = (self.location / folder).path
        found: dict[str, Any] = self._call("listed", lambda: self._fs.find(place, detail=True), missing={})
        return dict(sorted((self._name(path), int(info.get("size") or 0)) for path, info in found.items()))

    def children(self) -> dict[str, int]:
        """Name → size of the objects directly below the location."""
        entries: list[dict[str, Any]] = self._call(
            "listed", lambda: self._fs.ls(self.location.path, detail=True), missing=[]
        )
        files = ((self._name(info["name"]), int(info["size"] or 0)) for info in entries if info["type"] == "file")
        return {name: size for name, size in sorted(files) if name}

    def holds_something(self) -> bool:
        """Whether there is an object at the location or below it."""
        entries: list[dict[str, Any]] = self._call(
            "listed", lambda: self._fs.ls(self.location.path, detail=True), missing=[]
        )
        return bool(entries)

    def tags(self) -> dict[str, str]:
        """Name → what changes when the object does (entity tag, or time of the last change)."""
        found: dict[str, Any] = self._call("listed", lambda: self._fs.find(self.location.path, detail=True), missing={})
        marks = ("ETag", "etag", "md5Hash", "LastModified", "created")
        return {
            self._name(path): str(next((info[mark] for mark in marks if info.get(mark)), ""))
            for path, info in sorted(found.items())
        }

    def _name(self, path: str) -> str:
        return path.lstrip("/").removeprefix(self.location.path).lstrip("/")

    def read(self, name: str, start: int | None = None, end: int | None = None) -> bytes:
        """The bytes of an object, or of a part of it.

        Raises:
            FileNotFoundError: There is no such object.
            PixelProofError: It cannot be read.
        """
        path = (self.location / name).path
        data: bytes = self._call("read", lambda: self._fs.cat_file(path, start=start, end=end))
        return data

    def size(self, name: str) -> int:
        """Bytes of an object.

        Raises:
            FileNotFoundError: There is no such object.
        """
        path = (self.location / name).path
        return int(self._call("read", lambda: self._fs.info(path))["size"])

    def download(self, name: str, target: Path) -> None:
        """Copy an object to a file, in pieces.

        Raises:
            FileNotFoundError: There is no such object.
            PixelProofError: It cannot be read.
        """
        path = (self.location / name).path
        self._call("read", lambda: self._fs.get_file(path, str(target)))

    def write(self, name: str, data: bytes | Path) -> None:
        """Write an object from bytes or from a file; a writer that is killed leaves none."""
        path = (self.location / name).path
        if isinstance(data, Path):
            self._call("written", lambda: self._fs.put_file(str(data), path))
        else:
            self._call("written", lambda: self._fs.pipe_file(path, data))

    def create(self, name: str, data: bytes) -> None:
        """Write an object that must not exist, by a conditional request: of two writers, one succeeds.

        Raises:
            FileExistsError: There is one, with other content.
        """
        path = (self.location / name).path
        try:
            self._call("written", lambda: self._fs.pipe_file(path, data, mode="create"))
        except FileExistsError:
            if self.read(name) != data:  # equal: an earlier attempt whose reply was lost
                raise

    def refuses_second(self, name: str, data: bytes) -> bool:
        """Whether the storage refuses to create an object that exists; some ignore the condition of the request."""
        path = (self.location / name).path
        try:
            self._call("written", lambda: self._fs.pipe_file(path, data, mode="create"))
        except FileExistsError:
            return True
        return False

    def modified(self, name: str) -> float:
        """Time of the last change, in seconds, by the clock of the storage."""
        path = (self.location / name).path
        stamp = self._call("read", lambda: self._fs.modified(path))
        return float(stamp.timestamp())

    def delete(self, name: str) -> None:
        """Remove an object."""
        path = (self.location / name).path
        self._call("removed", lambda: self._fs.rm_file(path))

    def _call(self, done: str, function: Callable[[], R], missing: R | None = None) -> R:
        """Call a function of the file system, again after errors that pass."""
        for pause in (*_PAUSES, None):
            try:
                return function()
            except FileNotFoundError as error:
                if "bucket" in str(error).lower() and "NoSuchBucket" in _codes(error):
                    raise self._no_bucket(error) from error
                if missing is None:
                    raise
                return missing
            except PixelProofError:
                raise
            except Exception as error:
                if isinstance(error, FileExistsError) or set(_EXISTS) & set(_codes(error)):
                    raise FileExistsError(f"{self.url} exists") from error
                if pause is None or not _passes(error):
                    raise self._problem(done, error) from error
                time.sleep(pause)
        raise AssertionError  # the last pause is None

    def damaged(self, name: str, reason: object) -> DamagedObject:
        """The error for an object whose content is not what was written."""
        return DamagedObject(f"{self.url}/{name}", str(reason).strip().rstrip("."))

    def _no_bucket(self, error: Exception) -> PixelProofError:
        bucket = self.location.path.partition("/")[0]
        return PixelProofError(
            f"There is no bucket {bucket!r} ({self.url}): correct the URL, or make the bucket first."
        )

    def _problem(self, done: str, error: Exception) -> PixelProofError:
        reason = str(scrub(str(error).strip() or type(error).__name__)).rstrip(".").splitlines()[0][:300]
        name = type(error).__name__
        codes = set(_codes(error))
        if codes & _SKEWED or "request time and the" in reason:
            advice = "set the clock of this machine, which differs from that of the service"
        elif codes & _EXPIRED or "expired" in reason.lower():
            advice = "renew your credentials, such as with 'aws sso login', 'gcloud auth login' or a new session token"
        elif codes & _FAILING or any(word in reason for word in ("Internal Server Error", "Service Unavailable")):
            advice = (
                "the service has a fault of its own, or another kind of server answers at its address, so try again "
                "later, or check that address, such as AWS_ENDPOINT_URL"
            )
        elif "" in codes or "Parse" in name or "<html" in reason.lower() or "<!doctype" in reason.lower():
            reason = "the reply is none of such a storage service"
            advice = "check the address of the service, such as AWS_ENDPOINT_URL: another kind of server answers there"
        elif isinstance(error, PermissionError):
            advice = "check which account your credentials belong to, and the permissions of the bucket"
        elif "Credential" in name or "Token" in name or "credentials" in reason.lower():
            advice = (
                "set credentials where other programs find them, such as 'aws configure', AWS_PROFILE or "
                "GOOGLE_APPLICATION_CREDENTIALS"
            )
        elif "Endpoint" in name or "Connect" in name:
            advice = "check the network and the address of the service, such as AWS_ENDPOINT_URL"
        else:
            advice = "correct that, then run the same command again"
        return PixelProofError(f"{self.url} cannot be {done} ({reason}): {advice}.")


def _codes(error: BaseException | None) -> Iterator[str]:
    """Codes of the service, and of the HTTP reply, in an error and its causes."""
    while error is not None:
        reply = getattr(error, "response", None)
        if isinstance(reply, dict):
            yield str(reply.get("Error", {}).get("Code", ""))
            yield str(reply.get("ResponseMetadata", {}).get("HTTPStatusCode", "unknown"))
        if (code := getattr(error, "code", None)) is not None:
            yield str(code)
        error = error.__cause__


def _passes(error: Exception) -> bool:
    """Whether an error may be gone at the next attempt."""
    if set(_BUSY) & set(_codes(error)):
        return True
    if isinstance(error, ConnectionError | TimeoutError) or any(
        word in type(error).__name__ for word in _TRANSIENT_NAMES
    ):
        return True
    return isinstance(error, OSError) and error.errno in _TRANSIENT
