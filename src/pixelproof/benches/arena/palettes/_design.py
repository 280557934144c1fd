"""Palette design: colours far apart, whose blends are not decoded as a third label.

Colours at the corners of the RGB cube are never between two others, and one in its middle catches what lies between
opposite ones. So nine colours can be had without any third label on a blend line, and the descent starts from these.
With more, third labels on blend lines cannot be avoided, only be made few, or harmless: the first label is the sink.
It is meant for the background, which nearly every picture has, so that mixtures that land on it invent nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.stats import generator

from ._blends import LUMA, MIXTURES, Blends, Floats, find_blends, least_distance

Colours = tuple[tuple[int, int, int], ...]

MEETINGS = 20
"""Number of adjacent pairs of labels that the cost assumes."""
_SOFTNESS = 10.0
"""Distance in levels between a blend and a third colour below which JPEG noise decides."""
_CROWDING = 12.0
_CORNERS = np.array(list(product((0.0, 255.0), repeat=3)))


def cost(colours: npt.ArrayLike) -> float:
    """Cost of a palette: expected labels that blends invent, plus a penalty for close colours.

    The first is the expected number of third labels that appear where 20 random pairs of labels meet; the sink, the
    first colour, is never counted. Lower is better.

    >>> corners = [(128, 128, 128), (255, 0, 0), (0, 255, 0), (0, 0, 255)]
    >>> round(cost(corners), 2), round(cost([(0, 0, 0), (255, 0, 0), (204, 0, 0), (153, 0, 0)]), 2)
    (0.0, 5.77)
    """
    return _evaluate(np.asarray(colours, np.float64))[0]


def target(n: int) -> float:
    """Target for the smallest distance: that of a face-centred lattice with n points in the cube's volume.

    >>> [round(target(n)) for n in (8, 19, 133)]
    [143, 107, 56]
    """
    return float(255 * (2**0.5 / n) ** (1 / 3))


def search(
    n: int, seed: int = 0, starts: int = 8, steps: int = 160, each: Callable[..., Iterable[Any]] = map
) -> Colours:
    """Colours of a designed palette, by descent on `cost` from several starts; deterministic on one machine.

    Args:
        n: How many, at least 2.
        seed: Of the starts.
        starts: How many descents; the best palette counts.
        steps: Of a descent.
        each: `map`, or that of an executor.

    >>> search(3, starts=1) == search(3, starts=1)
    True
    """
    begun = [_start(n, generator(seed, f"palette/{n}", start)) for start in range(starts)]
    found = [*map(np.rint, begun), *each(_descend, begun, [steps] * starts)]
    best = min(found, key=lambda colours: cost(colours) - least_distance(colours) / 255)
    return tuple((int(red), int(green), int(blue)) for red, green, blue in best)


def _start(n: int, draw: np.random.Generator) -> Floats:
    """Initial colours: the background in the middle, then corners, then random colours of the surface."""
    colours = draw.uniform(0, 255, (n, 3))
    colours[np.arange(n), draw.integers(3, size=n)] = draw.choice([0.0, 255.0], n)
    colours[0] = 127.5
    corners = draw.permutation(_CORNERS)[: n - 1]
    colours[1 : 1 + len(corners)] = corners
    return colours


def _descend(colours: Floats, steps: int) -> Floats:
    """Adam, clipped to the cube: the cost has kinks and plateaus that would stop a line search."""
    mean, square = np.zeros_like(colours), np.zeros_like(colours)
    best, lowest = colours, np.inf
    for step in range(1, steps + 1):
        value, slope = _evaluate(colours)
        if value < lowest:
            best, lowest = colours, value
        mean, square = 0.9 * mean + 0.1 * slope, 0.98 * square + 0.02 * slope**2
        rate = 6.0 * (1 - (step - 1) / steps) + 0.3
        moved = mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.98**step)) + 1e-9)
        colours = np.clip(colours - rate * moved, 0, 255)
    return np.rint(best)


def _evaluate(colours: Floats) -> tuple[float, Floats]:
    """The cost and its gradient."""
    blends = find_blends(colours)
    chance = 1 / (1 + np.exp(np.clip(-blends.excess / _SOFTNESS, -60, 60)))
    chance[:, 0] = 0  # the sink
    spared = 1 - chance.mean(0)
    invented = float((1 - spared**MEETINGS).sum())
    steepness = MEETINGS * spared ** (MEETINGS - 1) / len(blends.pairs)
    slope = _blend_slope(colours, blends, steepness * chance * (1 - chance) / _SOFTNESS)
    crowding = _crowding(colours, blends.pairs, slope)
    return invented + crowding, slope


def _crowding(colours: Floats, pairs: npt.NDArray[np.int64], slope: Floats) -> float:
    """Penalty of pairs closer than the target; its gradient is added in place."""
    ways = colours[pairs[:, 0]] - colours[pairs[:, 1]]
    lengths = np.sqrt((ways**2).sum(-1)) + 1e-9
    wanted = target(len(colours))
    lack = np.maximum(0, 1 - lengths / wanted)
    scale = _CROWDING / len(colours)
    push = (-2 * scale * lack / wanted / lengths)[:, None] * ways
    np.add.at(slope, pairs[:, 0], push)
    np.add.at(slope, pairs[:, 1], -push)
    return float(scale * (lack**2).sum())


def _blend_slope(colours: Floats, blends: Blends, weight: Floats) -> Floats:
    """Gradient of the weighted excesses by each colour: as one of the pair, as the third, or as the third's rival."""
    rows, thirds = np.nonzero(weight > 1e-7)
    first, second = blends.pairs[rows].T
    luma, chroma = np.split(MIXTURES[blends.where[rows, thirds]], 2, axis=1)
    way = colours[second] - colours[first]
    mixed = colours[first] + chroma * way + (luma - chroma) * (way @ LUMA)[:, None]
    rival = blends.rival[rows, thirds]
    size = weight[rows, thirds][:, None]
    from_rival, from_third = size * _unit(mixed - colours[rival]), size * _unit(mixed - colours[thirds])
    by_mixture = from_rival - from_third
    by_second = chroma * by_mixture + (luma - chroma) * by_mixture.sum(-1, keepdims=True) * LUMA
    slope = np.zeros_like(colours)
    np.add.at(slope, second, by_second)
    np.add.at(slope, first, by_mixture - by_second)
    np.add.at(slope, rival, -from_rival)
    np.add.at(slope, thirds, from_third)
    return slope


def _unit(ways: Floats) -> Floats:
    return np.asarray(ways / (np.sqrt((ways**2).sum(-1, keepdims=True)) + 1e-9))
