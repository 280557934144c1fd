"""The options of a run, declared once: flags, Python keywords, their checks and entries of the run card are derived."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import (
    Any,
    Literal,
    ParamSpec,
    Protocol,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

from pixelproof.contract import Bench, PixelProofError, unknown_name

Arm = Literal["free", "schema", "grammar"]
Split = Literal["all", "train", "eval"]
ModelName = str | Callable[..., object]
"""The name of a model, or a Python function that answers prompts."""
P = ParamSpec("P")
T = TypeVar("T")
Group = TypeVar("Group", bound="Options")
R = TypeVar("R", covariant=True)


@dataclass(frozen=True)
class Flag:
    """How the command line shows a field."""

    help: str
    group: str
    kind: str
    """`place`, `input`, `model`, `source` or `workers`; empty: the type of the field."""
    least: float | None
    """Smallest value; None: no limit."""
    grows: bool
    """Whether the value may differ when a run is continued."""


def flag(default: T, help: str, group: str, kind: str = "", least: float | None = None, grows: bool = False) -> T:
    """Declare a field as an option of a run."""
    declared: T = field(default=default, metadata={"flag": Flag(help, group, kind, least, grows)})
    return declared


@dataclass(frozen=True, kw_only=True)
class Options:
    """Base of groups of options.

    Raises:
        PixelProofError: A value is out of range.
    """

    def __post_init__(self) -> None:
        """Check all values."""
        for declared in flags_of(type(self)):
            value = getattr(self, declared.name)
            if declared.choices and value not in declared.choices:
                raise unknown_name(declared.name, value, declared.choices)
            least = declared.flag.least
            if least is not None and isinstance(value, int | float) and not least <= value < math.inf:
                raise PixelProofError(f"{declared.spelling} must be {least:g} or more, not {value}.")


@dataclass(frozen=True, kw_only=True)
class ItemOptions(Options):
    """Which items are asked, and how often."""

    source: str | None = flag(None, "Source of the items; default: the first.", "Items", "source")
    data: str | Path | None = flag(None, "Directory, file or URL of a data set.", "Items", "input")
    seed: int = flag(0, "Seed of items, controls and answers.", "Items")
    split: Split = flag(
        "all", "eval: items kept out of training; train: items for it, which have seeds of their own.", "Items"
    )
    limit: int | None = flag(None, "Use the first N items only.", "Items", least=1, grows=True)
    samples: int = flag(1, "Answers per item, each with its own seed.", "Items", least=1, grows=True)


@dataclass(frozen=True, kw_only=True)
class Decoding(Options):
    """How a model generates token by token; models behind a service support only temperature and max_tokens."""

    decoding: Arm = flag(
        "free", "Local models: decode freely, or constrained by the bench's JSON schema or grammar.", "Model"
    )
    temperature: float | None = flag(
        None, "Sampling temperature. Default: the model's own; 0 for gguf/.", "Model", least=0
    )
    max_tokens: int | None = flag(
        None, "Maximum length of a reply. Default: the limit of the bench's prompt.", "Model", least=1
    )
    threads: int = flag(1, "Threads of a local model.", "Model", least=1)


@dataclass(frozen=True, kw_only=True)
class Conditions(Decoding, ItemOptions):
    """What decides the answers and scores of a run: each of these options is an entry of its card."""

    shard: str | None = flag(
        None,
        "Ask only part K of N of the items, such as 1/8; 'pixelproof runs merge' puts the parts together.",
        "Run",
    )
    judge: str | None = flag(
        None, "Model that judges the answers, for benches with questions to a judge.", "Run", "model"
    )


@dataclass(frozen=True, kw_only=True)
class Settings(Options):
    """How a run is executed; nothing here changes the scores of a model."""

    out: str | Path | None = flag(
        None, "Run directory, or a URL such as s3://bucket/run. Default: runs/BENCH/MODEL-HASH.", "Run", "place"
    )
    resume: bool = flag(False, "Continue the run in that directory: ask only for missing answers.", "Run")
    workers: Any = flag(
        None,
        "Processes that score existing answers. Default: one per core, if there is enough work.",
        "Run",
        "workers",
        least=1,
    )
    calibrate: int | None = flag(
        None,
        "Measure floors and ceilings on N items, evenly chosen; 0: not at all. Default: on all items, or as many as "
        "the bench sets.",
        "Run",
        least=0,
    )
    connections: int | None = flag(None, "Maximum number of concurrent requests.", "Model", least=1)
    price: str | None = flag(
        None, "US dollars per million tokens and per image: 'input=2.5,output=10,image=0.04'.", "Costs"
    )
    max_cost: float | None = flag(None, "Stop before the cost exceeds this many US dollars.", "Costs")


@dataclass(frozen=True, kw_only=True)
class RunOptions(Settings, Conditions):
    """All options of a run; a function that needs some of them takes one of the base classes."""


@dataclass(frozen=True)
class DeclaredOption:
    """An option with its flag and its type."""

    name: str
    default: Any
    type: type
    choices: tuple[str, ...]
    flag: Flag

    @property
    def spelling(self) -> str:
        """As the command line writes it."""
        return f"--{self.name.replace('_', '-')}"


def flags_of(kind: type[Options]) -> list[DeclaredOption]:
    """The options that a class declares, those of its base classes first."""
    listed: list[DeclaredOption] | None = vars(kind).get("_listed")
    if listed is None:
        hints = get_type_hints(kind)
        declared = (f for f in fields(kind) if f.metadata)
        listed = [_read_option(f.name, f.default, hints[f.name], f.metadata["flag"]) for f in declared]
        type.__setattr__(kind, "_listed", listed)
    return listed


def _read_option(name: str, default: object, hint: Any, about: Flag) -> DeclaredOption:
    literal = get_origin(hint) is Literal
    kinds = [kind for kind in get_args(hint) if isinstance(kind, type) and kind is not type(None)] or [hint]
    choices = get_args(hint) if literal else ()
    return DeclaredOption(name, default, str if literal else kinds[0], choices, about)


def split_options(kind: type[Group], keywords: dict[str, T]) -> tuple[Group, dict[str, T]]:
    """The options of a class among keywords, and the other keywords."""
    names = {declared.name for declared in flags_of(kind)}
    own = {name: value for name, value in keywords.items() if name in names}
    return kind(**own), {name: value for name, value in keywords.items() if name not in names}


class RunFunction(Protocol[P, R]):
    """A function of a bench, a model and options; with a bench object, mypy checks the options."""

    @overload
    def __call__(self, bench: Bench, model: ModelName, *args: P.args, **options: P.kwargs) -> R: ...
    @overload
    def __call__(self, bench: str, model: ModelName, **options: Any) -> R: ...


def with_keywords(declared: Callable[P, Options]) -> Callable[[Callable[..., R]], RunFunction[P, R]]:
    """Give a function (bench, model, **options) the options of a class: in its types, signature and docstring."""

    def decorate(function: Callable[..., R]) -> RunFunction[P, R]:
        assert isinstance(declared, type)
        listed = flags_of(declared)
        *first, rest = inspect.signature(function).parameters.values()
        shown = inspect.signature(declared).parameters.values()
        vars(function)["__signature__"] = inspect.Signature([*first, *shown, rest])
        lines = [f"    {option.name}: {option.flag.help}" for option in listed]
        text, mark, about = (function.__doc__ or "").rstrip().rpartition(f"\n        **{rest.name}: ")
        function.__doc__ = "".join([text, *(f"\n    {line}" for line in lines), mark, about, "\n"])
        return function

    return decorate
