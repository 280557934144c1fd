"""A picture to be segmented, its truth, and where both come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from pixelproof.pixels import Palette

Pixels = npt.NDArray[np.uint8]
Labels = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Case:
    """All that identifies a picture and its truth; small, while the pixels are loaded when they are needed."""

    source: str
    """Name of the source, such as `world` or `coco`."""
    key: str
    """What the source calls the picture: a scene's number, or the stem of a file."""
    palette: Palette
    """The labels that are offered for this picture, with their colours; the truth is in their indices."""
    content: str
    """Hash of what is behind the case (files, or the recipe of a scene): other content is another case."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """What the source needs to load it again; plain data."""
    expression: str = ""
    """Which thing is meant, where the task is to mask one."""
    root: Path | None = field(default=None, compare=False)
    """Where the files lie; the same files elsewhere are the same case."""
    cluster: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Frame:
    """The pixels of a case. Arrays have one size; what a source does not know is None."""

    photo: Pixels | None
    labels: Labels | None = None
    """Indices into the case's palette; VOID where no label is right or wrong."""
    depth: npt.NDArray[np.float32] | None = None
    """Metres along the optical axis; not finite where it is unknown."""
    normals: npt.NDArray[np.float32] | None = None
    """Unit vectors, x right, y down, z away from the viewer; zero where they are unknown."""

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Height and width."""
        for layer in (self.labels, self.depth, self.normals, self.photo):
            if layer is not None:
                return int(layer.shape[0]), int(layer.shape[1])
        raise ValueError("a frame has at least one layer")


class FrameSource(Protocol):
    """A world or a data set, as the bench sees it."""

    vocabulary: tuple[str, ...]
    """Every label that any of its cases offers, in a fixed order: counts are pooled over it."""
    ignored: frozenset[str]
    """Labels that mean "nothing in particular": the robust protocol leaves their pixels out of the reference."""
    pairs: tuple[tuple[str, str], ...]
    """Labels that differ by left and right alone."""
    notes: tuple[str, ...]
    """What a reader of results should know of how it was read, in sentences."""

    def cases(self, seed: int) -> Iterator[Case]:
        """Every case, in an order that does not change; endless for worlds."""

    def load(self, case: Case) -> Frame:
        """The pixels of a case.

        Raises:
            PixelProofError: A file is missing, damaged or not what it should be; the sentence says which.
        """
