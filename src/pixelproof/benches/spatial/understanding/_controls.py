"""Controls of questions: what can be had without looking, and the right answer."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pixelproof.benches.spatial.understanding._priors import QUANTILES
from pixelproof.benches.spatial.understanding._question import LETTERS, Question
from pixelproof.contract import Answer, Control, Item


def _guess(item: Item, rng: np.random.Generator) -> Answer:
    """Any option, or a number from the distribution of right numbers, by chance."""
    question: Question = item.truth
    if question.kind == "choice":
        return Answer(LETTERS[int(rng.integers(len(question.options)))])
    return Answer(f"{rng.choice(QUANTILES[question.skill])} {question.unit}".strip())


def _frequent(item: Item, rng: np.random.Generator) -> Answer:
    """The answer that is right most often for questions of this kind, whatever the photograph shows."""
    question: Question = item.truth
    if question.kind == "choice":
        return Answer(LETTERS[question.options.index(question.frequent)])
    return Answer(f"{question.frequent} {question.unit}".strip())


def _truth(item: Item, rng: np.random.Generator) -> Answer:
    """The right answer."""
    question: Question = item.truth
    return Answer(question.letter if question.kind == "choice" else f"{question.answer} {question.unit}".strip())


CONTROLS: Mapping[str, Control] = {"floor-frequent": _frequent, "floor-guess": _guess, "ceiling-truth": _truth}
