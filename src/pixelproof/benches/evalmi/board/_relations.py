"""How the labels of a data set relate to each other, to tasks, generators and prompts."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from scipy.stats import rankdata

from pixelproof.benches.evalmi.data import Annotations
from pixelproof.benches.evalmi.meta import level_values
from pixelproof.stats import auc, best_threshold, correlation, generator

from ._labels import FloatArray, labels_of
from ._models import prompt_table

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
