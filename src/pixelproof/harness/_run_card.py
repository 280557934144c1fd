"""The run card: frozen conditions, and the state that a run has come to. Only this file reads its entries by name."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from pixelproof.options import Conditions, Decoding, flags_of

FORMAT = 1
State = Literal["running", "complete", "incomplete", "stopped", "interrupted"]
ENDED = ("complete", "incomplete", "stopped")
JsonValue = Any
Entries = Mapping[str, JsonValue]
Json = dict[str, JsonValue]
Kind = TypeVar("Kind")


class _Absent:
    """The value of an entry that a card does not have; like an empty list where it is read."""

    def __bool__(self) -> bool:
        return False

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Any = _Absent()


class CardError(ValueError):
    """The message is the name of an entry that is missing or has another type."""


@dataclass(frozen=True, kw_only=True)
class Card(Conditions):
    """The conditions of a run: written once, before the first call, and never changed."""

    bench: str
    version: str
    options: Entries
    """Of the bench."""
    source: str
    model: str
    model_card: Entries
    judge_card: Entries | None
    scorer: str
    """Hash of the code that scores."""
    software: Mapping[str, str]
    created: str
    format: int = FORMAT

    def to_json(self) -> Json:
        """The entries of the card."""
        content = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        content["source"] = {"name": content["source"], "data": content.pop("data")}
        content["decoding"] = {"arm": content["decoding"]} | {name: content.pop(name) for name in _DECODING}
        return content

    def identity(self) -> Json:
        """The entries that make it the same run."""
        content = self.to_json()
        names = [option.name for option in flags_of(Conditions) if not option.flag.grows]
        return {name: content[name] for name in ("bench", "options", "model", *names, "model_card") if name in content}


_DECODING = tuple(option.name for option in flags_of(Decoding))[1:]
_NESTED = {"source": "source.name", "data": "source.data", "decoding": "decoding.arm"}
_NESTED |= {name: f"decoding.{name}" for name in _DECODING}


@dataclass(frozen=True, kw_only=True)
class RunState:
    """What a run has come to; replaced as a whole, never changed in place."""

    state: State = "running"
    data_hash: str = ABSENT
    """Hash of the content of all items."""
    planned: int = ABSENT
    """Number of answers."""
    ledger: Entries | None = ABSENT
    """Usage and costs so far."""
    counted: Mapping[str, int] | None = ABSENT
    """Calls and answers when a session began or ended (`_counted`)."""
    calibrated_on: int | None = ABSENT
    """Number of items on which floors and ceilings are measured; None: all."""
    remarks: Sequence[str] = ABSENT
    portable: bool = ABSENT
    """Whether the run has copies of the files of its answers."""
    merged: Sequence[Entries] = ABSENT
    """The parts of a merged run."""
    files: Mapping[str, str] | None = ABSENT
    """Name of a file → what identifies it, once the run has ended; None while these files change."""

    @property
    def ended(self) -> bool:
        """Whether the run has ended, so that the card lists its files."""
        return self.state in ENDED

    def to_json(self) -> Json:
        """The entries of the card."""
        values = ((entry.name, getattr(self, entry.name)) for entry in fields(self))
        return {name: value for name, value in values if value is not ABSENT}


@dataclass(frozen=True)
class RunCard(Mapping[str, JsonValue]):
    """What card.json holds. As a mapping, it has the entries of the file."""

    card: Card
    state: RunState = RunState()
    other: Entries = field(default_factory=dict)
    """Entries of other versions."""

    @classmethod
    def from_json(cls, content: Entries) -> RunCard:
        """The card from the entries of the file.

        Raises:
            CardError: An entry is missing or has another type.
        """
        rest = dict(content)
        nests: dict[str, dict[str, str]] = {"source": {"name": "source"}, "decoding": {"arm": "decoding"}}
        for name, nested in nests.items():
            part = rest.pop(name, None)
            if isinstance(part, Mapping):
                rest |= {nested.get(key) or key: value for key, value in part.items()}
        card, rest = _read_as(Card, rest, optional=False)
        state, rest = _read_as(RunState, rest, optional=True)
        if state.ledger:
            for name, kinds in _LEDGER.items():
                if not isinstance(state.ledger.get(name, ...), kinds):
                    raise CardError(f"ledger.{name}")
        if "state" not in content:
            raise CardError("state")
        if state.ended and state.files is ABSENT:
            raise CardError("files")
        return cls(card, state, rest)

    def to_json(self) -> Json:
        """The entries of the file."""
        return {**self.other, **self.card.to_json(), **self.state.to_json()}

    def with_state(self, **changes: Any) -> RunCard:
        """The card with some entries of its state changed."""
        return replace(self, state=replace(self.state, **changes))

    def __getitem__(self, name: str) -> Any:
        return self.to_json()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.to_json())

    def __len__(self) -> int:
        return len(self.to_json())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and self.to_json() == dict(other)

    def __hash__(self) -> int:
        return hash(self.card.created)


_NUMBER = (int, float, type(None))
_LEDGER: Entries = {"input_tokens": int, "output_tokens": int, "cost": _NUMBER, "seconds": _NUMBER}


_HINTS: dict[type, Any] = {kind: get_type_hints(kind) for kind in (Card, RunState)}


def _read_as(kind: type[Kind], content: Json, optional: bool) -> tuple[Kind, Json]:
    """A dataclass from entries, and the entries that it does not have; the type of each is checked."""
    values: Json = {}
    for name, hint in _HINTS[kind].items():
        if name in content:
            values[name] = content.pop(name)
            if not _fits(hint, values[name]):
                raise CardError(_NESTED.get(name, name))
        elif not optional and name in _ALWAYS:
            raise CardError(_NESTED.get(name, name))
    return kind(**values), content


_ALWAYS = {entry.name for entry in fields(Card)} - {"split", "format", "temperature", "max_tokens", "threads"}
"""Entries that every card has; options that are missing have their defaults."""


def _fits(hint: Any, value: object) -> bool:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return any(_fits(part, value) for part in get_args(hint))
    if origin is Literal:
        return isinstance(value, str)
    kind = origin or hint
    if kind is Sequence:
        return isinstance(value, list)
    return isinstance(value, (int, float) if kind is float else kind) and not (kind is int and isinstance(value, bool))
