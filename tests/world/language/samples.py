"""Sentences of every kind and form about random scenes, made once for all tests."""

from collections import Counter
from functools import cache

import numpy as np

from pixelproof.world.language import Sentence, captions, facts, instruct, questions, refer, view_of
from world.language.scenes import random_edit, random_scene, random_shares, tiered_scene

NOUNS = ("mug", "hammer", "tray", "candle", "chair", "hat", "toy car", "dumbbell")
"""Nouns that scenes share, so that questions can be asked of two of them."""
FORMS = {
    "expression": ("noun", "attribute", "superlative", "relation"),
    "fact": ("count", "relation", "on", "colour", "material", "distance", "comparison", "between"),
    "caption": ("short", "empty", "compositional", "long"),
    "yes-no": (
        "exists", "count", "colour", "relation", "comparison", "depth", "height", "distance", "between", "support",
        "own-frame",
    ),
    "choice": ("colour", "material", "which", "count", "rank", "distance", "support"),
    "open": (
        "colour", "which", "comparison", "depth", "height", "distance", "between", "support", "own-frame",
    ),
    "edit": ("move", "place", "put", "turn", "scale", "remove", "swap", "move camera", "turn camera", "zoom camera"),
}  # fmt: skip
"""Kind → its forms, as the documentation lists them."""
QUESTIONS = ("yes-no", "choice", "open")
KINDS = (*FORMS, *(f"{kind} in Chinese" for kind in (*QUESTIONS, "edit")))
LEAST = 3
"""Sentences of each form, at least."""
_PAIRS = 60
_TIERED = ("height", "support", "material", "distance", "colour")
"""Forms for which scenes with few things at two heights are better."""


def pairs(form):
    """Pairs of views that questions of a form are asked of."""
    return _pairs(form in _TIERED)


@cache
def _pairs(tiered):
    seen = [view_of(*source) for source in (_few() if tiered else _many())]
    return list(zip(seen[::2], seen[1::2], strict=True))


@cache
def sources():
    """View → its scene, and thing id → visible share."""
    return {view_of(*source): source for source in (*_few(), *_many())}


def _few():
    return [(tiered_scene(seed), None) for seed in range(2 * _PAIRS)]


def _many():
    return [(random_scene(seed, NOUNS), random_shares(seed, NOUNS)) for seed in range(2 * _PAIRS)]


def made(kind, form, seen, foil, rng):
    """Sentences about a view of a kind; questions and expressions of a form, or of any if it is None."""
    kind, _, chinese = kind.partition(" in ")
    language = "zh" if chinese else "en"
    if kind in QUESTIONS:
        return questions(seen, foil, rng, 2 if form else 8, (kind,), language, (form,) if form else None)
    if kind == "expression":
        found = [refer(seen, entity.id, rng, (form,) if form else FORMS[kind]) for entity in seen.things]
        return [Sentence("expression", one.form, one.text, about=(one.id,)) for one in found if one]
    if kind == "edit":
        edits = [random_edit(seen, rng) for _ in range(20)]
        return [one for one in (instruct(seen, edit, rng, language) for edit in edits if edit) if one]
    return (facts if kind == "fact" else captions)(seen, rng, 6)


@cache
def sample(kind):
    """Views with sentences about them: at least `LEAST` of each form of a kind, where there are as many."""
    forms = FORMS[kind.partition(" in ")[0]]
    counts, found = Counter(), {}
    for form in forms:
        for number, (seen, foil) in enumerate(pairs(form)):
            if counts[form] >= LEAST:
                break
            for sentence in made(kind, form, seen, foil, np.random.default_rng([number, 7])):
                counts[sentence.form] += (id(seen), sentence) not in found
                found[id(seen), sentence] = seen
    return tuple((seen, sentence) for (_, sentence), seen in found.items())
