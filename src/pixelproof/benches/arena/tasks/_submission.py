"""What a task measures, and what it returns."""

from __future__ import annotations

from dataclasses import dataclass, field

from pixelproof.benches.arena._case import Labels
from pixelproof.pixels import AnswerImage


@dataclass(frozen=True)
class Submission:
    """The image of an answer with the text beside it."""

    image: AnswerImage
    text: str = ""
    """The model's text, which may declare a legend."""
    names: tuple[str, ...] = ()
    """Names of the labels in the prompt; empty if they are the palette's own."""


@dataclass(frozen=True)
class Measurement:
    """The metrics of one answer."""

    numbers: dict[str, float | list[float]]
    notes: dict[str, str] = field(default_factory=dict)
    labels: Labels | None = None
    """The decoded label map, for tasks that have one."""
    confusion: dict[str, dict[str, float]] = field(default_factory=dict)
    """Pixels by label of the truth and of the answer, for tasks with classes; see `Result.confusion`."""
