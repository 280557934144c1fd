"""Solid scenes: things of procedural shape, settled by physics, cast by rays; exact to the pixel and the millimetre."""

from ._poses import pose_matrix, quaternion, rotation_matrix, yaw
from ._scene import Camera, Environment, Light, Scene, Thing
from ._symmetry import SYMMETRIES
from ._words import COLOURS, MATERIALS

__all__ = [
    "COLOURS",
    "MATERIALS",
    "SYMMETRIES",
    "Camera",
    "Environment",
    "Light",
    "Scene",
    "Thing",
    "pose_matrix",
    "quaternion",
    "rotation_matrix",
    "yaw",
]
