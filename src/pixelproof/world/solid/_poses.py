"""Positions and rotations. Quaternions are (w, x, y, z)."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.spatial.transform import Rotation

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Floats = npt.NDArray[np.float64]


def vector(values: npt.ArrayLike) -> Vector:
    """Convert an array of three numbers to a tuple.

    >>> vector(np.arange(3))
    (0.0, 1.0, 2.0)
    """
    x, y, z = np.asarray(values, np.float64).tolist()
    return (x, y, z)


def rotation_matrix(rotation: Quaternion) -> Floats:
    """The 3 × 3 rotation matrix of a quaternion, which need not be normalised.

    >>> rotation_matrix((0.0, 0.0, 0.0, 1.0)).astype(int).tolist()
    [[-1, 0, 0], [0, -1, 0], [0, 0, 1]]
    """
    w, x, y, z = rotation
    length = math.sqrt(x * x + y * y + z * z + w * w)
    x, y, z, w = x / length, y / length, z / length, w / length
    xx, yy, zz, ww = x * x, y * y, z * z, w * w
    xy, zw, xz, yw, yz, xw = x * y, z * w, x * z, y * w, y * z, x * w
    # In this order, the last digits are those of scipy, which takes seven times as long.
    return np.array(
        [
            [xx - yy - zz + ww, 2 * (xy - zw), 2 * (xz + yw)],
            [2 * (xy + zw), -xx + yy - zz + ww, 2 * (yz - xw)],
            [2 * (xz - yw), 2 * (yz + xw), -xx - yy + zz + ww],
        ]
    )


def quaternion(matrix: Floats) -> Quaternion:
    """The quaternion of a rotation matrix, with w ≥ 0."""
    x, y, z, w = Rotation.from_matrix(matrix).as_quat(canonical=True).tolist()
    return (w, x, y, z)


def yaw(degrees: float) -> Quaternion:
    """Rotation about the vertical axis, anticlockwise as seen from above."""
    half = math.radians(degrees) / 2
    return (math.cos(half), 0.0, 0.0, math.sin(half))


def pose_matrix(position: Vector, rotation: Quaternion, scale: float = 1.0) -> Floats:
    """The 4 × 4 matrix that scales, rotates, then translates."""
    matrix = np.eye(4)
    matrix[:3, :3] = rotation_matrix(rotation) * scale
    matrix[:3, 3] = position
    return matrix


def facing(position: Vector, target: Vector) -> Quaternion:
    """Rotation of a camera at a position that looks at a target, with a level x axis.

    Raises:
        ValueError: It would look straight up or down.
    """
    forward = np.subtract(target, position)
    right = np.cross(forward, (0.0, 0.0, 1.0))
    if np.linalg.norm(right) < 1e-9 * np.linalg.norm(forward) or not np.any(forward):
        raise ValueError("A camera that looks straight up or down has no level.")
    forward, right = forward / np.linalg.norm(forward), right / np.linalg.norm(right)
    return quaternion(np.column_stack([right, np.cross(forward, right), forward]))
