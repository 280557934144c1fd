"""Splits of a data set: by prompt text, by generator, by image, or as the authors' files say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pixelproof.contract import PixelProofError
from pixelproof.stats import generator
from pixelproof.store import as_texts, read_jsonl, table_column

from ._annotations import Annotations, FloatArray, IntArray


@dataclass(frozen=True)
class Split:
    """A test fold for each row. What is fitted for a fold is fitted on all rows outside of it."""

    kind: str
    fold: IntArray
    """Test fold of each row; -1 for rows that are never tested."""
    shared_prompts: int = 0
    """Prompt texts that are both in a test fold and outside of it."""
    shared_generators: int = 0

    @property
    def folds(self) -> list[int]:
        """Numbers of the test folds."""
        return [int(number) for number in np.unique(self.fold) if number >= 0]

    def out_of_fold(self, fit: Callable[[IntArray, IntArray], FloatArray]) -> FloatArray:
        """Predictions for each row from the rows of other folds; nan for rows that are never tested.

        Args:
            fit: Called with the numbers of the training rows and of the test rows; returns predictions of the latter.
        """
        predicted = np.full(len(self.fold), np.nan)
        for number in self.folds:
            test = np.flatnonzero(self.fold == number)
            predicted[test] = fit(np.flatnonzero(self.fold != number), test)
        return predicted


def _split(kind: str, data: Annotations, fold: IntArray) -> Split:
    shared = [0, 0]
    for number in np.unique(fold[fold >= 0]):
        for place, codes in enumerate((data.cluster, data.model)):
            shared[place] = max(shared[place], len(np.intersect1d(codes[fold == number], codes[fold != number])))
    return Split(kind, fold, *shared)


def _dealt(codes: IntArray, folds: int, seed: int, purpose: str) -> IntArray:
    """A fold for each code, at random; as many folds as codes if these are fewer."""
    distinct, rows = np.unique(codes, return_inverse=True)
    if len(distinct) < 2:
        raise PixelProofError(
            f"The ratings have only one of the {purpose} that folds need: floors and thresholds are fitted on others."
        )
    order = generator(seed, f"folds of {purpose}").permutation(len(distinct))
    dealt: IntArray = (order % min(folds, len(distinct)))[rows].astype(np.int64)
    return dealt


def prompt_folds(data: Annotations, folds: int = 5, seed: int = 0) -> Split:
    """Folds of whole prompt texts, so that prompts that occur twice stay together."""
    return _split("prompts", data, _dealt(data.cluster, folds, seed, "prompts"))


def generator_folds(data: Annotations, folds: int = 5, seed: int = 0) -> Split:
    """Folds of whole generators: each is tested without any of its images in training."""
    return _split("generators", data, _dealt(data.model, folds, seed, "generators"))


def image_folds(data: Annotations, folds: int = 5, seed: int = 0) -> Split:
    """Folds of single images: generators and prompts of a test image are known from others."""
    return _split("images", data, _dealt(np.arange(len(data)), folds, seed, "images"))


def read_folds(data: Annotations, path: Path) -> Split:
    """Folds from the authors' JSONL files: `test_*_fold_K.jsonl` with an `image` per line.

    Args:
        data: The annotations that the files split.
        path: One file of a test fold, or a directory with several.

    Raises:
        PixelProofError: There is no test file, it names images that the data set lacks, or two folds share one.
    """
    files = sorted(path.glob("test_*.jsonl")) if path.is_dir() else [path]
    if not files or not files[0].is_file():
        raise PixelProofError(f"There is no test_*_fold_K.jsonl at {path}.")
    place = {image: row for row, image in enumerate(data.image_ids)}
    fold = np.full(len(data), -1, np.int64)
    for file in files:
        number = int(file.stem.rpartition("_")[2]) if file.stem.rpartition("_")[2].isdigit() else 0
        images = as_texts(table_column(read_jsonl(file), "image", file))
        if unknown := [image for image in images if image not in place]:
            raise PixelProofError(f"{file}: {len(unknown)} images are not in {data.name}, such as {unknown[0]!r}.")
        rows = np.array([place[image] for image in images], np.int64)
        if ((fold[rows] >= 0) & (fold[rows] != number)).any():
            raise PixelProofError(f"{file}: some images are in the test set of another fold, too.")
        fold[rows] = number
    return _split(f"authors ({path.name})", data, fold)
