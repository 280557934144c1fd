"""Solid scenes: things of procedural shape, settled by physics, cast by rays; exact to the pixel and the millimetre."""

from pixelproof.world._colours import COLOURS

from ._materials import MATERIALS
from ._poses import pose_matrix, quaternion, rotation_matrix, yaw
from ._rules import Violation, violations
from ._scene import Camera, Environment, Light, Scene, Thing
from ._splits import SPLITS
from ._symmetry import SYMMETRIES
from .layouts import KINDS, make_scene
from .sets import Recipe, SceneSet, check_set, make_set, read_scene, read_set, write_scene

__all__ = [
    "COLOURS",
    "KINDS",
    "MATERIALS",
    "SPLITS",
    "SYMMETRIES",
    "Camera",
    "Environment",
    "Light",
    "Recipe",
    "Scene",
    "SceneSet",
    "Thing",
    "Violation",
    "check_set",
    "make_scene",
    "make_set",
    "pose_matrix",
    "quaternion",
    "read_scene",
    "read_set",
    "rotation_matrix",
    "violations",
    "write_scene",
    "yaw",
]
