"""Reading files of answers: one set of limits for every folder that somebody else filled."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pixelproof.contract import Answer, Artefact, Failure, Fault
from pixelproof.pixels import media_type_of
from pixelproof.store import leaves_folder

if TYPE_CHECKING:
    from pixelproof.store.remote import RemoteFolder

TEXT_SUFFIXES = (".json", ".txt")
UNSUPPORTED = (".avif", ".bmp", ".gif", ".heic", ".heif", ".jp2", ".jxl", ".ppm", ".psd", ".svg", ".tif", ".tiff")
"""Suffixes of images that a model made and nobody asked for; those that a folder supports come first."""
_MEDIA_TYPES = {".jpg": "image/jpeg", ".jpeg": "image/jpeg"}
MAX_ANSWER_BYTES = 64 * 2**20


@dataclass(frozen=True)
class AnswerEntry:
    """The files of one answer, relative to the folder. More than one text or image is a conflict."""

    texts: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    failure: Failure | None = None
    """Failure that a manifest names."""


def read_answer_files(root: Path | RemoteFolder, entry: AnswerEntry, what: str) -> Answer:
    """Read the files of an answer. What is missing, ambiguous or unreadable is an infrastructure failure.

    Args:
        root: The folder; files outside it, such as the targets of symbolic links, are refused.
        entry: Its files.
        what: What it answers, for messages.
    """
    if entry == AnswerEntry():
        return lost_answer("missing-file", f"{root} has no file for {what}")
    for names in (entry.texts, entry.images):
        if len(names) > 1:
            listed = f"{', '.join(names[:-1])} and {names[-1]}"
            return lost_answer("two-files", f"{listed} in {root} answer {what}: keep one of them")
    try:
        text = "".join(read_inside(root, name).decode("utf-8-sig") for name in entry.texts)
        images = tuple(_image(root, name, read_inside(root, name)) for name in entry.images)
    except FileNotFoundError as error:
        return lost_answer("missing-file", f"there is no {error.filename}")
    except UnicodeDecodeError as error:
        return lost_answer("unreadable-file", f"{entry.texts[0]} is not UTF-8: {error}")
    except OSError as error:
        return lost_answer("unreadable-file", f"{error.filename}: {error.strerror}" if error.strerror else str(error))
    return Answer(text, images, failure=entry.failure)


def read_inside(root: Path | RemoteFolder, name: str) -> bytes:
    """The bytes of a file in a folder.

    Raises:
        OSError: It cannot be read, is no regular file, is larger than `MAX_ANSWER_BYTES`, or is a symbolic link to a
            file outside the folder.
    """
    if not isinstance(root, Path):
        return root.read(name, MAX_ANSWER_BYTES)
    path = root / name
    if leaves_folder(path, root):
        raise OSError(f"{path} is a link to a file outside the folder: copy the file into it")
    facts = path.stat()
    if not stat.S_ISREG(facts.st_mode):  # opening a pipe would wait for ever
        raise OSError(f"{path} is not a file")
    if facts.st_size > MAX_ANSWER_BYTES:
        raise OSError(f"{path} has more than {MAX_ANSWER_BYTES >> 20} MB")
    return path.read_bytes()


def type_failure(name: str) -> Failure:
    """The fault of a model whose only file for an item is an image of another type."""
    return Failure(
        Fault.MODEL, "unsupported-type", f"{name} is an image of a type that is not read: PNG, JPEG or WebP is"
    )


def lost_answer(name: str, detail: str) -> Answer:
    """An answer that cannot be had, which is no verdict on the model."""
    return Answer(failure=Failure(Fault.INFRASTRUCTURE, name, detail))


def _image(root: Path | RemoteFolder, name: str, data: bytes) -> Artefact:
    """The content decides the media type; what is no image gets that of its name, and fails when it is decoded.

    An image of a remote folder has no file that a run could refer to, so runs store it.
    """
    media_type = media_type_of(data)
    if not media_type.startswith("image/"):
        suffix = Path(name).suffix.lower()
        media_type = _MEDIA_TYPES.get(suffix, f"image/{suffix[1:]}")
    return Artefact(data, media_type, str((root / name).absolute()) if isinstance(root, Path) else "")
