"""A question about a photograph, with its right answer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from pixelproof.contract import Artefact
from pixelproof.pixels import media_type_of

SKILLS = ("distance", "direction", "order", "count", "support", "what-if", "perspective")
"""What questions about generated scenes are about, in the order of the counts of the metric `answer`."""


@dataclass(frozen=True)
class Question:
    """A question with its right answer, which only scorers and controls read."""

    content_name: ClassVar[str] = "Question"

    skill: str
    """One of `SKILLS`; of a data set, its own word."""
    kind: Literal["choice", "number"]
    text: str
    answer: str
    """Text of the right option, or the right number."""
    options: tuple[str, ...] = ()
    """Options in the order in which they are shown; empty for numbers."""
    unit: str = ""
    """`cm`, or empty for a count."""
    frequent: str = ""
    """The answer that is right most often for questions of this kind: what a model gets by knowing them alone."""
    pair: str = ""
    """Generated scenes: the pair as JSON, whose scene before the edit the question is about."""
    images: tuple[Artefact, ...] = ()
    """Data sets with images inside: the images."""
    files: tuple[str, ...] = ()
    """Data sets with image files: their paths."""

    @property
    def letter(self) -> str:
        """Letter of the right option."""
        return LETTERS[self.options.index(self.answer)]

    def photographs(self) -> tuple[Artefact, ...]:
        """The images of a data set's question."""
        read = ((Path(file), Path(file).read_bytes()) for file in self.files)
        return self.images + tuple(Artefact(data, media_type_of(data), str(path)) for path, data in read)


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
