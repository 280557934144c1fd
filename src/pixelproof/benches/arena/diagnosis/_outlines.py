"""Detection of outlines drawn between regions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pixelproof.pixels import Labels

Pixels = npt.NDArray[np.uint8]
Colours = npt.NDArray[np.float64]

_REACH = 0.008
"""Half the largest width of an outline, as a share of the longer side …"""
_LEAST_REACH = 6
"""… and at least this many pixels: blurred edges and JPEG artefacts must fit in."""
_STEP = 3
"""Every third row and column is examined."""
_OFF_BLEND = 50.0
"""A blended edge lies on the line between the colours of its sides; a drawn line deviates by at least this much."""
_ALIKE = 90.0
_LEAST_VISIBLE = 0.2
"""Lower bound of the denominator, as a share of all borders: a few thin objects are no outlines."""
_FEWEST = 30


def outline_share(picture: Pixels, labels: Labels, solid: npt.NDArray[np.bool_]) -> float:
    """Share of the borders between regions with a line of one common colour on them; 0 where there are few borders.

    A border is where solid pixels a little to the left and to the right (or above and below) have different labels.
    Borders on which a line of that colour could not be seen, such as a black one beside black, are not counted.
    """
    reach = max(_LEAST_REACH, round(_REACH * max(labels.shape)))
    along_rows = _borders(picture[::_STEP], labels[::_STEP], solid[::_STEP], reach)
    turned = picture[:, ::_STEP].transpose(1, 0, 2), labels[:, ::_STEP].T, solid[:, ::_STEP].T
    along_columns = _borders(*turned, reach)
    one, other, middle = (np.concatenate(both) for both in zip(along_rows, along_columns, strict=True))
    lines = _from_segment(middle, one, other) > _OFF_BLEND
    if not lines.any():
        return 0.0
    common = np.median(middle[lines], axis=0)
    visible = _from_segment(common[None], one, other) > _OFF_BLEND
    alike = np.linalg.norm(middle - common, axis=1) < _ALIKE
    enough = max(float(visible.sum()), _LEAST_VISIBLE * len(visible), _FEWEST)
    return float((lines & alike & visible).sum() / enough)


def _borders(
    picture: Pixels, labels: Labels, solid: npt.NDArray[np.bool_], reach: int
) -> tuple[Colours, Colours, Colours]:
    """For each border along the rows: the colours of its sides, and of its middle the one least like a blend."""
    left, right = slice(None, -2 * reach), slice(2 * reach, None)
    y, x = np.nonzero(solid[:, left] & solid[:, right] & (labels[:, left] != labels[:, right]))
    if not len(y):
        return np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 3))
    one, other, middle = (picture[y, x + step].astype(np.float64) for step in (0, 2 * reach, reach))
    # Adjacent places in a row belong to one border: the one with the largest deviation represents it.
    border = np.cumsum(np.r_[False, (np.diff(y) != 0) | (np.diff(x) != 1)])
    order = np.lexsort((-_from_segment(middle, one, other), border))
    first = order[np.unique(border[order], return_index=True)[1]]
    return one[first], other[first], middle[first]


def _from_segment(points: Colours, one: Colours, other: Colours) -> Colours:
    """Distance of points from line segments."""
    along = other - one
    length = np.maximum((along**2).sum(axis=1), 1e-9)
    place = np.clip(((points - one) * along).sum(axis=1) / length, 0, 1)
    distance: Colours = np.linalg.norm(points - one - place[:, None] * along, axis=1)
    return distance
