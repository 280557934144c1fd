"""Predictors without pixels: what a score is worth that knows the generator or the task, but never sees the image.

All are fitted outside of the fold that they predict.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pixelproof.benches.evalmi.data import Annotations, Split, image_folds, prompt_folds

from ._types import FloatArray, IntArray

FLOORS = {
    "majority": "the same value for every image",
    "generator": "mean of the generator",
    "generator_task": "mean of the generator in the task",
    "additive": "generator plus prompt, from other images of the same prompt",
}
"""Name → what the predictor knows."""


def floor_predictions(
    data: Annotations, y: FloatArray, split: Split | None = None, seed: int = 0
) -> dict[str, FloatArray]:
    """Out-of-fold predictions of y by each predictor.

    Args:
        data: Generators, prompts and tasks of the rows.
        y: What to predict.
        split: Folds for all predictors. None: folds of prompt texts, and for the additive predictor, which needs other
            images of the same prompt, folds of images.
        seed: Of the folds.
    """
    by_prompt = split or prompt_folds(data, seed=seed)
    by_image = split or image_folds(data, seed=seed)
    pair = data.model * len(data.tasks) + data.task
    constant = np.zeros(len(data), np.int64)
    return {
        "majority": by_prompt.out_of_fold(_means(y, constant)),
        "generator": by_prompt.out_of_fold(_means(y, data.model)),
        "generator_task": by_prompt.out_of_fold(_means(y, pair, data.model, data.task)),
        "additive": by_image.out_of_fold(_additive(y, data.model, data.prompt)),
    }


def _means(y: FloatArray, *keys: IntArray) -> Callable[[IntArray, IntArray], FloatArray]:
    """Means of the first key's groups; of the next key's for groups that are not in training; else of all rows."""

    def fit(train: IntArray, test: IntArray) -> FloatArray:
        predicted = np.full(len(test), y[train].mean())
        for key in reversed(keys):
            size = int(key.max()) + 1
            counts = np.bincount(key[train], minlength=size)
            sums = np.bincount(key[train], y[train], size)
            known = counts[key[test]] > 0
            predicted[known] = sums[key[test][known]] / counts[key[test][known]]
        return predicted

    return fit


def _additive(y: FloatArray, model: IntArray, prompt: IntArray) -> Callable[[IntArray, IntArray], FloatArray]:
    """Least-squares effects of generators and prompts; an effect that training lacks is 0."""

    def fit(train: IntArray, test: IntArray) -> FloatArray:
        m, p = model[train], prompt[train]
        mean = y[train].mean()
        rest = y[train] - mean
        of_model, of_prompt = np.zeros(int(model.max()) + 1), np.zeros(int(prompt.max()) + 1)
        n_model = np.maximum(1, np.bincount(m, minlength=len(of_model)))
        n_prompt = np.maximum(1, np.bincount(p, minlength=len(of_prompt)))
        for _ in range(50):  # alternating least squares
            before = of_model
            of_prompt = np.bincount(p, rest - of_model[m], len(of_prompt)) / n_prompt
            of_model = np.bincount(m, rest - of_prompt[p], len(of_model)) / n_model
            if np.abs(of_model - before).max() < 1e-9:
                break
        predicted: FloatArray = mean + of_model[model[test]] + of_prompt[prompt[test]]
        return predicted

    return fit
