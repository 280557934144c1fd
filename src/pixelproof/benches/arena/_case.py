"""Cases: an image, its truth, and their source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from pixelproof.metrics import Keypoint
from pixelproof.pixels import Labels as Labels
from pixelproof.pixels import Palette

Pixels = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Case:
    """Identifies an image and its truth; pixels are loaded when they are needed."""

    content_name: ClassVar[str] = "Case"

    source: str
    """Name of the source, such as `world` or `coco`."""
    key: str
    """Key of the image in its source: the index of a scene, or the stem of a file."""
    palette: Palette
    """Labels offered for this image, with their colours; the truth is in indices of this palette."""
    content: str
    """Hash of the content (files, or the scene's description)."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """What the source needs to load the case; plain data."""
    expression: str = ""
    """Referring expression, for the referring task."""
    root: Path | None = field(default=None, compare=False)
    """Root folder of the files; equal files elsewhere are an equal case."""
    cluster: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Frame:
    """The pixels of a case. All arrays have one size; None where the source has no such layer."""

    photo: Pixels | None
    labels: Labels | None = None
    """Palette indices; VOID where pixels do not count."""
    depth: npt.NDArray[np.float32] | None = None
    """Depth in metres along the optical axis; not finite where unknown."""
    normals: npt.NDArray[np.float32] | None = None
    """Unit normals in the camera frame, OpenCV axes (x right, y down, z forward); zero where unknown."""
    instances: npt.NDArray[np.signedinteger[Any]] | None = None
    """Number of the object at each pixel, from 1; 0: no single object; -1: a crowd of its label. None if unknown."""
    contours: npt.NDArray[np.uint8] | None = None
    """Contours of objects, as by `metrics.contour_map`."""
    keypoints: tuple[Keypoint, ...] = ()
    """Points to be marked, for the keypoint task; labels are palette indices."""

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Height and width."""
        for layer in (self.labels, self.depth, self.normals, self.contours, self.photo):
            if layer is not None:
                return int(layer.shape[0]), int(layer.shape[1])
        raise ValueError("a frame has at least one layer")


class FrameSource(Protocol):
    """A source of cases: a generated world or a data set."""

    vocabulary: tuple[str, ...]
    """Every label that any case offers, in a fixed order; counts are pooled over it."""
    ignored: frozenset[str]
    """Labels that the robust protocol ignores in the reference, such as "other"."""
    pairs: tuple[tuple[str, str], ...]
    """Pairs of labels that differ only by left and right."""
    stuff: frozenset[str]
    """Labels such as the background whose pixels are no objects: all of them are one segment."""
    has_instances: bool
    """Whether frames tell the objects of one label apart."""
    notes: tuple[str, ...]
    """Remarks for the run card on how the source was read."""

    def cases(self, seed: int) -> Iterator[Case]:
        """Every case, in a fixed order; endless for generated sources."""

    def load(self, case: Case) -> Frame:
        """The pixels of a case.

        Raises:
            PixelProofError: A file is missing, damaged or of the wrong kind.
        """
