"""3-D vectors for compiled loops: tuples, which the compiler keeps in registers."""

from __future__ import annotations

import math

import numpy as np

from pixelproof.world.solid._poses import Floats, Vector

from ._compiled import Singles, compiled


@compiled
def row(array: Floats | Singles, index: int) -> Vector:
    """Row `index` of an (n, 3) array, in double precision."""
    return float(array[index, 0]), float(array[index, 1]), float(array[index, 2])


@compiled
def put(array: Floats | Singles, index: int, vector: Vector) -> None:
    """Set row `index` of an (n, 3) array."""
    array[index, 0], array[index, 1], array[index, 2] = vector[0], vector[1], vector[2]


@compiled
def subtract(a: Vector, b: Vector) -> Vector:
    """Return `a - b`."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@compiled
def add_scaled(a: Vector, b: Vector, factor: float) -> Vector:
    """Return `a + factor * b`."""
    return a[0] + b[0] * factor, a[1] + b[1] * factor, a[2] + b[2] * factor


@compiled
def dot(a: Vector, b: Vector) -> float:
    """Dot product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@compiled
def cross(a: Vector, b: Vector) -> Vector:
    """Cross product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@compiled
def normalise(a: Vector) -> Vector:
    """The vector scaled to length 1; the zero vector stays zero."""
    length = math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
    return (a[0] / length, a[1] / length, a[2] / length) if length > 0 else a


@compiled
def tangent_basis(axis: Vector) -> tuple[Vector, Vector]:
    """Two unit vectors that form an orthonormal basis with a unit vector; continuous except where its z is 0."""
    sign = 1.0 if axis[2] >= 0 else -1.0
    a = -1.0 / (sign + axis[2])
    b = axis[0] * axis[1] * a
    return (1.0 + sign * axis[0] * axis[0] * a, sign * b, -sign * axis[0]), (b, sign + axis[1] * axis[1] * a, -axis[1])


@compiled
def transform(vectors: Floats, matrix: Floats, offset: Vector) -> Floats:
    """`matrix @ vector + offset` for each row of an (n, 3) array; unlike numpy's product, it starts no threads."""
    result = np.empty((len(vectors), 3))
    for index in range(len(vectors)):
        vector = row(vectors, index)
        for axis in range(3):
            result[index, axis] = dot(row(matrix, axis), vector) + offset[axis]
    return result
