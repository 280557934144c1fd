"""Colour rendering: the smooth map from the colours that a model is asked for to those that it paints."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pixelproof.pixels import Palette

from ._painted import Floats, Painted, Reference

Rendering = Callable[[Floats], Floats]

_CLOSE = 12.0
"""Distance from the map, in levels, beyond which an observation is taken for another label."""
_REACH = 64.0
"""Distance of colours, in levels, over which their errors are alike."""
_SPREAD = 24.0
"""Size of errors that an affine map leaves, in levels."""
_NOISE = 2.0
"""Error of one observation, in levels."""
_MOST = 400
"""Largest number of observations."""
_ROUNDS = 8


def rendered_palettes(reference: Reference, answers: Sequence[Painted | None]) -> list[Floats | None]:
    """For each answer to an item, the colours in which the model paints the labels of its palette.

    Tone curves, gains and a lower saturation change colours whatever the labels are, and cost more labels in one
    palette than in another. They are the same map of colours in all answers, so it is fitted to all of them together.
    """
    pairs = [pair for answer in answers if answer is not None for pair in _observations(reference, answer)]
    rendering = fit_rendering(np.array([asked for asked, _ in pairs]), np.array([painted for _, painted in pairs]))
    return [None if answer is None else rendering(colours_of(answer.palette)) for answer in answers]


def fit_rendering(asked: Floats, painted: Floats) -> Rendering:
    """The smooth map of colours that most pairs agree with; the identity if that agrees with as many.

    An affine map (gain, saturation, white balance) plus a smooth rest (tone curves, clipping), by Gaussian process
    regression. Pairs that are far from the map lose their weight, so wrong labels have no influence.

    Args:
        asked: Colours asked for, shape (n, 3).
        painted: Colours painted instead, shape (n, 3).
    """
    if len(asked) < 4:
        return _identity
    choice = np.linspace(0, len(asked) - 1, min(len(asked), _MOST)).astype(int)
    asked, painted = asked[choice], painted[choice]
    affine = _fit_affine(asked, painted)
    smooth = _fit_rest(asked, painted, affine)
    return max((_identity, affine, smooth), key=lambda rendering: int((_far(rendering(asked), painted) < _CLOSE).sum()))


def _identity(colours: Floats) -> Floats:
    return colours


def _fit_affine(asked: Floats, painted: Floats) -> Rendering:
    """Robust affine map, with a weak preference for the identity."""
    terms, change = _affine_terms(asked), painted - asked
    weights = np.ones(len(asked))
    for scale in (256.0, 128.0, 64.0, 32.0, *(_CLOSE for _ in range(_ROUNDS))):
        normal = terms.T @ (weights[:, None] * terms) + np.diag([0.02, 0.1, 0.1, 0.1])
        solution = np.linalg.solve(normal, terms.T @ (weights[:, None] * change))
        weights = 1 / (1 + (_far(terms @ solution, change) / scale) ** 2)
    return lambda colours: colours + _affine_terms(colours) @ solution


def _affine_terms(colours: Floats) -> Floats:
    return np.hstack([np.ones((len(colours), 1)), colours / 127.5 - 1])


def _fit_rest(asked: Floats, painted: Floats, affine: Rendering) -> Rendering:
    rest, kernel = painted - affine(asked), _alike(asked, asked)
    weights = 1 / (1 + (np.linalg.norm(rest, axis=1) / (2 * _CLOSE)) ** 2) ** 2
    for _ in range(_ROUNDS):
        solution = np.linalg.solve(kernel + np.diag(_NOISE**2 / np.maximum(weights, 1e-6)), rest)
        weights = 1 / (1 + (_far(kernel @ solution, rest) / _CLOSE) ** 2) ** 2
    return lambda colours: affine(colours) + _alike(colours, asked) @ solution


def _alike(one: Floats, other: Floats) -> Floats:
    squared = ((one[:, None] - other[None]) ** 2).sum(axis=2)
    return np.asarray(_SPREAD**2 * np.exp(-squared / (2 * _REACH**2)))


def _far(one: Floats, other: Floats) -> Floats:
    return np.asarray(np.linalg.norm(one - other, axis=1))


def colours_of(palette: Palette) -> Floats:
    """The colours of a palette as numbers, shape (labels, 3)."""
    return palette.array.astype(np.float64)


def _observations(reference: Reference, answer: Painted) -> list[tuple[Floats, Floats]]:
    """For each label of the reference, the colour asked for and the median colour of its flat pixels."""
    colours, read = colours_of(answer.palette), answer.flat & (reference.weights > 0)
    labels, painted = reference.labels[read], answer.colours[read]
    return [(colours[label], np.median(painted[labels == label], axis=0)) for label in np.unique(labels)]
