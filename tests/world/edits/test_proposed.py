"""Edits that are proposed for a scene can be carried out, and break no rule."""

from __future__ import annotations

import os

import numpy as np
import pytest

from pixelproof.contract import PixelProofError
from pixelproof.world.edits import WAYS, apply
from pixelproof.world.language import ask, instruct, propose, propose_outcome
from world.edits import checker
from world.edits.scenes import MADE, generated

pytestmark = pytest.mark.slow

ACTIONS = [action for action in WAYS if action != "insert"]
"""Actions that are proposed; an insert needs a new thing."""
NOWHERE = {("put", "shelf"), ("turn camera", "room")}
"""Only upright books have a surface on this shelf, and they are too small for other things; and this room fills the
picture, so that things would leave it after a turn of 3°."""
SOAK = int(os.environ.get("PIXELPROOF_SOAK", "12"))


def broken(number, action, count, seed=0):
    """Number of proposed edits, and the problems of those that break a rule."""
    scene, view = generated(number)
    rng, found, made = np.random.default_rng([seed, number]), [], 0
    for _ in range(count):
        outcome = propose_outcome(scene, view, rng, (action,))
        if outcome is not None:
            made += 1
            found += [(outcome.edit, problem) for problem in checker.problems(outcome)]
    return made, found


@pytest.mark.parametrize("action", ACTIONS)
def test_proposed_edits_break_no_rule(action):
    made, found = broken(0, action, 2)
    assert made and not found


@pytest.mark.parametrize("number", range(len(MADE)))
@pytest.mark.parametrize("action", ACTIONS)
def test_proposed_edits_break_no_rule_in_any_room(action, number):
    made, found = broken(number, action, 5, 1)
    assert not found and bool(made) is not ((action, MADE[number][0]) in NOWHERE)


@pytest.mark.soak
@pytest.mark.parametrize("action", ACTIONS)
def test_many_proposed_edits_break_no_rule(action):
    for number in range(len(MADE)):
        _, found = broken(number, action, SOAK // len(MADE), 2)
        assert not found


def test_a_proposal_is_the_edit_of_its_outcome():
    scene, view = generated(0)
    edits = [propose(view, np.random.default_rng(5), ("swap", "turn"), scene=scene) for _ in range(2)]
    outcome = propose_outcome(scene, view, np.random.default_rng(5), ("swap", "turn"))
    assert edits[0] == edits[1] == outcome.edit and apply(scene, outcome.edit) == outcome
    assert instruct(view, outcome.edit, np.random.default_rng(0)) is not None
    with pytest.raises(PixelProofError, match="Give the solid scene"):
        propose_outcome(None, view, np.random.default_rng(5))


def test_edits_that_are_asked_for_can_be_carried_out():
    scene, _ = generated(0)
    sentences = ask(*MADE[0], 3, what="edits")
    assert sentences and all(apply(scene, sentence.edit).possible for sentence in sentences)
