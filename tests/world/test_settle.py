"""The physics against what one can work out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pixelproof.world.solid import Thing, rotation_matrix
from pixelproof.world.solid._settle import Simulation, carriers, corners, settle
from pixelproof.world.solid.layouts._surroundings import fixture
from pixelproof.world.solid.shapes import category, new_thing


def table(tilt: float = 0.0) -> Thing:
    turn = (math.cos(math.radians(tilt) / 2), 0.0, math.sin(math.radians(tilt) / 2), 0.0)
    return fixture("table", "tabletop", {"width": 2.0, "depth": 1.0, "thickness": 0.05}, ("white", "wooden"), (0.0, 0.0, 0.0), turn)  # fmt: skip # noqa: E501


def thing(id: str, name: str, position: tuple[float, float, float], rotation=(1.0, 0.0, 0.0, 0.0)) -> Thing:
    form = {key: sum(ends) / 2 for key, ends in category(name).ranges.items()}
    return new_thing(id, name, form, colour="red", material="wooden", position=position, rotation=rotation)


def test_things_fall_as_things_fall() -> None:
    simulation = Simulation([table(), thing("block", "toy block", (0.0, 0.0, 2.0))])
    simulation.run(0.4)
    (position,), _ = simulation.poses()
    assert 2.0 - position[2] == pytest.approx(9.81 * 0.4**2 / 2, rel=0.02)


def test_a_table_carries_the_weight_of_what_stands_on_it() -> None:
    things = settle([table(), thing("low", "parcel", (0.0, 0.0, 0.05)), thing("high", "toy block", (0.0, 0.0, 0.30))])
    assert things is not None
    simulation = Simulation(things)
    contacts = simulation.contacts()
    assert carriers(contacts)["high"] == "low" and carriers(contacts)["low"] == "table"
    assert {thing.id: thing.support for thing in things if not thing.fixed} == {"low": "table", "high": "low"}
    lift = {id: sum(c.lift for c in contacts if c.second == id) - sum(c.lift for c in contacts if c.first == id) for id in ("low", "high")}  # fmt: skip # noqa: E501
    mass = {body.id: simulation._model.body_mass[index + 1] for index, body in enumerate(simulation._movable)}
    for id in ("low", "high"):
        assert lift[id] == pytest.approx(9.81 * mass[id], rel=0.02)


@pytest.mark.parametrize(("tilt", "stays"), [(20.0, True), (50.0, False)])
def test_friction_holds_on_gentle_slopes_alone(tilt: float, stays: bool) -> None:
    """The coefficient is 0.8: the slope at which things begin to slide is 38.7°."""
    slope = table(tilt)
    normal = rotation_matrix(slope.rotation)[:, 2]
    simulation = Simulation([slope, thing("book", "book", tuple(normal * 0.0501), slope.rotation)])
    before, _ = simulation.poses()
    simulation.run(0.5)
    after, _ = simulation.poses()
    assert (np.linalg.norm(after - before) < 0.002) == stays


def test_what_stands_on_its_edge_falls_and_what_lies_stays() -> None:
    tipped = (math.cos(0.35), math.sin(0.35), 0.0, 0.0)
    leaning = thing("leaning", "bottle", (0.0, 0.0, 0.06), tipped)
    rested = settle([table(), leaning])
    assert rested is not None
    assert abs(rotation_matrix(rested[1].rotation)[2, 2]) < 0.2
    assert np.concatenate(corners(rested[1]))[:, 2].min() == pytest.approx(0.05, abs=3e-4)


def test_two_simulations_are_the_same() -> None:
    things = [table(), *(thing(f"pear-{k}", "pear", (0.1 * k, 0.0, 0.1 + 0.05 * k)) for k in range(5))]
    assert settle(things) == settle(things) is not None


def test_nothing_to_move_is_at_rest() -> None:
    assert settle([table()]) == (table(),)
