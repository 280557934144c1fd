"""The vocabulary that every layer shares.

A `Bench` makes an `Item`; the item becomes a `Prompt`, or an `Episode` of several prompts; a model gives an `Answer`;
and the bench turns item and answer into a `Result`. The results of many items make a `Summary`. This file depends on
nothing else in the package: read it first.
"""

from __future__ import annotations

import base64
import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import StrEnum
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol


class PixelProofError(Exception):
    """An error that the user can correct; the message says what is wrong and what to do."""


def unknown_name(kind: str, name: object, known: Iterable[str]) -> PixelProofError:
    """The error for a name that does not exist; suggests the closest one that does.

    >>> str(unknown_name("source", "wrold", ["world", "coco"]))
    "There is no source 'wrold'; did you mean 'world'? Choose one of: world, coco."
    """
    names = list(known)
    close = get_close_matches(str(name), names, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else "."
    return PixelProofError(f"There is no {kind} {name!r}{hint} Choose one of: {', '.join(names) or 'none available'}.")


class Fault(StrEnum):
    """What caused a missing score."""

    MODEL = "model"  # refusal, no image, broken JSON: counts as the floor, without one as the worst end of the range
    INSTRUMENT = "instrument"  # the scorer, a tool or the judge failed: excluded and counted
    INFRASTRUCTURE = "infrastructure"  # network, timeout, missing file: excluded, counted, asked again on resume


@dataclass(frozen=True)
class Failure:
    """A named reason why an answer or a score is missing."""

    fault: Fault
    name: str
    detail: str = ""


@dataclass(frozen=True)
class Artefact:
    """An encoded image, or any other file, identified by the hash of its bytes."""

    content_name: ClassVar[str] = "Artefact"

    data: bytes = field(repr=False)
    media_type: str = "image/png"
    file: str = field(default="", compare=False)
    """Absolute path of the file that it was read from; empty if it was not."""

    @cached_property
    def sha256(self) -> str:
        """Key of the artefact in a blob store."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def data_uri(self) -> str:
        """The artefact as a data URI; parameters of the media type, such as `role=mask`, are left out.

        >>> Artefact(b"abc", "image/png;role=mask").data_uri
        'data:image/png;base64,YWJj'
        """
        return f"data:{self.media_type.partition(';')[0]};base64,{base64.b64encode(self.data).decode()}"


@dataclass(frozen=True)
class Tool:
    """A function that a model may call during an episode."""

    content_name: ClassVar[str] = "Tool"

    name: str
    about: str
    parameters: Mapping[str, Any]
    """JSON Schema of the arguments: an object with properties."""


@dataclass(frozen=True)
class Call:
    """A model's request to run a tool."""

    content_name: ClassVar[str] = "Call"

    id: str
    """Unique within a conversation; the tool's result refers to it."""
    tool: str
    arguments: Mapping[str, Any] | str
    """The arguments by name; the raw text where it cannot be parsed as a JSON object."""


@dataclass(frozen=True)
class Turn:
    """One message of a conversation."""

    content_name: ClassVar[str] = "Turn"

    role: Literal["user", "model", "tool"]
    parts: tuple[str | Artefact, ...] = ()
    calls: tuple[Call, ...] = ()
    """What a model's turn calls."""
    call: Call | None = None
    """The call whose result a tool's turn is."""


@dataclass(frozen=True)
class Prompt:
    """What a model receives, and what it should return.

    A model receives the system text, then the turns of `history`, then `parts` as a user message (none if `parts` is
    empty). A bench writes what is new; the harness adds the conversation so far to `history`.
    """

    content_name: ClassVar[str] = "Prompt"

    parts: tuple[str | Artefact, ...]
    wants: Literal["text", "image"] = "text"
    system: str = ""
    max_tokens: int | None = None
    schema: Mapping[str, Any] | None = None
    """JSON Schema of a legal reply, for constrained decoding."""
    grammar: str | None = None
    """Lark grammar of a legal reply, for constrained decoding; may be stricter than the schema."""
    history: tuple[Turn, ...] = ()
    """Earlier turns. An episode puts only the results of the newest calls here; the harness prepends the rest."""
    tools: tuple[Tool, ...] = ()
    """What the model may call."""
    logprobs: int = 0
    """How many candidates per token to return with their log probabilities, where the provider supports it."""
    data: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Machine-readable inputs for specialist networks (labels, palette, photograph); never the truth."""

    @property
    def text(self) -> str:
        """All text parts, joined by newlines."""
        return "\n".join(part for part in self.parts if isinstance(part, str))


@dataclass(frozen=True)
class Item:
    """One task of a bench, with the truth, which only scorers and controls may read."""

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
    """What a model returned: text, images, tool calls, or a named failure."""

    text: str = ""
    images: tuple[Artefact, ...] = ()
    """Final images in order; where one is wanted, the last counts."""
    trace: tuple[Mapping[str, Any], ...] = ()
    """What happened on the way, as JSON values; may contain artefacts, which are stored as blobs."""
    failure: Failure | None = None
    usage: Usage = Usage()
    stop: str = "stop"
    """Why the model stopped: `stop`, `length`, or a provider's own word."""
    calls: tuple[Call, ...] = ()
    """The tools that the model calls; empty when it gives its answer."""
    logprobs: tuple[Mapping[str, float], ...] = ()
    """For each generated token, the likeliest candidates with their log probabilities; empty if not provided."""


@dataclass(frozen=True)
class Question:
    """A question to a judge model about one answer."""

    name: str
    prompt: Prompt


@dataclass(frozen=True)
class Result:
    """The measurement of one answer.

    A failed result may still carry the metrics that the failure determines (a reply that does not parse has
    `parses = 0`) or does not concern (those that need no judge). A metric that it lacks counts as the floor (where no
    floor is measured, as the worst end of its range) after a
    model fault, and is excluded after other faults.
    An abstention says that the scorer cannot tell: metrics that it lacks count as the floor, and the summary states
    the bounds of the mean if every abstention were the floor or the ceiling.
    """

    item: str
    metrics: Mapping[str, float | Sequence[float]]
    sample: int = 0
    failure: Failure | None = None
    notes: Mapping[str, str] = field(default_factory=dict)
    """Short text: outcomes, repairs, the reason in words."""
    evidence: Mapping[str, Artefact | str] = field(default_factory=dict)
    """Named images that explain the numbers; once stored, their blob keys."""
    abstained: bool = False
    """Whether the scorer cannot tell how good the answer is. Not a fault."""
    channel: str = ""
    """Channel that the answer went through, as `Bench.ceiling` knows it; `truth` for one that loses nothing, empty if
    unknown. A run is calibrated against the ceiling of its least lossy frequent channel."""
    confusion: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Confusion matrix without its zeros: class of the reference → class of the answer → count, such as pixels; the
    class of the answer is empty where it has none. Adds up over answers."""

    @property
    def status(self) -> str:
        """`scored`, `abstained`, or `model-fault`, `instrument-fault`, `infrastructure-fault`."""
        if self.failure is not None:
            return f"{self.failure.fault}-fault"
        return "abstained" if self.abstained else "scored"


@dataclass(frozen=True)
class Example:
    """A conversation to learn from: training data about an item."""

    turns: tuple[Turn, ...]
    """The last turn, and those of the model before it, are what a model should say."""
    system: str = ""
    tools: tuple[Tool, ...] = ()
    mistakes: frozenset[int] = frozenset()
    """Places of turns of the model that are wrong on purpose, to be read and not to be learnt."""
    about: Mapping[str, str] = field(default_factory=dict)
    """More to say of it, such as its kind."""


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
    range: tuple[float, float] | None = None
    """Smallest and largest possible value; (0, 1) for shares. None: unbounded. Intervals stay within it."""
    ratios: Callable[[Any], tuple[Any, Any]] | None = None
    """For a pooled metric that is a mean of ratios within (0, 1): maps sums, shape (..., k), to numerators and
    denominators, shape (..., r), whose mean ratio over positive denominators is the metric. Narrows the interval."""
    judged: bool = False
    """Whether it comes from a judge's answers: if none of them can be used, it has no value but a reason."""
    floors: Sequence[str] | None = None
    """The controls that are floors of this metric, for one that another floor control does not lack skill in; None: all
    `floor-*`."""


@dataclass(frozen=True)
class Part:
    """A metric computed from some of the counts of a pooled metric, such as those of one class."""

    metric: str
    columns: Sequence[int]
    """Which of the counts."""
    pool: Callable[[Any], Any]
    """From sums of these counts, shape (..., columns), to values, shape (...)."""
    ratios: Callable[[Any], tuple[Any, Any]] | None = None
    """As in `Metric`, from sums of these counts."""


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval."""

    value: float
    lo: float
    hi: float


@dataclass(frozen=True)
class MetricSummary(Estimate):
    """A metric over a whole run: model faults count as the floor; without a floor, as the worst end of the range."""

    floor: float | None = None
    ceiling: float | None = None
    calibrated: Estimate | None = None
    n: int = 0
    excluding_faults: float | None = None
    faults_as_zero: float | None = None
    bounds: tuple[float, float] | None = None
    """Smallest and largest value if every abstention were the floor or the ceiling; without a floor, if every model
    fault and abstention were the worst or the best end of the range. None if all values are known."""
    calibrated_reason: str | None = None
    """Why a calibrated metric has no calibrated score here: the ceiling is not clearly better than the floor, …"""
    interval_reason: str | None = None
    """Why `lo` and `hi`, or all three, are undefined; or why the items are too few for tables to show the interval."""
    faults: float = 0.0
    """Share of model faults among the answers that the metric applies to."""
    ceilings: Mapping[str, float] = field(default_factory=dict)
    """Every ceiling control that was measured → its value; `ceiling` is that of the channel of the answers."""


@dataclass(frozen=True)
class Counts:
    """The outcomes of the planned answers; shown beside every mean."""

    planned: int
    completed: int = 0
    unscored: int = 0
    errored: int = 0
    model_faults: int = 0
    """Part of completed: the model answered, but with a fault."""
    abstained: int = 0
    """Part of completed: the scorer could not tell how good the answer is."""


@dataclass(frozen=True)
class Sampling:
    """Statistics of a metric over several answers per item."""

    spread: float
    """Standard deviation of the answers to one item, pooled over items: chance, not difficulty."""
    between: float
    """Standard deviation of the items' means: difficulty, and what chance leaves of it."""
    best: Mapping[str, Estimate]
    """k → unbiased estimate of the score of the best of k answers."""
    best_of_first: Mapping[str, float]
    """k → mean over items of the best of the first k answers, as often published."""
    items: Mapping[str, int]
    """k → number of items with k answers or more, which both are computed over."""


@dataclass(frozen=True)
class Summary:
    """The aggregate results of a run."""

    bench: str
    version: str
    model: str
    counts: Counts
    metrics: Mapping[str, MetricSummary]
    groups: Mapping[str, Mapping[str, Mapping[str, MetricSummary]]] = field(default_factory=dict)
    """tag → tag value → metric → summary; likewise for the parts that a bench defines, such as classes."""
    sampling: Mapping[str, Sampling] = field(default_factory=dict)
    """metric → statistics over samples, where there are several per item."""
    failures: Mapping[str, int] = field(default_factory=dict)
    channel: str = ""
    """Channel whose ceiling calibrates the run; empty for benches whose answers have none."""
    channels: Mapping[str, int] = field(default_factory=dict)
    """Channel → number of answers that went through it."""
    confusion: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Sum of the confusion matrices of all answers, as in `Result`; rows and cells with the largest counts first."""


@dataclass(frozen=True)
class Source:
    """Where items come from: a world, a frozen set, or a data set with its directory or file."""

    name: str
    data: Path | None = None


class Episode(Protocol):
    """An interactive task: the model acts, the episode executes and observes.

    An exception raised by an episode is an instrument fault of its item; the run continues.
    """

    def reset(self) -> Prompt:
        """Start; returns the first prompt, with the tools."""

    def step(self, answer: Answer) -> Prompt | None:
        """Execute one reply; returns the next observation, or None when the episode is over.

        Results of calls are tool turns in the prompt's `history`. Without any, the prompt's parts are the result of
        the last call. System text, tools, token limit and data are those of the prompt before unless the prompt sets
        its own; all other fields are its own.
        """

    def answer(self) -> Answer:
        """The final answer; its trace is the conversation unless the episode sets one.

        If the last reply was a model fault, such as a refusal, so is the answer.
        """


def option(
    default: Any, help: str, choices: Sequence[Any] | None = None, scored: bool = True, of_items: bool = True
) -> Any:
    """Declare a field of a bench as an option of the command line, recorded on the run card.

    An option that is not `scored` does not change the scores of floors and ceilings of the same items: it changes the
    prompt, or says where files are, whose content counts and not their path. One that is not `of_items` cannot change
    the items, such as the folder of the answers: runs that differ in it alone must have equal items.
    """
    return field(default=default, metadata={"help": help, "choices": choices, "scored": scored, "of_items": of_items})


@dataclass(frozen=True)
class Display:
    """How tables and reports present a bench."""

    headline: Sequence[str]
    """Names of the metrics that are shown first."""
    tables: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Title → families of metrics (`strict` for `strict.parses`, …) to be shown side by side."""
    groups: Sequence[str] = ()
    """Groups, such as classes, whose table is always shown; the others only with `--all`."""
    itemised: Sequence[str] = ()
    """Metrics of a table of items, sorted by the first of them, worst first; none: no such table."""
    item_evidence: Sequence[str] = ()
    """Names of evidence that shows the item, not the answer (photograph, truth): shown once for all answers."""
    request: Sequence[str] = ()
    """Names of notes of results that hold the question or instruction of the item: shown once for all answers."""


class Bench(ABC):
    """A benchmark. Subclasses are frozen dataclasses whose fields, made with `option`, are the bench's options."""

    name: ClassVar[str]
    version: ClassVar[str]
    """`N.x`: results of different N are not comparable."""
    title: ClassVar[str]
    sources: ClassVar[Mapping[str, str]]
    """Name → one line of help; the first is the default."""
    metrics: ClassVar[Sequence[Metric]]
    display: ClassVar[Display]
    scorer_packages: ClassVar[Sequence[str]] = ()
    """Packages, such as `pixelproof.world`, whose code changes scores; cached controls are measured again when it does.
    `pixelproof.pixels`, `pixelproof.metrics` and the bench's own package are always included."""
    reserved: ClassVar[Sequence[str]] = ()
    """Sources, such as frozen sets, whose contents are never used for training. Sources whose contents another seed
    cannot repeat, such as photographs of a world, need not be named."""
    frozen: ClassVar[Sequence[str]] = ()
    """Sources that never change, which training may not use. Those of `reserved` need not be named again."""
    training_options: ClassVar[Mapping[str, str | int | float]] = {}
    """Options that training data has unless others are given, such as objects that no evaluation shows."""
    calibrate_on: ClassVar[int | None] = None
    """Measure floors and ceilings on this many items by default, for benches whose scorer is slow; None: on all."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Refuse metrics whose name is the family of another: names and families both select metrics."""
        super().__init_subclass__(**kwargs)
        names = [metric.name for metric in getattr(cls, "metrics", ())]
        for name, other in combinations(sorted(names), 2):
            if f"{other}.".startswith(f"{name}."):
                raise PixelProofError(f"{cls.__name__} has the metrics {name!r} and {other!r}: rename one of them.")

    @abstractmethod
    def items(self, source: Source, seed: int, n: int | None) -> Iterator[Item]:
        """The items of a source, at most n; deterministic."""

    @abstractmethod
    def prompt(self, item: Item) -> Prompt:
        """What the model receives."""

    def content(self, item: Item) -> Any:
        """What an item asks or shows, as plain data; equal contents are never in training and in evaluation.

        It must not depend on options, such as the wording, nor on the platform. By default the parts of the prompt.
        """
        return [part if isinstance(part, str) else part.sha256 for part in self.prompt(item).parts]

    def reward(self, item: Item) -> str:
        """The metric that an answer to an item is rewarded by, known before it is scored; empty if there is none."""
        return ""

    @abstractmethod
    def score(self, item: Item, answer: Answer, judgements: Mapping[str, Answer]) -> Result:
        """Measure an answer; must not raise on anything that a model can return."""

    @abstractmethod
    def controls(self) -> Mapping[str, Control]:
        """Floors (`floor-*`), ceilings (`ceiling-*`) and diagnostic controls."""

    def ceiling(self, channel: str) -> Control | None:
        """The perfect answer through a channel that `Result.channel` names; None if there is no such channel."""
        return None

    def episode(self, item: Item) -> Episode | None:
        """An episode, for benches where the model acts; None for one-shot benches."""
        return None

    def questions(self, item: Item, answer: Answer) -> Sequence[Question]:
        """Questions for a judge about this answer; the scorer must work without judgements."""
        return ()

    def recorded(self, item: Item, sample: int = 0) -> Answer | None:
        """The answer recorded in the source, for data sets of replies; None if it has no such sample."""
        return None

    def for_model(self, model: str) -> Bench:
        """The bench with options that depend on the model's name resolved."""
        return self

    def check_item(self, item: Item) -> None:
        """Refuse an item that cannot be asked here, for lack of libraries or weights; called before the first call.

        Raises:
            PixelProofError: What is missing.
        """
        return None

    def default_source(self) -> str:
        """The source to use when none is given."""
        return next(iter(self.sources))

    def examples(self, item: Item, rng: Any) -> Iterator[Example]:
        """What can be learnt from an item: by default its prompt, answered by the control `ceiling-truth`.

        Args:
            item: The item.
            rng: A numpy generator, for examples that draw.
        """
        control = self.controls().get("ceiling-truth")
        if control is None or isinstance(control, Player):
            return
        prompt, answer = self.prompt(item), control(item, rng)
        if answer.failure is None:
            said = (*((answer.text,) if answer.text else ()), *answer.images)
            yield Example((Turn("user", prompt.parts), Turn("model", said)), prompt.system)

    @property
    def copies_answers(self) -> bool:
        """Whether a run stores copies of answers that exist as files; if not, it refers to the files by path and hash.

        A run that refers to files cannot be moved without them.
        """
        return True

    def control_data(self, source: Source) -> str:
        """Hash of what controls use besides the items, such as other images of a data set; empty if there is none.

        Cached controls are measured again when it changes.
        """
        return ""

    def remarks(self, source: Source, samples: int = 1) -> Sequence[str]:
        """Sentences for the run card on how the source was read."""
        return ()

    def parts(self, source: Source) -> Mapping[str, Mapping[str, Mapping[str, Part]]]:
        """Breakdown of pooled metrics for the tables: group → member (a class) → name → part."""
        return {}


@dataclass(frozen=True)
class Player:
    """A control that plays an item's episode, with access to the truth."""

    reply: Callable[[Item, Prompt, Any], Answer]
    """A function of the item, the prompt with the conversation so far, and a numpy Generator."""


Control = Callable[[Item, Any], Answer] | Player
"""A function of the item, with its truth, and a numpy Generator; or a player of the item's episode."""


_THINKING = re.compile(r"[<\[◁](/?)(?:seed:)?(?:think|thinking|thoughts?|reasoning)[>\]▷]", re.IGNORECASE)


def without_thinking(text: str) -> tuple[str, int | None]:
    """A reply whose thinking is replaced by spaces, and where thinking begins that never ends.

    A closing tag without an opening one ends thinking that began before the reply, as chat templates have it. Thinking
    that never ends is left in place, because an answer may follow a forgotten tag.

    >>> without_thinking("<think>{}</think>{}")
    ('                 {}', None)
    >>> without_thinking("a</think>b <think>c")
    ('         b <think>c', 11)
    """
    pieces: list[str] = []
    copied, begun = 0, None
    for tag in _THINKING.finditer(text):
        if not tag[1]:
            begun = tag.start() if begun is None else begun
        elif begun is not None or not pieces:
            pieces += [text[copied : begun or 0], " " * (tag.end() - (begun or 0))]
            copied, begun = tag.end(), None
    return "".join([*pieces, text[copied:]]), begun


def read_statement(text: str) -> str:
    """What a reply states, without its thinking; a reply whose thinking never ends states nothing after it begins.

    >>> read_statement("<think>7 or 8?</think> 8"), read_statement("It is 7.</think>8"), read_statement("<think>It is")
    ('8', '8', '')
    """
    plain, endless = without_thinking(text)
    return plain[:endless].strip()
