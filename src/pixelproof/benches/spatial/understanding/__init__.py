"""Spatial understanding: the scenes of the editing task as questions with options and with numbers.

`understanding_items` asks about scenes, `omnispatial_items` and `sat_items` read published data sets;
`relate_tasks` compares a model's edits with its answers, scene by scene.
"""

from ._asking import SLOTS, ask_slot
from ._files import omnispatial_items, sat_items
from ._items import Scene, edit_id, understanding_items
from ._question import CONTROLS, LETTERS, SKILLS, Question, score_answer, write_question
from ._relation import CELLS, TaskRelation, relate_tasks

__all__ = [
    "CELLS",
    "CONTROLS",
    "LETTERS",
    "SKILLS",
    "SLOTS",
    "Question",
    "Scene",
    "TaskRelation",
    "ask_slot",
    "edit_id",
    "omnispatial_items",
    "relate_tasks",
    "sat_items",
    "score_answer",
    "understanding_items",
    "write_question",
]
