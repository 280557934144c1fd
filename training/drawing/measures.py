"""How good a recogniser is: on drawings it could not have seen, and on pictures of nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Estimate
from pixelproof.nets import Recogniser, fit
from pixelproof.stats import generator, wilson
from training.drawing import negatives
from training.drawing.calibration import calibration_error, certainty
from training.drawing.held_out_negatives import pillow_forms, unifont_letters
from training.drawing.labels import NOTHING
from training.drawing.ours import SUBJECTS, draw
from training.drawing.pool import CLASSES, Pool


def scrambled(rng: np.random.Generator) -> npt.NDArray[np.uint8]:
    """A drawing of ours with its tiles, rows or columns in another order."""
    return negatives.scrambled(draw(SUBJECTS[int(rng.integers(len(SUBJECTS)))], rng, test=True), rng)


CONTROLS: tuple[Callable[[np.random.Generator], npt.NDArray[np.uint8]], ...] = (
    *negatives.PATTERNS, scrambled, pillow_forms, unifont_letters,
)  # fmt: skip
"""Negative examples. The last two are by code that training never uses."""


@dataclass(frozen=True)
class Verdicts:
    """What a recogniser made of drawings whose subject is known."""

    labels: npt.NDArray[np.int64]
    logits: npt.NDArray[np.float64]
    certain: npt.NDArray[np.float64]
    """0 where "nothing" is likelier than any name."""
    threshold: float

    @property
    def best(self) -> npt.NDArray[np.int64]:
        """The likeliest name, given or not."""
        return np.asarray(self.logits[:, :-1].argmax(axis=1))

    @property
    def right(self) -> npt.NDArray[np.bool_]:
        """Whether the likeliest name is right."""
        return np.asarray(self.best == self.labels)

    @property
    def named(self) -> npt.NDArray[np.bool_]:
        """Whether a name is given."""
        return np.asarray((self.certain >= self.threshold) & (self.certain > 0))


def judge(recogniser: Recogniser, pool: Pool) -> Verdicts:
    """Let a recogniser look at a pool."""
    parts = [slice(start, start + 64) for start in range(0, len(pool), 64)]
    logits = np.concatenate([recogniser.logits(pool.cells[part], pool.grounds[part]) for part in parts])
    return Verdicts(pool.labels, logits, certainty(logits, recogniser.temperature), recogniser.threshold)


def accuracy(verdicts: Verdicts) -> dict[str, Any]:
    """Shares of drawings that do show a subject, with intervals of 95 %."""
    n, right, named = len(verdicts.labels), verdicts.right, verdicts.named
    third = np.sort(verdicts.logits[:, :-1], axis=1)[:, -3]
    among = verdicts.logits[np.arange(n), verdicts.labels] >= third
    by_subject = [right[verdicts.labels == label].mean() for label in np.unique(verdicts.labels)]
    return {
        "n": n,
        "subjects": len(by_subject),
        "likeliest_right": _share(right),
        "among_three": _share(among),
        "mean_over_subjects": float(np.mean(by_subject)),
        "named": _share(named),
        "named_right": _share(right & named),
        "right_of_named": _share(right[named]),
        "calibration_error": calibration_error(verdicts.certain[verdicts.certain > 0], right[verdicts.certain > 0]),
    }


def abstention(verdicts: Verdicts) -> dict[str, Any]:
    """How often pictures of nothing that it knows get no name, and which names the others get most."""
    given = Counter(SUBJECTS[guess] for guess in verdicts.best[verdicts.named])
    return {"n": len(verdicts.labels), "abstained": _share(~verdicts.named), "names": dict(given.most_common(5))}


def control_pool(seed: int, name: str, count: int) -> Pool:
    """Fresh pictures of one kind of control."""
    make = next(control for control in CONTROLS if control.__name__ == name)
    made = [fit(make(generator(seed, f"recogniser/control/{name}", index))) for index in range(count)]
    cells, grounds = (np.stack(part) for part in zip(*made, strict=True))
    return Pool(cells, grounds, np.full(count, CLASSES.index(NOTHING)), ())


def coverage(verdicts: Verdicts) -> list[tuple[float, float, float]]:
    """(certainty asked for, share named, share of those named wrong), from the most careful to the boldest."""
    order = np.argsort(-verdicts.certain, kind="stable")
    order = order[verdicts.certain[order] > 0]
    wrong = np.cumsum(~verdicts.right[order])
    count = np.arange(1, len(order) + 1)
    points = zip(verdicts.certain[order], count / len(verdicts.labels), wrong / count, strict=True)
    return [(float(level), float(share), float(risk)) for level, share, risk in points]


def confusion(verdicts: Verdicts) -> npt.NDArray[np.int64]:
    """Counts by true subject and likeliest class; the last column is "nothing"."""
    counts = np.zeros((len(SUBJECTS), len(CLASSES)), dtype=np.int64)
    guess = np.where(verdicts.certain > 0, verdicts.best, len(CLASSES) - 1)
    np.add.at(counts, (verdicts.labels, guess), 1)
    return counts


def top_confusions(verdicts: Verdicts, most: int = 12) -> list[dict[str, Any]]:
    """The most frequent wrong names, "nothing" not counted."""
    pairs = Counter(
        (CLASSES[label], CLASSES[guess])
        for label, guess, certain in zip(verdicts.labels, verdicts.best, verdicts.certain, strict=True)
        if label != guess and certain > 0
    )
    return [
        {"subject": subject, "taken_for": guess, "count": count} for (subject, guess), count in pairs.most_common(most)
    ]


def _share(values: npt.NDArray[np.bool_]) -> Estimate:
    return wilson(float(values.sum()), len(values))
