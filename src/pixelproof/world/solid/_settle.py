"""Rigid-body physics with MuJoCo (without graphics): models of convex pieces, contacts, and settling under gravity."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull

from pixelproof.world._extra import need
from pixelproof.world._memo import Memo

from ._poses import Floats, Quaternion, Vector, rotation_matrix
from ._scene import Thing
from ._surfaces import is_filled, open_pieces
from .shapes import category, shape

STEP = 0.004
"""Time step in seconds."""
STILL = 4e-4
"""Speed in m/s and rad/s below which a thing counts as at rest."""
_SOLREF = (2 * STEP, 1.0)  # as stiff as the step allows: penetration at rest is hundredths of a millimetre
_SOLIMP = (0.95, 0.99, 0.001, 0.5, 2.0)
_FRICTION = (0.8, 0.005, 0.002)
"""Friction: sliding, torsional (m) and rolling (m); a ball stays in place on a level table."""
_BOXY = 0.95
"""Share of its bounding box from which a piece is treated as a box."""
MESH_CACHE = 64 << 20
"""Bytes of processed meshes from which MuJoCo's cache of them is emptied: those of about ten scenes."""


@dataclass(frozen=True)
class Body:
    """The properties of a thing that its physics model depends on; the pose only if it is fixed."""

    category: str
    form: tuple[tuple[str, float], ...]
    scale: float
    fixed: tuple[Vector, Quaternion] | None
    open: bool = False
    """Whether its hollow is open, because something is in it."""


def bodies_of(things: Sequence[Thing]) -> tuple[Body, ...]:
    """The body of each thing."""
    holders = {thing.support for thing in things}
    return tuple(
        Body(
            thing.category,
            tuple(sorted(thing.form.items())),
            thing.scale,
            (thing.position, thing.rotation) if thing.fixed else None,
            is_filled(thing.category) and thing.id in holders,
        )
        for thing in things
    )


def engine() -> Any:
    """The library MuJoCo."""
    return need("mujoco")


def bound_cache() -> None:
    """Empty MuJoCo's cache of meshes if it is large: by itself it keeps what was used most, however long ago."""
    mujoco = engine()
    if hasattr(mujoco, "mj_getCacheSize") and mujoco.mj_getCacheSize(mujoco.mj_getCache()) > MESH_CACHE:
        mujoco.mj_clearCache(mujoco.mj_getCache())


@lru_cache(maxsize=12)  # a scene is simulated when it settles, when its rules are checked, and for each of its edits
def compile_model(bodies: tuple[Body, ...]) -> tuple[Any, list[int]]:
    """The MuJoCo model of bodies, and the body index of each geom."""
    mujoco = engine()
    bound_cache()
    spec = mujoco.MjSpec()
    spec.option.timestep = STEP
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.enableflags = int(mujoco.mjtEnableBit.mjENBL_SLEEP)
    spec.option.sleep_tolerance = STILL
    owners: list[int] = []
    # Geoms of the world body come first in a model, whatever the order of insertion.
    for index in sorted(range(len(bodies)), key=lambda index: bodies[index].fixed is None):
        body = bodies[index]
        holder = spec.worldbody if body.fixed else spec.worldbody.add_body()
        if not body.fixed:
            holder.add_freejoint()
        for piece in _pieces_of(body.category, body.form, body.scale, body.open, body.fixed is not None):
            geom = holder.add_geom()
            _shape_geom(spec, geom, piece, body.fixed)
            geom.density, geom.condim, geom.friction = category(body.category).density, 6, _FRICTION
            geom.solref, geom.solimp = _SOLREF, _SOLIMP
            owners.append(index)
    return spec.compile(), owners


@dataclass(frozen=True)
class _Piece:
    """A convex collision piece: a box, or the mesh of a file."""

    file: str
    """Name of the file. Equal pieces have equal names, so MuJoCo computes their hull and inertia once."""
    content: bytes
    box: tuple[Floats, Floats] | None = None
    """Lowest and highest corner of a piece that is treated as a box."""


@lru_cache(maxsize=512)
def _pieces_of(
    name: str, form: tuple[tuple[str, float], ...], scale: float, open: bool, fixed: bool
) -> tuple[_Piece, ...]:
    """The collision pieces of a body; wide thin meshes make poor floors, so fixed ones may be boxes."""
    pieces = open_pieces(name, form) if open else shape_pieces(name, form)
    return tuple(_piece(corners * scale, fixed) for corners in pieces)


def _piece(corners: Floats, fixed: bool) -> _Piece:
    low, high = corners.min(axis=0), corners.max(axis=0)
    if fixed and ConvexHull(corners).volume > _BOXY * np.prod(high - low):
        return _Piece("", b"", (low, high))
    # The format has the numbers of vertices, normals, texture coordinates and faces, and then the vertices.
    content = struct.pack("<4i", len(corners), 0, 0, 0) + corners.astype("<f4").tobytes()
    return _Piece(f"{hashlib.blake2b(content, digest_size=16).hexdigest()}.msh", content)


def _shape_geom(spec: Any, geom: Any, piece: _Piece, fixed: tuple[Vector, Quaternion] | None) -> None:
    """Set the shape of a geom."""
    mujoco = engine()
    if fixed:
        geom.pos, geom.quat = fixed
        if piece.box:
            low, high = piece.box
            geom.type, geom.size = mujoco.mjtGeom.mjGEOM_BOX, (high - low) / 2
            geom.pos = rotation_matrix(fixed[1]) @ (low + high) / 2 + fixed[0]
            return
    spec.assets[piece.file] = piece.content
    mesh = spec.add_mesh(name=str(len(spec.meshes)), file=piece.file)
    mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
    geom.type, geom.meshname = mujoco.mjtGeom.mjGEOM_MESH, mesh.name


def shape_pieces(name: str, form: tuple[tuple[str, float], ...]) -> list[Floats]:
    """Vertices of the convex collision pieces of a shape, in its frame."""
    built = shape(name, dict(form))
    return list(built.pieces or [part.vertices for part in built.parts])


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
