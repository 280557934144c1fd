"""Sets on disk, of any kind: made, read, checked, and frozen so that they can be cited."""

from ._cards import Card, read_card
from ._checking import Problem, check_set
from ._files import encode_webp, read_bytes
from ._freezing import changed_software, freeze_set, load_manifest, verify_manifest
from ._making import make_set, picture_of
from ._opened import SceneSet, read_set
from ._recipe import KINDS, Made, Recipe, Table, kind_of, read_recipe, recipe_class

__all__ = [
    "KINDS",
    "Card",
    "Made",
    "Problem",
    "Recipe",
    "SceneSet",
    "Table",
    "changed_software",
    "check_set",
    "encode_webp",
    "freeze_set",
    "kind_of",
    "load_manifest",
    "make_set",
    "picture_of",
    "read_bytes",
    "read_card",
    "read_recipe",
    "read_set",
    "recipe_class",
    "verify_manifest",
]
