"""Permutation test of the label–colour assignment: do answers follow an earlier one rather than the one asked for?

If a model knows only the assignment that was asked for, which was drawn at random, then any other draw would have
served as well. The test permutes the colours 9,999 times, and counts how often what is read from the answers agrees
with the earlier assignment at least as well. It is exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ._clusters import FloatArray
from ._draws import generator

_PERMUTATIONS = 9_999


@dataclass(frozen=True)
class Assignment:
    """Answers under one random assignment of colours to labels."""

    agreement: npt.ArrayLike
    """Shape (labels, labels): how much of the row's label agrees with the earlier assignment, if that gave it the
    colour of the column's label."""
    kept: int = 0
    """Number of first labels whose colours were not permuted."""
    excluded: tuple[int, ...] | None = None
    """A permutation that was excluded by design: for each label, the label whose colour it would get."""

    @property
    def permutations(self) -> float:
        """Number of possible permutations."""
        labels = len(np.asarray(self.agreement))
        return float(math.factorial(max(labels - self.kept, 0))) - (self.excluded is not None) if labels < 150 else 1e99


@dataclass(frozen=True)
class PermutationResult:
    """Agreement with the earlier assignment, beside that under random permutations."""

    observed: float
    permuted: FloatArray
    """Agreement under each permutation, sorted."""
    possible: float
    """Number of possible permutations of all assignments together."""

    @property
    def excess(self) -> float:
        """Agreement beyond the mean of the permutations."""
        return self.observed - float(self.permuted.mean())

    def p_above(self, bound: float) -> float:
        """One-sided p against the agreement being larger, by more than a bound, than under a random permutation."""
        needed = self.observed - bound
        fewer = int(np.searchsorted(self.permuted, needed - 1e-12 * (1 + abs(needed)), side="left"))
        return (1 + len(self.permuted) - fewer) / (1 + len(self.permuted))

    def interval(self, tail: float) -> tuple[float, float]:
        """All excesses that neither one-sided test rejects at `tail`; ±inf where the permutations are too few.

        The lower end is above a bound exactly if `p_above(bound)` ≤ tail.
        """
        beyond = int(tail * (1 + len(self.permuted)) + 1e-9) - 1
        if beyond < 0:
            return -math.inf, math.inf
        return self.observed - float(self.permuted[-1 - beyond]), self.observed - float(self.permuted[beyond])


def permutation_test(assignments: Sequence[Assignment], seed: int = 0) -> PermutationResult:
    """Test the agreement of answers with an earlier assignment, summed over independent random assignments.

    >>> follows_the_first = np.eye(6)
    >>> result = permutation_test([Assignment(follows_the_first)])
    >>> result.observed, round(result.excess), result.p_above(0.0) < 0.005
    (6.0, 5, True)
    """
    rng = generator(seed, "deals")
    total, observed, possible = np.zeros(_PERMUTATIONS), 0.0, 1.0
    for assignment in assignments:
        agreement = np.asarray(assignment.agreement, dtype=np.float64)
        observed += float(np.trace(agreement))
        possible *= max(1.0, assignment.permutations)
        total += agreement[np.arange(len(agreement)), _permutations(assignment, rng)].sum(axis=1)
    return PermutationResult(observed, np.sort(total), possible)


def _permutations(assignment: Assignment, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Random permutations, shape (count, labels), none of them the excluded one."""
    labels = len(np.asarray(assignment.agreement))
    drawn = np.tile(np.arange(labels), (_PERMUTATIONS, 1))
    wrong = np.arange(_PERMUTATIONS) if assignment.permutations > 1 else np.empty(0, dtype=np.int64)
    while len(wrong):
        drawn[wrong, assignment.kept :] = rng.permuted(drawn[wrong, assignment.kept :], axis=1)
        again = np.zeros(len(wrong), dtype=np.bool_)
        if assignment.excluded is not None:
            again = (drawn[wrong] == np.asarray(assignment.excluded)).all(axis=1)
        wrong = wrong[again]
    return drawn
