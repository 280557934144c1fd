"""Report panel: whether drawings depend on their subject. Needs neither a reference nor a judge."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pixelproof.benches.pixelart._bench import PixelArt
from pixelproof.contract import PixelProofError
from pixelproof.metrics import drawing_features
from pixelproof.pixels import read_image
from pixelproof.report import Panel, View, run_label
from pixelproof.stats import subject_sensitivity
from pixelproof.web import Html, evenly, number, table

Labelled = tuple[str, npt.NDArray[np.uint8]]
"""A subject, and an RGB image of it."""

_MOST_IMAGES = 240
"""No further subject is added beyond this many; the test compares all pairs."""
_RESAMPLES = 1000


@dataclass(frozen=True)
class Sensitivity:
    """How much the drawings of a run depend on their subject."""

    s: float
    p: float
    images: int
    subjects: int


def measure_sensitivity(images: Sequence[Labelled]) -> Sensitivity:
    """The permutation test over labelled images; nan without two subjects, one of them drawn twice."""
    labels = [label for label, _ in images]
    subjects = len(set(labels))
    if subjects < 2:
        return Sensitivity(math.nan, math.nan, len(labels), subjects)
    features = np.stack([drawing_features(rgb) for _, rgb in images])
    return Sensitivity(*subject_sensitivity(features, labels, resamples=_RESAMPLES), len(labels), subjects)


def applies(views: Sequence[View]) -> bool:
    """Whether the runs are of this bench, and one of them has two subjects, one of which it has drawn twice."""
    if views[0].bench.name != PixelArt.name:
        return False
    counts = [Counter({subject: len(keys) for subject, keys in _drawings(view).items()}) for view in views]
    return any(len(drawn) > 1 and max(drawn.values()) > 1 for drawn in counts)


def render(views: Sequence[View]) -> Html:
    """S and p of every run."""
    rows = []
    for view in views:
        result = measure_sensitivity(_images(view))
        numbers = [number(result.s, 3), number(result.p, 3), str(result.subjects), str(result.images)]
        rows.append([run_label(view), *numbers])
    names = ["Model", "S", "p", "Subjects", "Images"]
    return table(names, rows, "Sensitivity to the subject", "plain compact", [view.control for view in views])


def _drawings(view: View) -> dict[str, list[str]]:
    """Subject (the item's cluster) → blob keys of its drawings, one for each answer that has one."""
    keys: dict[str, list[str]] = {}
    for result in view.run.results(view.bench):
        own = (key for name, key in result.evidence.items() if name not in view.bench.display.item_evidence)
        first = next((key for key in own if isinstance(key, str)), None)
        if first is not None:
            keys.setdefault(view.items[result.item].cluster, []).append(first)
    return keys


def _images(view: View) -> list[Labelled]:
    """The drawings with their subjects; of very many subjects, an even choice."""
    drawings = _drawings(view)
    subjects = list(drawings)
    images: list[Labelled] = []
    for place in evenly(len(subjects)):
        if len(images) >= _MOST_IMAGES:
            break
        for key in drawings[subjects[place]]:
            try:
                images.append((subjects[place], read_image(view.run.blob(key))))
            except (PixelProofError, ValueError):  # missing, damaged, or not an image: the gallery says so
                continue
    return images


PANELS = (
    Panel(
        "Does the subject show?",
        applies,
        render,
        "S is the excess of the distance between drawings of different subjects over that between drawings of one "
        "subject (OKLab features); a model that draws the same whatever is asked gets 0. p is the probability of such "
        "an S if the subjects were shuffled.",
    ),
)
"""Entry point of `pixelproof.panels`."""
