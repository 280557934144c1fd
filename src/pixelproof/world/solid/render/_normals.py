"""Vertex normals with creases."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pixelproof.world.solid._poses import Floats

from ._compiled import compiled
from ._vectors import cross, dot, normalise, put, row, subtract

Ints = npt.NDArray[np.int32]


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
