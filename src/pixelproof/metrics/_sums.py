"""States that add up."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sums:
    """Arrays of equal shape (..., k) that add up over pictures; as a vector, one after the other on the last axis."""

    def __add__(self, other: Self) -> Self:
        return type(self)(*(mine + theirs for mine, theirs in zip(self._parts(), other._parts(), strict=True)))

    def to_vector(self) -> Numbers:
        """What results carry for a pooled metric."""
        return np.concatenate(self._parts(), axis=-1)

    @classmethod
    def from_vector(cls, vector: npt.ArrayLike) -> Self:
        """The state in such a vector, or in sums of them."""
        return cls(*np.split(np.asarray(vector), len(fields(cls)), axis=-1))

    def _parts(self) -> list[Numbers]:
        return [getattr(self, field.name) for field in fields(self)]


def ratio(part: Numbers, whole: Numbers) -> Floats:
    """Part by whole; nan where there is no whole."""
    shares = np.full(np.shape(whole), np.nan)
    np.divide(part, whole, out=shares, where=np.asarray(whole) != 0)
    return shares


def mean_among(scores: Floats, among: npt.NDArray[np.bool_]) -> Floats:
    """Mean over the last axis of the scores that are chosen; nan where none is."""
    return ratio(np.where(among, scores, 0.0).sum(axis=-1), among.sum(axis=-1))
