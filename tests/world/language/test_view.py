"""A view says where things are for the viewer, as the camera says it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pixelproof.world.language import turn_is_seen, view_of
from pixelproof.world.solid import Camera, yaw
from world.language.scenes import TABLE, random_scene, scene, thing, view


@pytest.mark.slow
@given(st.integers(0, 10_000))
def test_places_are_those_of_the_camera(seed):
    made = random_scene(seed)
    seen = view_of(made)
    eye = np.asarray(made.camera.position)
    ahead = np.append(np.subtract((0.0, 0.0), eye[:2]), 0.0)  # the camera looks at the middle of the table
    for one in made.movable:
        entity = seen[one.id]
        middle = np.array([*one.position[:2], one.position[2] + one.size[2] / 2])  # nothing is tilted here
        offset = middle - eye
        away = offset @ ahead / np.linalg.norm(ahead)
        assert entity.centre[1] == pytest.approx(away)
        assert entity.centre[2] == pytest.approx(offset[2])
        assert math.hypot(*entity.centre) == pytest.approx(np.linalg.norm(offset))
        x, y, depth = made.camera.project([middle], 1, 1)[0]
        assert entity.pixel == pytest.approx((x, y))
        assert depth > 0
        assert math.copysign(1, entity.centre[0]) == math.copysign(1, x - 0.5)  # right of the middle, in both


@pytest.mark.slow
@given(st.floats(0, 360), st.floats(0, 360))
def test_the_extent_is_that_of_the_turned_box(turned, around):
    size = (0.3, 0.1, 0.2)
    angle = math.radians(around)
    camera = Camera.looking_at((0, 0, 0.7), (math.sin(angle), -math.cos(angle), 1.5))
    entity = view(thing("one", size=size, rotation=yaw(turned)), camera=camera)["one"]
    corners = np.array([[x, y] for x in (-0.15, 0.15) for y in (-0.05, 0.05)])
    apart = math.radians(turned) - angle
    turn = np.array([[math.cos(apart), -math.sin(apart)], [math.sin(apart), math.cos(apart)]])
    assert entity.extent[:2] == pytest.approx(np.ptp(corners @ turn.T, axis=0))
    assert entity.extent[2] == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("symmetry", "rotation", "turn"),
    [
        ("C1", yaw(30), 360),
        ("C2", yaw(30), 180),
        ("Cinf", yaw(30), 0),
        ("O", yaw(30), 90),
        ("SO3", (0.1, 0.5, 0.5, 0.7), 0),
        ("Cinf", (math.sqrt(0.5), math.sqrt(0.5), 0, 0), 360),  # a bottle that lies
        ("Dinf", (math.sqrt(0.5), math.sqrt(0.5), 0, 0), 180),  # a drum that lies
        ("D4", (math.sqrt(0.5), math.sqrt(0.5), 0, 0), 180),
        ("O", (math.sqrt(0.5), math.sqrt(0.5), 0, 0), 90),
    ],
)
def test_what_looks_the_same_after_a_turn(symmetry, rotation, turn):
    entity = view(thing("one", symmetry=symmetry, rotation=rotation))["one"]
    assert entity.turn == pytest.approx(turn)


@given(st.sampled_from([0.0, 60.0, 90.0, 180.0, 360.0]), st.floats(0, 720))
def test_turns_that_are_seen(turn, degrees):
    seen = turn_is_seen(turn, degrees)
    assert seen == turn_is_seen(turn, degrees + turn)
    if turn:
        nearest = min(abs(degrees - k * turn) for k in range(int(720 / turn) + 2))
        assert seen == (nearest >= 10) or nearest == pytest.approx(10)


def test_words_that_are_not_said():
    seen = view(
        thing("one", "tomato", "red", "ceramic"),
        thing("two", "rubber duck", "yellow", "rubber"),
        thing("three", "camera", "black", "leather"),
        thing("four", "cactus", "", "ceramic"),
    )
    assert [(e.noun, e.colour, e.material) for e in seen.things] == [
        ("tomato", "red", ""),
        ("rubber duck", "yellow", ""),
        ("photo camera", "black", ""),
        ("cactus", "", ""),
    ]
    assert seen["table"].noun == "table"
    assert seen["table"].colour == ""


def test_shares_that_are_seen():
    made = scene(thing("one"), thing("two", at=(0.3, 0.0)))
    assert view_of(made, {"one": 0.25})["one"].visible == 0.25
    assert view_of(made, {"one": 0.25, TABLE.id: 0.0})["two"].visible == 1.0
    assert view_of(made, {TABLE.id: 0.0})[TABLE.id].visible == 1.0


def test_a_camera_that_looks_straight_down_still_has_a_left():
    half = math.sqrt(0.5)
    down = Camera((0.0, 0.0, 2.0), (0.0, 1.0, 0.0, 0.0))
    seen = view(thing("one", at=(-0.3, 0.0)), thing("two", at=(0.3, 0.2)), camera=down)
    assert seen["one"].centre[0] < 0 < seen["two"].centre[0]
    assert seen["one"].pixel[0] < half < 1
    assert seen["two"].pixel[1] < 0.5  # what is away is further up
