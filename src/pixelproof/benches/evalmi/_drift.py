"""Drift of a judge: its scores of the anchors, at two times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pixelproof.benches.evalmi._anchors import ANCHORS

TOLERANCE = 0.05
"""Largest change of a score, of the range from 0 to 1, that does not count as moved."""
AnchorScores = Mapping[tuple[str, str], float]
"""Anchor and metric → score."""


@dataclass(frozen=True)
class Moved:
    """An anchor that the same judge has scored otherwise."""

    anchor: str
    metric: str
    before: float
    after: float


@dataclass(frozen=True)
class Drift:
    """The anchors that two sets of scores have in common, and which of them moved."""

    common: int
    moved: tuple[Moved, ...]
    mean: float
    """Mean change over all common anchors; 0 without any."""

    def __bool__(self) -> bool:
        return bool(self.moved)

    def describe(self, before: str, after: str) -> str:
        """One sentence about the drift."""
        worst = max(self.moved, key=lambda one: abs(one.after - one.before))
        return (
            f"The judge has drifted between {before} and {after}: {len(self.moved)} of {self.common} scores of anchors "
            f"moved, by {self.mean:+.2f} on average, most of all {worst.metric.removeprefix('anchor.')} of "
            f"'{worst.anchor}' ({worst.before:.2f} → {worst.after:.2f}). Their scores are not comparable."
        )


def measure_drift(before: AnchorScores, after: AnchorScores) -> Drift:
    """Compare the scores of anchors of two runs, or of a run and of its floors and ceilings.

    >>> measure_drift({("noisy", "anchor.perception"): 0.25}, {("noisy", "anchor.perception"): 0.5}).mean
    0.25
    """
    common = sorted(before.keys() & after.keys())
    changes = {key: after[key] - before[key] for key in common}
    moved = tuple(Moved(*key, before[key], after[key]) for key in common if abs(changes[key]) > TOLERANCE)
    return Drift(len(common), moved, sum(changes.values()) / len(changes) if changes else 0.0)


def anchor_scores(run: Any) -> AnchorScores:
    """The judge's scores of the anchors during a run (a `harness.Run`)."""
    return {
        (result.notes["anchor"], name): float(value)
        for result in run.results()
        for name, value in result.metrics.items()
        if name.startswith("anchor.") and "anchor" in result.notes
    }


def control_scores(run: Any) -> AnchorScores:
    """The judge's scores of the anchors when it judged the controls that calibrate a run (a `harness.Run`)."""
    scores: dict[tuple[str, str], float] = {}
    for table in list(run.controls().values())[:1]:
        for row in table.slice(0, len(ANCHORS)).to_pylist():
            for name in (name for name in row if name.startswith("anchor.") and row[name] is not None):
                scores[ANCHORS[row["index"]].name, name] = float(row[name])
    return scores
