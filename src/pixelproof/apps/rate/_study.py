"""A study: images, questions, and how many votes are wanted."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pixelproof.contract import PixelProofError
from pixelproof.store import digest

from ._questions import Question


@dataclass(frozen=True)
class StudyImage:
    """An image file of a study."""

    id: str
    path: Path
    key: str
    """SHA-256 of the content, under which it is served."""
    model: str = ""
    prompt: str = ""
    group: str = ""
    """Prompt id, or else the prompt: images of one group can be compared."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Question → its text, for questions that differ between images; empty where nothing is asked."""


@dataclass(frozen=True)
class StudyItem:
    """What a rater judges at once: one image, or two of the same prompt."""

    images: tuple[StudyImage, ...]

    @property
    def id(self) -> str:
        """Id of the image, or of both, on a line each."""
        return "\n".join(image.id for image in self.images)

    @property
    def digest(self) -> str:
        """Hash of everything that a rater sees."""
        return digest([[image.key, image.prompt, sorted(image.texts.items())] for image in self.images])


@dataclass(frozen=True)
class Example:
    """An image on the training page, with the right answer."""

    image: StudyImage
    question: str
    answer: str
    why: str


@dataclass(frozen=True)
class Study:
    """Everything that `study.json` and the table of images say."""

    folder: Path
    title: str
    questions: tuple[Question, ...]
    items: Mapping[str, StudyItem]
    """Items that are rated, by id."""
    gold: Mapping[str, StudyItem]
    """Items with known answers; every rater gets some of them."""
    answers: Mapping[str, Mapping[str, frozenset[int]]]
    """Gold item → question → values that are right."""
    training: tuple[str, ...] = ()
    """Paragraphs of the training page."""
    examples: tuple[Example, ...] = ()
    votes_per_item: int | None = 5
    """None: every rater rates every item."""
    items_per_rater: int | None = None
    """None: no limit."""
    repeats: float = 0.05
    """Share of items that a rater gets a second time."""
    gold_every: int = 10
    """A gold item follows after about this many others."""
    lease_minutes: float = 15.0
    """How long an item is reserved for a rater who does nothing."""
    seed: int = 0

    @property
    def pairs(self) -> bool:
        """Whether pairs of images are compared."""
        return self.questions[0].kind == "pair"

    def item(self, identity: str) -> StudyItem | None:
        """An item, gold or not."""
        return self.items.get(identity) or self.gold.get(identity)

    def asked(self, item: StudyItem) -> list[Question]:
        """The questions that an item is about."""
        return [question for question in self.questions if not question.column or item.images[0].texts.get(question.id)]

    @cached_property
    def files(self) -> Mapping[str, Path]:
        """Key → file, of all images."""
        items = [image for item in (*self.items.values(), *self.gold.values()) for image in item.images]
        return {image.key: image.path for image in (*items, *(example.image for example in self.examples))}

    def load(self, key: str) -> bytes:
        """The bytes of an image.

        Raises:
            PixelProofError: The study has no such image, or it cannot be read.
        """
        try:
            return self.files[key].read_bytes()
        except (KeyError, OSError):
            raise PixelProofError("This study has no such image.") from None


def content_key(data: bytes) -> str:
    """Key of an image's content."""
    return hashlib.sha256(data).hexdigest()
