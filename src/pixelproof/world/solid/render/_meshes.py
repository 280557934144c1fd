"""Triangle meshes of a scene: all parts of all things, with colours, and vertex normals with creases."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError, unknown_name
from pixelproof.pixels import srgb_to_linear
from pixelproof.world._colours import COLOURS
from pixelproof.world._memo import Memo
from pixelproof.world.solid._category import Part, Shape
from pixelproof.world.solid._materials import MATERIALS, Material
from pixelproof.world.solid._poses import Floats, rotation_matrix
from pixelproof.world.solid._scene import Scene, Thing

from ._compiled import Ints, compiled
from ._vectors import cross, dot, normalise, put, row, subtract, transform


@compiled
def corner_normals(vertices: Floats, faces: Ints, cosine: float) -> Floats:
    """Normal at each corner of each triangle: weighted mean over the adjacent faces on the same side of a crease.

    Args:
        vertices: (v, 3).
        faces: (t, 3) indices.
        cosine: Cosine of the crease angle: edges between faces at a larger angle stay sharp.

    Returns:
        (t, 3, 3) unit normals.
    """
    flat, weights = _face_normals(vertices, faces)
    first, corners = _corners_of_vertices(len(vertices), faces)
    normals = np.empty((len(faces), 3, 3))
    for face in range(len(faces)):
        for corner in range(3):
            vertex = faces[face, corner]
            x = y = z = 0.0
            for entry in range(first[vertex], first[vertex + 1]):
                other, weight = corners[entry] // 3, weights[corners[entry]]
                u, v, w = flat[other, 0], flat[other, 1], flat[other, 2]
                if flat[face, 0] * u + flat[face, 1] * v + flat[face, 2] * w > cosine:
                    x, y, z = x + weight * u, y + weight * v, z + weight * w
            length = math.sqrt(x * x + y * y + z * z)
            if length == 0:
                x, y, z, length = flat[face, 0], flat[face, 1], flat[face, 2], 1.0
            normals[face, corner, 0] = x / length
            normals[face, corner, 1] = y / length
            normals[face, corner, 2] = z / length
    return normals


@compiled
def _face_normals(vertices: Floats, faces: Ints) -> tuple[Floats, Floats]:
    """Face normals, and the weight of each face at each of its corners: angle × area².

    The area is squared so that a large flat side with rounded edges stays flat.
    """
    flat, weights = np.zeros((len(faces), 3)), np.zeros(3 * len(faces))
    for face in range(len(faces)):
        for corner in range(3):
            here = row(vertices, faces[face, corner])
            one = subtract(row(vertices, faces[face, (corner + 1) % 3]), here)
            two = subtract(row(vertices, faces[face, (corner + 2) % 3]), here)
            normal = cross(one, two)
            area = math.sqrt(dot(normal, normal))
            weights[3 * face + corner] = area * area * math.atan2(area, dot(one, two))
            put(flat, face, normalise(normal))
    return flat, weights


@compiled
def _corners_of_vertices(count: int, faces: Ints) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Corners of each vertex in compressed form: vertex v has corners[first[v] : first[v + 1]]."""
    first = np.zeros(count + 1, np.int64)
    for vertex in faces.flat:
        first[vertex + 1] += 1
    first = np.cumsum(first)
    place, corners = first.copy(), np.empty(faces.size, np.int64)
    for corner, vertex in enumerate(faces.flat):
        corners[place[vertex]] = corner
        place[vertex] += 1
    return first, corners


ShapeOf = Callable[[Thing], Shape]


@dataclass(frozen=True)
class Meshes:
    """All triangles of a scene, in world axes, with the camera as the origin for precision."""

    vertices: Floats
    """(v, 3)."""
    faces: Ints
    """(t, 3) indices of vertices."""
    normals: Floats
    """(t, 3, 3) vertex normals of each triangle."""
    surface: Ints
    """(t,) index of the surface (one per part) of each triangle."""
    thing: Ints
    """(s,) index of the thing of each surface."""
    colours: Floats
    """(s, 3) linear RGB."""
    materials: tuple[Material, ...]
    """Of each surface."""
    extents: Floats
    """(s, 3) extent of each surface along the axes of its thing, at scale 1."""


def meshes(scene: Scene, shape_of: ShapeOf) -> Meshes:
    """The triangles of a scene, in the order of its things."""
    vertices, faces, normals, surface, colours, materials, extents = [], [], [], [], [], [], []
    owner: list[int] = []
    count = 0
    for index, thing in enumerate(scene.things):
        turn, (x, y, z) = rotation_matrix(thing.rotation), np.subtract(thing.position, scene.camera.position).tolist()
        for part in shape_of(thing).parts:
            vertices.append(transform(part.vertices, turn * thing.scale, (x, y, z)))
            faces.append(part.faces + np.int32(count))
            normals.append(transform(_own_normals(part).reshape(-1, 3), turn, (0.0, 0.0, 0.0)))
            surface.append(np.full(len(part.faces), len(owner), np.int32))
            count += len(part.vertices)
            owner.append(index)
            colours.append(linear(part.paint.colour or thing.colour))
            materials.append(_material(part.paint.material or thing.material))
            extents.append(np.ptp(part.vertices, axis=0))
    return Meshes(
        np.concatenate([np.empty((0, 3)), *vertices]),
        np.concatenate([np.empty((0, 3), np.int32), *faces]).astype(np.int32, copy=False),
        np.concatenate([np.empty((0, 3)), *normals]).reshape(-1, 3, 3),
        np.concatenate([np.empty(0, np.int32), *surface]),
        np.array(owner, np.int32),
        np.array(colours).reshape(-1, 3),
        tuple(materials),
        np.array(extents).reshape(-1, 3),
    )


_normals_of = Memo[Floats](600)


def _own_normals(part: Part) -> Floats:
    """Vertex normals in the part's frame, kept as long as the part exists."""

    def made() -> Floats:
        vertices = np.ascontiguousarray(part.vertices, np.float64)
        faces = np.ascontiguousarray(part.faces, np.int32)
        return corner_normals(vertices, faces, float(np.cos(np.radians(part.crease))))

    return _normals_of.get(part, made)


def linear(colour: str) -> Floats:
    """Linear RGB of a colour word or of `#rrggbb`; light grey for an empty string.

    >>> linear("#ff0000").tolist()
    [1.0, 0.0, 0.0]
    """
    if colour.startswith("#"):
        try:
            code = tuple(bytes.fromhex(colour[1:]))
        except ValueError:
            code = ()
        if len(code) != 3:
            raise PixelProofError(f"{colour!r} is not a colour: write #rrggbb.")
    elif colour and colour not in COLOURS:
        raise unknown_name("colour", colour, COLOURS)
    else:
        code = COLOURS.get(colour, (200, 200, 198))
    return srgb_to_linear(np.array(code) / 255)


def _material(word: str) -> Material:
    if word and word not in MATERIALS:
        raise unknown_name("material", word, MATERIALS)
    return MATERIALS[word or "plastic"]
