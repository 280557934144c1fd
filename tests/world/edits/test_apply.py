"""Edits are carried out exactly, take along what they carry, and are refused where the result would not stand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pixelproof.contract import PixelProofError
from pixelproof.world.edits import CORNERS, WAYS, Change, Edit, apply, load_of, pivot, placed, turn_difference
from pixelproof.world.solid import Camera, quaternion, rotation_matrix, yaw
from pixelproof.world.solid._settle import settle
from pixelproof.world.solid.layouts._placing import grounds
from pixelproof.world.solid.layouts._surroundings import fixture
from world.edits import checker
from world.edits.scenes import TOP, block, boards, desk, toys, with_camera

MEASURED = {"move": 0.1, "place": 0.14, "turn": 40.0, "scale": 1.3, "move camera": 0.1, "turn camera": 2.0}
MEASURED |= {"insert": 0.14, "zoom camera": 1.06}
ELSEWHERE = ("up", "down", *CORNERS)
"""Ways that the desk has no place for."""


def edit_of(action, way):
    target = "" if "camera" in action else "mug" if action == "turn" else "new" if action == "insert" else "two"
    anchor = {"place": "one", "swap": "one", "insert": "one", "put": "table" if way else "book"}.get(action, "")
    thing = block("new", (0.0, 0.0), turn=20.0) if action == "insert" else None
    return Edit(action, target, way, MEASURED.get(action, 0.0), anchor, thing=thing)


EDITS = [
    edit_of(action, way) for action, ways in WAYS.items() for way in ways if way not in ELSEWHERE or "camera" in action
]


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: f"{edit.action} {edit.way}")
def test_every_action_is_carried_out_exactly(edit):
    outcome = apply(desk(), edit)
    assert outcome.possible, outcome.why_not
    assert list(checker.problems(outcome)) == []
    named = {edit.target, edit.anchor if edit.action == "swap" else edit.target} - {""}
    assert set(outcome.changes) == named and bool(outcome.camera) == ("camera" in edit.action)


@pytest.mark.slow
def test_changes_say_by_how_much():
    scene = desk()
    assert apply(scene, Edit("move", "two", "closer", 0.1)).changes["two"].shift == pytest.approx((0.0, -0.1, 0.0))
    assert apply(scene, Edit("turn", "mug", "clockwise", 50.0)).changes["mug"].turn_deg == pytest.approx(-50.0)
    for degrees in (180.0, 200.0, 315.0):
        turned = apply(scene, Edit("turn", "mug", "clockwise", degrees)).changes["mug"]
        assert turned == Change(turn_deg=-degrees)
    assert apply(scene, Edit("scale", "two", "", 0.5)).changes["two"] == Change(factor=0.5)
    assert apply(scene, Edit("remove", "two")).changes == {"two": Change(removed=True)}
    assert apply(scene, Edit("move camera", "", "up", 0.1)).camera.shift == pytest.approx((0.0, 0.0, 0.1))
    assert apply(scene, Edit("turn camera", "", "down", 2.0)).camera.turn_deg == pytest.approx(-2.0)


@pytest.mark.slow
@settings(max_examples=40)
@given(st.sampled_from(EDITS), st.integers(-20, 30), st.floats(0.2, 1.5), st.booleans())
def test_a_share_of_an_edit_is_that_share_of_its_amount(edit, twentieths, times, stacked):
    times = 1.0 if edit.action == "zoom camera" else times
    edit, share = replace(edit, amount=edit.amount * times), twentieths / 20
    scene = desk(stacked)
    outcome = apply(scene, edit, share)
    if edit.action in ("remove", "insert"):
        assert outcome.possible == (share in (0, 1)) or (edit.action, share) == ("insert", 1)
        return
    if edit.action in ("place", "put", "swap"):
        whole, part = apply(scene, edit), apply(scene, edit, share)
        if whole.possible and part.possible:
            for id, change in whole.changes.items():
                shift = part.changes.get(id, Change()).shift
                assert shift == pytest.approx(np.multiply(share, change.shift), abs=1e-9)
        return
    if share != 1:
        assert outcome.possible and list(checker.problems(outcome, share)) == []


@settings(max_examples=20)
@given(
    st.sampled_from([edit for edit in EDITS if edit.action in ("move", "turn", "scale", "turn camera", "zoom camera")])
)
def test_the_opposite_of_an_edit_undoes_it(edit):
    scene = desk()
    there = replace(apply(scene, edit, 0.5).after, camera=scene.camera)
    if "camera" in edit.action:
        there = apply(scene, edit, 0.5).after
    back = apply(there, edit, -0.5).after
    for one, other in zip(scene.things, back.things, strict=True):
        assert np.allclose(one.position, other.position, atol=1e-9) and one.scale == pytest.approx(other.scale)
        assert checker.angle(one.rotation, other.rotation) < 1e-4
    assert checker.angle(scene.camera.rotation, back.camera.rotation) < 1e-4


def test_what_stands_on_a_thing_goes_along_or_the_edit_is_refused():
    scene = desk(stacked=True)
    assert load_of(scene, "book") == ("one",)
    for edit in (
        Edit("move", "book", "left", 0.1),
        Edit("turn", "book", "clockwise", 30.0),
        Edit("place", "book", "front", 0.3, "two"),
    ):
        outcome = apply(scene, edit)
        assert outcome.possible, outcome.why_not
        assert set(outcome.changes) == {"book", "one"} and list(checker.problems(outcome)) == []
    for action, amount in (("scale", 1.2), ("remove", 0.0)):
        assert "something stands on book" in apply(scene, Edit(action, "book", "", amount)).why_not
    assert "carries" in apply(scene, Edit("swap", "book", anchor="one")).why_not
    assert "stands on" in apply(scene, Edit("put", "book", "", 0.0, "one")).why_not


def test_a_swap_keeps_the_height_of_each_support():
    scene = desk(stacked=True)
    outcome = apply(scene, Edit("swap", "one", anchor="two"))
    assert outcome.possible, outcome.why_not
    assert list(checker.problems(outcome)) == []
    after = outcome.after
    assert (after.thing("one").support, after.thing("two").support) == ("table", "book")
    assert pivot(after.thing("one"))[2] == pytest.approx(TOP, abs=1e-4)
    assert pivot(after.thing("two"))[2] == pytest.approx(TOP + scene.thing("book").size[2], abs=1e-4)


def test_turns_and_scales_keep_the_lowest_point_of_things_that_lie():
    lying = replace(block("bottle", (0.0, 0.0), "bottle", z=0.3), rotation=(0.5**0.5, 0.0, 0.5**0.5, 0.0))
    for other in (placed(lying, 0.1, 0.2, TOP, 30.0, 1.7), placed(lying, 0.1, 0.2, TOP)):
        assert pivot(other) == pytest.approx((0.1, 0.2, TOP))
        assert rotation_matrix(other.rotation)[2, 2] == pytest.approx(0.0, abs=1e-9)
    scene = replace(desk(), things=(*desk().things, replace(placed(lying, 0.3, -0.2, TOP), support="table")))
    for edit in (Edit("turn", "bottle", "clockwise", 45.0), Edit("scale", "bottle", "", 1.3)):
        outcome = apply(scene, edit, 0.999)
        assert pivot(outcome.after.thing("bottle")) == pytest.approx((0.3, -0.2, TOP), abs=1e-9)


@pytest.mark.parametrize(
    ("way", "along"),
    [("left", (0.0, 1.0)), ("right", (0.0, -1.0)), ("forward", (1.0, 0.0)), ("back", (-1.0, 0.0))],
)
def test_a_thing_moves_in_its_own_frame(way, along):
    scene = toys()  # the car faces the viewer's right, so its left is away from the viewer
    outcome = apply(scene, Edit("move", "car", way, 0.07, frame="object"))
    assert outcome.possible, outcome.why_not
    assert outcome.changes["car"].shift == pytest.approx((*np.multiply(0.07, along), 0.0), abs=1e-6)
    assert list(checker.problems(outcome)) == []


def test_a_thing_is_placed_in_the_frame_of_another():
    scene = toys()
    for way, along in (("front", (0.0, 1.0)), ("left", (-1.0, 0.0))):
        scene_turned = scene.with_thing(replace(scene.thing("car"), rotation=yaw(180.0)))  # it faces away
        outcome = apply(scene_turned, Edit("place", "die", way, 0.25, "car", "object"))
        assert outcome.possible, outcome.why_not
        apart = pivot(outcome.after.thing("die")) - pivot(scene_turned.thing("car"))
        assert apart[:2] == pytest.approx(np.multiply(0.25, along), abs=1e-6)
        assert list(checker.problems(outcome)) == []
    assert "no front" in apply(scene, Edit("place", "die", "left", 0.2, "bowl", "object")).why_not


def test_things_move_up_and_down_between_boards_and_never_into_the_air():
    scene = boards()
    heights = sorted(ground.centre[2] for ground in grounds(scene.thing("unit")))
    rise = heights[1] - heights[0]
    up = apply(scene, Edit("move", "one", "up", rise))
    assert up.possible and up.changes["one"].shift == pytest.approx((0.0, 0.0, rise))
    assert up.after.thing("one").support == "unit" and list(checker.problems(up)) == []
    down = apply(up.after, Edit("move", "one", "down", rise))
    assert down.possible and pivot(down.after.thing("one")) == pytest.approx(pivot(scene.thing("one")))
    hanging = apply(scene, Edit("move", "one", "up", 0.5 * rise))
    assert not hanging.possible and hanging.rule in ("support", "drift")


def test_things_are_put_into_bowls_and_rest_there():
    scene = toys()
    outcome = apply(scene, Edit("put", "die", "", 0.0, "bowl"))
    assert outcome.possible, outcome.why_not
    bowl, die = scene.thing("bowl"), outcome.after.thing("die")
    assert die.support == "bowl" and set(outcome.changes) == {"die"}
    assert np.linalg.norm(pivot(die)[:2] - pivot(bowl)[:2]) < 0.03
    assert pivot(die)[2] < TOP + bowl.size[2] / 2  # in it, not on its rim
    assert list(checker.problems(outcome)) == []
    assert "already" in apply(outcome.after, Edit("put", "die", "", 0.0, "bowl")).why_not
    assert "rest in bowl" in apply(scene, Edit("put", "car", "", 0.0, "bowl")).why_not
    half = apply(scene, Edit("put", "die", "", 0.0, "bowl"), 0.5)
    assert half.changes["die"].shift == pytest.approx(np.multiply(0.5, outcome.changes["die"].shift), abs=1e-9)


def test_things_are_put_into_corners():
    scene = desk()
    table = scene.thing("table")
    wide = with_camera(scene, focal=0.9)
    for way, signs in (("front left", (-1, -1)), ("back right", (1, 1))):
        outcome = apply(wide, Edit("put", "two", way, 0.0, "table"))
        assert outcome.possible, outcome.why_not
        offset = (pivot(outcome.after.thing("two"))[:2] - table.position[:2]) * signs
        assert np.all(offset > 0.7 * np.array(table.size[:2]) / 2) and list(checker.problems(outcome)) == []
        assert "already" in apply(outcome.after, Edit("put", "two", way, 0.0, "table")).why_not
    filled = wide.with_thing(placed(wide.thing("two"), 0.25, 0.1, TOP, factor=1.35))  # nearly as wide as the book
    assert "no free place" in apply(filled, Edit("put", "two", "front left", 0.0, "book")).why_not


def test_an_inserted_thing_is_new_and_stands_where_it_is_asked_for():
    scene = desk()
    outcome = apply(scene, edit_of("insert", "front"))
    assert outcome.changes == {"new": Change(inserted=True)}
    assert outcome.after.things[:-1] == scene.things and list(checker.problems(outcome)) == []
    with pytest.raises(PixelProofError, match="new id"):
        apply(scene, replace(edit_of("insert", "left"), target="two"))
    with pytest.raises(PixelProofError, match="and no other edit"):
        apply(scene, replace(edit_of("move", "left"), thing=scene.thing("two")))


def test_a_zoom_changes_the_focal_length_alone():
    scene = desk()
    outcome = apply(scene, Edit("zoom camera", way="out", amount=1.25))
    assert outcome.after.camera == replace(scene.camera, focal=scene.camera.focal / 1.25)
    assert outcome.camera == Change(factor=pytest.approx(0.8)) and not outcome.changes
    assert apply(scene, Edit("zoom camera", way="in", amount=1.9)).rule == "view"
    with pytest.raises(PixelProofError, match="above 1"):
        apply(scene, Edit("zoom camera", way="in", amount=0.8))


REFUSED = {
    "off the table": (Edit("move", "two", "right", 0.45), "two"),
    "into another thing": (Edit("place", "two", "right", 0.02, "one"), "inside"),
    "enlarged into another thing": (Edit("scale", "one", "", 6.0), "inside"),
    "a turn by a symmetry": (Edit("turn", "two", "clockwise", 90.0), "looks the same"),
    "the same size": (Edit("scale", "two", "", 1.02), "looks the same"),
    "far too large": (Edit("scale", "two", "", 900.0), "more than 100 times"),
    "into what is too small": (Edit("put", "two", "", 0.0, "mug"), "does not come to rest in mug"),
    "no room on top": (Edit("put", "book", "", 0.0, "one"), "no free place"),
    "things leave the picture": (Edit("turn camera", "", "left", 30.0), "in the picture"),
    "the camera enters the table": (Edit("move camera", "", "down", 1.0), "picture"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_would_break_a_rule_is_refused_with_the_reason(case):
    edit, why = REFUSED[case]
    outcome = apply(desk(), edit)
    assert not outcome.possible and why in outcome.why_not and not outcome.changes


def test_edits_that_nobody_could_see_are_refused():
    scene = desk()
    one = scene.thing("one")
    twins = scene.with_thing(replace(scene.thing("two"), scale=one.scale, size=one.size))
    assert "look the same" in apply(twins, Edit("swap", "one", anchor="two")).why_not
    end = apply(scene, Edit("put", "two", "right", 0.0, "table")).after
    assert "there already" in apply(end, Edit("put", "two", "right", 0.0, "table")).why_not
    for edit in (
        Edit("move", "two", "right", 0.019),
        Edit("move camera", way="left", amount=0.009),
        Edit("turn camera", way="left", amount=0.9),
    ):
        outcome = apply(scene, edit)
        assert outcome.rule == "change" and "looks the same" in outcome.why_not


def test_things_are_not_scaled_to_nothing():
    for factor in (1e-300, 1e-9, 0.004):
        outcome = apply(desk(), Edit("scale", "two", amount=factor))
        assert not outcome.possible and "normal size" in outcome.why_not


def test_a_thing_is_not_moved_to_where_nothing_shows_it():
    scene = desk()
    wall = fixture("wall", "wall", {"width": 0.5, "height": 0.5}, ("#e4ddd0", "plaster"), (-0.3, -0.25, TOP))
    hidden = replace(scene, things=(*scene.things, wall))
    outcome = apply(hidden, Edit("place", "two", "behind", 0.6, "book"))
    assert not outcome.possible


def test_the_camera_does_not_pass_through_walls():
    scene = desk()
    wall = fixture("wall", "wall", {"width": 3.0, "height": 3.0}, ("#e4ddd0", "plaster"), (0.0, -1.6, -0.5))
    behind = replace(scene, things=(*scene.things, wall))
    assert apply(behind, Edit("move camera", "", "back", 0.1)).possible
    outcome = apply(behind, Edit("move camera", "", "back", 0.5))
    assert not outcome.possible and "wall" in outcome.why_not


def test_nothing_that_leans_on_a_thing_is_pushed_over():
    """Two blocks: the upper rests half on the lower one and half on the book's edge."""
    scene = desk(stacked=True)
    off = apply(scene, Edit("move", "book", "left", 0.02), 0.5).after
    hanging = replace(off, things=tuple(replace(t, position=scene.thing("one").position) if t.id == "one" else t for t in off.things))  # fmt: skip # noqa: E501
    outcome = apply(hanging, Edit("move", "book", "left", 0.1))
    assert outcome.possible and list(checker.problems(outcome)) == []


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (Edit("lift", "two"), "edit action"),
        (Edit("move", "two", "forward", 0.1), "no way 'forward'"),
        (Edit("turn", "two", "clockwise", 40.0, frame="object"), "in the frame of a thing"),
        (Edit("move", "toe", "left", 0.1), "did you mean 'two'"),
        (Edit("move", "table", "left", 0.1), "surroundings"),
        (Edit("move", "two", "left", -0.1), "above 0"),
        (Edit("move", "two", "left", float("nan")), "above 0"),
        (Edit("move", "two", "left", 10**400), "above 0"),
        (Edit("move", "two", "left", True), "above 0"),
        (Edit("move", "two", "left", "0.1"), "a number"),
        (Edit("remove", "two", "", 1.0), "must be 0"),
        (Edit("swap", "two"), "target or anchor"),
        (Edit("swap", "two", anchor="two"), "both two"),
        (Edit("turn camera", "two", "left", 5.0), "target or anchor"),
    ],
)
def test_malformed_edits_are_errors(edit, message):
    with pytest.raises(PixelProofError, match=message):
        apply(desk(), edit)


@pytest.mark.parametrize("share", [-1.1, 1.6, float("nan"), "1"])
def test_shares_have_limits(share):
    with pytest.raises(PixelProofError, match="share of an edit"):
        apply(desk(), EDITS[0], share)


@pytest.mark.slow
def test_turns_of_round_and_nearly_round_things_are_not_seen():
    for name in ("bowl", "pumpkin", "cupcake", "tomato", "apple", "doughnut", "bottle"):
        assert max(turn_difference(block("it", (0.0, 0.0), name), angle) for angle in (30, 90, 180)) < 0.06, name
    for name, angle in (("mug", 45), ("banana", 30), ("toy block", 45), ("chair", 90), ("toy car", 180)):
        assert turn_difference(block("it", (0.0, 0.0), name), angle) > 0.06, name
    assert turn_difference(block("it", (0.0, 0.0), "toy block"), 90.0) < 0.01


@pytest.mark.parametrize("name", ["mug", "scissors", "book"])
def test_the_difference_of_a_turn_does_not_depend_on_its_direction(name):
    for angle in (10, 35, 120):
        assert turn_difference(block("it", (0.0, 0.0), name), angle) == turn_difference(
            block("it", (0.0, 0.0), name), -angle
        )


@pytest.mark.slow
@settings(max_examples=30)
@given(st.lists(st.tuples(st.floats(0, 200), st.floats(0, 100), st.floats(0.1, 9)), min_size=1, max_size=5))
def test_unprojection_inverts_projection(rows):
    camera = Camera.looking_at((0.2, 0.1, 0.0), (1.0, -2.0, 1.5), 1.7)
    rows = np.array(rows)
    points = camera.unproject(rows[:, :2], 200, 100, rows[:, 2])
    assert np.allclose(camera.project(points, 200, 100), rows, atol=1e-6)


def test_level_axes_of_a_camera_that_looks_down():
    down = Camera((0.0, 0.0, 2.0), quaternion(np.diag([1.0, -1.0, -1.0])))
    assert np.allclose(down.level_axes(), np.eye(3))
    turned = Camera((0.0, 0.0, 2.0), quaternion(rotation_matrix(yaw(90.0)) @ np.diag([1.0, -1.0, -1.0])))
    assert np.allclose(turned.level_axes() @ (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
    assert with_camera(desk(), focal=2.0).camera.focal == 2.0


def test_a_corner_of_a_board_with_a_handle_is_beyond_the_middle_of_the_whole():
    """The flat part of a cutting board is on one side of its middle, and its handle on the other."""
    for turn in (0.0, 180.0):
        things = [
            *desk().things[:2],
            block("board", (0.0, 0.05), "cutting board", turn=turn, scale=1.3),
            block("die", (0.4, -0.2), "die"),
        ]
        scene = replace(desk(), things=settle(things))
        made = [apply(scene, Edit("put", "die", way, 0.0, "board")) for way in CORNERS]
        assert sum(outcome.possible for outcome in made) >= 2
        assert [problem for outcome in made if outcome.possible for problem in checker.problems(outcome)] == []
