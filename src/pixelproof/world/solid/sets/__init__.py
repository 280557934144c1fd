"""Sets of scenes on disk: made, read, checked, and frozen so that they can be cited."""

from ._cards import Card, read_card
from ._checking import Problem, check_scene, check_set
from ._files import read_scene, write_scene
from ._freezing import freeze_set, load_manifest, verify_manifest
from ._making import make_set, picture_of
from ._opened import SceneSet, read_set
from ._recipe import LAYERS, Recipe
from ._truth import box_corners, mask_box, projected_corners

__all__ = [
    "LAYERS",
    "Card",
    "Problem",
    "Recipe",
    "SceneSet",
    "box_corners",
    "check_scene",
    "check_set",
    "freeze_set",
    "load_manifest",
    "make_set",
    "mask_box",
    "picture_of",
    "projected_corners",
    "read_card",
    "read_scene",
    "read_set",
    "verify_manifest",
    "write_scene",
]
