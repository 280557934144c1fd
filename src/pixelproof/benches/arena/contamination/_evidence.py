"""Evidence from the answers to one item: advantages between conditions, and agreement with the published colours."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pixelproof.pixels import Palette

from ._painted import Floats, Mask, Reading, Reference, nearest_colours

TOLERANCE = 24.0
"""Largest distance from a published colour, in sRGB levels, that counts as that colour."""


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
    """In which published colours an answer paints each label, where it does not paint the colour asked for.

    Args:
        reference: The truth.
        answer: The answer, read in the palette that was asked for.
        published: The published palette of the same labels.

    Returns:
        Shape (labels, labels): area of the row's label in the published colour of the column's label.
    """
    wrong = answer.painted.flat & (reference.weights > 0) & (answer.labels != reference.labels)
    painted, known = answer.painted.colours[wrong].astype(np.float64), published.array.astype(np.float64)
    column = nearest_colours(painted, known)
    close = np.linalg.norm(painted - known[column], axis=1) <= TOLERANCE
    cells, areas = (reference.labels[wrong] * len(known) + column)[close], reference.weights[wrong][close]
    return np.asarray(np.bincount(cells, areas, len(known) ** 2), np.float64).reshape(len(known), len(known))
