"""Solid scenes: procedural 3-D things, settled by physics and rendered, with exact ground truth."""

from pixelproof.world._colours import COLOURS

from ._files import check_scene, read_scene, write_scene
from ._materials import MATERIALS
from ._poses import pose_matrix, quaternion, rotation_matrix, yaw
from ._recipe import SolidRecipe
from ._rules import Violation, violations
from ._sampling import SPLITS
from ._scene import Camera, Environment, Light, Scene, Thing
from ._symmetry import SYMMETRIES
from ._symmetry import rotations as symmetry_rotations
from ._truth import box_corners, projected_corners, truth_sheet
from .layouts import KINDS, make_scene

__all__ = [
    "COLOURS",
    "KINDS",
    "MATERIALS",
    "SPLITS",
    "SYMMETRIES",
    "Camera",
    "Environment",
    "Light",
    "Scene",
    "SolidRecipe",
    "Thing",
    "Violation",
    "box_corners",
    "check_scene",
    "make_scene",
    "pose_matrix",
    "projected_corners",
    "quaternion",
    "read_scene",
    "rotation_matrix",
    "symmetry_rotations",
    "truth_sheet",
    "violations",
    "write_scene",
    "yaw",
]
