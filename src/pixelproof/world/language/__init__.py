"""Language about scenes: every sentence is true, as an independent checker tests.

A `View` holds the facts that sentences may use; `view_of` makes one from a solid scene. `refer` generates a referring
expression; `facts`, `captions` and `questions` generate sentences; `propose` samples an edit, `propose_outcome` also
carries it out, and `instruct` words it; `claims` and `statements` return
what a caption says, for yes/no questions about images made from it; `measure_question` and `what_if_question` ask for
numbers, and for what an imagined move changes. `ask_about` does all this for an item of any kind of set.
"""

from pixelproof.world.edits import WAYS, Edit

from ._ask import ask
from ._captions import captions
from ._claims import Claim, claims
from ._edits import LANGUAGES, instruct, word_edit
from ._facts import facts
from ._items import ask_about, first_still, item_view, still_image
from ._measured import measure_question, what_if_question
from ._plausibility import turn_is_seen
from ._propose import RANGES, Ranges, draw_amount, draw_edit, is_plausible, propose, propose_outcome
from ._questions import questions
from ._refer import Expression, refer, unique
from ._solid import view_of, words_of
from ._statements import Statement, is_true, statements
from ._truth import count
from .view import Entity, Sentence, View

__all__ = [
    "LANGUAGES",
    "RANGES",
    "WAYS",
    "Claim",
    "Edit",
    "Entity",
    "Expression",
    "Ranges",
    "Sentence",
    "Statement",
    "View",
    "ask",
    "ask_about",
    "captions",
    "claims",
    "count",
    "draw_amount",
    "draw_edit",
    "facts",
    "first_still",
    "instruct",
    "is_plausible",
    "is_true",
    "item_view",
    "measure_question",
    "propose",
    "propose_outcome",
    "questions",
    "refer",
    "statements",
    "still_image",
    "turn_is_seen",
    "unique",
    "view_of",
    "what_if_question",
    "word_edit",
    "words_of",
]
