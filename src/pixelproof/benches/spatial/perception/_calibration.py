"""The error of a perception on answers whose scene is known, measured by `benchmarks/perception.py`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("calibration.json")


@dataclass(frozen=True)
class ReadingErrors:
    """Errors on the answers in one kind of scene."""

    answers: int
    abstained: int
    median_mm: float
    """Median distance between a thing as read and as it is, in millimetres."""
    right_place: float
    """Share of the answers, without abstentions, in which it is read within 15 mm of its place."""
    accuracy_error: float
    """Mean absolute error of spatial accuracy, without abstentions."""


@cache
def calibration(perception: str) -> tuple[int, Mapping[str, ReadingErrors]]:
    """The seed of the calibration set, and kind of scene → errors; empty if the perception was not measured."""
    known = json.loads(_FILE.read_text()).get(perception)
    if known is None:
        return 0, {}
    return known["seed"], {kind: ReadingErrors(**values) for kind, values in known["kinds"].items()}


def describe_calibration(perception: str) -> str:
    """The errors of a perception as a sentence, or that they were not measured."""
    seed, errors = calibration(perception)
    if not errors:
        return f"Perception {perception!r}: its error was not measured."
    parts = [
        f"{kind}: median {error.median_mm:.2g} mm, {error.right_place:.0%} within 15 mm, mean error of sa "
        f"{error.accuracy_error:.3f}, {error.abstained} of {error.answers} abstained"
        for kind, error in errors.items()
    ]
    measured = f"seed {seed}, 512 pixels, beauty, JPEG 90; other sizes and qualities were not measured"
    return f"Perception {perception!r}, error on answers with a known scene ({measured}): {'; '.join(parts)}."
