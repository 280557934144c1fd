"""Language about scenes: every sentence is true, and it is proven by a checker that reads the text.

A `View` is what language knows of a scene; `view_of` makes one of a solid scene. `refer` names a thing so that no
other is meant; `facts`, `captions`, `questions` and `instruct` make sentences; `check` reads any of them back and says
what is wrong with it.
"""

from ._ask import ask
from ._captions import captions
from ._edits import LANGUAGES, WAYS, instruct, turn_is_seen
from ._facts import facts
from ._questions import questions
from ._refer import Expression, refer
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
    "captions",
    "check",
    "facts",
    "instruct",
    "questions",
    "refer",
    "turn_is_seen",
    "view_of",
]
