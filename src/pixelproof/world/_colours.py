"""Colour words and their sRGB values."""

from __future__ import annotations

COLOURS: dict[str, tuple[int, int, int]] = {
    "red": (196, 38, 38),
    "orange": (236, 122, 28),
    "yellow": (242, 200, 44),
    "green": (44, 142, 62),
    "lime": (150, 204, 56),
    "teal": (22, 136, 140),
    "cyan": (86, 196, 222),
    "blue": (38, 84, 190),
    "navy": (26, 36, 92),
    "purple": (116, 58, 160),
    "pink": (236, 134, 172),
    "brown": (112, 70, 40),
    "beige": (222, 200, 162),
    "white": (238, 238, 234),
    "grey": (134, 136, 140),
    "black": (34, 34, 38),
}
"""Colour word → sRGB. Any two remain distinguishable in shadow."""
