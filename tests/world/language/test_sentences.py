"""Every sentence that is made is read back and found true by the checker."""

import os
from collections import Counter

import numpy as np
import pytest

from oracles.language import check
from pixelproof.world.language import view_of
from world.language.samples import FORMS, KINDS, made, pairs, sample
from world.language.scenes import random_view, solid_scene

SOAK = 20 * int(os.environ.get("PIXELPROOF_SOAK", "4"))
RNG = np.random.default_rng


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_sentences_of_every_form_are_true(kind):
    plain = kind.partition(" in ")[0]
    for seen, sentence in sample(kind):
        assert check(seen, sentence) == [], sentence
        assert sentence.kind == plain
    assert {sentence.form for _, sentence in sample(kind)} == set(FORMS[plain])


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_very_many_sentences_are_true(kind):
    forms, seed = Counter(), 0
    while forms.total() < SOAK:
        seen, foil = random_view(2 * seed), random_view(2 * seed + 1)
        for sentence in made(kind, None, seen, foil, RNG([seed, 7])):
            assert check(seen, sentence) == [], sentence
            forms[sentence.form] += 1
        seed += 1
    assert set(forms) <= set(FORMS[kind.partition(" in ")[0]])


@pytest.mark.slow
@pytest.mark.parametrize("world", ["tabletop", "room", "shelf"])
def test_sentences_about_scenes_of_the_world_are_true(world):
    seen = [view_of(solid_scene(world, index)) for index in range(4)]
    number = 0
    for index, one in enumerate(seen):
        rng = RNG(index)
        for kind in KINDS:
            for sentence in made(kind, None, one, seen[index - 1], rng):
                assert check(one, sentence) == [], sentence
                number += 1
    assert number > 200


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_sentences(kind):
    seen, foil = pairs("count")[0]
    first, second = (made(kind, None, seen, foil, RNG(5)) for _ in range(2))
    assert first == second
    assert first
