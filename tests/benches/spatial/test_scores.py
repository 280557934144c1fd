"""Scores of executed edits: exact, partial, opposite, of another thing, and of nothing."""

from dataclasses import replace

import numpy as np
import pytest

from pixelproof.benches.spatial.scores import keeps_the_rest, score_edit, score_edits, turn_error
from pixelproof.world.edits import WAYS, Edit, apply, pivot, placed
from pixelproof.world.language import propose_outcome
from pixelproof.world.solid import rotation_matrix, yaw
from world.edits.scenes import desk, generated

SWEPT = {
    "move": Edit("move", "two", "right", 0.1),
    "far move": Edit("move", "one", "left", 0.12),
    "small turn": Edit("turn", "mug", "clockwise", 30.0),
    "turn": Edit("turn", "mug", "anticlockwise", 120.0),
    "growth": Edit("scale", "two", amount=1.4),
    "shrinking": Edit("scale", "two", amount=0.6),
    "camera move": Edit("move camera", way="left", amount=0.15),
    "camera turn": Edit("turn camera", way="right", amount=10.0),
}


@pytest.mark.parametrize("edit", SWEPT.values(), ids=SWEPT)
def test_accuracy_is_the_share_of_the_edit(edit):
    scene = desk()
    whole = apply(scene, edit)
    assert whole.possible, whole.why_not
    for share in (-1, 0, 0.25, 0.5, 0.75, 1, 1.5):
        score = score_edit(whole, apply(scene, edit, share).after)
        assert score.accuracy == pytest.approx(max(0, 1 - abs(1 - share)), abs=0.02), share
        if share in (-1, 0, 0.25, 1):
            assert score.compliance == (share == 1), share


@pytest.mark.slow
@pytest.mark.parametrize("action", [action for action in WAYS if action != "insert"])
def test_the_target_scores_1_and_the_scene_before_0(action):
    scene, view = generated(0)
    rng, made = np.random.default_rng(3), 0
    for _ in range(3):
        outcome = propose_outcome(scene, view, rng, (action,))
        if outcome is not None:
            made += 1
            exact, copied = score_edit(outcome, outcome.after), score_edit(outcome, outcome.before)
            assert (exact.compliance, exact.accuracy) == (1, pytest.approx(1))
            assert (copied.compliance, copied.accuracy) == (0, pytest.approx(0, abs=1e-9))
    assert made


def test_another_thing_moved_instead_scores_nothing():
    scene, edit = desk(), SWEPT["move"]
    wrong = apply(scene, replace(edit, target="mug"), 0.99).after
    assert score_edit(apply(scene, edit), wrong).compliance == 0


def test_a_bystander_does_not_matter_for_compliance():
    scene, edit = desk(), SWEPT["move"]
    whole = apply(scene, edit)
    both = whole.after.with_thing(replace(whole.after.thing("mug"), colour="red", position=(0.3, -0.2, 0.05)))
    assert score_edit(whole, both) == score_edit(whole, whole.after)


def test_any_place_on_a_surface_will_do_if_none_is_named():
    scene = desk()
    whole = apply(scene, Edit("put", "one", "", 0.0, "book"))
    one, book = whole.after.thing("one"), whole.after.thing("book")
    aside = whole.after.with_thing(replace(one, position=(one.position[0], book.position[1] + 0.03, one.position[2])))
    assert (score_edit(whole, aside).compliance, score_edit(whole, aside).accuracy) == (1, 1)
    floating = whole.after.with_thing(replace(one, position=(*one.position[:2], one.position[2] + 0.05)))
    under = whole.after.with_thing(replace(one, position=(*one.position[:2], scene.thing("one").position[2])))
    beside = whole.after.with_thing(replace(one, position=(one.position[0] + 0.15, *one.position[1:])))
    for wrong in (floating, beside, scene):
        assert score_edit(whole, wrong).compliance == 0
    assert score_edit(whole, under).compliance == (abs(under.thing("one").position[2] - one.position[2]) < 0.02)
    named = apply(scene, Edit("put", "two", "left", 0.0, "table"))
    short = apply(scene, named.edit, 0.4).after
    assert score_edit(named, short).compliance == 0 and 0.3 < score_edit(named, short).accuracy < 0.5


def test_several_edits_are_scored_by_what_they_change_together():
    scene = desk()
    steps = (SWEPT["move"], SWEPT["turn"])
    first = apply(scene, steps[0]).after
    after = apply(first, steps[1]).after
    assert score_edits(steps, scene, after, after).accuracy == pytest.approx(1)
    other_way = apply(apply(scene, steps[1]).after, steps[0]).after
    assert score_edits(steps, scene, after, other_way).compliance == 1, "the order does not matter"
    half = score_edits(steps, scene, after, first)
    assert (half.compliance, half.accuracy) == (0, pytest.approx(0.5))
    assert score_edits(steps, scene, after, scene).accuracy == pytest.approx(0, abs=1e-6)
    with pytest.raises(ValueError, match="nothing"):
        score_edits(steps, scene, scene, scene)


def test_insertions_and_zooms():
    scene = desk()
    mug = scene.thing("mug")
    new = Edit("insert", "mug", "behind", 0.25, "one", thing=replace(mug, support=None))
    bare = scene.without("mug")
    assert score_edits((new,), bare, scene, scene) == score_edits((new,), bare, scene, scene.with_thing(mug))
    assert (score_edits((new,), bare, scene, scene).compliance, score_edits((new,), bare, scene, bare).accuracy) == (
        1,
        0,
    )
    x, y, z = mug.position
    wrong_side = scene.with_thing(replace(mug, position=(x, y - 0.5, z)))
    assert score_edits((new,), bare, scene, wrong_side).compliance == 0
    zoom = Edit("zoom camera", way="in", amount=1.3)
    closer = replace(scene, camera=replace(scene.camera, focal=scene.camera.focal * 1.3))
    half = replace(scene, camera=replace(scene.camera, focal=scene.camera.focal * 1.3**0.5))
    assert score_edits((zoom,), scene, closer, closer).compliance == 1
    assert score_edits((zoom,), scene, closer, half).accuracy == pytest.approx(0.5)
    assert score_edits((zoom,), scene, closer, scene).accuracy == pytest.approx(0)


@pytest.mark.parametrize("angle", range(0, 360, 7))
def test_rounding_of_a_rotation_is_no_turn_of_the_camera(angle):
    """The angle between equal rotations is not exactly 0."""
    scene = desk()
    turned = replace(scene, camera=replace(scene.camera, rotation=tuple(yaw(float(angle) + 0.123))))
    closer = replace(turned, camera=replace(turned.camera, focal=scene.camera.focal * 1.25))
    score = score_edits((Edit("zoom camera", way="in", amount=1.25),), turned, closer, closer)
    assert (score.compliance, score.accuracy) == (1, pytest.approx(1, abs=1e-4))


def test_a_thing_that_is_symmetric_must_still_be_turned():
    """Of a turn by 120°, a thing that looks the same after 180° is 60° from its target before: a copy scores 0."""
    scene = desk()
    block = replace(scene.thing("one"), symmetry="C2")
    scene = scene.with_thing(block)
    after = apply(scene, Edit("turn", "one", "clockwise", 120.0), 0.999999).after
    turn = (Edit("turn", "one", "clockwise", 120.0),)
    assert score_edits(turn, scene, after, scene).accuracy == pytest.approx(0, abs=1e-4)
    assert score_edits(turn, scene, after, after).accuracy == pytest.approx(1, abs=1e-4)


def test_removal_needs_all_others():
    scene = desk()
    whole = apply(scene, Edit("remove", "two"))
    assert score_edit(whole, whole.after.without("mug")).compliance == 0
    assert score_edit(whole, scene.without("mug")).accuracy == 0
    nothing = replace(scene, things=tuple(thing for thing in scene.things if thing.fixed))
    assert score_edit(whole, nothing).accuracy == 0, "a picture without any thing"


def test_a_thing_that_vanished_scores_nothing():
    scene = desk()
    for name in ("move", "turn", "growth"):
        whole = apply(scene, SWEPT[name])
        gone = score_edit(whole, scene.without(SWEPT[name].target))
        assert (gone.compliance, gone.accuracy) == (0, 0)


def test_a_turn_somewhere_else_does_not_comply():
    scene, edit = desk(), SWEPT["turn"]
    whole = apply(scene, edit)
    mug = whole.after.thing("mug")
    away = whole.after.with_thing(placed(mug, mug.centre[0] + 0.3, mug.centre[1], 0.05))
    assert score_edit(whole, away).compliance == 0 and score_edit(whole, away).accuracy == pytest.approx(1)


def test_a_wobbly_camera_is_charged():
    scene, edit = desk(), SWEPT["camera move"]
    whole = apply(scene, edit)
    turned = apply(whole.after, Edit("turn camera", way="left", amount=5.0), 0.99).after
    assert 0.6 < score_edit(whole, turned).accuracy < 0.9


def test_turns_are_measured_up_to_the_symmetry_of_a_thing():
    start, quarter, third = (rotation_matrix(yaw(degrees)) for degrees in (10.0, 100.0, 130.0))
    assert turn_error(start, quarter, "C4") == pytest.approx(0, abs=1e-5)
    assert turn_error(start, quarter, "C1") == pytest.approx(90)
    assert turn_error(start, third, "C4") == pytest.approx(30) and turn_error(start, third, "SO3") == 0


def test_shares_and_impossible_edits_are_no_target():
    scene = desk()
    for outcome in (apply(scene, SWEPT["move"], 0.5), apply(scene, Edit("move", "two", "right", 5.0))):
        with pytest.raises(ValueError, match="whole edit"):
            score_edit(outcome, scene)


def test_a_move_that_also_turns_or_resizes_does_not_keep_the_rest():
    whole = apply(desk(), Edit("move", "mug", "left", 0.12))
    mug = whole.after.thing("mug")
    for turn, factor, kept in ((0, 1, 1), (20, 1.1, 1), (90, 1, 0), (0, 1.5, 0), (0, 0.6, 0)):
        other = whole.after.with_thing(placed(mug, *pivot(mug), turn_deg=turn, factor=factor))
        assert score_edit(whole, other).compliance == 1
        assert keeps_the_rest(whole.before, whole.after, other) == kept, (turn, factor)


def test_what_an_edit_asks_for_is_not_held_against_it():
    for edit in SWEPT.values():
        whole = apply(desk(), edit)
        assert all(keeps_the_rest(desk(), whole.after, apply(desk(), edit, share).after) for share in (0, 0.5, 1, 1.5))


def test_what_stands_on_a_moved_thing_must_not_vanish():
    whole = apply(desk(stacked=True), Edit("move", "book", "left", 0.1))
    assert keeps_the_rest(whole.before, whole.after, whole.after)
    lost = whole.after.without("one")
    assert score_edit(whole, lost).compliance == 1 and not keeps_the_rest(whole.before, whole.after, lost)


def test_what_stands_on_a_moved_thing_must_not_stay_behind():
    whole = apply(desk(stacked=True), Edit("move", "book", "left", 0.1))
    left_behind = whole.after.with_thing(whole.before.thing("one"))
    assert score_edit(whole, left_behind).compliance == 1
    assert not keeps_the_rest(whole.before, whole.after, left_behind)
    half = apply(desk(stacked=True), Edit("move", "book", "left", 0.1), 0.5).after
    assert keeps_the_rest(whole.before, whole.after, half)


def test_what_stands_on_a_turned_thing_goes_with_it():
    whole = apply(desk(stacked=True), Edit("turn", "book", "clockwise", 90.0))
    assert whole.after is not None
    for share in (0.5, 1.0):
        turned = apply(desk(stacked=True), Edit("turn", "book", "clockwise", 90.0), share).after
        assert keeps_the_rest(whole.before, whole.after, turned), share
