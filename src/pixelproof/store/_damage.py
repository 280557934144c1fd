"""The error for damaged files of a run directory."""

from __future__ import annotations

from pathlib import Path

from pixelproof.contract import PixelProofError


class DamagedFile(PixelProofError):
    """The content of a file is not what was written; `pixelproof runs repair` keeps what is intact."""

    def __init__(self, path: Path, reason: object) -> None:
        self.path = path
        self.reason = str(reason).strip().rstrip(".") or "damaged"
        super().__init__(
            f"The file {path} is damaged ({self.reason}): run 'pixelproof runs repair {run_directory_of(path)}', which "
            "keeps everything that is intact."
        )

    def __reduce__(self) -> tuple[type[DamagedFile], tuple[Path, str]]:
        """Support pickling: worker processes raise it, too."""
        return DamagedFile, (self.path, self.reason)


def run_directory_of(path: Path) -> Path:
    """The run directory that a table, a part of a table, or a blob belongs to."""
    for parent in path.parents:
        if parent.suffix == ".parts" or parent.name == "blobs":
            return parent.parent
    return path.parent
