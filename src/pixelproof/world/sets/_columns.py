"""Table columns that several kinds share."""

from __future__ import annotations

import pyarrow as pa

from pixelproof.pixels import Box

from ._recipe import Table

BOX = pa.list_(pa.int32())
"""A bounding box: left, top, right, bottom; right and bottom are exclusive."""
ITEM = [
    pa.field("order", pa.int64(), nullable=False),
    pa.field("id", pa.string(), nullable=False),
    ("kind", pa.string()),
    ("seed", pa.int64()),
    ("index", pa.int64()),
    ("shard", pa.string()),
    ("things", pa.int32()),
    ("width", pa.int32()),
    ("height", pa.int32()),
    ("scene", pa.string()),
    ("digest", pa.string()),
    ("sizes", pa.list_(pa.int64())),
]
"""Columns of the table of items of every kind."""
SCENES = Table("scenes", pa.schema(ITEM))
CLIPS = Table("clips", pa.schema([*ITEM, ("frames", pa.int32())]))
PART = [
    pa.field("order", pa.int64(), nullable=False),
    pa.field("scene", pa.string(), nullable=False),
    ("index", pa.int64()),
    ("number", pa.int32()),
    ("thing", pa.string()),
]
"""Columns of the table of parts of every kind."""
FRAME = pa.field("frame", pa.int32())

_MOST_THINGS, _MOST_FRAMES = 2**14, 2**14  # more than any item has


def box_cell(box: Box | None) -> list[int] | None:
    """A bounding box as a table stores it.

    >>> box_cell((1, 2, 3, 4)), box_cell(None)
    ([1, 2, 3, 4], None)
    """
    return None if box is None else list(box)


def part_order(index: int, number: int, frame: int = 0) -> int:
    """Sort key of the row of a thing in a frame of an item: unique, and rows of one item are adjacent.

    >>> part_order(1, 0) - part_order(0, 2**14 - 1, 2**14 - 1)
    1
    """
    return (index * _MOST_FRAMES + frame) * _MOST_THINGS + number
