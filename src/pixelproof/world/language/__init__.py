"""Language about scenes: every sentence is true, and it is proven by a checker that reads the text.

A `View` is what language knows of a scene; `view_of` makes one of a solid scene. `refer` names a thing so that no
other is meant; `facts`, `captions` and `questions` make sentences; `propose` finds edits, and `instruct` puts them in
words; `check` reads any sentence back and says what is wrong with it.
"""

from ._ask import ask
from ._captions import captions
from ._edits import LANGUAGES, WAYS, instruct
from ._facts import facts
from ._items import ask_about, first_still, still_image
from ._proposing import propose
from ._questions import questions
from ._refer import Expression, refer
from ._sense import turn_is_seen
from ._solid import view_of
from ._view import Edit, Entity, Sentence, View
from .checker import check

__all__ = [
    "LANGUAGES",
    "WAYS",
    "Edit",
    "Entity",
    "Expression",
    "Sentence",
    "View",
    "ask",
    "ask_about",
    "captions",
    "check",
    "facts",
    "first_still",
    "instruct",
    "propose",
    "questions",
    "refer",
    "still_image",
    "turn_is_seen",
    "view_of",
]
