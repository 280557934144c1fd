"""Mergeable metric states."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sums:
    """Arrays of equal shape (..., k) that add up over images; as a vector they are concatenated along the last axis."""

    def __add__(self, other: Self) -> Self:
        return type(self)(*(mine + theirs for mine, theirs in zip(self._parts(), other._parts(), strict=True)))

    def to_vector(self) -> Numbers:
        """The state as the vector that results carry for a pooled metric."""
        return np.concatenate(self._parts(), axis=-1)

    @classmethod
    def from_vector(cls, vector: npt.ArrayLike) -> Self:
        """The state of such a vector, or of a sum of them."""
        numbers, count = np.asarray(vector), len(fields(cls))
        width, rest = divmod(numbers.shape[-1], count)
        if rest:
            raise ValueError(f"a vector of {numbers.shape[-1]} numbers is no state of {count} equal parts")
        # Slices, because numpy.split takes longer than most metrics.
        return cls(*(numbers[..., k * width : (k + 1) * width] for k in range(count)))

    def _parts(self) -> list[Numbers]:
        return [getattr(self, field.name) for field in fields(self)]


def ratio(part: Numbers, whole: Numbers) -> Floats:
    """Part divided by whole; nan where the whole is 0."""
    shares = np.full(np.shape(whole), np.nan)
    np.divide(part, whole, out=shares, where=np.asarray(whole) != 0)
    return shares


def mean_among(scores: Floats, among: npt.NDArray[np.bool_]) -> Floats:
    """Mean of the chosen scores over the last axis; nan where none is chosen."""
    return ratio(np.where(among, scores, 0.0).sum(axis=-1), among.sum(axis=-1))
