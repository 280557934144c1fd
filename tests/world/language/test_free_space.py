"""Things are moved, placed and enlarged only to where there is room for them; told in the world's own frame."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.language import check
from oracles.language._plausibility import implausibilities
from pixelproof.contract import PixelProofError
from pixelproof.world.language import Edit, Entity, View, instruct, propose, view_of
from pixelproof.world.language._plausibility import implausibility
from pixelproof.world.language.view import Level
from pixelproof.world.solid import Camera, Thing, rotation_matrix, yaw
from world.language.scenes import random_edit, random_scene, solid_scene, thing, view

RNG = np.random.default_rng
STEPS = {"left": (-1, 0), "right": (1, 0), "closer": (0, -1), "front": (0, -1), "away": (0, 1), "behind": (0, 1)}


def faults(seen, edit):
    """What the writer and the checker say, which must be of one mind."""
    target, anchor = seen[edit.target], seen[edit.anchor] if edit.anchor else None
    writer, checker = implausibility(seen, edit), list(implausibilities(seen, edit, target, anchor))
    assert bool(writer) == bool(checker), (edit, writer, checker)
    return writer


def tray(turned, **more):
    return thing("tray", "tray", "blue", size=(0.6, 0.2, 0.02), rotation=yaw(turned), **more)


MUG = thing("mug", support="tray", size=(0.06, 0.06, 0.08))


@pytest.mark.parametrize(
    ("turned", "way", "amount", "stays"),
    [(0, "right", 0.26, True), (0, "right", 0.28, False), (0, "away", 0.06, True), (0, "away", 0.08, False),
     (90, "right", 0.06, True), (90, "right", 0.08, False), (90, "closer", 0.26, True),
     (45, "right", 0.07, True), (45, "right", 0.2, False), (30, "away", 0.09, False)],
)  # fmt: skip
def test_a_support_ends_where_its_own_sides_are(turned, way, amount, stays):
    seen = view(tray(turned), MUG)
    assert ("hang over tray" in faults(seen, Edit("move", "mug", way, amount))) != stays


def test_a_round_support_has_no_corners():
    plate = thing("plate", "plate", "white", size=(0.4, 0.4, 0.02), symmetry="Cinf")
    for at, stays in (((0.0, 0.0), True), ((0.0, 0.1), True), ((0.0, 0.14), False)):
        seen = view(plate, thing("mug", at=at, support="plate", size=(0.06, 0.06, 0.08)))
        assert (faults(seen, Edit("move", "mug", "right", 0.12)) == "") == stays


def test_nothing_goes_through_a_wall():
    """Though the floor goes on behind it; and what is lower than a way passes under it."""
    wall = Thing("wall", "wall", "", "stone", (3.0, 0.1, 2.0), (0.0, 0.6, 0.0), fixed=True)
    chair = Thing("chair", "chair", "red", "wooden", (0.4, 0.4, 0.8), (0.0, 0.0, 0.0), support="floor")
    hood = Thing("hood", "wall", "", "stone", (3.0, 0.1, 0.5), (0.0, 0.6, 1.5), fixed=True)
    bare = [one for one in view(chair).entities if one.id != "table"]
    seen = View((*bare, view(wall)["wall"]))
    assert faults(seen, Edit("move", "chair", "away", 0.3)) == ""
    assert "where wall is" in faults(seen, Edit("move", "chair", "away", 0.4))
    assert "wall is in the way" in faults(seen, Edit("move", "chair", "away", 1.2))
    assert faults(View((*bare, view(hood)["hood"])), Edit("move", "chair", "away", 1.2)) == ""


def test_nothing_ends_in_another_thing():
    seen = view(
        thing("mug"),
        thing("bowl", "bowl", "green", at=(0.3, 0.0)),
        thing("tray", "tray", "blue", at=(-0.3, 0.0), size=(0.2, 0.2, 0.02)),
        thing("fork", "fork", "", "metal", at=(-0.3, 0.0), size=(0.1, 0.02, 0.02), support="tray"),
    )
    assert faults(seen, Edit("move", "mug", "right", 0.2)) == ""  # they touch
    assert "where bowl is" in faults(seen, Edit("move", "mug", "right", 0.21))
    assert "where tray is" in faults(seen, Edit("move", "mug", "left", 0.3))
    letter = thing("letter", "envelope", "white", "paper", at=(0.3, 0.0), size=(0.2, 0.1, 0.002))
    assert "where letter is" in faults(view(thing("mug"), letter), Edit("move", "mug", "right", 0.3))
    assert faults(seen, Edit("move", "tray", "closer", 0.1)) == ""  # the fork goes with it
    assert "where mug is" in faults(seen, Edit("place", "tray", "left", 0.3, "bowl"))
    with pytest.raises(PixelProofError, match="where bowl is"):
        instruct(seen, Edit("move", "mug", "right", 0.25), RNG(0))


def test_things_grow_as_far_as_there_is_room():
    seen = view(thing("mug"), thing("bowl", "bowl", "green", at=(0.14, 0.0)), thing("hat", "hat", "red", at=(-0.6, 0)))
    near = thing("mug", at=(0.0, 0.06), support="tray", size=(0.06, 0.06, 0.08))
    assert faults(seen, Edit("scale", "mug", amount=1.75)) == ""
    assert "where bowl is" in faults(seen, Edit("scale", "mug", amount=2.0))
    assert faults(seen, Edit("scale", "hat", amount=2.5)) == ""
    assert faults(view(tray(0), near), Edit("scale", "mug", amount=1.3)) == ""
    assert "hang over tray" in faults(view(tray(0), near), Edit("scale", "mug", amount=1.4))


@pytest.mark.parametrize("way", ["closer", "away"])
def test_moves_along_the_ground_end_in_the_picture(way):
    at, to = {"closer": (0.3, -1.2), "away": (-0.3, -1.4)}[way]
    camera = Camera.looking_at((0.0, at, 0.75), (0.0, to, 1.3), focal=3.0)
    made = view(thing("mug"), camera=camera)
    found = set()
    for amount in np.arange(0.01, 0.65, 0.02):
        x, y, _ = camera.project([(0.0, amount * STEPS[way][1], 0.79)], 1, 1)[0]
        assert x == pytest.approx(0.5)
        why = faults(made, Edit("move", "mug", way, float(amount)))
        assert ("leave the picture" in why) != (0.05 <= y <= 0.95)
        found.add(why)
    assert len(found) == 2


@pytest.mark.slow
@given(st.integers(0, 10_000))
def test_the_matrix_of_a_view_is_that_of_its_camera(seed):
    seen = view_of(random_scene(seed))
    for entity in seen.entities:
        x, y, depth = np.array(seen.picture) @ entity.centre
        assert (x / depth, y / depth) == pytest.approx(entity.pixel)


PUTS = {
    "an end of a round table": (Edit("put", "mug", "left", anchor="round"), "no left"),
    "the middle of a round table": (Edit("put", "mug", "middle", anchor="round"), ""),
    "on a book askew": (Edit("put", "hat", anchor="book"), "too small"),
    "on what carries something": (Edit("put", "mug", anchor="tray"), "Something is on tray"),
    "elsewhere on its own tray": (Edit("put", "fork", "middle", anchor="tray"), ""),
    "on a table that carries much": (Edit("put", "fork", anchor="table"), ""),
    "corners beyond the round": (Edit("put", "hat", anchor="plate"), "too small"),
    "round on round": (Edit("put", "mug", anchor="plate"), ""),
}


@pytest.mark.parametrize("case", PUTS)
def test_what_is_put_on_what(case):
    edit, why = PUTS[case]
    seen = view(
        Thing("round", "side table", "", "wooden", (0.5, 0.5, 0.5), (-1.4, 1.0, 0.0), symmetry="Cinf", support="floor"),
        thing("mug", size=(0.18, 0.18, 0.1), symmetry="Cinf"),
        thing("hat", "hat", "red", at=(0.4, 0.3), size=(0.17, 0.17, 0.1)),
        thing("book", "book", "green", at=(-0.5, 0.2), size=(0.15, 0.2, 0.03), rotation=yaw(45)),
        thing("plate", "plate", "white", at=(0.0, 0.4), size=(0.2, 0.2, 0.02), symmetry="Cinf"),
        thing("tray", "tray", "blue", at=(0.6, -0.2), size=(0.4, 0.3, 0.02)),
        thing("fork", "fork", "", "metal", at=(0.6, -0.2), size=(0.1, 0.02, 0.02), support="tray"),
    )  # fmt: skip
    assert (faults(seen, edit) == "") == (why == "")
    assert why in implausibility(seen, edit)


def standing(made, edit):
    """Asserts, by points of the footprint in the frames of the things, that a thing stands free where it ends."""
    seen, by = view_of(made), {one.id: one for one in made.things}
    moved, origin = by[edit.target], by[edit.anchor or edit.target]
    if edit.way in ("up", "down"):
        return False
    level = origin.position[2]
    if not all(abs(rotation_matrix(one.rotation)[2, 2]) > 0.999 for one in (moved, origin)):
        return False  # boxes that lie have their feet elsewhere
    if edit.frame == "object":  # the thing faces -y of its own frame, and its left is its own +x
        turns = {
            "forward": (0, -1),
            "front": (0, -1),
            "back": (0, 1),
            "behind": (0, 1),
            "left": (1, 0),
            "right": (-1, 0),
        }
        step = edit.amount * (rotation_matrix(origin.rotation) @ (*turns[edit.way], 0))[:2]
    else:
        right, away = STEPS[edit.way]
        step = edit.amount * (right * np.array(seen.right) + away * np.array(seen.away))
    grid = np.stack(np.meshgrid([-0.499, -0.25, 0, 0.25, 0.499], [-0.499, -0.25, 0, 0.25, 0.499]), -1).reshape(-1, 2)
    if seen[moved.id].turn == 0:
        grid = grid[np.hypot(*grid.T) < 0.49]
    local = np.column_stack([grid * moved.size[:2], np.zeros(len(grid))])
    there = (np.array(origin.position[:2]) + step).tolist()
    points = local @ rotation_matrix(moved.rotation).T + np.array([*there, level + 0.01])
    for other in made.things:
        inside = (points - other.position) @ rotation_matrix(other.rotation)
        inside[:, 2] -= other.size[2] / 2
        share = np.abs(inside) / other.size
        if other.id == origin.support:
            assert share[:, :2].max() <= 0.5 + 1e-3, (edit, other.id)
        elif other.id not in (moved.id, *seen.supports(origin.id)) and moved.id not in seen.supports(other.id):
            corner = seen[other.id].turn == 0  # a round thing does not fill its box
            reach = np.hypot(*share[:, :2].T) if corner else share[:, :2].max(axis=1)
            assert not np.any((reach < 0.48) & (share[:, 2] < 0.5)), (edit, other.id)
    x, y, depth = made.camera.project([(*there, level + moved.size[2] / 2)], 1, 1)[0]
    assert depth > 0
    assert 0.04 < min(x, y)
    assert max(x, y) < 0.96
    return True


@pytest.mark.slow
@settings(max_examples=30)
@given(st.integers(0, 10_000))
def test_what_makes_sense_stands_free(seed):
    made, rng = random_scene(seed), RNG(seed)
    seen = view_of(made)
    for _ in range(12):
        edit = random_edit(seen, rng) if rng.random() < 0.5 else propose(seen, rng, ("move", "place"))
        if edit and edit.action in ("move", "place"):
            assert faults(seen, edit) == ""
            standing(made, edit)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["tabletop", "room", "shelf"])
def test_what_is_proposed_in_scenes_of_the_world_stands_free(kind):
    tried = 0
    for index in range(4):
        made = solid_scene(kind, index)
        for seed in range(18):
            edit = propose(view_of(made), RNG([index, seed]), ("move", "place"))
            tried += bool(edit and standing(made, edit))
    assert tried > 20


@pytest.mark.slow
def test_things_in_shelves_grow_no_higher_than_the_next_board():
    refused = 0
    for index in range(4):
        seen = view_of(solid_scene("shelf", index))
        for one in seen.things:
            ground = seen[one.support]
            foot = one.centre[2] - one.extent[2] / 2 - ground.centre[2]
            clear = [
                level.clearance for level in ground.levels if abs(level.height - foot) < 0.03 and level.clearance < 1
            ]
            factor = clear[0] / one.extent[2] + 0.01 if clear else 0.0
            if 1.05 < factor < 2.5 and one.id not in {other.support for other in seen.things}:
                assert faults(seen, Edit("scale", one.id, amount=factor))
                refused += 1
    assert refused > 5


def test_a_board_ends_before_its_bookcase_does_and_has_another_above_it():
    board = ((-0.4, -0.1), (0.4, -0.1), (0.4, 0.1), (-0.4, 0.1))
    size = (1.0, 0.4, 1.0)
    levels = (Level(board, -0.3, 0.25), Level(board, 0.0, 0.35))
    case = Entity("case", "bookcase", (0, 2, 0), size, size, (0.5, 0.5), fixed=True, levels=levels)
    hat = Entity("hat", "hat", (0, 2, -0.2), (0.2, 0.1, 0.2), (0.2, 0.1, 0.2), (0.5, 0.5), support="case")
    seen = View((case, hat))
    assert faults(seen, Edit("move", "hat", "left", 0.3)) == ""
    assert "hang over case" in faults(seen, Edit("move", "hat", "left", 0.31))
    assert "hang over case" in faults(seen, Edit("move", "hat", "away", 0.06))
    assert faults(seen, Edit("scale", "hat", amount=1.24)) == ""
    assert "too tall" in faults(seen, Edit("scale", "hat", amount=1.26))


def test_without_outlines_and_a_camera_boxes_decide():
    table = Entity("table", "table", (0, 2, 0), (1, 1, 0.1), (1, 1, 0.1), (0.5, 0.5), fixed=True)
    mug = Entity("mug", "mug", (0, 2, 0.1), (0.1, 0.1, 0.1), (0.1, 0.1, 0.1), (0.5, 0.4), support="table")
    seen = View((table, mug))
    assert faults(seen, Edit("move", "mug", "left", 0.45)) == ""
    assert faults(seen, Edit("move", "mug", "left", 0.46))
    made = instruct(seen, Edit("move", "mug", "left", 0.2), RNG(0))
    assert check(seen, made) == []
