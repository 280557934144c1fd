"""Drift of a judge: its scores of the anchors, at different times."""

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
        worst = max(self.moved, key=lambda moved: abs(moved.after - moved.before))
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


@dataclass(frozen=True)
class DriftFinding:
    """A drift, with the names of what was judged before and after it."""

    before: str
    after: str
    drift: Drift

    def __str__(self) -> str:
        return self.drift.describe(self.before, self.after)


@dataclass(frozen=True)
class DriftCheck:
    """The drifts of several runs."""

    findings: tuple[DriftFinding, ...]
    unchecked: tuple[str, ...]
    """Runs that have no scored anchor in common with another run, or with floors and ceilings."""

    @property
    def lines(self) -> list[str]:
        """What a reader must know; empty if nothing has moved."""
        lines = [str(finding) for finding in self.findings]
        if self.unchecked:
            names = ", ".join(self.unchecked)
            lines.append(f"Drift cannot be checked for {names}: no anchor was scored there and elsewhere.")
        return lines


def check_drift(runs: Mapping[str, AnchorScores], controls: Mapping[str, AnchorScores]) -> DriftCheck:
    """Compare every run with all earlier ones, so that small steps add up, and with floors and ceilings.

    Args:
        runs: Name of a run → its scores of the anchors, the oldest run first.
        controls: Name of a run → scores of the anchors at the time at which its floors and ceilings were judged.

    Returns:
        For each run, the drift from the earlier run that it differs from most, and from floors and ceilings.

    >>> steps = {name: {("noisy", "anchor.perception"): score} for name, score in zip("abc", (0.2, 0.24, 0.28))}
    >>> [(finding.before, finding.after) for finding in check_drift(steps, {}).findings]
    [('a', 'c')]
    """
    findings: list[DriftFinding] = []
    checked: set[str] = set()
    names = list(runs)
    for place, name in enumerate(names):
        earlier = [(before, measure_drift(runs[before], runs[name])) for before in names[:place]]
        since_controls = [("the floors and ceilings", measure_drift(controls.get(name, {}), runs[name]))]
        for drifts in (earlier, since_controls):
            compared = [(before, drift) for before, drift in drifts if drift.common]
            if compared:
                checked |= {name, *(before for before, _ in compared)}
                before, worst = max(compared, key=lambda pair: (len(pair[1].moved), abs(pair[1].mean)))
                findings += [DriftFinding(before, name, worst)] if worst else []
    return DriftCheck(tuple(findings), tuple(name for name in names if name not in checked))


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
