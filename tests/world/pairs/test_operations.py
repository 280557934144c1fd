"""Sampled pairs: the text says what is carried out, nothing else changes, and impossible ones have possible twins."""

from __future__ import annotations

import os
import re

import numpy as np
import pytest

from oracles.language._parser import tokens
from pixelproof.contract import PixelProofError
from pixelproof.world.edits import pivot, turn_difference
from pixelproof.world.pairs import OPERATIONS, PRESETS, REASONS, Pair, hard_parts, sample_pair
from pixelproof.world.solid import make_scene
from world.edits import checker
from world.pairs.samples import QUICK, SINGLE, marked, sampled
from world.pairs.soak import PER_SCENE, broken, problems, unjustified

SOAK = int(os.environ.get("PIXELPROOF_SOAK", "6"))


@pytest.mark.parametrize("operation", marked(SINGLE))
def test_the_text_of_a_pair_says_what_is_carried_out(operation):
    pair = sampled(operation)
    assert pair.operation == operation and pair.possible and len(pair.steps) == 1
    assert list(problems(pair)) == []
    assert Pair.from_json(pair.to_json()) == pair


@pytest.mark.slow
def test_things_do_not_turn_when_they_come_to_rest_in_a_container():
    """With this variant, a house slid into a bowl and turned by 31°."""
    assert list(problems(sample_pair("receptacle", 11, 72, variant=5), texts=False)) == []


@pytest.mark.slow
def test_several_steps_are_told_and_carried_out_in_order():
    pair = sampled("multi-step")
    assert 2 <= len(pair.steps) <= 4 and list(problems(pair)) == []
    assert len({step.target for step in pair.steps}) == len(pair.steps)
    assert pair.difficulty["steps"] == len(pair.steps)


def measured(pair: Pair) -> float:
    """The amount of an edit, from poses alone: metres, degrees or a factor."""
    edit, (old, new) = pair.edit, (pair.before.camera, pair.after.camera)
    if edit.action == "zoom camera":
        return max(new.focal / old.focal, old.focal / new.focal)
    if edit.target:
        new = pair.after.thing(edit.target)
        old = new if edit.action == "insert" else pair.before.thing(edit.target)
    if edit.action in ("place", "insert"):
        return float(np.linalg.norm((checker.middle(new) - checker.middle(pair.after.thing(edit.anchor)))[:2]))
    if "turn" in edit.action:
        turned = checker.angle(old.rotation, new.rotation)
        return turned if edit.amount <= 180 else 360 - turned
    if edit.action == "scale":
        return new.scale / old.scale
    return float(np.linalg.norm(np.subtract(new.position, old.position)))


@pytest.mark.parametrize("operation", marked(["move", "placement", "rotation", "viewpoint", "scaling", "insertion"]))
def test_numbers_in_texts_are_those_of_the_poses(operation):
    for index in (1,) if operation in QUICK else (1, 2):
        pair = sampled(operation, index)
        if pair.edit.action == "put":
            continue
        numbers = re.findall(r"(\d+(?:\.\d+)?)(?: (cm|%))?", pair.text)
        said = [float(number) * (0.01 if unit else 1.0) for number, unit in numbers]
        assert any(value == pytest.approx(measured(pair), rel=0.005) for value in said), pair.text


@pytest.mark.slow
def test_a_relation_that_is_asked_for_is_false_before():
    for index in (1, 2):
        pair = sampled("placement", index)
        if pair.edit.action == "place":
            thing, anchor = (checker.middle(pair.before.thing(id))[:2] for id in (pair.edit.target, pair.edit.anchor))
            way = checker.way_of(pair.before, pair.edit)[:2]
            assert (thing - anchor) @ way <= 0.5 * np.linalg.norm(thing - anchor) + 1e-9
        else:
            assert pair.before.thing(pair.edit.target).support != pair.edit.anchor or pair.edit.way
    for operation in ("receptacle", "stacking"):
        edit, before = sampled(operation).edit, sampled(operation).before
        assert edit.way or before.thing(edit.target).support != edit.anchor


def test_turns_can_be_seen():
    pair = sampled("rotation")
    assert turn_difference(pair.before.thing(pair.edit.target), pair.edit.amount) >= 0.06


@pytest.mark.slow
def test_things_are_removed_by_a_superlative():
    for index in (1, 2):
        words = r"(?:left|right)most|(?:small|larg|tall|short|high|low)est|closest to|farthest from"
        assert re.search(words, sampled("removal", index).text)


@pytest.mark.slow
def test_an_impossible_instruction_has_a_possible_twin_of_the_same_words():
    possible, impossible = sorted(
        (sampled("impossible", index) for index in (2, 3)), key=lambda pair: not pair.possible
    )
    assert possible.text == impossible.text and possible.steps == impossible.steps
    assert possible.possible and list(problems(possible)) == []
    assert impossible.why_not in REASONS and impossible.after == impossible.before and impossible.outcomes() == ()
    assert possible.before != impossible.before and impossible.named == possible.named


@pytest.mark.slow
def test_impossible_instructions_are_impossible():
    pairs = [sampled("impossible", index) for index in range(10)]
    assert sum(pair.possible for pair in pairs) == 5
    assert not [(pair.text, found) for pair in pairs if not pair.possible for found in unjustified(pair)]


@pytest.mark.slow
def test_texts_do_not_tell_what_is_impossible():
    """A logistic regression on words, cross-validated with twins in one fold, is at chance."""
    pairs = [sampled("impossible", index) for index in range(10)]
    vocabulary = sorted({word for pair in pairs for word in tokens(pair.text)})
    words = np.array([[tokens(pair.text).count(word) for word in vocabulary] for pair in pairs], float)
    labels, folds = np.array([pair.possible for pair in pairs]), np.arange(len(pairs)) // 2
    right = []
    for fold in set(folds):
        train, weights = folds != fold, np.zeros(len(vocabulary))
        for _ in range(200):
            chance = 1 / (1 + np.exp(-words[train] @ weights))
            weights += 0.1 * words[train].T @ (labels[train] - chance) - 1e-3 * weights
        right += list((words[folds == fold] @ weights > 0) == labels[folds == fold])
    assert np.mean(right) == 0.5


@pytest.mark.slow
def test_the_same_arguments_give_the_same_pair_and_others_do_not():
    assert sample_pair("scaling", 7, 1, kind="tabletop") == sampled("scaling")
    assert sample_pair("scaling", 8, 1, kind="tabletop") != sampled("scaling")
    assert sampled("scaling", 1, language="zh").text != sampled("scaling").text


@pytest.mark.slow
def test_the_preset_of_gsi_bench_has_its_amounts():
    amounts = PRESETS["gsi"].ranges
    for operation in PRESETS["gsi"].operations:
        pair = sampled(operation, 1, preset="gsi")
        for name in ("move", "turn", "scale", "move_camera", "turn_camera"):
            if pair.edit.action == name.replace("_", " ") and pair.edit.way not in ("up", "down"):
                assert pair.edit.amount in getattr(amounts, name)
        assert pair.edit.frame == "viewer" and pair.edit.action != "zoom camera"


def test_difficulty():
    pair = sampled("move")
    assert pair.level in ("easy", "medium", "hard") and pair.difficulty["things"] == len(pair.before.movable)
    assert hard_parts({"size": 0.001, "visible": 0.5, "change": 1.0, "things": 3}) == ("size", "visible")
    assert Pair("move", pair.before, pair.after, pair.steps, "", difficulty={"own_frame": 1.0}).level == "easy"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"operation": "juggle"}, "no operation 'juggle'"),
        ({"split": "exam"}, "split"),
        ({"language": "fr"}, "en, zh"),
        ({"preset": "gsy"}, "gsi"),
        ({"kind": "attic"}, "kind of scene"),
        ({"seed": -1}, "seed"),
    ],
)
def test_wrong_arguments_are_errors(options, message):
    with pytest.raises(PixelProofError, match=message):
        sample_pair(**{"operation": "move", "seed": 0, **options})


@pytest.mark.soak
@pytest.mark.parametrize("operation", OPERATIONS)
def test_many_pairs_break_no_rule(operation):
    made, index = 0, 0
    while made < SOAK:
        number, found = broken(operation, index, min(PER_SCENE, SOAK - made))
        assert not found
        made, index = made + number, index + 1


@pytest.mark.slow
def test_variants_are_other_pairs_of_one_scene():
    one, other = sampled("move"), sampled("move", variant=1)
    assert one.before == other.before and one.edit != other.edit
    with pytest.raises(PixelProofError, match="variant"):
        sample_pair("move", 7, 1, variant=-1)


@pytest.mark.slow
def test_the_camera_turns_in_rooms_that_fill_the_picture():
    """Turns of 15° and 30°, as those of GSI-Bench, need a shorter focal length than that of the room."""
    pair = sample_pair("viewpoint", 7, 1, kind="room", preset="gsi", variant=2)
    assert pair.edit.action == "turn camera" and pair.edit.amount >= 15 and list(problems(pair)) == []
    assert pair.before.camera.focal < make_scene("room", 7, 1).camera.focal


@pytest.mark.slow
def test_things_that_are_put_end_on_their_support():
    pair = sampled("receptacle")
    assert pair.after.thing(pair.edit.target).support == pair.edit.anchor
    assert np.linalg.norm(pivot(pair.after.thing(pair.edit.target)) - pivot(pair.before.thing(pair.edit.target))) > 0.03


@pytest.mark.slow
def test_a_thing_that_is_added_has_an_id_of_its_own():
    """This scene has a parcel-2 and no parcel-1."""
    ids = [thing.id for thing in sample_pair("stacking", 11, 53).before.things]
    assert "parcel-2" in ids and len(set(ids)) == len(ids)
