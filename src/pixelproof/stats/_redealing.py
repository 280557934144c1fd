"""Exact test of whether answers follow an earlier assignment of colours to labels rather than the one asked for.

If a model knows only the assignment that was asked for, which was drawn at random, then any other draw would have
served as well. The test deals the colours out again, 10,000 times, and counts how often what is read from the answers
agrees with the earlier assignment at least as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ._clusters import FloatArray
from ._draws import generator

_DEALS = 9_999


@dataclass(frozen=True)
class Dealing:
    """Answers under one random assignment of colours to labels."""

    agreement: npt.ArrayLike
    """Shape (labels, labels): how much of what was painted as the row's label agrees with the earlier assignment, if
    that label had the colour that the column's label has."""
    kept: int = 0
    """The first labels, whose colours were not dealt out."""
    excluded: tuple[int, ...] | None = None
    """A deal that was excluded by design: for each label, the label whose colour it would get."""

    @property
    def deals(self) -> float:
        """Number of possible deals."""
        labels = len(np.asarray(self.agreement))
        return float(math.factorial(max(labels - self.kept, 0))) - (self.excluded is not None) if labels < 150 else 1e99


@dataclass(frozen=True)
class Redealt:
    """Agreement with the earlier assignment, beside that of other deals."""

    observed: float
    deals: FloatArray
    """Agreement under each deal, sorted."""
    possible: float
    """Number of possible deals of all assignments together."""

    @property
    def excess(self) -> float:
        """Agreement beyond the mean of the deals."""
        return self.observed - float(self.deals.mean())

    def p_above(self, bound: float) -> float:
        """One-sided p against the agreement being larger, by more than a bound, than that of a random deal."""
        needed = self.observed - bound
        fewer = int(np.searchsorted(self.deals, needed - 1e-12 * (1 + abs(needed)), side="left"))
        return (1 + len(self.deals) - fewer) / (1 + len(self.deals))

    def interval(self, tail: float) -> tuple[float, float]:
        """All excesses that neither one-sided test rejects at `tail`; ±inf where the deals are too few.

        The lower end is above a bound exactly if `p_above(bound)` ≤ tail.
        """
        beyond = int(tail * (1 + len(self.deals)) + 1e-9) - 1
        if beyond < 0:
            return -math.inf, math.inf
        return self.observed - float(self.deals[-1 - beyond]), self.observed - float(self.deals[beyond])


def redeal_test(dealings: Sequence[Dealing], seed: int = 0) -> Redealt:
    """Test the agreement of answers with an earlier assignment, summed over independent random assignments.

    >>> follows_the_first = np.eye(6)
    >>> redealt = redeal_test([Dealing(follows_the_first)])
    >>> redealt.observed, round(redealt.excess), redealt.p_above(0.0) < 0.005
    (6.0, 5, True)
    """
    rng = generator(seed, "deals")
    total, observed, possible = np.zeros(_DEALS), 0.0, 1.0
    for dealing in dealings:
        agreement = np.asarray(dealing.agreement, dtype=np.float64)
        observed += float(np.trace(agreement))
        possible *= max(1.0, dealing.deals)
        total += agreement[np.arange(len(agreement)), _deals(dealing, rng)].sum(axis=1)
    return Redealt(observed, np.sort(total), possible)


def _deals(dealing: Dealing, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Random deals, none of them the excluded one."""
    labels = len(np.asarray(dealing.agreement))
    deals = np.tile(np.arange(labels), (_DEALS, 1))
    wrong = np.arange(_DEALS) if dealing.deals > 1 else np.empty(0, dtype=np.int64)
    while len(wrong):
        deals[wrong, dealing.kept :] = rng.permuted(deals[wrong, dealing.kept :], axis=1)
        again = np.zeros(len(wrong), dtype=np.bool_)
        if dealing.excluded is not None:
            again = (deals[wrong] == np.asarray(dealing.excluded)).all(axis=1)
        wrong = wrong[again]
    return deals
