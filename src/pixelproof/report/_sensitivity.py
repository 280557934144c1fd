"""Does the subject show in the pictures? A panel that asks neither a reference nor a judge."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError
from pixelproof.metrics import drawing_features
from pixelproof.pixels import read_image
from pixelproof.stats import subject_sensitivity
from pixelproof.web import Html, evenly, number, table

from ._leaderboard import who
from ._views import View

Labelled = tuple[str, npt.NDArray[np.uint8]]
"""A subject, and a picture of it as RGB."""

_MOST_PICTURES = 240
"""No further subject is begun beyond this many; the test compares all pairs."""
_RESAMPLES = 1000


@dataclass(frozen=True)
class Sensitivity:
    """How much the pictures of a run depend on their subject."""

    s: float
    p: float
    pictures: int
    subjects: int


def measure(pictures: Sequence[Labelled]) -> Sensitivity:
    """The permutation test over labelled pictures; nan without two subjects, one of them drawn twice."""
    labels = [label for label, _ in pictures]
    subjects = len(set(labels))
    if subjects < 2:
        return Sensitivity(math.nan, math.nan, len(labels), subjects)
    features = np.stack([drawing_features(rgb) for _, rgb in pictures])
    return Sensitivity(*subject_sensitivity(features, labels, resamples=_RESAMPLES), len(labels), subjects)


def sensitivity_panel(views: Sequence[View]) -> Html | None:
    """S and p of every run that has pictures enough; None if none has."""
    found = [(view, measure(_pictures(view))) for view in views]
    if all(math.isnan(result.s) for _, result in found):
        return None
    rows = []
    for view, result in found:
        told = [number(result.s, 3), number(result.p, 3), str(result.subjects), str(result.pictures)]
        rows.append([who(view), *told])
    names = ["Model", "S", "p", "Subjects", "Pictures"]
    return table(names, rows, "Sensitivity to the subject", "plain compact", [view.control for view in views])


def _pictures(view: View) -> list[Labelled]:
    """The first picture of each answer, with its cluster as the subject; of very many subjects, an even choice."""
    keys: dict[str, list[str]] = {}
    for result in view.run.results(view.bench):
        own = (key for name, key in result.evidence.items() if name not in view.bench.display.item_evidence)
        first = next((key for key in own if isinstance(key, str)), None)
        if first is not None:
            keys.setdefault(view.items[result.item].cluster, []).append(first)
    subjects = list(keys)
    found: list[Labelled] = []
    for place in evenly(len(subjects)):
        if len(found) >= _MOST_PICTURES:
            break
        for key in keys[subjects[place]]:
            try:
                found.append((subjects[place], read_image(view.run.blob(key))))
            except (PixelProofError, ValueError):  # missing, damaged, or not a picture: the gallery says so
                continue
    return found
