"""Things are put into containers whose collision pieces are closed: they come to rest in the hollow, and stay."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pixelproof.world.edits import Edit, apply, level_surfaces, pivot, rests_on
from pixelproof.world.solid import Camera
from pixelproof.world.solid._settle import corners, settle
from pixelproof.world.solid._surfaces import hollow_of, open_pieces
from world.edits import checker
from world.edits.scenes import TOP, block, desk

CONTAINERS = ("mug", "frying pan", "bucket", "basket")


def shelf_of(name):
    """A container, a die and a book on a table."""
    scene = desk()
    things = [
        *scene.things[:2],
        block("c", (0.2, 0.05), name),
        block("die", (-0.15, 0.0), "die"),
        block("book", (-0.3, 0.25), "book"),
    ]
    return replace(scene, things=settle(things), camera=Camera.looking_at((0.0, 0.1, TOP), (0.0, -0.2, 1.7), 1.3))


@pytest.mark.parametrize("name", CONTAINERS)
def test_a_small_thing_lies_in_a_container(name):
    scene = shelf_of(name)
    outcome = apply(scene, Edit("put", "die", "", 0.0, "c"))
    assert outcome.possible, outcome.why_not
    assert list(checker.problems(outcome)) == [] and rests_on(outcome.after, "die", "c")
    die, container = outcome.after.thing("die"), outcome.after.thing("c")
    inside = np.concatenate(corners(die)) - container.position
    hollow = hollow_of(container)
    assert inside[:, 2].min() > hollow.centre[2] - 0.001, "it is not in the floor"
    assert inside[:, 2].max() < container.size[2], "it is below the highest point"
    assert np.hypot(*(inside[:, :2] - hollow.centre[:2]).T).max() < hollow.width / 2, "it is within the wall"
    gone = apply(outcome.after, Edit("move", "c", "left", 0.06))
    assert gone.possible and set(gone.changes) == {"c", "die"}, "what lies in it goes along"
    assert "something stands" in apply(outcome.after, Edit("remove", "c")).why_not


@pytest.mark.parametrize("name", CONTAINERS)
def test_the_floor_of_a_container_is_a_surface(name):
    """A thing in it rests there, to a few millimetres; and the table and the book have theirs."""
    after = apply(shelf_of(name), Edit("put", "die", "", 0.0, "c")).after
    surfaces = {surface.owner: surface for surface in level_surfaces(after)}
    assert np.abs(pivot(after.thing("die")) - surfaces["c"].centre).max() < 0.02
    assert surfaces["table"].centre[2] == pytest.approx(TOP) and "book" in surfaces


@pytest.mark.parametrize("name", CONTAINERS)
def test_a_large_thing_does_not_fit(name):
    outcome = apply(shelf_of(name), Edit("put", "book", "", 0.0, "c"))
    assert not outcome.possible and "come to rest in c" in outcome.why_not


@pytest.mark.parametrize("name", CONTAINERS)
def test_open_pieces_are_within_the_closed_ones(name):
    """The mean pose of a container does not depend on whether something is in it."""
    thing = block("c", (0.0, 0.0), name)
    form = tuple(sorted(thing.form.items()))
    closed = np.concatenate([piece for piece in corners(replace(thing, position=(0.0, 0.0, 0.0)))])
    opened = np.concatenate(open_pieces(name, form))
    assert np.allclose(opened.min(axis=0), closed.min(axis=0), atol=0.002)
    assert np.allclose(opened.max(axis=0), closed.max(axis=0), atol=0.002)
