"""Facts: what a prompt says that an image of it must show, each with a yes/no question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from pixelproof.world.language import Claim, Statement, View, is_true

TEXT, QUESTION, COUNT = "text", "question", "count"


@dataclass(frozen=True)
class Fact:
    """Something that an image of a prompt must show; the right answer to its question is yes."""

    content_name: ClassVar[str] = "Fact"

    kind: str
    """`object`, `count`, `colour`, `material`, `relation`, `empty`, `text`, or `question` for one of a data set."""
    question: str
    claim: Claim | None = None
    """The things that it is about; None for texts and for questions that have not been parsed."""
    text: str = ""
    """Text that must be readable, for the kind `text`."""


@dataclass(frozen=True)
class Content:
    """What an image of the world shows."""

    view: View
    texts: tuple[str, ...] = ()
    """Texts that can be read in it."""


def text_fact(text: str) -> Fact:
    """The fact that a text can be read in the image."""
    return Fact(TEXT, f'Can the text "{text}" be read in the image, with all letters right?', text=text)


def holds(fact: Fact, content: Content) -> bool:
    """Whether a fact is certainly true of an image of the world."""
    if fact.kind == TEXT:
        return fact.text in content.texts
    return fact.claim is not None and is_true(content.view, Statement(fact.kind, fact.claim, fact.question))


def holds_in_collage(fact: Fact, contents: Sequence[Content]) -> bool:
    """Whether a fact is certainly true of several images of the world side by side, or of none.

    Counts add up; anything else holds if it does in one of the images.
    """
    if fact.kind == COUNT:
        tiles = enumerate(content.view.entities for content in contents)
        together = (replace(entity, id=f"{tile}/{entity.id}") for tile, entities in tiles for entity in entities)
        return holds(fact, Content(View(tuple(together))))
    return any(holds(fact, content) for content in contents)
