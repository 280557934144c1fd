"""Batches of proposals: a folder with images, and `proposals.jsonl` with one JSON object per line."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pixelproof.contract import PixelProofError
from pixelproof.pixels import ends_early, media_type_of
from pixelproof.store import digest, replacing, require_inside

PROPOSALS = "proposals.jsonl"
SHOWN = ("image/png", "image/jpeg", "image/webp", "image/gif")
_FIELDS = ("id", "text", "images", "facts")


@dataclass(frozen=True)
class Proposal:
    """A text about images that a person accepts, fixes or rejects."""

    id: str
    text: str
    """What is proposed, such as an instruction; a reviewer may rewrite it."""
    images: Mapping[str, str]
    """Name → path inside of the folder; the first is shown first."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """What else the reviewer should know: name → text."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of the line, which exports carry over."""

    def row(self) -> dict[str, Any]:
        """The line of the file."""
        own = {"id": self.id, "text": self.text, "images": dict(self.images), "facts": dict(self.facts)}
        return {**own, **self.more}


@dataclass(frozen=True)
class Batch:
    """The proposals of a folder."""

    folder: Path
    proposals: Mapping[str, Proposal]
    """Id → proposal, in the order of the file."""
    files: Mapping[str, Path]
    """SHA-256 of an image → its file."""
    keys: Mapping[str, str]
    """Path inside of the folder → SHA-256."""

    @cached_property
    def title(self) -> str:
        """Name of the folder."""
        return self.folder.resolve().name

    @cached_property
    def digests(self) -> dict[str, str]:
        """Id → hash of the line and of the bytes of its images; a decision holds for this alone."""
        return {
            id: digest([proposal.row(), [self.keys[path] for path in proposal.images.values()]])
            for id, proposal in self.proposals.items()
        }

    def load(self, key: str) -> bytes:
        """The bytes of an image by its hash.

        Raises:
            PixelProofError: There is no such image, or it cannot be read.
        """
        if key not in self.files:
            raise PixelProofError("There is no such image.")
        try:
            return self.files[key].read_bytes()
        except OSError as error:
            raise PixelProofError(f"{self.files[key]} cannot be read: {error.strerror}.") from error


def read_batch(folder: Path) -> Batch:
    """Read the proposals of a folder.

    Raises:
        PixelProofError: There are none, a line is broken, an id occurs twice, or an image is missing or unusable.
    """
    path = folder / PROPOSALS
    if not path.is_file():
        raise PixelProofError(
            f"{folder} has no {PROPOSALS}: write one with a JSON object per line, with id, text and images "
            '({"before": "images/1.png"}), or let a pipeline of proposals write it.'
        )
    try:
        lines = path.read_text("utf-8").split("\n")  # `splitlines` also ends lines at U+2028, which JSON may contain
    except (OSError, UnicodeDecodeError) as error:
        raise PixelProofError(f"{path} cannot be read ({error}).") from error
    proposals: dict[str, Proposal] = {}
    for number, line in enumerate(lines, start=1):
        if line.strip():
            proposal = _read_line(f"{path}, line {number}", line)
            if proposal.id in proposals:
                raise PixelProofError(f"{path}, line {number}: the id {proposal.id!r} occurs twice.")
            proposals[proposal.id] = proposal
    if not proposals:
        raise PixelProofError(f"{path} has no proposals.")
    keys = {name: _key(folder, name) for one in proposals.values() for name in one.images.values()}
    return Batch(folder, proposals, {key: folder / name for name, key in keys.items()}, keys)


def _read_line(where: str, line: str) -> Proposal:
    try:
        content = json.loads(line)
    except ValueError as error:
        raise PixelProofError(f"{where} is not JSON ({error}).") from error
    if not isinstance(content, dict):
        raise PixelProofError(f"{where} is not a JSON object.")
    for name in ("id", "text"):
        if not isinstance(content.get(name), str) or not content[name].strip():
            raise PixelProofError(f"{where} needs {name!r}, a text that is not empty.")
    images, facts = content.get("images"), content.get("facts", {})
    if not isinstance(images, dict) or not images or not all(isinstance(path, str) for path in images.values()):
        raise PixelProofError(f"{where} needs 'images', an object of names and paths.")
    if not isinstance(facts, dict):
        raise PixelProofError(f"{where}: 'facts' must be an object of names and texts.")
    more = {name: value for name, value in content.items() if name not in _FIELDS}
    return Proposal(content["id"], content["text"], images, {name: str(value) for name, value in facts.items()}, more)


def _key(folder: Path, name: str) -> str:
    if Path(name).is_absolute() or ".." in Path(name).parts or not (folder / name).is_file():
        raise PixelProofError(f"{folder / PROPOSALS}: {name!r} is no image inside of {folder}.")
    data = require_inside(folder / name, folder).read_bytes()
    if media_type_of(data) not in SHOWN or ends_early(data):
        raise PixelProofError(f"{folder / name} is no complete PNG, JPEG, WebP or GIF image: convert it.")
    return hashlib.sha256(data).hexdigest()


def write_batch(folder: Path, proposals: Iterable[Proposal]) -> Path:
    """Write the proposals of a folder, whose images exist already; returns the path of the file."""
    path = folder / PROPOSALS
    lines = [json.dumps(proposal.row(), ensure_ascii=False) + "\n" for proposal in proposals]
    with replacing(path) as temporary:
        temporary.write_text("".join(lines), "utf-8")
    return path
