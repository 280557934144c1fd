"""Scores of composed subjects: the share of their conditions that a drawing meets, and whether it meets all."""

from __future__ import annotations

from pixelproof.benches.pixelart._ladder import Reading
from pixelproof.benches.pixelart._sets import subject_to_score
from pixelproof.benches.pixelart.subjects import Composed
from pixelproof.contract import Item

_NONE = {"composed.solved": 0.0, "composed.conditions": 0.0, "composed.things": 0.0}


def score_composition(item: Item, reading: Reading) -> tuple[dict[str, float], dict[str, str]]:
    """Metrics of a composed subject, and notes: what was missed, and what each thing was taken for.

    A drawing that does not render meets no condition.
    """
    subject = subject_to_score(item, "composed")
    if subject is None:
        return {}, {}
    assert isinstance(subject.kind, Composed), "composed kinds are scored so"
    if reading.outcome != "ok" or reading.grid is None:
        return dict(_NONE), {}
    verdict, scene = subject.kind.examine(reading.grid, reading.palette, subject.params)
    asked = subject.kind.counts(subject.params)
    shown = sum(min(number, len(scene.called(id))) for id, number in asked.items())
    metrics = {
        "composed.solved": float(verdict.solved),
        "composed.conditions": verdict.share,
        "composed.things": shown / sum(asked.values()),
    }
    seen = ", ".join(figure.note for figure in scene.figures[:12])
    return metrics, {"missed": "; ".join(verdict.missed), "recognised_as": seen or "nothing"}
