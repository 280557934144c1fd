"""Questions about the scenes of pairs are read back and answered by an independent checker."""

import os

import pytest

from oracles.language import check
from pixelproof.benches.spatial.understanding import SLOTS, ask_slot
from pixelproof.stats import generator
from pixelproof.world.language import what_if_question
from pixelproof.world.pairs import look_at
from pixelproof.world.solid.layouts import make_scene

KINDS = ("tabletop", "room", "shelf")
SCENES = 2 * int(os.environ.get("PIXELPROOF_SOAK", "1"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_checker_refuses_no_question(kind, language):
    scenes = [make_scene(kind, seed=7, index=index) for index in range(SCENES + 1)]
    views = [look_at(scene).view for scene in scenes]
    asked = 0
    for index, scene in enumerate(scenes[:-1]):
        for name in SLOTS:
            rng = generator(7, f"answers/{name}", index)
            sentence = ask_slot(name, scene, views[index], views[index + 1], language, rng)
            if sentence is not None:
                asked += 1
                assert check(views[index], sentence) == [], (kind, index, name, sentence)
    assert asked >= 3 * SCENES


@pytest.mark.slow
def test_nothing_is_asked_that_an_imagined_move_leaves_uncertain():
    """A thing whose end is beyond that of another while its centre is not is neither closer nor farther."""
    scene = make_scene("tabletop", seed=7, index=6)
    view = look_at(scene).view
    for attempt in range(12):
        sentence = what_if_question(view, scene, generator(7, "uncertain", attempt))
        assert sentence is None or check(view, sentence) == []
