"""Drawn contours: F-measure with one-to-one matching within a tolerance (Martin, Fowlkes and Malik 2004)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pixelproof.pixels import VOID

from ._sums import Floats, Numbers, Sums, ratio
from ._thinning import Mask, thin

LINE_TOLERANCE = 0.0075
"""Largest distance of matched pixels, as a share of the diagonal; that of the Berkeley benchmark (BSDS)."""
LINE = 1
"""Value of a contour in a map of contours; VOID: lines there are not counted; 0: no contour."""
Contours = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class LineCounts(Sums):
    """Pixels of thinned lines: matched with the reference, painted, and in the reference; shape (..., 1) each.

    >>> counts = LineCounts.from_vector([3.0, 6.0, 4.0])
    >>> counts.precision().item(), counts.recall().item(), counts.f1().item()
    (0.5, 0.75, 0.6)
    """

    matched: Numbers
    painted: Numbers
    actual: Numbers

    def precision(self) -> Floats:
        """Matched pixels among the painted ones; 0 if the reference has lines and the answer none."""
        return np.where((self.painted == 0) & (self.actual > 0), 0.0, ratio(self.matched, self.painted))[..., 0]

    def recall(self) -> Floats:
        """Matched pixels among those of the reference."""
        return ratio(self.matched, self.actual)[..., 0]

    def f1(self) -> Floats:
        """Harmonic mean of precision and recall."""
        return ratio(2 * self.matched, self.painted + self.actual)[..., 0]


def pooled_line_f1(sums: npt.ArrayLike) -> Floats:
    """F-measure of all images together, from summed count vectors, shape (..., 3) to (...).

    >>> pooled_line_f1([[3, 6, 4], [0, 0, 4]]).tolist()
    [0.6, 0.0]
    """
    return LineCounts.from_vector(np.asarray(sums, np.float64)).f1()


def line_f1_ratio(sums: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Numerator and denominator of `pooled_line_f1`."""
    counts = LineCounts.from_vector(np.asarray(sums, np.float64))
    return 2 * counts.matched, counts.painted + counts.actual


def contour_map(objects: npt.NDArray[np.integer], surfaces: npt.NDArray[np.integer] | None = None) -> Contours:
    """Contours of a map of objects: LINE along its borders, VOID along the other borders of `surfaces`.

    Lines are three pixels wide, so two borders less than that apart are one line. The edge of the image is no contour.

    Args:
        objects: Object of each pixel, such as ids or labels.
        surfaces: A finer map, such as the ids of walls and tables, whose further borders may be painted or not.

    >>> contour_map(np.array([[0, 0, 0, 0, 5, 5, 5, 5]] * 3)).tolist()[1]
    [0, 0, 1, 1, 1, 0, 0, 0]
    """
    lines = _widened(_borders(objects))
    found = lines.astype(np.uint8) * np.uint8(LINE)
    if surfaces is not None:
        found[_borders(surfaces) & ~lines] = VOID
    return found


def _widened(lines: Mask) -> Mask:
    """Lines with all eight neighbours of their pixels."""
    padded = np.pad(lines, 1)
    tall = padded[:-2] | padded[1:-1] | padded[2:]
    wide: Mask = tall[:, :-2] | tall[:, 1:-1] | tall[:, 2:]
    return wide


def match_lines(painted: Mask, contours: Contours, tolerance: float | None = None) -> tuple[LineCounts, Mask]:
    """Match the thinned lines of an answer with those of the reference, each pixel with at most one other.

    The number of pairs is the largest possible. Painted pixels without a partner that are within the tolerance of VOID
    are not counted.

    Args:
        painted: Lines of any thickness.
        contours: As by `contour_map`; its lines are thinned, too.
        tolerance: Largest distance in pixels; 0.75 % of the diagonal if it is not given.

    Returns:
        The counts, and the thinned lines of the answer that count.

    >>> contours = np.zeros((20, 20), np.uint8)
    >>> contours[10] = LINE
    >>> counts, _ = match_lines(np.roll(contours, 2, axis=0) == LINE, contours, tolerance=2)
    >>> counts.f1().item()
    1.0
    """
    if tolerance is None:
        tolerance = LINE_TOLERANCE * math.hypot(*contours.shape)
    lines, actual = thin(painted), thin(contours == LINE)
    matched = np.zeros(lines.shape, np.bool_)
    places, partners = np.argwhere(lines), np.argwhere(actual)
    if len(places) and len(partners):
        paired = _paired(places, partners, tolerance)
        matched[tuple(places[paired].T)] = True
    if (contours == VOID).any():
        from scipy.ndimage import distance_transform_edt

        away = np.asarray(distance_transform_edt(contours != VOID))
        lines &= matched | (away > tolerance)
    counts = [np.array([float(np.count_nonzero(each))]) for each in (matched, lines, actual)]
    return LineCounts(*counts), lines


def _paired(places: npt.NDArray[np.intp], partners: npt.NDArray[np.intp], tolerance: float) -> Mask:
    """Which of the places have a partner in a largest one-to-one matching within the tolerance."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching
    from scipy.spatial import KDTree

    slack = tolerance * (1 + 1e-9)
    pairs = KDTree(places).sparse_distance_matrix(KDTree(partners), slack, output_type="ndarray")
    graph = csr_array((np.ones(len(pairs), np.int8), (pairs["i"], pairs["j"])), shape=(len(places), len(partners)))
    found: Mask = maximum_bipartite_matching(graph, perm_type="column") >= 0
    return found


def _borders(labels: npt.NDArray[np.integer]) -> Mask:
    """Pixels whose right or lower neighbour differs."""
    border = np.zeros(labels.shape, np.bool_)
    border[:, :-1] |= labels[:, 1:] != labels[:, :-1]
    border[:-1] |= labels[1:] != labels[:-1]
    return border
