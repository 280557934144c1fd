"""Sets of solid scenes: their recipe, truth and rules, and what makes and reads sets of any kind."""

from pixelproof.world.sets import (
    Card,
    Problem,
    SceneSet,
    check_set,
    freeze_set,
    load_manifest,
    make_set,
    read_card,
    read_set,
    verify_manifest,
)
from pixelproof.world.solid.render import LAYERS

from ._checking import check_scene
from ._files import read_scene, write_scene
from ._recipe import Recipe
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
    "projected_corners",
    "read_card",
    "read_scene",
    "read_set",
    "verify_manifest",
    "write_scene",
]
