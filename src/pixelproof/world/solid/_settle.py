"""Rigid-body physics with MuJoCo (without graphics): contacts, and settling under gravity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pixelproof.world._memo import Memo

from ._collision import STEP, STILL, bodies_of, compile_model, engine, shape_pieces
from ._poses import Floats, Vector, rotation_matrix
from ._scene import Thing

_BLOCK = 10
"""Steps between checks whether everything is at rest."""
_WINDOW = 3
"""Blocks between checks whether things have moved."""
_LOOK = _WINDOW * _BLOCK * STEP
"""Seconds between them."""


@dataclass(frozen=True)
class Contact:
    """A point where two things touch or overlap."""

    first: str
    second: str
    depth: float
    """Penetration depth in metres."""
    point: Vector
    lift: float
    """Upward force on the second thing, in newtons; downward if negative."""
    level: bool
    """Whether the contact surface is almost horizontal."""


class Simulation:
    """Simulation of things under gravity, initially at rest."""

    def __init__(self, things: Sequence[Thing]) -> None:
        self._mujoco = engine()
        self.things = tuple(things)
        self._movable = [thing for thing in self.things if not thing.fixed]
        self._model, self._owner = compile_model(bodies_of(self.things))
        self._data = self._mujoco.MjData(self._model)
        if self._movable:
            self._data.qpos[:] = np.concatenate([(*thing.position, *thing.rotation) for thing in self._movable])
        self._mujoco.mj_forward(self._model, self._data)
        self._blocks, self._rested, self._last = 0, False, self.poses()

    def run(self, seconds: float) -> None:
        """Advance the simulation."""
        for _ in range(round(seconds / STEP / _BLOCK)):
            if not self._data.ntree_awake:
                break
            self._mujoco.mj_step(self._model, self._data, _BLOCK)
            self._blocks += 1
            if self._blocks % _WINDOW == 0:
                after = self.poses()
                moved = (np.abs(new - old).max(initial=0.0) for new, old in zip(after, self._last, strict=True))
                self._rested = self._rested or all(far < STILL * _LOOK for far in moved)
                self._last = after

    def comes_to_rest(self, seconds: float = 3.0) -> bool:
        """Whether nothing moves between two looks within a time from the start; runs on until then if necessary."""
        while not self._rested and self._data.ntree_awake and self._blocks * _BLOCK * STEP < seconds - STEP:
            self.run(_BLOCK * STEP)
        return self._rested or not self._data.ntree_awake

    def poses(self) -> tuple[Floats, Floats]:
        """Positions (n, 3) and quaternions (n, 4) of the movable things."""
        values = self._data.qpos.reshape(-1, 7)
        return values[:, :3].copy(), values[:, 3:].copy()

    def moved(self) -> tuple[Thing, ...]:
        """All things with their current poses, rounded to a micrometre."""
        where = {}
        for thing, position, rotation in zip(self._movable, *self.poses(), strict=True):
            turned = rotation if rotation[0] >= 0 else -rotation
            where[thing.id] = replace(
                thing,
                position=tuple(np.round(position, 6).tolist()),
                rotation=tuple((np.round(turned, 8) + 0.0).tolist()),
            )
        return tuple(where.get(thing.id, thing) for thing in self.things)

    def centres_of_mass(self) -> dict[str, Floats]:
        """Thing id → centre of mass in the world, for movable things."""
        return {thing.id: self._data.xipos[body + 1].copy() for body, thing in enumerate(self._movable)}

    def contacts(self) -> list[Contact]:
        """All contacts of movable things, at the current step."""
        contact, force = self._data.contact, np.zeros(6)
        frames, ids = contact.frame.reshape(-1, 3, 3), [self.things[owner].id for owner in self._owner]
        parts = zip(contact.geom.tolist(), (-contact.dist).tolist(), contact.pos.tolist(), frames, strict=True)
        contacts = []
        for index, ((first, second), depth, point, frame) in enumerate(parts):
            self._mujoco.mj_contactForce(self._model, self._data, index, force)
            lift = float(force[:3] @ frame[:, 2])
            contacts.append(Contact(ids[first], ids[second], depth, tuple(point), lift, abs(frame[0, 2]) > 0.9))
        return contacts


def carriers(contacts: Sequence[Contact]) -> dict[str, str]:
    """Thing → the thing that carries most of its weight."""
    lifts: dict[str, dict[str, float]] = {}
    for contact in contacts:
        for thing, other, lift in (
            (contact.second, contact.first, contact.lift),
            (contact.first, contact.second, -contact.lift),
        ):
            of_thing = lifts.setdefault(thing, {})
            of_thing[other] = of_thing.get(other, 0.0) + lift
    return {thing: max(others, key=lambda other: others[other]) for thing, others in lifts.items()}


def settle(things: Sequence[Thing], seconds: float = 3.0) -> tuple[Thing, ...] | None:
    """Let things settle; returns them at rest, each with its support, or None if they do not come to rest."""
    simulation = Simulation(things)
    if not simulation.comes_to_rest(seconds):
        return None
    rested = Simulation(simulation.moved())
    holders = carriers(rested.contacts())
    return tuple(thing if thing.fixed else replace(thing, support=holders.get(thing.id)) for thing in rested.things)


def pieces(thing: Thing) -> list[Floats]:
    """Vertices of a thing's convex collision pieces in its frame, including scale."""
    return [corners * thing.scale for corners in shape_pieces(thing.category, tuple(thing.form.items()))]


_corners = Memo[tuple[Floats, ...]](600)


def corners(thing: Thing) -> tuple[Floats, ...]:
    """Vertices of a thing's convex collision pieces in the world."""

    def made() -> tuple[Floats, ...]:
        turn = rotation_matrix(thing.rotation).T
        return tuple(piece @ turn + thing.position for piece in pieces(thing))

    return _corners.get(thing, made)
