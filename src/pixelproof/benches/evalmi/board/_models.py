"""Ranks of generators by mean ratings, and which of them cannot be told apart."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.stats import rankdata, ttest_1samp

from pixelproof.benches.evalmi.data import Annotations
from pixelproof.contract import Estimate
from pixelproof.stats import Undefined, holm, mean_interval, tie_groups

from ._labels import FloatArray, IntArray, labels_of


@dataclass(frozen=True)
class Separation:
    """Paired tests over prompts between all generators, for one label."""

    pairs: int
    tied: int
    """Pairs whose difference is not significant at 5 %, each test by itself."""
    tied_holm: int
    """The same after Holm's correction for all pairs."""
    ranks: Mapping[str, tuple[int, int]]
    """Generator → best and worst rank that the corrected tests leave possible."""


@dataclass(frozen=True)
class ModelRow:
    """One generator: mean, interval and rank for each label."""

    model: str
    title: str
    means: Mapping[str, Estimate | Undefined]
    errors: Mapping[str, float]
    """Standard error of each mean over prompts; nan with one image."""
    ranks: Mapping[str, int]
    possible: Mapping[str, tuple[int, int]]
    rank_sum: int
    rank: int
    """By the sum of ranks; equal sums share the better rank."""


def separate(data: Annotations, label: str) -> Separation:
    """Paired t tests over prompts of each pair of generators."""
    table = prompt_table(data, labels_of(data)[label], data.prompt)
    means = np.nanmean(table, axis=0)
    order = np.argsort(-means, kind="stable")
    pairs = list(combinations(range(len(order)), 2))
    p = np.array([_paired_p(table[:, order[i]] - table[:, order[j]]) for i, j in pairs])
    adjusted = holm(p)
    tied = np.eye(len(order), dtype=np.bool_)
    for (i, j), value in zip(pairs, adjusted, strict=True):
        tied[i, j] = tied[j, i] = not value < 0.05
    ranks = tie_groups([data.models[k] for k in order], tied)
    return Separation(len(pairs), int((~(p < 0.05)).sum()), int((~(adjusted < 0.05)).sum()), ranks)


def _paired_p(difference: FloatArray) -> float:
    known = difference[~np.isnan(difference)]
    if len(known) < 2 or np.ptp(known) == 0:
        return 1.0 if len(known) < 2 or known[0] == 0 else 0.0
    return float(ttest_1samp(known, 0.0).pvalue)


def prompt_table(data: Annotations, values: FloatArray, codes: IntArray | None = None) -> FloatArray:
    """Mean value of each code, by default of each prompt text (rows), and generator (columns); nan without an image."""
    units, cluster = np.unique(data.cluster if codes is None else codes, return_inverse=True)
    cells = cluster * len(data.models) + data.model
    size = len(units) * len(data.models)
    with np.errstate(invalid="ignore", divide="ignore"):
        table: FloatArray = np.bincount(cells, values, size) / np.bincount(cells, minlength=size)
    return table.reshape(len(units), len(data.models))


def leaderboard(data: Annotations, separations: Mapping[str, Separation]) -> list[ModelRow]:
    """Generators by the sum of their ranks over all labels."""
    labels = labels_of(data)
    count = len(data.models)
    means = {
        name: np.bincount(data.model, values, count) / np.bincount(data.model, minlength=count)
        for name, values in labels.items()
    }
    ranks = {name: rankdata(-values, method="min").astype(int) for name, values in means.items()}
    sums = np.sum(list(ranks.values()), axis=0)
    overall = rankdata(sums, method="min").astype(int)
    rows = []
    for code, model in enumerate(data.models):
        own = data.model == code
        intervals, errors = {}, {}
        for name, values in labels.items():
            low, high = (0.0, 1.0) if name == "qa" else (float(values.min()), float(values.max()))
            bounds = (low, high) if low < high else None
            intervals[name] = mean_interval(values[own], bounds, data.cluster[own])
            errors[name] = float(values[own].std(ddof=1) / np.sqrt(own.sum())) if own.sum() > 1 else math.nan
        rows.append(
            ModelRow(
                model,
                data.title(model),
                intervals,
                errors,
                {name: int(values[code]) for name, values in ranks.items()},
                {name: separation.ranks[model] for name, separation in separations.items()},
                int(sums[code]),
                int(overall[code]),
            )
        )
    best = {row.model: min(row.ranks.values()) for row in rows}
    return sorted(rows, key=lambda row: (row.rank, best[row.model], row.title))
