"""Palettes: labels with their colours."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError

from ._colours import Colour

Labels = npt.NDArray[Any]
"""A label map: palette indices, uint8 for palettes of up to 255 labels and uint16 for larger ones."""
VOID = 255
"""Value of a uint8 label map without a label: unknown in a reference, undecided in a decoded answer."""
MOST_LABELS = 65_534
"""Largest number of labels: label maps have at most 16 bits, and their largest value is void."""


def void_of(labels: Labels) -> int:
    """Value of pixels without a label in a map of this data type: 255 (`VOID`) in uint8, 65,535 in uint16.

    >>> void_of(np.zeros((2, 2), np.uint8)), void_of(np.zeros((2, 2), np.uint16))
    (255, 65535)
    """
    if labels.dtype not in (np.uint8, np.uint16):
        raise ValueError(f"Label maps are uint8 or uint16, not {labels.dtype}.")
    return int(np.iinfo(labels.dtype).max)


@dataclass(frozen=True)
class Palette:
    """Labels in index order, each with a colour of its own.

    >>> palette = Palette(("sky", "sea"), ((90, 160, 255), (0, 0, 120)))
    >>> palette.array.tolist(), palette.index("sea")
    ([[90, 160, 255], [0, 0, 120]], 1)
    """

    content_name: ClassVar[str] = "Palette"

    labels: tuple[str, ...]
    colours: tuple[Colour, ...]

    def __post_init__(self) -> None:
        """Refuse palettes that cannot be decoded."""
        if not 1 <= len(self.labels) <= MOST_LABELS or len(self.labels) != len(self.colours):
            raise PixelProofError(
                f"A palette has 1 to {MOST_LABELS:,} labels with a colour each, "
                f"not {len(self.labels):,} labels and {len(self.colours):,} colours."
            )
        for label in self.labels:
            if not isinstance(label, str) or not label.strip():
                raise PixelProofError(f"Labels of a palette are non-empty text, not {label!r}.")
        for label, colour in zip(self.labels, self.colours, strict=True):
            if len(colour) != 3 or not all(type(value) is int and 0 <= value <= 255 for value in colour):
                raise PixelProofError(f"The colour of {label!r} is {colour!r}: give three whole numbers, 0 to 255.")
        if (twice := _first_repeated(self.labels)) is not None:
            raise PixelProofError(f"The label {twice!r} is in the palette twice: rename one of them.")
        if (shared := _first_repeated(self.colours)) is not None:
            *first, last = [repr(label) for label, one in zip(self.labels, self.colours, strict=True) if one == shared]
            raise PixelProofError(
                f"{', '.join(first)} and {last} have the same colour {list(shared)}, so no decoder can tell them "
                "apart: give each label a colour of its own."
            )

    @cached_property
    def array(self) -> npt.NDArray[np.uint8]:
        """Colours, shape (labels, 3)."""
        return np.array(self.colours, dtype=np.uint8)

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """Data type of its label maps: uint8 for up to 255 labels, otherwise uint16."""
        return np.dtype(np.uint8 if len(self) <= VOID else np.uint16)

    @property
    def void(self) -> int:
        """Value of pixels without a label in its label maps."""
        return int(np.iinfo(self.dtype).max)

    @cached_property
    def _indices(self) -> dict[str, int]:
        return {label: index for index, label in enumerate(self.labels)}

    def __len__(self) -> int:
        return len(self.labels)

    def index(self, label: str) -> int:
        """Index of a label."""
        try:
            return self._indices[label]
        except (KeyError, TypeError):
            more = f" and {len(self) - 40:,} more" if len(self) > 40 else ""
            names = ", ".join(self.labels[:40])
            raise PixelProofError(f"The palette has no label {label!r}; it has: {names}{more}.") from None

    def subset(self, labels: Sequence[str]) -> Palette:
        """The palette of some labels, in the given order."""
        return Palette(tuple(labels), tuple(self.colours[self.index(label)] for label in labels))

    def paint(self, labels: Labels, void: Colour = (0, 0, 0)) -> npt.NDArray[np.uint8]:
        """Paint a label map; void pixels get the colour `void`.

        >>> Palette(("a",), ((255, 0, 0),)).paint(np.array([[0, VOID]], np.uint8)).tolist()
        [[[255, 0, 0], [0, 0, 0]]]
        """
        table = np.empty((void_of(labels) + 1, 3), dtype=np.uint8)
        table[:] = void
        known = min(len(self), len(table) - 1)
        table[:known] = self.array[:known]
        return table[labels]

    def to_json(self) -> dict[str, list[int]]:
        """`{label: [r, g, b]}` in index order."""
        return {label: list(colour) for label, colour in zip(self.labels, self.colours, strict=True)}

    @classmethod
    def from_json(cls, content: Any) -> Palette:
        """Parse a JSON object `{label: [r, g, b]}`, in the order of its keys."""
        if not isinstance(content, Mapping):
            raise PixelProofError('A palette is a JSON object such as {"sky": [90, 160, 255]}.')
        for label, colour in content.items():
            if not isinstance(colour, Sequence) or isinstance(colour, str):
                raise PixelProofError(f"The colour of {label!r} is {colour!r}: give three whole numbers, 0 to 255.")
        return cls(tuple(content), tuple(tuple(colour) for colour in content.values()))

    @classmethod
    def read(cls, path: Path) -> Palette:
        """Read a palette from a JSON file."""
        try:
            return cls.from_json(json.loads(path.read_text("utf-8"), object_pairs_hook=_unrepeated))
        except OSError as error:
            raise PixelProofError(f"Cannot read the palette {path} ({error.strerror}): check the path.") from error
        except ValueError as error:
            raise PixelProofError(f"{path} is not JSON ({error}): a palette is {{label: [r, g, b], …}}.") from error
        except PixelProofError as error:
            raise PixelProofError(f"In {path}: {error}") from error


def _first_repeated(values: Iterable[Any]) -> Any | None:
    seen = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON silently keeps the last of two equal keys; a palette must not."""
    if (twice := _first_repeated(label for label, _ in pairs)) is not None:
        raise PixelProofError(f"The label {twice!r} is in the palette twice: rename one of them.")
    return dict(pairs)
