"""Every sentence that is made is read back and found true by the checker."""

import os
from collections import Counter

import numpy as np
import pytest

from pixelproof.world.language import Sentence, captions, check, facts, instruct, questions, refer
from world.language.scenes import random_edit, random_view

SOAK = int(os.environ.get("PIXELPROOF_SOAK", "1000"))


def expressions(seen, rng):
    found = [refer(seen, entity.id, rng) for entity in seen.things]
    return [Sentence("expression", made.form, made.text, about=(made.id,)) for made in found if made]


def instructions(seen, rng, language):
    edits = [random_edit(seen, rng) for _ in range(20)]
    found = [instruct(seen, edit, rng, language) for edit in edits if edit]
    return [made for made in found if made]


MAKERS = {
    "expression": lambda seen, foil, rng: expressions(seen, rng),
    "fact": lambda seen, foil, rng: facts(seen, rng, 8),
    "caption": lambda seen, foil, rng: captions(seen, rng, 6),
    **{
        kind + name: lambda seen, foil, rng, kind=kind, language=language: questions(
            seen, foil, rng, 8, (kind,), language
        )
        for kind in ("yes-no", "choice", "open")
        for name, language in (("", "en"), (" in Chinese", "zh"))
    },
    "edit": lambda seen, foil, rng: instructions(seen, rng, "en"),
    "edit in Chinese": lambda seen, foil, rng: instructions(seen, rng, "zh"),
}
FORMS = {
    "expression": {"noun", "attribute", "superlative", "relation"},
    "fact": {"count", "relation", "on", "colour", "material", "distance", "comparison", "between"},
    "caption": {"short", "empty", "compositional", "long"},
    "yes-no": {
        "exists",
        "count",
        "colour",
        "relation",
        "comparison",
        "depth",
        "height",
        "distance",
        "between",
        "support",
        "own-frame",
    },
    "choice": {"colour", "material", "which", "count", "rank", "distance", "support"},
    "open": {
        "colour",
        "material",
        "which",
        "comparison",
        "depth",
        "height",
        "distance",
        "between",
        "support",
        "own-frame",
    },
    "edit": {"move", "place", "put", "turn", "scale", "remove", "swap", "move camera", "turn camera"},
}


def sentences(kind, number):
    """Views with sentences about them, so many in all."""
    made = 0
    for seed in range(100 * number):
        seen, foil = random_view(2 * seed), random_view(2 * seed + 1)
        for sentence in MAKERS[kind](seen, foil, np.random.default_rng([seed, 7])):
            yield seen, sentence
            made += 1
            if made == number:
                return


def all_true(kind, number):
    forms = Counter()
    for seen, sentence in sentences(kind, number):
        assert check(seen, sentence) == [], sentence
        assert sentence.kind == kind.split()[0]
        forms[sentence.form] += 1
    assert sum(forms.values()) == number
    assert set(forms) <= FORMS[kind.split()[0]]
    assert len(forms) >= 0.6 * len(FORMS[kind.split()[0]]), forms  # the scarcest are among thousands alone


@pytest.mark.parametrize("kind", MAKERS)
def test_sentences_of_every_form_are_true(kind):
    all_true(kind, 150)


@pytest.mark.soak
@pytest.mark.parametrize("kind", MAKERS)
def test_very_many_sentences_are_true(kind):
    all_true(kind, SOAK)


@pytest.mark.slow
@pytest.mark.parametrize("world", ["tabletop", "room", "shelf"])
def test_sentences_about_scenes_of_the_world_are_true(world):
    from pixelproof.world.language import view_of
    from pixelproof.world.solid.layouts import make_scene

    seen = [view_of(make_scene(world, 3, index)) for index in range(4)]
    made = 0
    for index, one in enumerate(seen):
        rng = np.random.default_rng(index)
        for kind in MAKERS:
            for sentence in MAKERS[kind](one, seen[index - 1], rng):
                assert check(one, sentence) == [], sentence
                made += 1
    assert made > 200


@pytest.mark.parametrize("kind", MAKERS)
def test_the_same_seed_gives_the_same_sentences(kind):
    first, second = ([made for _, made in sentences(kind, 10)] for _ in range(2))
    assert first == second
    assert len(first) == 10
