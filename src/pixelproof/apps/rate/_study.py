"""A study: images, questions that raters are asked, and how many votes are wanted."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

from pixelproof.contract import PixelProofError, unknown_name
from pixelproof.store import digest

Kind = Literal["scale", "yesno", "pair"]
LEVELS = 5
_ID = re.compile(r"[a-z][a-z0-9_-]{0,39}")


@dataclass(frozen=True)
class Question:
    """One question about each image, or about each pair of images."""

    id: str
    """Name in tables; lower case."""
    kind: Kind
    """`scale`: 1 to 5; `yesno`: 1 or 0; `pair`: 1 for the first image, -1 for the second, 0 for neither."""
    text: str = ""
    """The question; empty if every image has its own."""
    column: str = ""
    """Column of the table with the question for each image. Where it is empty, nothing is asked."""
    labels: tuple[str, ...] = ()
    """Names of the levels 1 to 5."""
    show_prompt: bool = True
    """Whether raters see the prompt together with this question."""
    ties: bool = True
    """Whether "neither" is an answer, for pairs."""

    def accepts(self, value: object) -> bool:
        """Whether a value is an answer to this question."""
        if not isinstance(value, int) or isinstance(value, bool):
            return False
        if self.kind == "scale":
            return 1 <= value <= LEVELS
        return value in ((0, 1) if self.kind == "yesno" else (1, -1, 0) if self.ties else (1, -1))


PRESETS = {
    "perception": Question(
        "perception",
        "scale",
        "How good does the image look? Judge sharpness, colours and visible errors, not what it shows.",
        labels=("Bad", "Poor", "Fair", "Good", "Excellent"),
        show_prompt=False,
    ),
    "correspondence": Question(
        "correspondence",
        "scale",
        "How well does the image show what the text says?",
        labels=("Not at all", "Little", "In part", "Mostly", "Fully"),
    ),
    "qa": Question("qa", "yesno", column="question", show_prompt=False),
    "preference": Question("preference", "pair", "Which image is the better picture of the text?"),
}
"""Questions that a study can name."""


def read_question(entry: object, where: str) -> Question:
    """A question from `study.json`: the name of a preset, or an object with the fields of `Question`.

    Raises:
        PixelProofError: It is neither, or a field does not fit.
    """
    if isinstance(entry, str):
        if entry not in PRESETS:
            raise PixelProofError(f"{where}: {unknown_name('question', entry, PRESETS)} Or write an object.")
        return PRESETS[entry]
    if not isinstance(entry, Mapping):
        raise PixelProofError(f"{where}: a question is a name ({', '.join(PRESETS)}) or an object with id and kind.")
    known = [field.name for field in fields(Question)]
    for name in entry:
        if name not in known:
            raise PixelProofError(f"{where}: {unknown_name('field of a question', name, known)}")
    values: dict[str, Any] = dict(entry)
    if not isinstance(values.get("id"), str) or not _ID.fullmatch(values["id"]):
        raise PixelProofError(f"{where}: the id of a question is a lower-case name such as perception.")
    where = f"{where}, question {values['id']!r}"
    if values.get("kind") not in get_args(Kind):
        raise PixelProofError(f"{where}: {unknown_name('kind of question', values.get('kind'), get_args(Kind))}")
    for name in ("text", "column"):
        if not isinstance(values.get(name, ""), str):
            raise PixelProofError(f"{where}: {name} must be a text.")
    for name in ("show_prompt", "ties"):
        if not isinstance(values.get(name, True), bool):
            raise PixelProofError(f"{where}: {name} must be true or false.")
    labels = values.get("labels", [])
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise PixelProofError(f"{where}: labels must be a list of texts.")
    if labels and (len(labels) != LEVELS or values["kind"] != "scale"):
        raise PixelProofError(f"{where}: labels are the names of the {LEVELS} levels of a scale.")
    values["labels"] = tuple(labels)
    if bool(values.get("text")) == bool(values.get("column")):
        raise PixelProofError(f"{where}: write the text, or name the column that has it; one of both.")
    if values["kind"] == "pair" and values.get("column"):
        raise PixelProofError(f"{where}: a question about pairs has one text for all of them.")
    return Question(**values)


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
