"""Images to inspect scenes by, whatever their kind: grids, label maps with names, boxes, contact sheets."""

from ._drawing import Pixels, hue, outline, ramp, write_labels
from ._sheets import boxed, captioned_rows, contact_sheet, numbered, picture_sheet

__all__ = [
    "Pixels",
    "boxed",
    "captioned_rows",
    "contact_sheet",
    "hue",
    "numbered",
    "outline",
    "picture_sheet",
    "ramp",
    "write_labels",
]
