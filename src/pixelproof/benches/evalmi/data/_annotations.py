"""One table of human ratings, whatever data set it comes from, and splits of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError
from pixelproof.stats import generator
from pixelproof.store import as_texts, read_jsonl, table_column

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Prompts:
    """The prompts of a data set, in the order of their codes."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    tasks: tuple[str, ...]
    """Task of each prompt; one name for all where the data set has no tasks."""

    @cached_property
    def words(self) -> IntArray:
        """Number of words of each prompt."""
        return np.array([len(text.split()) for text in self.texts], np.int64)

    @cached_property
    def clusters(self) -> IntArray:
        """Code of each prompt's text; prompts with equal texts share one."""
        return np.unique(np.array(self.texts, dtype=object).astype(str), return_inverse=True)[1].astype(np.int64)


@dataclass(frozen=True)
class Annotations:
    """Images by generator and prompt, with what people said about them; one row per image."""

    name: str
    """Of the data set."""
    image_ids: tuple[str, ...]
    models: tuple[str, ...]
    """Names of the generators, in the order of their codes."""
    model: IntArray
    """Code of the generator of each row."""
    prompts: Prompts
    prompt: IntArray
    """Code of the prompt of each row."""
    targets: Mapping[str, FloatArray]
    """Mean opinion scores by name."""
    qa: FloatArray | None = None
    """1 or 0: the answer to the yes/no question about the image."""
    components: FloatArray | None = None
    """Answers to component questions, shape (rows, questions); nan where there is no question."""
    votes: Mapping[str, FloatArray] = field(default_factory=dict)
    """Single ratings behind a target, shape (rows, raters), where the data set has them."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """Display names of generators."""

    def __post_init__(self) -> None:
        if len(set(self.image_ids)) != len(self.image_ids):
            twice = [image for image, count in Counter(self.image_ids).items() if count > 1]
            raise PixelProofError(
                f"{self.name}: {len(twice)} image ids occur more than once, such as {twice[0]!r}. "
                "Keep one row per image."
            )
        if not self.image_ids:
            raise PixelProofError(f"{self.name} has no ratings: it has columns, but no rows.")

    def __len__(self) -> int:
        return len(self.image_ids)

    @cached_property
    def cluster(self) -> IntArray:
        """Cluster of each row: its prompt text. Rows of one cluster are not independent."""
        codes: IntArray = self.prompts.clusters[self.prompt]
        return codes

    @cached_property
    def tasks(self) -> tuple[str, ...]:
        """Names of the tasks, sorted."""
        return tuple(sorted(set(self.prompts.tasks)))

    @cached_property
    def task(self) -> IntArray:
        """Code of the task of each row."""
        code = {name: index for index, name in enumerate(self.tasks)}
        codes: IntArray = np.array([code[task] for task in self.prompts.tasks], np.int64)[self.prompt]
        return codes

    @cached_property
    def words(self) -> IntArray:
        """Prompt length of each row in words."""
        counts: IntArray = self.prompts.words[self.prompt]
        return counts

    def title(self, model: str) -> str:
        """Display name of a generator."""
        return self.titles.get(model, model)

    def rows(self, chosen: BoolArray) -> Annotations:
        """Some of the rows; codes of generators and prompts stay as they are."""
        return replace(
            self,
            image_ids=tuple(np.array(self.image_ids, dtype=object)[chosen]),
            model=self.model[chosen],
            prompt=self.prompt[chosen],
            targets={name: values[chosen] for name, values in self.targets.items()},
            qa=None if self.qa is None else self.qa[chosen],
            components=None if self.components is None else self.components[chosen],
            votes={name: values[chosen] for name, values in self.votes.items()},
        )


def coded(values: Sequence[str]) -> tuple[tuple[str, ...], IntArray]:
    """Distinct values in the order of their first appearance, and the code of each row.

    >>> coded(["b", "a", "b"])
    (('b', 'a'), array([0, 1, 0]))
    """
    codes: dict[str, int] = {}
    rows = np.array([codes.setdefault(value, len(codes)) for value in values], np.int64)
    return tuple(codes), rows


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
