"""Images to inspect scenes by, whatever their kind: grids, label maps with names, boxes, contact sheets."""

from ._sheets import (
    Pixels,
    boxed,
    captioned_rows,
    contact_sheet,
    hue,
    numbered,
    outline,
    picture_sheet,
    ramp,
    write_labels,
)

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
