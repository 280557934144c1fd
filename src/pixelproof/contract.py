"""The vocabulary that every room shares.

A sample travels like this: a `Bench` makes an `Item`, the item becomes a `Prompt`, a model gives an `Answer`, and the
bench turns item and answer into a `Result`. Results of many items make a `Summary`. Nothing here depends on anything:
this file can be read first, and alone.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol


class PixelProofError(Exception):
    """Something the user can put right; the message is one sentence that says how."""


class Fault(StrEnum):
    """Who is to blame when there is no clean number."""

    MODEL = "model"  # refusal, no image, broken JSON: counts as the floor
    INSTRUMENT = "instrument"  # our scorer or the judge failed: excluded and counted
    INFRASTRUCTURE = "infrastructure"  # network, timeout, crash: excluded, counted, asked again on resume


@dataclass(frozen=True)
class Failure:
    """A named reason why an answer or a score is missing."""

    fault: Fault
    name: str
    detail: str = ""


@dataclass(frozen=True)
class Artefact:
    """An encoded picture (or any file), known by the hash of its bytes."""

    data: bytes = field(repr=False)
    media_type: str = "image/png"

    @cached_property
    def sha256(self) -> str:
        """Key of the artefact in a blob store."""
        return hashlib.sha256(self.data).hexdigest()


@dataclass(frozen=True)
class Prompt:
    """What a model is shown, in order, and what it should return."""

    parts: tuple[str | Artefact, ...]
    wants: Literal["text", "image"] = "text"
    system: str = ""
    max_tokens: int | None = None
    schema: Mapping[str, Any] | None = None
    """JSON Schema of a legal reply, for constrained decoding."""
    grammar: str | None = None
    """Lark grammar of a legal reply, for constrained decoding; may say more than the schema can."""

    @property
    def text(self) -> str:
        """All text parts, joined."""
        return "\n".join(part for part in self.parts if isinstance(part, str))


@dataclass(frozen=True)
class Item:
    """One thing to ask, with the truth that only scorers and controls may see."""

    id: str
    """`bench/source/version/index`."""
    inputs: Mapping[str, Any]
    truth: Any = None
    cluster: str = ""
    """Items of one cluster (one scene, one subject) are resampled together; empty: the item stands alone."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Groups that the tables break results down by."""


@dataclass(frozen=True)
class Usage:
    """What an answer cost. `cost` is in US dollars; None means unknown, not free."""

    input_tokens: int = 0
    output_tokens: int = 0
    images: int = 0
    cost: float | None = None
    seconds: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        known = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.images + other.images,
            sum(known) if known else None,
            self.seconds + other.seconds,
        )


@dataclass(frozen=True)
class Answer:
    """What came back: text, pictures, a trace of actions, or a named failure."""

    text: str = ""
    images: tuple[Artefact, ...] = ()
    """Final pictures in order; where one is wanted, the last counts."""
    trace: tuple[Mapping[str, Any], ...] = ()
    failure: Failure | None = None
    usage: Usage = Usage()
    stop: str = "stop"
    """Why the model stopped: `stop`, `length`, or a provider's own word."""


@dataclass(frozen=True)
class Question:
    """A request to a judge model about one answer."""

    name: str
    prompt: Prompt


@dataclass(frozen=True)
class Result:
    """The measurement of one answer.

    A failed result may still carry the metrics that the failure itself determines (a reply that does not parse has
    `parses = 0`). A metric that it lacks counts as the floor for a model fault and is left out for the other faults.
    """

    item: str
    metrics: Mapping[str, float | Sequence[float]]
    sample: int = 0
    failure: Failure | None = None
    notes: Mapping[str, str] = field(default_factory=dict)
    """Short text: outcomes, repairs, the reason in words."""
    evidence: Mapping[str, Artefact | str] = field(default_factory=dict)
    """Named pictures behind the numbers; once stored, their blob keys."""

    @property
    def status(self) -> str:
        """`scored`, or whose fault it is that it is not."""
        return "scored" if self.failure is None else f"{self.failure.fault}-fault"


@dataclass(frozen=True)
class Metric:
    """A number that a bench reports.

    Results carry one value per answer; without `pool`, the metric is their mean. With `pool`, results carry a vector
    of counts that adds up over answers, and `pool` maps sums, shape (..., k), to values, shape (...).
    """

    name: str
    about: str
    calibrated: bool = True
    """Whether floor and ceiling are far enough apart, by construction, for a calibrated score to mean anything."""
    higher_is_better: bool | None = True
    """None: descriptive, neither end is better."""
    pool: Callable[[Any], Any] | None = None


@dataclass(frozen=True)
class Part:
    """What one part of a pooled metric's counts comes to, such as the counts of one class."""

    metric: str
    columns: Sequence[int]
    """Which of the counts."""
    pool: Callable[[Any], Any]
    """From sums of these counts, shape (..., columns), to values, shape (...)."""


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval."""

    value: float
    lo: float
    hi: float


@dataclass(frozen=True)
class MetricSummary(Estimate):
    """A metric over a whole run: model faults count as the floor."""

    floor: float | None = None
    ceiling: float | None = None
    calibrated: Estimate | None = None
    n: int = 0
    excluding_faults: float | None = None
    faults_as_zero: float | None = None


@dataclass(frozen=True)
class Counts:
    """What became of the planned answers; stands beside every mean."""

    planned: int
    completed: int = 0
    unscored: int = 0
    errored: int = 0
    model_faults: int = 0
    """Part of completed: the model answered, but with a fault."""


@dataclass(frozen=True)
class Sampling:
    """What several answers to each item tell of a metric."""

    spread: float
    """Standard deviation of the answers to one item, pooled over items: chance, not difficulty."""
    between: float
    """Standard deviation of the items' means: difficulty, and what chance leaves of it."""
    best: Mapping[str, Estimate]
    """k → what the best of k answers would score, without bias."""
    best_of_first: Mapping[str, float]
    """k → mean over items of the best of the first k answers, as it is often published."""
    items: Mapping[str, int]
    """k → items with k answers or more, over which both are taken."""


@dataclass(frozen=True)
class Summary:
    """All that a table shows of a run."""

    bench: str
    version: str
    model: str
    counts: Counts
    metrics: Mapping[str, MetricSummary]
    groups: Mapping[str, Mapping[str, Mapping[str, MetricSummary]]] = field(default_factory=dict)
    """tag → tag value → metric → summary; and so for the parts that a bench names, such as classes."""
    sampling: Mapping[str, Sampling] = field(default_factory=dict)
    """metric → what the samples tell, where there are several per item."""
    failures: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Source:
    """Where items come from: a world, a frozen set, or a data set with its directory or file."""

    name: str
    data: Path | None = None


class Episode(Protocol):
    """A conversation with consequences: what agents get instead of one prompt."""

    def reset(self) -> Prompt:
        """Begin, and give the first observation."""

    def step(self, answer: Answer) -> Prompt | None:
        """Act on one reply; the next observation, or None when it is over."""

    def answer(self) -> Answer:
        """What counts in the end, with the trace of all actions."""


def option(default: Any, help: str, choices: Sequence[Any] | None = None, scored: bool = True) -> Any:
    """Declare a field of a bench as an option that the command line offers and the run card records.

    An option that is not `scored` changes what a model is told and nothing else: floors and ceilings stay as they are.
    """
    return field(default=default, metadata={"help": help, "choices": choices, "scored": scored})


class Bench(ABC):
    """A benchmark. Subclasses are frozen dataclasses whose fields, made with `option`, are the bench's options."""

    name: ClassVar[str]
    version: ClassVar[str]
    """`N.x`: results of different N are not comparable."""
    title: ClassVar[str]
    sources: ClassVar[Mapping[str, str]]
    """Name → one line of help; the first is the default."""
    metrics: ClassVar[Sequence[Metric]]
    headline: ClassVar[Sequence[str]]
    """Names of the metrics that the table shows first."""
    tables: ClassVar[Mapping[str, Sequence[str]]] = {}
    """Title → families of metrics (`strict` for `strict.parses`, …) to be shown side by side."""
    shown_groups: ClassVar[Sequence[str]] = ()
    """Groups, such as classes, whose table is always shown; the others only when everything is asked for."""
    itemised: ClassVar[Sequence[str]] = ()
    """Metrics of a table of items, worst first by the first of them; none: there is no such table."""
    item_evidence: ClassVar[Sequence[str]] = ()
    """Names of evidence that shows the item, not the answer (the photograph, the truth): shown once for all answers."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Refuse names of metrics that cannot be told from names of families, for both select metrics."""
        super().__init_subclass__(**kwargs)
        names = [metric.name for metric in getattr(cls, "metrics", ())]
        for one, other in combinations(sorted(names), 2):
            if f"{other}.".startswith(f"{one}."):
                raise PixelProofError(f"{cls.__name__} has the metrics {one!r} and {other!r}: rename one of them.")

    @abstractmethod
    def items(self, source: Source, seed: int, n: int | None) -> Iterator[Item]:
        """The items of a source, n at most; the same arguments give the same items."""

    @abstractmethod
    def prompt(self, item: Item) -> Prompt:
        """What the model sees."""

    @abstractmethod
    def score(self, item: Item, answer: Answer, judgements: Mapping[str, Answer]) -> Result:
        """Measure an answer; must not raise on anything that a model can say."""

    @abstractmethod
    def controls(self) -> Mapping[str, Control]:
        """Floors (`floor-*`), ceilings (`ceiling-*`) and diagnostic controls."""

    def episode(self, item: Item) -> Episode | None:
        """An episode, for benches where the model acts; None for one-shot benches."""
        return None

    def questions(self, item: Item, answer: Answer) -> Sequence[Question]:
        """What a judge would be asked about this answer; judgements may be missing."""
        return ()

    def recorded(self, item: Item, sample: int = 0) -> Answer | None:
        """The answer that the source itself carries, for data sets of replies; None if it has no such sample."""
        return None

    def for_model(self, model: str) -> Bench:
        """The bench as it asks a model of that name, with the options that depend on it settled."""
        return self

    def default_source(self) -> str:
        """The source that is meant when none is named."""
        return next(iter(self.sources))

    def remarks(self, source: Source, samples: int = 1) -> Sequence[str]:
        """What a reader of the numbers should know of how the source was read; sentences for the run card."""
        return ()

    def parts(self, source: Source) -> Mapping[str, Mapping[str, Mapping[str, Part]]]:
        """What the tables break pooled metrics down by: group → member (a class) → name → part."""
        return {}


Control = Callable[[Item, Any], Answer]
"""A function of the item, with its truth, and a numpy Generator."""
