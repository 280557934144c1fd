"""Cases of data sets: photographs with label maps in one palette."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from scipy import ndimage

from pixelproof.benches.arena._case import Case, Frame, Labels
from pixelproof.benches.sources import FileEntry, FolderSource
from pixelproof.contract import PixelProofError
from pixelproof.metrics import contour_map
from pixelproof.pixels import VOID, Palette, void_of

from ._labels import BACKGROUND, LINES


@dataclass(frozen=True)
class Files(FolderSource):
    """A data set."""

    palette: Palette = field(kw_only=True)
    read: Callable[[Case], Frame] = field(kw_only=True)
    ignored: frozenset[str] = field(default=frozenset(), kw_only=True)
    pairs: tuple[tuple[str, str], ...] = field(default=(), kw_only=True)
    stuff: frozenset[str] = field(default=frozenset({BACKGROUND}), kw_only=True)
    has_instances: bool = field(default=False, kw_only=True)
    notes: tuple[str, ...] = field(default=(), kw_only=True)
    """Remarks for the run card on how the set was read."""
    task: str = field(default="semantic", kw_only=True)
    """`semantic`, or `edges`: the borders between labels."""

    @property
    def offered(self) -> Palette:
        """The palette of the prompts."""
        return LINES if self.task == "edges" else self.palette

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """All labels."""
        return self.offered.labels

    def cases(self, seed: int) -> Iterator[Case]:
        """Every case once."""
        return map(self.case, self.ordered(seed, f"arena/{self.name}"))

    def case(self, entry: FileEntry) -> Case:
        """The case of an entry; unreadable files are reported when it is loaded."""
        return Case(
            self.name,
            entry.key,
            self.offered,
            self.content_hash(entry),
            {**entry.details, "files": dict(entry.files), "way": dict(self.options)},
            root=self.root,
            cluster=entry.cluster,
            tags=entry.tags,
        )

    def load(self, case: Case) -> Frame:
        """The photograph and its label map, or the contours of it.

        Raises:
            PixelProofError: A file is missing, damaged or of the wrong kind.
        """
        try:
            if self.task == "semantic":
                return self.read(case)
            frame = self.read(replace(case, palette=self.palette))
        except PixelProofError as error:
            raise PixelProofError(f"{self.name} {case.key}: {error}") from error
        assert frame.labels is not None, "data sets have labels"
        return Frame(frame.photo, contours=_contours(frame.labels))


def require_label_task(name: str, task: str) -> None:
    """Refuse a task that needs more than label maps.

    Raises:
        PixelProofError: It does.
    """
    if task not in ("semantic", "edges"):
        raise PixelProofError(
            f"The source {name!r} has only label maps, which serve the tasks 'semantic' and 'edges', not {task!r}: "
            "choose one of these, or the source 'world'."
        )


def _contours(labels: Labels) -> Labels:
    """Borders between labels; those of void, whose true label is unknown, may be painted or not."""
    void = labels == void_of(labels)
    if not void.any():
        return contour_map(labels)
    rows, columns = ndimage.distance_transform_edt(void, return_distances=False, return_indices=True)
    known = contour_map(labels[rows, columns])
    known[ndimage.binary_dilation(void, np.ones((3, 3), np.bool_))] = VOID
    return known
