"""Bradley-Terry strengths of pairwise votes with ties (Davidson's model), with intervals and tie groups."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp, ndtr, ndtri

from pixelproof.contract import Estimate

from ._clusters import FloatArray
from ._ranking import holm, tie_groups


@dataclass(frozen=True)
class Strengths:
    """Strengths on a logarithmic scale; their mean is 0."""

    names: tuple[str, ...]
    strengths: tuple[Estimate, ...]
    tie_rate: float
    """Davidson's ν: between equals, ties are ν / (2 + ν) of the votes; 0 without ties."""
    covariance: FloatArray
    ranks: Mapping[str, tuple[int, int]]
    """Best and worst rank that pairwise tests at 5 % (Holm) leave possible."""

    def win_probability(self, a: str, b: str) -> float:
        """Probability that a is preferred to b, ties apart."""
        i, j = self.names.index(a), self.names.index(b)
        gap = self.strengths[i].value - self.strengths[j].value
        return 1 / (1 + math.exp(-gap))


def bradley_terry(names: Sequence[str], wins: npt.ArrayLike, ties: npt.ArrayLike | None = None) -> Strengths:
    """Maximum likelihood of Davidson's model: P(i > j) : P(tie) : P(j > i) = s_i : ν √(s_i s_j) : s_j.

    Args:
        names: Of the contestants.
        wins: Matrix; wins[i, j] votes prefer i to j.
        ties: Symmetric matrix of undecided votes, each pair counted once in both places; None: no ties.

    Raises:
        ValueError: Some contestants never lost or never won against the rest, so that no finite strength fits.

    >>> found = bradley_terry(["a", "b"], [[0, 30], [10, 0]])
    >>> round(found.strengths[0].value - found.strengths[1].value, 4) == round(math.log(3), 4)
    True
    """
    from scipy.optimize import minimize  # takes a while to import

    won = np.asarray(wins, np.float64)
    tied = np.zeros_like(won) if ties is None else np.asarray(ties, np.float64)
    n = len(names)
    if won.shape != (n, n) or tied.shape != (n, n) or not np.array_equal(tied, tied.T):
        raise ValueError(f"wins and ties must be {n} x {n} matrices, and ties symmetric")
    _require_connected(names, won + tied)
    i, j = np.triu_indices(n, 1)
    counts = np.stack([won[i, j], tied[i, j], won[j, i]], axis=1)
    with_ties = bool(tied.any())

    def logits(parameters: FloatArray) -> FloatArray:
        s = np.append(parameters[: n - 1], 0.0)
        middle = parameters[-1] + (s[i] + s[j]) / 2 if with_ties else np.full(len(i), -np.inf)
        return np.stack([s[i], middle, s[j]], axis=1)

    # The model is a multinomial logit, linear in its parameters: its likelihood is concave.
    design = np.zeros((len(i), 3, n + with_ties))
    rows = np.arange(len(i))
    design[rows, 0, i] = design[rows, 2, j] = 1
    design[rows, 1, i] = design[rows, 1, j] = 0.5
    if with_ties:
        design[:, 1, -1] = 1
    design = np.delete(design, n - 1, axis=2)

    def shares(parameters: FloatArray) -> FloatArray:
        z = logits(parameters)
        found: FloatArray = np.exp(z - logsumexp(z, axis=1, keepdims=True))
        return found

    def loss(parameters: FloatArray) -> float:
        z = logits(parameters)
        z = np.where(counts > 0, z, 0.0)
        return float((counts.sum(axis=1) * logsumexp(logits(parameters), axis=1)).sum() - (counts * z).sum())

    def slope(parameters: FloatArray) -> FloatArray:
        expected = shares(parameters) * counts.sum(axis=1, keepdims=True)
        gradient: FloatArray = np.einsum("pk,pkm->m", expected - counts, design)
        return gradient

    start = np.zeros(n - 1 + with_ties)
    fitted = minimize(loss, start, jac=slope, method="BFGS", options={"gtol": 1e-9, "maxiter": 1000}).x
    p, total = shares(fitted), counts.sum(axis=1)
    mean = np.einsum("pk,pkm->pm", p, design)
    information = np.einsum("p,pk,pkm,pkl->ml", total, p, design, design) - np.einsum("p,pm,pl->ml", total, mean, mean)
    of_free = np.linalg.pinv(information)[: n - 1, : n - 1]
    centre = np.vstack([np.eye(n - 1), np.zeros((1, n - 1))]) - 1 / n
    covariance = centre @ of_free @ centre.T
    values = centre @ fitted[: n - 1]
    reach = float(ndtri(0.975)) * np.sqrt(np.maximum(0.0, np.diag(covariance)))
    estimates = tuple(Estimate(float(v), float(v - r), float(v + r)) for v, r in zip(values, reach, strict=True))
    tie_rate = math.exp(float(fitted[-1])) if with_ties else 0.0
    return Strengths(tuple(names), estimates, tie_rate, covariance, _possible_ranks(names, values, covariance))


def _require_connected(names: Sequence[str], beaten: FloatArray) -> None:
    from scipy.sparse.csgraph import connected_components

    count, labels = connected_components(beaten > 0, directed=True, connection="strong")
    if count > 1:
        groups = [[name for name, label in zip(names, labels, strict=True) if label == k] for k in range(count)]
        shown = "; ".join(", ".join(group[:3]) for group in sorted(groups, key=len)[:3])
        raise ValueError(f"no finite strengths fit: these never lost or never won against the rest: {shown}")


def _possible_ranks(names: Sequence[str], values: FloatArray, covariance: FloatArray) -> dict[str, tuple[int, int]]:
    order = np.argsort(-values, kind="stable")
    pairs = list(combinations(range(len(names)), 2))
    p = []
    for a, b in pairs:
        i, j = order[a], order[b]
        spread = math.sqrt(max(1e-300, covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]))
        p.append(2 * float(ndtr(-abs(values[i] - values[j]) / spread)))
    tied = np.eye(len(names), dtype=np.bool_)
    for (a, b), value in zip(pairs, holm(p), strict=True):
        tied[a, b] = tied[b, a] = not value < 0.05
    return tie_groups([names[k] for k in order], tied)
