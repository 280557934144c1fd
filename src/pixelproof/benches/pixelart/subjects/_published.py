"""The seven published subjects: texts, recognition, reference drawings."""

from __future__ import annotations

import re
from functools import lru_cache

from pixelproof.benches.pixelart.subjects._drawing import Drawing
from pixelproof.benches.pixelart.subjects._kind import Subject
from pixelproof.benches.pixelart.subjects.exact import PUBLISHED_MAZE
from pixelproof.benches.pixelart.subjects.things import PUBLISHED_THINGS

CATEGORIES = {
    "mario": "character",
    "rainbow": "nature",
    "sun": "nature",
    "saturn": "space",
    "maze": "abstract",
    "mona-lisa": "art",
    "hope": "abstract",
}
"""The published subjects in the published order, with the published categories."""

_THINGS = {thing.id: thing for thing in PUBLISHED_THINGS}


def published(id: str) -> Subject:
    """A published subject by its id.

    >>> published("maze").text
    'A maze, entrance at top left, exit bottom right'
    """
    return Subject(PUBLISHED_MAZE, {"from": "left"}) if id == PUBLISHED_MAZE.id else Subject(_THINGS[id], {})


def subject_named(text: str) -> str | None:
    """Id of the published subject that a text names; None if it names none.

    >>> subject_named("the MONA LISA"), subject_named("a sundial")
    ('mona-lisa', None)
    """
    words = "-".join(re.findall("[a-z]+", text.lower()))
    return next((id for id in CATEGORIES if re.search(rf"(^|-){id}(-|$)", words)), None)


@lru_cache(maxsize=256)
def reference(id: str, size: int, colours: int) -> Drawing:
    """Reference drawing of a published subject: the ceiling of the published set."""
    return (PUBLISHED_MAZE if id == PUBLISHED_MAZE.id else _THINGS[id]).reference(size, colours)
