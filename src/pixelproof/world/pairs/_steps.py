"""Pairs of several edits in a row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pixelproof.world.language import unique

from ._drafts import Draft, Settings, difficulty_of, draw, is_new_relation
from ._pair import Pair
from ._situation import Situation, is_seen

_ACTIONS = ("move", "place", "put", "turn", "scale", "remove", "swap")
_COUNTS = (2, 3, 4)
_WEIGHTS = (0.5, 0.3, 0.2)
_NAMES = ("noun", "attribute")
"""Forms of expressions whose meaning does not depend on where things are, which changes from step to step."""
_TRIES = 4


def draw_steps(here: Situation, rng: np.random.Generator, settings: Settings) -> list[Draft] | None:
    """Two to four edits, each of another thing, and each of the scene that the one before leaves.

    Things are named by words that fit them, and nothing else, in the first scene as in the one that a step begins with.
    """
    count = int(rng.choice(_COUNTS, p=_WEIGHTS))
    drafts: list[Draft] = []
    for _ in range(_TRIES * count):
        start = drafts[-1].after if drafts else here
        sampler = draw((str(rng.choice(_ACTIONS)),), is_new_relation, most=3)
        draft = sampler(start, rng, replace(settings, forms=_NAMES))
        if draft is None:
            continue
        edit = draft.outcome.edit
        edited = {id for other in drafts for id in _edited(other)}
        named = all(unique(here.view, expression) for expression in draft.expressions)
        if named and not edited & _edited(draft) and not (edit.action == "remove" and edit.target in _anchors(drafts)):
            drafts.append(draft)
        if len(drafts) == count:
            return drafts if _lasts(here, drafts) else None
    return None


def _edited(draft: Draft) -> set[str]:
    edit = draft.outcome.edit
    return {edit.target, *draft.outcome.changes, *([edit.anchor] if edit.action == "swap" else [])}


def _anchors(drafts: list[Draft]) -> set[str]:
    return {draft.outcome.edit.anchor for draft in drafts}


def _lasts(here: Situation, drafts: list[Draft]) -> bool:
    """Whether the result of each step can be seen at the end."""
    named = {id for draft in drafts for id in _edited(draft)}
    turned = {draft.outcome.edit.target for draft in drafts if draft.outcome.edit.action == "turn"}
    last = drafts[-1].after
    return is_seen(here, last, named - turned) and is_seen(here, last, turned, turns=True)


def pair_of_steps(drafts: list[Draft], language: str) -> Pair:
    """The pair of several edits."""
    return Pair(
        "multi-step",
        drafts[0].before.scene,
        drafts[-1].after.scene,
        tuple(draft.outcome.edit for draft in drafts),
        joined([draft.text for draft in drafts], language),
        language,
        difficulty=difficulty_of(drafts),
    )


def joined(texts: list[str], language: str) -> str:
    """Instructions as one text that says in which order they are carried out.

    >>> joined(["Remove the mug.", "Turn the key 90 degrees clockwise (seen from above)."], "en")
    'First, remove the mug. Then, turn the key 90 degrees clockwise (seen from above).'
    """
    last = len(texts) - 1
    if language == "zh":
        marks = ["首先，" if not number else "最后，" if number == last > 1 else "然后，" for number in range(last + 1)]
        return "".join(mark + text for mark, text in zip(marks, texts, strict=True))
    marks = ["First, " if not number else "Finally, " if number == last > 1 else "Then, " for number in range(last + 1)]
    return " ".join(mark + text[0].lower() + text[1:] for mark, text in zip(marks, texts, strict=True))
