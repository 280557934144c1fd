"""Generation and understanding of one model, compared item by item: the same scenes, edited and asked about."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pixelproof.benches.spatial.understanding._items import edit_id
from pixelproof.contract import Estimate, PixelProofError
from pixelproof.stats import correlation

Scores = Mapping[str, float]
"""Item → score."""
CELLS = ("both", "only edits", "only answers", "neither")


@dataclass(frozen=True)
class TaskRelation:
    """How a model's edits relate to its answers about the same scenes."""

    scenes: int
    """Scenes with an edit and with answers."""
    edits: float
    """Mean score of the edits."""
    answers: float
    """Mean over scenes of the mean score of the answers."""
    correlation: Estimate
    """Spearman's rank correlation over scenes, with its 95 % interval over clusters of scenes."""
    difference: Estimate
    """Mean of edit minus answers, with its 95 % interval over clusters of scenes."""
    table: Mapping[str, int]
    """Number of scenes by outcome, a key of `CELLS`: edited well (at least half), answered well (above the floor's and
    the ceiling's middle), both, or neither."""
    by_operation: Mapping[str, tuple[int, float, float]]
    """Operation → scenes, mean score of the edits, mean score of the answers."""


def relate_tasks(
    edits: Scores,
    answers: Scores,
    clusters: Mapping[str, str],
    operations: Mapping[str, str],
    well_edited: float = 0.5,
    well_answered: float = 0.75,
) -> TaskRelation:
    """Compare edits with the answers to questions about their scenes.

    Args:
        edits: Item of the editing task → score, such as compliance.
        answers: Item of the understanding task → score: accuracy, or mean relative accuracy.
        clusters: Item of the editing task → cluster.
        operations: Item of the editing task → operation.
        well_edited: Least score of an edit that was carried out well.
        well_answered: Least mean score of a scene's questions that were answered well.

    Raises:
        PixelProofError: No scene has both.
    """
    by_scene: dict[str, list[float]] = {}
    for item, value in answers.items():
        by_scene.setdefault(edit_id(item), []).append(value)
    common = [item for item in edits if item in by_scene]
    if not common:
        raise PixelProofError(
            "The two runs have no scene in common: give a run of each task with the same source and seed."
        )
    made = np.array([edits[item] for item in common])
    said = np.array([float(np.mean(by_scene[item])) for item in common])
    codes = np.unique([clusters.get(item, item) for item in common], return_inverse=True)[1]
    return TaskRelation(
        len(common),
        float(made.mean()),
        float(said.mean()),
        correlation(made, said, codes, "spearman"),
        _mean_difference(made - said, codes),
        _table(made >= well_edited, said >= well_answered),
        _by_operation(common, made, said, operations),
    )


def _mean_difference(differences: np.ndarray, clusters: np.ndarray) -> Estimate:
    from pixelproof.stats import Undefined, mean_interval

    interval = mean_interval(differences, (-1.0, 1.0), clusters)
    return Estimate(interval.value, math.nan, math.nan) if isinstance(interval, Undefined) else interval


def _table(edited: np.ndarray, answered: np.ndarray) -> dict[str, int]:
    counts = (edited & answered, edited & ~answered, ~edited & answered, ~edited & ~answered)
    return {name: int(cell.sum()) for name, cell in zip(CELLS, counts, strict=True)}


def _by_operation(
    common: Sequence[str], made: np.ndarray, said: np.ndarray, operations: Mapping[str, str]
) -> dict[str, tuple[int, float, float]]:
    names = np.array([operations.get(item, "") for item in common])
    return {
        name: (int((names == name).sum()), float(made[names == name].mean()), float(said[names == name].mean()))
        for name in dict.fromkeys(names.tolist())
    }
