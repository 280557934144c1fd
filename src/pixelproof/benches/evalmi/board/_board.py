"""All tables about a data set in one object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pixelproof.benches.evalmi.data import Annotations
from pixelproof.benches.evalmi.meta import Ceiling, RaterScale, noise_ceiling, recover_scale

from ._labels import labels_of
from ._models import ModelRow, Separation, leaderboard, separate
from ._relations import (
    component_structure,
    distribution,
    label_relations,
    opposite_prompts,
    subset_stability,
    task_rows,
    thresholds,
    variance_shares,
)


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
