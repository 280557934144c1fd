"""Back ends of SEG, OCR and TRK: what they are asked, what they return, and how one is found by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from inspect import signature
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError, unknown_name
from pixelproof.pixels import Box
from pixelproof.plugins import load_plugin, plugins

Pixels = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]
GROUP = "pixelproof.tools"
"""Entry points of back ends, named `seg-NAME`, `ocr-NAME` or `trk-NAME`: factories that need no argument."""
DEFAULTS = {"SEG": "opencv", "OCR": "rapidocr", "TRK": "opencv"}


@dataclass(frozen=True)
class Segment:
    """Mask of one object."""

    mask: Mask
    """Shape of the frame."""
    fit: float
    """How well the mask agrees with what was asked for, such as its box, 0 to 1; not the chance that it is right."""


@dataclass(frozen=True)
class Line:
    """A line of text."""

    text: str
    box: Box
    """Bounding box in pixels of the crop."""
    conf: float


@dataclass(frozen=True)
class Position:
    """Where a tracked object is in one frame."""

    box: tuple[float, float, float, float]
    """Left, top, right, bottom in pixels; predicted, if it is not visible."""
    visible: bool
    conf: float


class Backend(Protocol):
    """What all back ends have in common. Two with one name and version give equal results for equal input."""

    @property
    def name(self) -> str:
        """Name of the method, such as `grabcut`."""

    @property
    def version(self) -> str:
        """Everything that results depend on: revision of the method, options, versions of libraries, weights."""


class Segmenter(Backend, Protocol):
    """A back end of SEG."""

    def segment(self, picture: Pixels, point: tuple[int, int] | None, box: Box | None, frame: int) -> Segment | None:
        """Segment the object at a point, in a box, or both; None if there is none.

        Args:
            picture: The whole frame.
            point: Column and row of a pixel of the object.
            box: Bounding box of the object, about.
            frame: Number of the frame.
        """


class Reader(Backend, Protocol):
    """A back end of OCR."""

    def read(self, crop: Pixels, box: Box, frame: int) -> Sequence[Line]:
        """Read the lines of text of a crop, top to bottom.

        Args:
            crop: The pixels inside of the box.
            box: Where the crop is in its frame.
            frame: Number of the frame.
        """


class Tracker(Backend, Protocol):
    """A back end of TRK."""

    def track(
        self, pictures: Sequence[Pixels], box: Box, mask: Mask | None, frames: Sequence[int]
    ) -> Sequence[Position]:
        """Follow an object through pictures, from the first; a position for each of them.

        Args:
            pictures: The frames in the order of tracking.
            box: Bounding box of the object in the first picture.
            mask: Its mask there, if known.
            frames: The numbers of the frames.
        """


@dataclass
class Backends:
    """The back end of each tool: an object, or the name of a registered one, which is created at its first call."""

    seg: Segmenter | str = DEFAULTS["SEG"]
    ocr: Reader | str = DEFAULTS["OCR"]
    trk: Tracker | str = DEFAULTS["TRK"]
    _created: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    def segmenter(self) -> Segmenter:
        """The back end of SEG."""
        segmenter: Segmenter = self._get("SEG", self.seg)
        return segmenter

    def reader(self) -> Reader:
        """The back end of OCR."""
        reader: Reader = self._get("OCR", self.ocr)
        return reader

    def tracker(self) -> Tracker:
        """The back end of TRK."""
        tracker: Tracker = self._get("TRK", self.trk)
        return tracker

    def _get(self, tool: str, chosen: Any) -> Any:
        if not isinstance(chosen, str):
            return chosen
        if tool not in self._created:
            self._created[tool] = create_backend(tool, chosen)
        return self._created[tool]


def available_backends() -> Mapping[str, tuple[str, ...]]:
    """Tool → names of the back ends that installed packages register.

    >>> "grabcut" in available_backends()["SEG"]
    True
    """
    names = list(plugins(GROUP))
    return {tool: tuple(name[4:] for name in names if name.startswith(f"{tool.lower()}-")) for tool in DEFAULTS}


def require_backends(**chosen: str | None) -> None:
    """Check names of back ends by tool (`seg`, `ocr`, `trk`) before anything is done with them.

    Raises:
        PixelProofError: There is no such back end.
    """
    known = available_backends()
    for tool, name in chosen.items():
        if name and name not in known[tool.upper()]:
            raise unknown_name(f"back end of {tool.upper()}", name, known[tool.upper()])


def create_backend(tool: str, name: str) -> Any:
    """Create the back end of a tool by name.

    Args:
        tool: `SEG`, `OCR` or `TRK`.
        name: One of `available_backends()`; settings that it takes may follow, as in `rapidocr:345ADE:never`.

    Raises:
        PixelProofError: There is no such back end, it takes no such settings, or its libraries or weights are missing.
    """
    known = available_backends()
    if tool not in known:
        raise unknown_name("tool with back ends", tool, known)
    name, *settings = name.split(":")
    if name not in known[tool]:
        raise unknown_name(f"back end of {tool}", name, known[tool])
    create = load_plugin(plugins(GROUP)[f"{tool.lower()}-{name}"], "back end")
    try:
        signature(create).bind(*settings)
    except TypeError as error:
        raise PixelProofError(f"The back end {name} of {tool} takes no such settings: leave out {settings}.") from error
    return create(*settings)


def describe(backend: Backend) -> str:
    """Name and version, as results record them."""
    return f"{backend.name} {backend.version}"
