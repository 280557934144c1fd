"""Evidence from the answers to one item: advantages between conditions, and agreement with the published colours."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pixelproof.pixels import Palette, nearest

from ._painted import Floats, Mask, Reading, Reference, shifted

TOLERANCE = 24.0
"""Largest distance from a published colour, in sRGB levels, that counts as that colour."""
_STEP = 4
"""Residuals are rounded to multiples of this when colours are permuted."""
_OFFSET = 64
"""Added to rounded residuals to make them positive."""


def advantage_matrix(reference: Reference, answers: Sequence[Reading | None]) -> tuple[Floats, Floats]:
    """Differences of accuracy between all pairs of conditions, and the share of the item that they are based on.

    A pair is compared where both answers are flat, so that edges, which palettes and channels change, do not count.
    A pixel is right if its label is, and would also be in the other palette with the same residual. Hence answers
    whose labels and residuals do not depend on the palette differ by chance alone. Accuracy is the mean over labels.

    Returns:
        Two arrays of shape (conditions, conditions): row minus column; compared share. nan where an answer is missing.
    """
    count = len(answers)
    differences, compared = np.full((count, count), math.nan), np.full((count, count), math.nan)
    for i, one in enumerate(answers):
        for j in range(i):
            other = answers[j]
            if one is None or other is None:
                continue
            both = one.painted.flat & other.painted.flat & (reference.weights > 0)
            right = [_right(a, b, reference, both) for a, b in ((one, other), (other, one))]
            # Where both are right they cancel exactly, so that equal answers do not differ even by rounding.
            gained, lost = (reference.weights[a & ~b].sum() for a, b in (right, right[::-1]))
            differences[i, j], differences[j, i] = gained - lost, lost - gained
            compared[i, j] = compared[j, i] = reference.weights[both].sum()
    return differences, compared


def _right(one: Reading, other: Reading, reference: Reference, where: Mask) -> Mask:
    right = where & (one.labels == reference.labels)
    same = np.array_equal(one.palette, other.palette)
    return np.asarray(right if same else right & one.survives(other.palette, right))


def published_agreement(reference: Reference, answer: Reading, published: Palette) -> Floats:
    """How much of an answer is painted in the published colour of the true label, instead of the one asked for.

    Args:
        reference: The truth.
        answer: The answer, read in the palette that was asked for.
        published: The published palette of the same labels.

    Returns:
        Shape (labels, labels): area painted as the row's label, which is wrong, that would be in the published colour
        of the true label if the row's label had the colour of the column's. The diagonal is what was painted.
    """
    labels, agreement = len(published), np.zeros((len(published), len(published)))
    wrong = np.flatnonzero(answer.painted.flat & (reference.weights > 0) & (answer.labels != reference.labels))
    if not len(wrong):
        return agreement
    steps = np.rint(answer.residuals[wrong] / _STEP).astype(np.int64) + _OFFSET
    key = reference.labels[wrong] * labels + answer.labels[wrong]
    for channel in range(3):
        key = key * (2 * _OFFSET) + steps[:, channel]
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    weights = np.bincount(place.ravel(), weights=reference.weights[wrong], minlength=len(first))
    true, painted = reference.labels[wrong][first], answer.labels[wrong][first]
    residuals = (_STEP * (steps[first] - _OFFSET)).astype(np.float64)
    for column in range(labels):
        colours = shifted(answer.palette, np.full(len(first), column), residuals)
        distance = np.linalg.norm(colours - published.array[true], axis=1)
        hit = (distance <= TOLERANCE) & (nearest(colours.astype(np.uint8)[:, None], published).ravel() == true)
        agreement[:, column] = np.bincount(painted, weights=weights * hit, minlength=labels)
    return agreement
