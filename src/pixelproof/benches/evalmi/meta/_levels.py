"""Correlations of a score with ratings at every level: overall, within prompts, within and between generators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pixelproof.benches.evalmi.data import Annotations
from pixelproof.contract import Estimate
from pixelproof.stats import (
    Resampled,
    Undefined,
    group_correlations,
    mean_interval,
    resample_statistic,
    resampled_group_means,
)

from ._types import FloatArray, IntArray

METHODS = {"srcc": "spearman", "plcc": "pearson", "krcc": "kendall"}
LEVELS = ("overall", "within_prompt", "within_generator", "within_task", "between_generators")
LENGTHS = ((1, 7), (8, 10), (11, 20), (21, 77), (78, None))
"""Groups of prompts by words: quartiles of EvalMi-50K, and beyond what CLIP reads."""
GROUP_RESAMPLES = 500
_NAMES: Any = tuple(METHODS.values())


def level_values(x: FloatArray, y: FloatArray, rows: Annotations) -> dict[str, FloatArray]:
    """SRCC, PLCC and KRCC at each level, without intervals."""
    together = np.zeros(len(x), np.int64)
    a, b = (_model_means(values, rows.model) for values in (x, y))
    return {
        "overall": group_correlations(x, y, together, _NAMES)[0],
        "within_prompt": _mean(group_correlations(x, y, rows.prompt, _NAMES)),
        "within_generator": _mean(group_correlations(x, y, rows.model, _NAMES)),
        "within_task": _mean(group_correlations(x, y, rows.task, _NAMES)),
        "between_generators": group_correlations(a, b, np.zeros(len(a), np.int64), _NAMES)[0],
    }


def _mean(values: FloatArray) -> FloatArray:
    defined = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        means: FloatArray = np.where(defined, values, 0.0).sum(axis=0) / defined.sum(axis=0)
    return means


def _model_means(values: FloatArray, model: IntArray) -> FloatArray:
    _, codes = np.unique(model, return_inverse=True)
    means: FloatArray = np.bincount(codes, values) / np.bincount(codes)
    return means


@dataclass(frozen=True)
class LevelEstimate:
    """A correlation at one level with its interval."""

    estimate: Estimate | Undefined
    n: int
    """Groups, or generators."""
    reason: str | None = None
    """Why there is no interval."""


def level_estimates(
    x: FloatArray, y: FloatArray, rows: Annotations, resamples: int, seed: int
) -> dict[str, LevelEstimate]:
    """Correlations within and between groups by `level.method`, with intervals over prompts."""
    found: dict[str, LevelEstimate] = {}
    ids, first = np.unique(rows.prompt, return_index=True)
    of_prompts = group_correlations(x, y, rows.prompt, _NAMES)
    for place, name in enumerate(METHODS):
        values = of_prompts[:, place]
        defined = ~np.isnan(values)
        if defined.any():
            interval = mean_interval(values[defined], (-1, 1), rows.cluster[first][defined])
            found[f"within_prompt.{name}"] = LevelEstimate(interval, int(defined.sum()))
        else:
            none = Undefined(np.nan, "no prompt has two images with different ratings")
            found[f"within_prompt.{name}"] = LevelEstimate(none, 0)
    for level, groups in (("within_generator", rows.model), ("within_task", rows.task)):
        values = _mean(group_correlations(x, y, groups, _NAMES))
        count = len(np.unique(groups))
        drawn: Any = resampled_group_means(
            x, y, groups, rows.cluster, resamples=min(resamples, GROUP_RESAMPLES), seed=seed
        )
        for place, (name, method) in enumerate(METHODS.items()):
            value = float(values[place])
            if method in drawn:
                ends = drawn[method].estimate()
                found[f"{level}.{name}"] = LevelEstimate(Estimate(value, ends.lo, ends.hi), count)
            else:
                plain = Estimate(value, np.nan, np.nan)
                found[f"{level}.{name}"] = LevelEstimate(plain, count, "Kendall's tau within groups is not resampled")
    return found | _between(x, y, rows, resamples, seed)


def _between(x: FloatArray, y: FloatArray, rows: Annotations, resamples: int, seed: int) -> dict[str, LevelEstimate]:
    models, model = np.unique(rows.model, return_inverse=True)
    units, cluster = np.unique(rows.cluster, return_inverse=True)
    cells = cluster * len(models) + model
    shape = (len(units), len(models))
    counts, sum_x, sum_y = (
        np.bincount(cells, weights, len(units) * len(models)).reshape(shape) for weights in (np.ones(len(x)), x, y)
    )

    def statistic(place: int) -> Callable[[FloatArray], FloatArray]:
        def under(weights: FloatArray) -> FloatArray:
            with np.errstate(divide="ignore", invalid="ignore"):
                size = weights @ counts
                a, b = (weights @ sums / size for sums in (sum_x, sum_y))
            codes = np.repeat(np.arange(len(weights)), len(models))
            found: FloatArray = group_correlations(a.ravel(), b.ravel(), codes, _NAMES[place : place + 1])[:, 0]
            return found

        return under

    drawn: dict[str, Resampled] = {
        name: resample_statistic(statistic(place), len(units), min(resamples, 1000), seed)
        for place, name in enumerate(METHODS)
    }
    few = "there are fewer than three generators" if len(models) < 3 else None
    return {
        f"between_generators.{name}": LevelEstimate(resampled.estimate(), len(models), few)
        for name, resampled in drawn.items()
    }
