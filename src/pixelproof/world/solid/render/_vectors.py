"""Vectors of three numbers inside compiled loops: tuples, which live in registers."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pixelproof.world.solid._poses import Floats, Vector

from ._compiled import compiled

Singles = npt.NDArray[np.float32]


@compiled
def row(array: Floats | Singles, index: int) -> Vector:
    """A row of an (n, 3) array, in double precision."""
    return float(array[index, 0]), float(array[index, 1]), float(array[index, 2])


@compiled
def put(array: Floats | Singles, index: int, vector: Vector) -> None:
    """Write a row of an (n, 3) array."""
    array[index, 0], array[index, 1], array[index, 2] = vector[0], vector[1], vector[2]


@compiled
def minus(a: Vector, b: Vector) -> Vector:
    """The way from b to a."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@compiled
def along(a: Vector, b: Vector, times: float) -> Vector:
    """From a so many times b on."""
    return a[0] + b[0] * times, a[1] + b[1] * times, a[2] + b[2] * times


@compiled
def dot(a: Vector, b: Vector) -> float:
    """The scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@compiled
def cross(a: Vector, b: Vector) -> Vector:
    """The vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@compiled
def unit(a: Vector) -> Vector:
    """The direction of a vector; zero of zero."""
    length = math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
    return (a[0] / length, a[1] / length, a[2] / length) if length > 0 else a


@compiled
def beside(axis: Vector) -> tuple[Vector, Vector]:
    """Two directions that are square to a direction and to each other, without a jump but at the horizon."""
    sign = 1.0 if axis[2] >= 0 else -1.0
    a = -1.0 / (sign + axis[2])
    b = axis[0] * axis[1] * a
    return (1.0 + sign * axis[0] * axis[0] * a, sign * b, -sign * axis[0]), (b, sign + axis[1] * axis[1] * a, -axis[1])


@compiled
def turned(vectors: Floats, matrix: Floats, offset: Vector) -> Floats:
    """A matrix times each row of an (n, 3) array, and an offset: without the threads that numpy would start."""
    result = np.empty((len(vectors), 3))
    for index in range(len(vectors)):
        vector = row(vectors, index)
        for axis in range(3):
            result[index, axis] = dot(row(matrix, axis), vector) + offset[axis]
    return result
