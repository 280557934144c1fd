"""MuJoCo models of things, made of convex collision pieces."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull

from pixelproof.world._extra import need

from ._hollows import is_filled, open_pieces
from ._poses import Floats, Quaternion, Vector, rotation_matrix
from ._scene import Thing
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
