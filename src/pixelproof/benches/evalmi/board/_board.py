"""What a data set says: ranks of generators, relations of labels to each other and to tasks, and all in one object."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata, ttest_1samp

from pixelproof.benches.evalmi.data import Annotations
from pixelproof.benches.evalmi.meta import Ceiling, RaterScale, level_values, noise_ceiling, recover_scale
from pixelproof.contract import Estimate
from pixelproof.stats import Undefined, auc, best_threshold, correlation, generator, holm, mean_interval, tie_groups

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def labels_of(data: Annotations) -> dict[str, FloatArray]:
    """Mean opinion scores, and the yes/no answers as `qa`."""
    return {**data.targets, **({} if data.qa is None else {"qa": data.qa})}


LEVEL_COUNT = 5
GRID = 0.25
"""Step of thresholds that are meant to be quoted; the best of all is known to the last digit."""
SUBSETS = (50, 420)
DRAWS = 50


def label_relations(data: Annotations) -> dict[str, dict[str, list[float]]]:
    """SRCC, PLCC and KRCC of each pair of labels, `first-second` → level → values; the second is what is predicted."""
    labels = labels_of(data)
    found = {}
    for first, second in combinations(labels, 2):
        values = level_values(labels[second], labels[first], data)
        rest = {name: _without_effects(data, labels[name]) for name in (first, second)}
        values["residual"] = np.array([_rank_correlation(rest[first], rest[second])])
        found[f"{first}-{second}"] = {level: [float(v) for v in correlations] for level, correlations in values.items()}
    return found


def _without_effects(data: Annotations, values: FloatArray) -> FloatArray:
    model = np.bincount(data.model, values) / np.maximum(1, np.bincount(data.model))
    prompt = np.bincount(data.prompt, values) / np.maximum(1, np.bincount(data.prompt))
    rest: FloatArray = values - model[data.model] - prompt[data.prompt] + values.mean()
    return rest


def _rank_correlation(x: FloatArray, y: FloatArray) -> float:
    return correlation(x, y, method="spearman", resamples=1).value


def distribution(values: FloatArray) -> dict[str, Any]:
    """Mean, standard deviation, range, quintiles, and edges and shares of five levels of equal width."""
    edges = np.linspace(values.min(), values.max(), LEVEL_COUNT + 1)
    level = np.clip(np.ceil((values - edges[0]) / (edges[1] - edges[0])), 1, LEVEL_COUNT) if np.ptp(values) else values
    return {
        "mean": float(values.mean()),
        "sd": float(values.std()),
        "range": [float(values.min()), float(values.max())],
        "quintiles": [float(q) for q in np.quantile(values, [0.2, 0.4, 0.6, 0.8])],
        "level_edges": [float(edge) for edge in edges[1:-1]],
        "level_shares": [float((level == k).mean()) for k in range(1, LEVEL_COUNT + 1)],
    }


def thresholds(data: Annotations) -> dict[str, dict[str, float]]:
    """For each mean opinion score: how well a threshold on it gives the yes/no answers; empty unless there are both."""
    if data.qa is None or np.ptp(data.qa) == 0:
        return {}
    found = {}
    for name, values in data.targets.items():
        best, agreement = best_threshold(values, data.qa)
        grid = np.arange(np.floor(values.min()), values.max() + GRID, GRID)
        agreements = [float(((values > threshold) == (data.qa == 1)).mean()) for threshold in grid]
        place = int(np.argmax(agreements))
        found[name] = {
            "grid_threshold": float(grid[place]),
            "grid_agreement": agreements[place],
            "auc": auc(values, data.qa, resamples=0).value,
            "threshold": best,
            "agreement": agreement,
            "lowest_yes": float(values[data.qa == 1].min()),
            "highest_no": float(values[data.qa == 0].max()),
        }
    return found


def variance_shares(data: Annotations, values: FloatArray) -> dict[str, float]:
    """Shares of the variance: generator, prompt, remainder; empty if it is 0, or a generator lacks a prompt."""
    cells = np.unique(data.model * len(data.prompts.ids) + data.prompt)
    if len(cells) != len(data) or len(data) != len(np.unique(data.model)) * len(np.unique(data.prompt)):
        return {}
    total = float(((values - values.mean()) ** 2).sum())
    if total == 0:
        return {}
    shares = {}
    for name, codes in (("generator", data.model), ("prompt", data.prompt)):
        sizes = np.bincount(codes)
        means = np.bincount(codes, values)[sizes > 0] / sizes[sizes > 0]
        shares[name] = float((sizes[sizes > 0] * (means - values.mean()) ** 2).sum()) / total
    return shares | {"remainder": 1 - sum(shares.values())}


def task_rows(data: Annotations) -> list[dict[str, Any]]:
    """One row per task: prompts, means of labels, SRCC of the first two, agreement of its ranking."""
    labels = labels_of(data)
    whole = {name: np.nanmean(prompt_table(data, values), axis=0) for name, values in labels.items()}
    rows = []
    for code, task in enumerate(data.tasks):
        own = data.task == code
        part = data.rows(own)
        here = labels_of(part)
        row: dict[str, Any] = {"task": task, "prompts": len(np.unique(part.prompt))}
        row |= {name: float(values.mean()) for name, values in here.items()}
        if len(data.targets) > 1:
            first, second = list(data.targets)[:2]
            row["srcc"] = _rank_correlation(here[first], here[second])
        row["ranking"] = {
            name: _rank_correlation(np.nanmean(prompt_table(part, values), axis=0), whole[name])
            for name, values in here.items()
        }
        rows.append(row)
    key = "qa" if data.qa is not None else next(iter(data.targets))
    return sorted(rows, key=lambda row: float(row[key]))


def subset_stability(data: Annotations, seed: int = 0) -> dict[str, dict[str, float]]:
    """Mean SRCC of the ranking on a random subset of prompts with the ranking on all, label → prompts → SRCC."""
    found: dict[str, dict[str, float]] = {}
    for name, values in labels_of(data).items():
        table = prompt_table(data, values)
        whole = rankdata(np.nanmean(table, axis=0))
        for size in (size for size in SUBSETS if size < len(table)):
            rng = generator(seed, "subsets of prompts", size)
            drawn = [
                rankdata(np.nanmean(table[rng.choice(len(table), size, replace=False)], axis=0)) for _ in range(DRAWS)
            ]
            found.setdefault(name, {})[str(size)] = float(np.mean([np.corrcoef(ranks, whole)[0, 1] for ranks in drawn]))
    return found


def opposite_prompts(data: Annotations) -> float | None:
    """Share of prompt texts whose mean scores lie on opposite sides of the medians of the first two labels."""
    if len(data.targets) < 2:
        return None
    first, second = (np.nanmean(prompt_table(data, values), axis=1) for values in list(data.targets.values())[:2])
    return float(((first > np.median(first)) != (second > np.median(second))).mean())


def component_structure(data: Annotations) -> dict[str, Any] | None:
    """How many component questions there are, and how often the main answer is their conjunction."""
    if data.components is None or data.qa is None:
        return None
    known = ~np.isnan(data.components)
    own = known.any(axis=1)
    every = np.where(known, data.components, 1.0).min(axis=1)
    counts = np.bincount(known.sum(axis=1)[own]) // max(1, len(np.unique(data.model)))
    return {
        "answers": int(known.sum()),
        "images": int(own.sum()),
        "prompts_by_components": {str(n): int(count) for n, count in enumerate(counts) if count},
        "conjunction": float((every[own] == data.qa[own]).mean()),
        "all_yes_but_main_no": int(((every == 1) & (data.qa == 0) & own).sum()),
        "main_yes_but_not_all": int(((every == 0) & (data.qa == 1) & own).sum()),
    }


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


@dataclass(frozen=True)
class Board:
    """What `pixelproof judge board` prints."""

    name: str
    counts: dict[str, int]
    models: list[ModelRow]
    separations: dict[str, Separation]
    tasks: list[dict[str, Any]]
    distributions: dict[str, dict[str, Any]]
    relations: dict[str, dict[str, list[float]]]
    thresholds: dict[str, dict[str, float]]
    variances: dict[str, dict[str, float]]
    stability: dict[str, dict[str, float]]
    opposite: float | None
    components: dict[str, Any] | None
    scales: dict[str, RaterScale]
    """Targets whose scores show the votes behind them."""
    ceilings: dict[str, Ceiling]


def board(data: Annotations, ceiling_images: int = 300, seed: int = 0) -> Board:
    """Make all tables. Resampled parts (stability, ceilings) depend on the seed."""
    labels = labels_of(data)
    separations = {name: separate(data, name) for name in labels}
    words = data.prompts.words
    counts = {
        "images": len(data),
        "generators": len(data.models),
        "prompts": len(data.prompts.ids),
        "prompt_texts": len(set(data.prompts.texts)),
        "tasks": len(data.tasks),
        "longest_prompt_words": int(words.max(initial=0)),
        "prompts_over_77_words": int((words > 77).sum()),
        "yes": 0 if data.qa is None else int(data.qa.sum()),
        "ratings": len(data.targets) * len(data),
    }
    scales = {name: scale for name, values in data.targets.items() if (scale := recover_scale(values)) is not None}
    ceilings = {
        name: found
        for name in data.targets
        if ceiling_images and (found := noise_ceiling(data, name, ceiling_images, seed)) is not None
    }
    return Board(
        data.name,
        counts,
        leaderboard(data, separations),
        separations,
        task_rows(data),
        {name: distribution(np.asarray(values)) for name, values in data.targets.items()},
        label_relations(data),
        thresholds(data),
        {name: variance_shares(data, values) for name, values in data.targets.items()},
        subset_stability(data, seed),
        opposite_prompts(data),
        component_structure(data),
        scales,
        ceilings,
    )
