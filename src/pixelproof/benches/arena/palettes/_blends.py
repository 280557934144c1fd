"""Blends between pairs of colours: the geometry behind a palette's ceiling.

Where two regions meet, soft edges and JPEG paint colours between theirs. If a third label's colour is nearest to one of
these, the decoder invents that label. JPEG with halved colours (4:2:0) mixes brightness over fewer pixels than
colour, so the mixtures lie not on the straight line alone but also on a bent one beside it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

LUMA = np.array([0.299, 0.587, 0.114])
_STRAIGHT = tuple((share, share) for share in (0.15, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85))
# The band that edges of all directions fill after the channel (Gaussian of 0.7 pixels, JPEG of quality 90, 4:2:0).
_BENT = ((0.0, 0.12), (0.0, 0.25), (0.08, 0.25), (0.15, 0.40), (0.25, 0.37), (0.35, 0.50))
MIXTURES = np.array(_STRAIGHT + _BENT + tuple((1 - luma, 1 - chroma) for luma, chroma in _BENT))
"""Shares of the second colour in luma and in chroma."""


def least_distance(colours: npt.ArrayLike) -> float:
    """Smallest distance between any two of the colours.

    >>> least_distance([(0, 0, 0), (30, 40, 0), (255, 0, 0)])
    50.0
    """
    from scipy.spatial.distance import pdist  # takes a while to import

    places = np.asarray(colours, np.float64)
    return float(pdist(places).min()) if len(places) > 1 else 255.0


class Blends(NamedTuple):
    """For each pair of labels and each third one, the blend that is closest to being decoded as the third."""

    pairs: npt.NDArray[np.int64]
    """Shape (pairs, 2)."""
    excess: Floats
    """How much closer that blend is to the third colour than to any other, shape (pairs, labels); −inf for the pair."""
    where: npt.NDArray[np.int64]
    """Index of the blend."""
    rival: npt.NDArray[np.int64]
    """The nearest other label at that blend."""


def mixtures(first: Floats, second: Floats) -> Floats:
    """Blends of two colours, shape (..., blends, 3).

    >>> mixtures(np.zeros(3), np.full(3, 100.0))[3].tolist()
    [50.0, 50.0, 50.0]
    """
    way = second - first
    luma, chroma = MIXTURES[:, :1], MIXTURES[:, 1:]
    brighter = (way @ LUMA)[..., None, None]
    return np.asarray(first[..., None, :] + chroma * way[..., None, :] + (luma - chroma) * brighter)


def find_blends(colours: Floats, chunk: int = 128) -> Blends:
    """The worst blend for each pair and third label; where another label is closer still, the third is safe.

    >>> blends = find_blends(np.array([[0.0, 0, 0], [200, 200, 200], [100, 100, 100]]))
    >>> blends.excess[0].round().tolist()
    [-inf, -inf, 173.0]
    """
    pairs = np.argwhere(np.triu(np.ones((len(colours),) * 2, bool), 1))
    starts = range(0, max(len(pairs), 1), chunk)  # a single colour has no pairs; the result still needs a shape
    parts = [_of_pairs(colours, pairs[start : start + chunk]) for start in starts]
    excess, where, rival = (np.concatenate(part) for part in zip(*parts, strict=True))
    for column in (0, 1):
        excess[np.arange(len(pairs)), pairs[:, column]] = -np.inf
    return Blends(pairs, excess, where, rival)


def _of_pairs(colours: Floats, pairs: npt.NDArray[np.int64]) -> tuple[Floats, ...]:
    mixed = np.clip(mixtures(colours[pairs[:, 0]], colours[pairs[:, 1]]), 0, 255)
    squares = (mixed**2).sum(-1)[..., None] - 2 * mixed @ colours.T + (colours**2).sum(-1)
    distances = np.sqrt(np.maximum(squares, 0))
    nearest = distances.argmin(-1)[..., None]
    least = np.take_along_axis(distances, nearest, -1)
    others = distances.copy()
    np.put_along_axis(others, nearest, np.inf, -1)
    second = others.argmin(-1)[..., None]
    ahead = least - distances
    np.put_along_axis(ahead, nearest, np.take_along_axis(distances, second, -1) - least, -1)
    where = ahead.argmax(1)
    excess = np.take_along_axis(ahead, where[:, None], 1)[:, 0]
    first = np.take_along_axis(nearest[..., 0], where, 1)
    rival = np.where(first == np.arange(len(colours)), np.take_along_axis(second[..., 0], where, 1), first)
    return excess, where, rival
