"""Cases of data sets: photographs with label maps in one palette."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from pixelproof.benches.arena._case import Case, Frame
from pixelproof.benches.sources import FileEntry, FolderSource
from pixelproof.contract import PixelProofError
from pixelproof.pixels import Palette


@dataclass(frozen=True)
class Files(FolderSource):
    """A data set."""

    palette: Palette = field(kw_only=True)
    read: Callable[[Case], Frame] = field(kw_only=True)
    ignored: frozenset[str] = field(default=frozenset(), kw_only=True)
    pairs: tuple[tuple[str, str], ...] = field(default=(), kw_only=True)
    notes: tuple[str, ...] = field(default=(), kw_only=True)
    """Remarks for the run card on how the set was read."""

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """All labels."""
        return self.palette.labels

    def cases(self, seed: int) -> Iterator[Case]:
        """Every case once."""
        return map(self.case, self.ordered(seed, f"arena/{self.name}"))

    def case(self, entry: FileEntry) -> Case:
        """The case of an entry; unreadable files are reported when it is loaded."""
        return Case(
            self.name,
            entry.key,
            self.palette,
            self.content_hash(entry),
            {**entry.details, "files": dict(entry.files), "way": dict(self.options)},
            root=self.root,
            cluster=entry.cluster,
            tags=entry.tags,
        )

    def load(self, case: Case) -> Frame:
        """The photograph and its label map.

        Raises:
            PixelProofError: A file is missing, damaged or of the wrong kind.
        """
        try:
            return self.read(case)
        except PixelProofError as error:
            raise PixelProofError(f"{self.name} {case.key}: {error}") from error
