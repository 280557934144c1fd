"""One table of human ratings, whatever data set it comes from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError

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
