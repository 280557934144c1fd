"""Plain forms, such as discs and triangles, and whether a silhouette is one of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Mask = npt.NDArray[np.bool_]
Coordinates = npt.NDArray[np.float64]

_ALIKE = 0.85  # share of the cells of two silhouettes that both have, from which on they pass for the same

FORMS: dict[str, Callable[[Coordinates, Coordinates], Mask]] = {
    "disc": lambda u, v: u**2 + v**2 <= 1,
    "box": lambda u, v: np.maximum(abs(u), abs(v)) <= 1,
    "rounded box": lambda u, v: u**4 + v**4 <= 1,
    "triangle": lambda u, v: (abs(u) <= 1) & (abs(v) <= (u + 1) / 2),
    "corner": lambda u, v: (np.maximum(abs(u), abs(v)) <= 1) & (v <= u),
    "half disc": lambda u, v: (u >= -1) & (((u + 1) / 2) ** 2 + v**2 <= 1),
    "quarter disc": lambda u, v: (u >= -1) & (v >= -1) & (((u + 1) / 2) ** 2 + ((v + 1) / 2) ** 2 <= 1),
    "diamond": lambda u, v: abs(u) + abs(v) <= 1,
    "hexagon": lambda u, v: (abs(u) <= 1) & (abs(v) <= 1 - abs(u) / 2),
    "cross": lambda u, v: (np.maximum(abs(u), abs(v)) <= 1) & (np.minimum(abs(u), abs(v)) <= 0.25),
    "saltire": lambda u, v: (np.maximum(abs(u), abs(v)) <= 1) & (abs(abs(u) - abs(v)) <= 0.3),
}
"""Whether points belong to a form that fills the square from -1 to 1; u runs down, v across."""


def turned(u: Coordinates, v: Coordinates, angle: float) -> tuple[Coordinates, Coordinates]:
    """Coordinates in a frame that is turned.

    >>> u, v = turned(np.array([1.0]), np.array([0.0]), np.pi / 2)
    >>> abs(u.round(6)).tolist(), v.round(6).tolist()
    ([0.0], [-1.0])
    """
    return u * np.cos(angle) + v * np.sin(angle), v * np.cos(angle) - u * np.sin(angle)


def is_plain(figure: Mask) -> bool:
    """Whether a silhouette, filled, is nearly a plain form, upright or turned by right angles.

    >>> is_plain(np.eye(8, dtype=bool)), is_plain(np.ones((5, 8), dtype=bool)), is_plain(np.zeros((3, 3), dtype=bool))
    (False, True, True)
    """
    rows, columns = (np.flatnonzero(figure.any(axis=axis)) for axis in (1, 0))
    if not rows.size:
        return True
    box = figure[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    height, width = box.shape
    u, v = ((np.indices(box.shape) + 0.5) * 2 / np.array([height, width])[:, None, None]) - 1
    masks = (form(*turned(u, v, quarter * np.pi / 2)) for form in FORMS.values() for quarter in range(4))
    return any((box & mask).sum() >= _ALIKE * (box | mask).sum() for mask in masks)
