"""Sets of generated items on disk, of any kind: made, read, checked, and frozen so that they can be cited.

The kinds themselves are defined beside their worlds, each by a `Recipe`; `recipe_class` finds it.
"""

from ._cards import Card, read_card, software
from ._check import Problem, check_set, rows_that_differ
from ._files import PRECISION, Arrays, encode_files, encode_webp, read_bytes, stored_arrays
from ._freeze import changed_software, freeze_set, load_manifest, verify_manifest
from ._make import make_set, picture_of
from ._recipe import Finding, Recipe, Row, SetItem, Table, require_frames, require_recipe
from ._registry import KINDS, folder, kind_of, read_recipe, recipe_class
from ._tables import BOX, CLIPS, FRAME, ITEM, PART, SCENES, SceneSet, box_cell, part_order, read_set

__all__ = [
    "BOX",
    "CLIPS",
    "FRAME",
    "KINDS",
    "ITEM",
    "PART",
    "PRECISION",
    "SCENES",
    "Arrays",
    "Card",
    "Finding",
    "Problem",
    "Recipe",
    "Row",
    "SceneSet",
    "SetItem",
    "Table",
    "box_cell",
    "changed_software",
    "check_set",
    "encode_files",
    "encode_webp",
    "folder",
    "freeze_set",
    "kind_of",
    "load_manifest",
    "make_set",
    "part_order",
    "picture_of",
    "read_bytes",
    "read_card",
    "read_recipe",
    "read_set",
    "recipe_class",
    "require_frames",
    "require_recipe",
    "rows_that_differ",
    "software",
    "stored_arrays",
    "verify_manifest",
]
