"""The seven published subjects."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Subject:
    """What to draw."""

    id: str
    text: str
    category: str


SUBJECTS = (
    Subject("mario", "Mario from Super Mario Bros", "character"),
    Subject("rainbow", "A rainbow", "nature"),
    Subject("sun", "The sun", "nature"),
    Subject("saturn", "The planet Saturn with its rings", "space"),
    Subject("maze", "A maze, entrance at top left, exit bottom right", "abstract"),
    Subject("mona-lisa", "The Mona Lisa", "art"),
    Subject("hope", "Hope", "abstract"),
)


def recognise(text: str) -> Subject | None:
    """The published subject that a wording means, if it means one.

    >>> recognise("the MONA LISA").id, recognise("a sundial")
    ('mona-lisa', None)
    """
    words = "-".join(re.findall("[a-z]+", text.lower()))
    for subject in SUBJECTS:
        if re.search(rf"(^|-){subject.id}(-|$)", words):
            return subject
    return None
