"""Palettes: labels with their colours."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError

from ._colours import Colour

VOID = 255
"""Value of a label map without a label: unknown in a reference, undecided in a decoded answer."""
MOST_LABELS = 255
"""Largest number of labels: label maps are bytes, and one value is void."""


@dataclass(frozen=True)
class Palette:
    """Labels in index order, each with a colour of its own.

    >>> palette = Palette(("sky", "sea"), ((90, 160, 255), (0, 0, 120)))
    >>> palette.array.tolist(), palette.index("sea")
    ([[90, 160, 255], [0, 0, 120]], 1)
    """

    labels: tuple[str, ...]
    colours: tuple[Colour, ...]

    def __post_init__(self) -> None:
        """Refuse palettes that cannot be decoded."""
        if not 1 <= len(self.labels) <= MOST_LABELS or len(self.labels) != len(self.colours):
            raise PixelProofError(
                f"A palette has 1 to {MOST_LABELS} labels with a colour each, "
                f"not {len(self.labels)} labels and {len(self.colours)} colours."
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

    def __len__(self) -> int:
        return len(self.labels)

    def index(self, label: str) -> int:
        """Index of a label."""
        try:
            return self.labels.index(label)
        except ValueError:
            raise PixelProofError(f"The palette has no label {label!r}; it has: {', '.join(self.labels)}.") from None

    def subset(self, labels: Sequence[str]) -> Palette:
        """The palette of some labels, in the given order."""
        return Palette(tuple(labels), tuple(self.colours[self.index(label)] for label in labels))

    def paint(self, labels: npt.NDArray[np.uint8], void: Colour = (0, 0, 0)) -> npt.NDArray[np.uint8]:
        """Paint a label map; void pixels get the colour `void`.

        >>> Palette(("a",), ((255, 0, 0),)).paint(np.array([[0, VOID]], np.uint8)).tolist()
        [[[255, 0, 0], [0, 0, 0]]]
        """
        table = np.empty((256, 3), dtype=np.uint8)
        table[:] = void
        table[: len(self)] = self.array
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
