"""Working copies: a local folder that is written as always, and uploaded meanwhile and at the end."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pixelproof.contract import PixelProofError
from pixelproof.store._digest import digest
from pixelproof.store._files import make_directory
from pixelproof.store._lock import Lock
from pixelproof.store._urls import ORIGIN, file_path, parse_url

from ._copies import UPLOADED, bound, hold, prune, remote_cache
from ._download import download
from ._log import FOLDER, Manifest, Writer, append, last_number, read_entry, read_last
from ._objects import Objects
from ._packs import Member, members_of
from ._upload import Changed, upload

RENEW_S = 45.0
"""Seconds between uploads of what is there; each one shows that the writer lives."""
LEASE_S = 180.0
"""Seconds after which a writer that has not shown itself counts as dead, by the clock of the storage."""
_ATTEMPTS = 5


@contextmanager
def working_copy(url: str) -> Iterator[Path]:
    """Yield a local folder, which is uploaded while it is written, and when the block ends, however it ends.

    Raises:
        PixelProofError: Another process writes there, or the URL cannot be written.
    """
    if (path := file_path(url)) is not None:
        yield path
        return
    with _WorkingCopy(url) as copy:
        yield copy.path


class _WorkingCopy:
    def __init__(self, url: str) -> None:
        location = parse_url(url)
        bound()  # refuse a wrong setting before anything is written
        self._url = location.url
        self._objects = Objects(location)
        self._root = root = remote_cache() / "work" / digest([location.url, *_service()])[:24]
        self.path = root / location.path.rpartition("/")[2]
        self._kept = f"remote/work/{root.name}"
        try:
            self._lock = Lock(root)
        except PixelProofError as error:
            if "Another process" not in str(error):
                raise
            raise PixelProofError(
                f"Another process of this machine is writing {self._url}: wait until it ends, or choose another URL."
            ) from error
        (root / ORIGIN).write_text(self._url.rpartition("/")[0], "utf-8")
        self._writer = Writer.here(_identity(root / "writer"))
        self._last = Manifest()
        self._members: dict[str, Member] = {}
        self._committing = threading.Lock()
        self._ended, self._gone = threading.Event(), threading.Event()
        self._rival = False
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._renew, self._beat)]

    def __enter__(self) -> _WorkingCopy:
        try:
            self._claim()
        except BaseException:
            try:
                if self._last.number:
                    with suppress(PixelProofError, OSError):  # others need not wait for this claim to expire
                        append(self._objects, self._last.next(self._writer, False))
                elif not any(path.is_dir() for path in self._root.iterdir()):  # nothing was ever written here
                    shutil.rmtree(self._root, ignore_errors=True)
            finally:
                self._lock.release()
            raise
        for thread in self._threads:
            thread.start()
        return self

    def _claim(self) -> None:
        """Become the writer, and bring the local folder to what the log says."""
        last = read_last(self._objects)
        if not last.number:
            self._require_free()
        own = last.writer is not None and last.writer.id == self._writer.id
        if last.open and not own:
            self._require_dead(last)
        sent = self._is_in_log(last)
        if not last.number and not (self._root / UPLOADED).exists():
            own = True  # no upload has ever ended, or the storage has lost it: the local folder is all there is
        (self._root / UPLOADED).unlink(missing_ok=True)
        if not own and self.path.exists():
            # Another machine has continued since, and its state counts. Before the claim: a process that is killed
            # after it finds its own claim, and takes a folder that is there for the current one.
            self.path.rename(old := self.path.with_name(f"{self.path.name}.{uuid.uuid4().hex[:8]}.old"))
            if sent:
                shutil.rmtree(old, ignore_errors=True)
            else:
                print(f"{self._url} has changed since this machine wrote it: the folder of this machine is kept in the "
                      f"cache, in {self._kept}/{old.name}.", file=sys.stderr, flush=True)  # fmt: skip
        claim = last.next(self._writer, True)
        try:
            append(self._objects, claim)
        except FileExistsError as error:
            raise self._rivalled(read_last(self._objects)) from error
        self._last = claim
        if not self._objects.refuses_second(claim.name, claim.encoded()):
            raise PixelProofError(
                f"The storage of {self._url} ignores conditional requests (If-None-Match, ifGenerationMatch), and two "
                "writers could overwrite each other: use one that knows them, or write to a folder and copy that."
            )
        self._members = members_of(self._objects, claim.packs)
        if not self.path.exists() and (claim.files or claim.packs):
            temporary = self.path.with_name(f".{self.path.name}.tmp-{uuid.uuid4().hex[:8]}")
            download(self._objects, claim, temporary, lambda pack: True, link=False)
            temporary.rename(self.path)

    def _is_in_log(self, last: Manifest) -> bool:
        """Whether all that the local folder has was uploaded, and the log still has the entry of that upload."""
        try:
            number = int((self._root / UPLOADED).read_text("ascii"))
            if not 0 < number <= last.number:
                return False
            writer = read_entry(self._objects, number).writer
        except (OSError, ValueError, PixelProofError):
            return False
        return writer is not None and writer.id == self._writer.id

    def _require_free(self) -> None:
        """Refuse a place that holds other objects, or is inside another folder of ours: both would hide the rest."""
        if self._objects.holds_something():
            raise PixelProofError(f"{self._url} exists and is no run and no set: choose another URL.")
        parent, inside = self._objects.location.parent, False
        while parent is not None:
            outer = Objects(parent)
            with suppress(PixelProofError):  # it may be forbidden to list there
                inside = inside or bool(last_number(outer.sizes(FOLDER)))
            if inside:
                raise PixelProofError(f"{self._url} is inside the run or set {outer.url}: choose another URL.")
            parent = parent.parent

    def _require_dead(self, last: Manifest) -> None:
        """Refuse a folder whose writer has shown itself lately; both times are of the storage's clock."""
        clock = f"{FOLDER}/clock"
        self._objects.write(clock, self._writer.id.encode())
        seen = self._objects.modified(last.name)
        with suppress(FileNotFoundError):
            assert last.writer is not None, "the log is open"
            seen = max(seen, self._objects.modified(_sign_of(last.writer)))
        silent = self._objects.modified(clock) - seen
        if silent < LEASE_S:
            raise PixelProofError(
                f"Another process is writing {self._url} ({last.writer}; seen {max(0, silent):.0f} s ago): wait until "
                f"it ends, or choose another URL. If it was killed, try again in {LEASE_S - max(0, silent):.0f} s."
            )

    def _rivalled(self, last: Manifest) -> PixelProofError:
        return PixelProofError(
            f"Another process has begun to write {self._url} ({last.writer}), so nothing of this one was added: the "
            f"files of this one are in the cache, in {self._kept}."
        )

    def _renew(self) -> None:
        failed = False
        while not self._ended.wait(RENEW_S):
            try:
                self._commit(is_open=True)
            except FileExistsError:
                self._rival = True
                return
            except Changed:
                continue  # the next attempt finds it unchanged
            except (PixelProofError, OSError) as error:
                if not failed:
                    self._say_failed(error, "the upload is tried again")
                failed = True
            else:
                failed = False

    def _say_failed(self, error: Exception, then: str) -> None:
        reason = str(error).rstrip(".")
        print(f"Not uploaded to {self._url} ({reason}): {then}; the files are in the cache, in {self._kept}.",
              file=sys.stderr, flush=True)  # fmt: skip

    def _beat(self) -> None:
        """Show that this process lives, also while a large upload goes on."""
        while not self._gone.wait(RENEW_S):
            with suppress(PixelProofError):
                self._objects.write(_sign_of(self._writer), str(self._writer).encode())

    def _commit(self, is_open: bool) -> None:
        with self._committing:
            before = len(self._last.packs)
            make_directory(self.path.parent, sync=False)
            self._last = upload(self.path, self._objects, self._last, self._members, self._writer, is_open)
            self._members |= members_of(self._objects, self._last.packs[before:])

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self._ended.set()
        try:
            self._threads[0].join()
            if kind is None:
                self._finish()
            else:
                try:
                    self._finish()
                except (PixelProofError, OSError) as failed:  # the error of the work itself is raised
                    self._say_failed(failed, "run the same command again to upload them")
        finally:
            self._gone.set()
            self._lock.release()
            prune()

    def _finish(self) -> None:
        if self._rival:
            raise self._rivalled(read_last(self._objects))
        try:
            for _ in range(_ATTEMPTS):
                with suppress(Changed):
                    self._commit(is_open=False)
                    return self._note_uploaded()
            raise PixelProofError(f"{self.path} changes while it is uploaded to {self._url}")
        except FileExistsError as error:
            raise self._rivalled(read_last(self._objects)) from error
        except PixelProofError as error:
            raise PixelProofError(f"{str(error).rstrip('.')}. All files are in the cache, in {self._kept}.") from error

    def _note_uploaded(self) -> None:
        """Allow that the cache removes this copy, unless there is more in it than what was uploaded."""
        if not any(self._root.glob("*.old")):
            (self._root / UPLOADED).write_text(str(self._last.number), "ascii")
            hold(self._root, UPLOADED)


def _service() -> list[str]:
    """What says which storage service a URL is at: two of them may have buckets of the same name."""
    names = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_PROFILE", "STORAGE_EMULATOR_HOST")
    return [f"{name}={os.environ[name]}" for name in names if os.environ.get(name)]


def _sign_of(writer: Writer) -> str:
    """Name of the object that a writer renews."""
    return f"{FOLDER}/alive-{writer.id}"


def _identity(path: Path) -> str:
    """The name of a working copy, the same every time."""
    with suppress(OSError):
        return path.read_text("ascii")
    path.write_text(uuid.uuid4().hex, "ascii")
    return path.read_text("ascii")
