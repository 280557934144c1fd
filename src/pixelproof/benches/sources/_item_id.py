"""Ids of items."""

from __future__ import annotations


def item_id(bench: str, source: str, version: int | str, index: int | str, *, digits: int = 5) -> str:
    """`bench/source/version/index`, the id of an item.

    Args:
        bench: Name of the bench.
        source: Name of the source.
        version: Version of the source's items: other items under the same name are another version.
        index: Place of the item, or its own name, such as the path of a file without extension.
        digits: Width of a number, padded with zeros so that ids sort in order.

    >>> item_id("coin", "world", 1, 42), item_id("coin", "folder", 1, "day/a")
    ('coin/world/1/00042', 'coin/folder/1/day/a')
    """
    name = f"{index:0{digits}d}" if isinstance(index, int) else index
    return f"{bench}/{source}/{version}/{name}"
