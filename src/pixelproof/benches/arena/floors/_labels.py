"""The label map that scores best on average, from how often and where other images have each label."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.integer]
Aim = Literal["each", "pooled", "published"]
"""What is to be high: F1 of each image, IoU of each class over all images, or F1 as published, in which a label that
is painted in vain is a class with the score 0."""

GRID = 32
"""Cells per side."""
_ROUNDS = 40
_BORROWED: Mapping[Aim, float] = {"each": 1.0, "pooled": 0.2, "published": 3.0}
"""Weight of what is common to all labels, in images, against what is known of one label."""


@dataclass(frozen=True)
class LabelCounts:
    """Sums over images; label 0 is the background."""

    maps: Floats
    """Share of each cell that has the label, shape (labels, GRID, GRID)."""
    present: Floats
    """Number of images that have the label."""
    offered: Floats
    """Number of images for which the label is offered."""

    def __sub__(self, other: LabelCounts) -> LabelCounts:
        return LabelCounts(self.maps - other.maps, self.present - other.present, self.offered - other.offered)

    def of(self, labels: Sequence[int]) -> LabelCounts:
        """The counts of some labels."""
        places = list(labels)
        return LabelCounts(self.maps[places], self.present[places], self.offered[places])


def count_labels(images: Iterable[tuple[Labels, Sequence[int]]], labels: int) -> LabelCounts:
    """Count the labels of images.

    Args:
        images: Label map, of sides that are multiples of GRID, and the labels offered.
        labels: How many labels there are.
    """
    maps, present, offered = np.zeros((labels, GRID, GRID)), np.zeros(labels), np.zeros(labels)
    for image, choices in images:
        rows, columns = (side // GRID for side in image.shape)
        for label in np.unique(image[image < labels]):
            there = (image == label).reshape(GRID, rows, GRID, columns).mean(axis=(1, 3))
            maps[label] += there
            present[label] += 1
        offered[list(choices)] += 1
    return LabelCounts(maps, present, offered)


def best_labels(counts: LabelCounts, common: LabelCounts, aim: Aim = "each") -> Labels:
    """The label map, shape (GRID, GRID), with the highest expected score, found by iterated best response.

    Args:
        counts: Of the labels offered, background first.
        common: Of all labels, to complete what is known of rare ones.
        aim: Which score.
    """
    chances, places, areas = _expected(counts, common, _BORROWED[aim])
    tried = [np.zeros((GRID, GRID), np.intp)]
    sizes, hits = np.zeros(len(chances)), np.zeros(len(chances))
    sizes[0], hits[0] = GRID**2, places[0].sum()
    for _ in range(_ROUNDS):
        gains = _gains(aim, chances, places, areas, sizes, hits)
        labels = gains.argmax(axis=0)
        tried.append(labels)
        one_hot = labels == np.arange(len(chances))[:, None, None]
        sizes = 0.5 * (sizes + one_hot.sum(axis=(1, 2)))
        hits = 0.5 * (hits + (one_hot * places).sum(axis=(1, 2)))
    scores = [_expected_score(aim, labels, chances, places, areas) for labels in tried]
    return tried[int(np.argmax(scores))]


def _expected(counts: LabelCounts, common: LabelCounts, borrowed: float) -> tuple[Floats, Floats, Floats]:
    """For each label the chance that it occurs, and, if it does, its share of each cell and its area in cells."""
    things = slice(1, None)
    rate = (common.present[things].sum() + 1) / (common.offered[things].sum() + 2)
    chances = (counts.present + borrowed * rate) / np.maximum(counts.offered + borrowed, 1)
    usual = common.maps[things].sum(axis=0)
    usual /= max(usual.sum(), 1e-9)
    mean_area = common.maps[things].sum() / max(common.present[things].sum(), 1.0)
    sums = counts.maps.sum(axis=(1, 2))
    areas = (sums + borrowed * mean_area) / (counts.present + borrowed)
    places = (counts.maps + borrowed * (areas[:, None, None] * usual)) / (counts.present + borrowed)[:, None, None]
    # The first label is not like the others: it is the background, or is ignored and never counted.
    seen = max(counts.present[0], 1.0)
    chances[0], places[0] = counts.present[0] / max(counts.offered[0], 1.0), counts.maps[0] / seen
    areas[0] = places[0].sum()
    areas = np.maximum(areas, 1e-9)
    return np.clip(chances, 0, 1), np.clip(places, 0, 1), areas


def _gains(aim: Aim, chances: Floats, places: Floats, areas: Floats, sizes: Floats, hits: Floats) -> Floats:
    """How much the expected score grows with a further cell of each label."""
    wide = (slice(None), None, None)
    if aim == "pooled":
        # The union of a class over all images grows with how often it occurs; what is painted in vain enlarges it.
        unions = np.maximum(chances * (sizes + areas - hits) + (1 - chances) * sizes, 1e-9)
        ious = chances * hits / unions
        return np.asarray((chances[wide] * places * (1 + ious[wide]) - ious[wide]) / (chances * areas + 1e-9)[wide])
    scores = 2 * hits / (sizes + areas)
    slopes = (2 * places - scores[wide]) / (sizes + areas)[wide]
    total = max(chances.sum(), 1e-9)
    mean = (chances * scores).sum() / total
    # A label that is painted at all is charged once: spread over its usual area.
    charge = (1 - chances) * mean / np.maximum(sizes, areas / 2)
    return np.asarray((chances[wide] * slopes - charge[wide]) / total)


def _expected_score(aim: Aim, labels: npt.NDArray[np.intp], chances: Floats, places: Floats, areas: Floats) -> float:
    one_hot = labels == np.arange(len(chances))[:, None, None]
    sizes, hits = one_hot.sum(axis=(1, 2)), (one_hot * places).sum(axis=(1, 2))
    if aim == "pooled":
        unions = chances * (sizes + areas - hits) + (1 - chances) * sizes
        return float((chances * hits / np.maximum(unions, 1e-9)).sum())
    scores = 2 * hits / (sizes + areas)
    classes = chances.sum() + ((1 - chances) * (sizes > 0)).sum()
    return float((chances * scores).sum() / max(classes, 1e-9))
