"""Training from end to end."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

import numpy as np

from pixelproof.nets import Recogniser, load_recogniser
from pixelproof.store import Progress, find_asset
from training.drawing.calibration import certainty, level_of, temperature_of, threshold_of
from training.drawing.export import write_network
from training.drawing.foreign import TRAINED, read_figures
from training.drawing.labels import NOTHING
from training.drawing.measures import Verdicts, judge
from training.drawing.network import Recipe, layers_of, load_torch, train_network
from training.drawing.ours import SUBJECTS
from training.drawing.pool import CLASSES, Pool, render, training_tasks, validation_tasks

_ABSTAIN = 0.995
"""Share of the negatives in the validation set to reject."""
_RIGHT = 0.9
"""Share of the names given to drawings of others in the validation set that must be right."""


def train(
    out: Path, recipe: Recipe, share: float, workers: int | None, report: Callable[[str], None], progress: Progress
) -> Recogniser:
    """Make drawings, train a network on them, calibrate it and write it.

    Args:
        out: The file to be.
        recipe: How to train.
        share: Of the training set; less is for trying things out.
        workers: Processes that make drawings; None: one per core.
        report: Called with each line of the log.
        progress: Is notified of every drawing.

    Raises:
        PixelProofError: torch or an asset is missing; the message has the command that gets it.
    """
    torch = load_torch()  # before minutes are spent on making drawings
    began = time.monotonic()
    figures = read_figures(TRAINED)
    report(f"{len(figures):,} drawings of others read; making the training set")
    pool = render(training_tasks(figures, share), recipe.seed, progress, workers)
    checked = render(validation_tasks(figures), recipe.seed, progress, workers)
    report(f"{len(pool):,} drawings to learn from, {len(checked):,} to calibrate on; {time.monotonic() - began:.0f} s")
    net = train_network(pool, recipe, report)
    layers = layers_of(net)
    raw = Recogniser(SUBJECTS, layers, 1.0, 0.0, {})
    verdicts = judge(raw, checked)
    temperature, threshold = _calibrate(verdicts, checked)
    validation = _validation(verdicts, checked)
    card = {
        "names": SUBJECTS,
        "temperature": temperature,
        "threshold": threshold,
        "recipe": asdict(recipe),
        "share": share,
        "drawings": len(pool),
        "data": pool.digest,
        "sources": {corpus.asset: find_asset(corpus.asset).licence for corpus in TRAINED},
        "validation": validation,
        "seconds": round(time.monotonic() - began),
        "versions": {
            "pixelproof": version("pixelproof"),
            "python": platform.python_version(),
            "torch": torch.__version__,
            **{name: version(name) for name in ("numpy", "pillow", "scipy")},  # on which the drawings depend
        },
    }
    write_network(out, layers, card)
    report(f"right in validation: {', '.join(f'{origin} {right:.1%}' for origin, right in validation.items())}")
    report(f"temperature {temperature:.3f}, threshold {threshold:.3f}; written to {out} after {card['seconds']} s")
    return load_recogniser(out)


def _calibrate(verdicts: Verdicts, checked: Pool) -> tuple[float, float]:
    """Temperature, and the least threshold that keeps both promises, from drawings that were not learnt from."""
    temperature = temperature_of(verdicts.logits, checked.labels)
    certain = certainty(verdicts.logits, temperature)
    floor = np.array([task.way in ("empty", "scrambled") for task in checked.tasks])
    others = np.array([task.figure is not None and task.subject != NOTHING for task in checked.tasks])
    careful = level_of(certain[others], verdicts.right[others], _RIGHT)
    return temperature, max(threshold_of(certain[floor], _ABSTAIN), careful)


def _validation(verdicts: Verdicts, checked: Pool) -> dict[str, float]:
    """The share of drawings whose likeliest name is right, by where they are from: what recipes are chosen by."""
    origins = [task.figure.source if task.figure else task.way for task in checked.tasks]
    shown = checked.labels != CLASSES.index(NOTHING)
    masks = {origin: shown & (np.array(origins) == origin) for origin in sorted(set(origins))}
    return {origin: round(float(verdicts.right[mask].mean()), 4) for origin, mask in masks.items() if mask.any()}
