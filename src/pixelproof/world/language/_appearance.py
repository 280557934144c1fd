"""Questions about the colour and material of things that are not named."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np

from ._refer import Expression, plain
from ._truth import Phrase, both, is_a, most, relation
from ._view import Sentence, View
from ._words import ALIKE_COLOURS, ALIKE_MATERIALS, OBJECT, PATTERNS

CHOICES = 4
_LOOKS = {"colour": "What colour is {}?", "material": "What is {} made of?"}
_LEAST = {"colour": 3, "material": 2}
"""Minimum number of choices."""
_PLACES = ("leftmost", "rightmost", "nearest", "farthest")
_SIDES = ("left", "right", "front", "behind", "on")
"""Superlatives and relations that do not reveal the category of a thing."""


@lru_cache(maxsize=8)
def _nameless(view: View) -> dict[str, list[Expression]]:
    """Referring expressions without a noun, such as `the object that is behind the mug`."""
    thing = Phrase(OBJECT)
    found: dict[str, list[Expression]] = {}
    for superlative in _PLACES:
        if best := most(view, superlative, thing):
            found.setdefault(best.id, []).append(Expression(best.id, thing, superlative))
    for other in view.things:
        if anchor := plain(view, other):
            for name in _SIDES:
                truths = [both((is_a(entity, thing), relation(view, name, entity, other))) for entity in view.things]
                if truths.count(True) == 1 and None not in truths:
                    id = view.things[truths.index(True)].id
                    found.setdefault(id, []).append(Expression(id, thing, "", name, anchor))
    return found


def ask_look(
    view: View, foil: View, rng: np.random.Generator, kind: Literal["choice", "open"], form: str
) -> Sentence | None:
    """What colour is the object that is behind the mug? What is it made of?

    All choices are words that could be the answer in the same scene; the answer is drawn among them. A coin flip
    decides first whether to ask about a thing on another: in rooms such a thing is seldom wooden, so `on` would be a
    cue; this form is not asked as an open question.
    """
    on = bool(rng.integers(2)) and (kind, form) != ("open", "material")
    words: dict[str, list[Expression]] = {}
    for id, known in _nameless(view).items():
        fits = [expression for expression in known if (expression.relation == "on") is on]
        if fits and (word := getattr(view[id], form)) not in ("", *PATTERNS):
            words.setdefault(word, []).extend(fits)
    alike = ALIKE_COLOURS if form == "colour" else ALIKE_MATERIALS
    choices: list[str] = []
    for index in rng.permutation(len(words)):
        word = list(words)[index]
        if len(choices) < CHOICES and not any((word, choice) in alike for choice in choices):
            choices.append(word)
    if kind == "open":
        confused = {word for pair in alike for word in pair} if form == "material" else set()
        choices = [word for word in words if word not in confused]
    if len(choices) < (_LEAST[form] if kind == "choice" else 1):
        return None
    answer = choices[int(rng.integers(len(choices)))]
    expression = words[answer][int(rng.integers(len(words[answer])))]
    offered = tuple(map(_bare, choices)) if kind == "choice" else ()
    return Sentence(kind, form, _LOOKS[form].format(expression.text), _bare(answer), offered, (expression.id,))


def _bare(word: str) -> str:
    return "wood" if word == "wooden" else word
