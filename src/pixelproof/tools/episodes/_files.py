"""Files of traces: one JSON object per line, and beside it the pictures and clips by the hash of their content."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pixelproof.contract import Artefact, PixelProofError
from pixelproof.pixels import media_type_of
from pixelproof.store import BlobStore, leaves_folder, replacing
from pixelproof.tools._media import Media, open_media
from pixelproof.tools._trace import Trace

_LONGEST_LINE = 64 << 20


class TraceFile:
    """A file of traces, such as `traces.jsonl`, with its media in `traces.blobs/`.

    A blob is a file under the SHA-256 of its bytes. A media entry of a trace names the file that it was made on
    (`blob`), and the hash of the decoded frames (`sha256`); the picture of a result is a blob, too.
    """

    def __init__(self, path: str | Path) -> None:
        """Open a file, which need not exist yet."""
        self.path = Path(path)
        self.blobs = BlobStore(self.path.with_suffix(".blobs"))

    def keep(self, source: bytes | Artefact) -> dict[str, Any]:
        """Store the file of a picture or clip; returns `blob` and `media_type` for the media entry of a trace."""
        data = source.data if isinstance(source, Artefact) else source
        return {"blob": self.blobs.put(data), "media_type": media_type_of(data)}

    def write(self, traces: Iterable[Trace]) -> int:
        """Write traces, all or none: an interruption leaves what was there before. Returns their number."""
        count = 0
        with replacing(self.path) as temporary, temporary.open("w", encoding="utf-8") as file:
            for trace in traces:
                file.write(trace.to_json() + "\n")
                count += 1
        return count

    def __iter__(self) -> Iterator[Trace]:
        """Every trace, in order.

        Raises:
            PixelProofError: The file cannot be read, or a line of it is no trace; the message names the line.
        """
        try:
            with self.path.open("r", encoding="utf-8") as file:
                number = 0
                while line := file.readline(_LONGEST_LINE):
                    number += 1
                    if line.strip():
                        yield _read(line, f"{self.path}, line {number}")
        except (OSError, UnicodeDecodeError) as error:
            raise PixelProofError(f"Cannot read {self.path} ({error}): give a file of traces.") from error

    def media(self, trace: Trace, other: Path | None = None) -> Media:
        """The picture or clip of a trace: another file, the blob, or the file that `uri` names beside the traces.

        The content is not verified here: `replay_trace` compares it.

        Raises:
            PixelProofError: There is none, or it cannot be decoded.
        """
        return open_media(other or self._find(trace))

    def _find(self, trace: Trace) -> Path:
        entry: Mapping[str, Any] = trace.media[0] if trace.media else {}
        key, uri = str(entry.get("blob", "")), str(entry.get("uri", ""))
        candidates = [self.blobs.path(key)] if key in self.blobs else []
        folder = self.path.parent
        if uri and not leaves_folder(folder / uri, folder):
            candidates.append(folder / uri)
        for path in candidates:
            if path.is_file():
                return path
        raise PixelProofError(
            f"The picture or clip of the trace {trace.id} ({uri or 'without a name'}) is neither in "
            f"{self.path.with_suffix('.blobs')} nor beside {self.path}: give it with --media."
        )

    def picture(self, sha256: str) -> bytes | None:
        """The file of a result's picture, verified; None if it was not stored or is damaged."""
        try:
            return self.blobs.get(sha256) if sha256 in self.blobs else None
        except PixelProofError:
            return None


def trace_files(path: Path) -> list[Path]:
    """The files of traces that a path names: a file itself, or those of a directory, such as that of a question.

    A file of a directory counts if it is `NAME.jsonl` and its media are beside it in `NAME.blobs`.
    """
    if not path.is_dir():
        return [path] if path.suffix == ".jsonl" and path.is_file() else []
    return sorted(file for file in path.glob("*.jsonl") if file.with_suffix(".blobs").is_dir())


def find_traces(path: Path) -> TraceFile:
    """The file of traces that a path names; the only one of a directory.

    Raises:
        PixelProofError: The directory has none, or several.
    """
    if not path.is_dir():
        return TraceFile(path)
    files = trace_files(path)
    if len(files) != 1:
        names = ", ".join(file.name for file in files)
        raise PixelProofError(
            f"{path} has several files of traces: name one of {names}."
            if files
            else f"{path} has no traces (NAME.jsonl with NAME.blobs): name a file that 'pixelproof ask' wrote."
        )
    return TraceFile(files[0])


def _read(line: str, place: str) -> Trace:
    try:
        return Trace.from_json(line)
    except PixelProofError as error:
        raise PixelProofError(f"{place}: {error}") from error


def with_media(trace: Trace, file: TraceFile, source: bytes | Artefact) -> Trace:
    """A trace whose first media entry names its blob in a file; the blob is stored."""
    first, *rest = trace.media
    return replace(trace, media=({**first, **file.keep(source)}, *rest))
