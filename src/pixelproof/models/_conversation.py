"""Conversations on their way to a provider and back: turns in order, ids and arguments of calls."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pixelproof.contract import Artefact, Call, Item, PixelProofError, Prompt, Turn


@dataclass(frozen=True)
class ProviderCall(Call):
    """A call with data of its provider that must be sent back with it, such as Gemini's thought signature.

    An episode keeps its conversation in memory, as the calls that the model returned, so the data comes back with them.
    It is opaque and can be long: it is not part of the id and is neither compared nor stored.
    """

    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


def call_with(extra: Mapping[str, Any], id: str, tool: str, arguments: Mapping[str, Any] | str) -> Call:
    """A call, with data of its provider if there is any."""
    return ProviderCall(id, tool, arguments, extra) if extra else Call(id, tool, arguments)


def extra_of(call: Call) -> Mapping[str, Any]:
    """Data of the provider that belongs to a call; empty if there is none."""
    return call.extra if isinstance(call, ProviderCall) else {}


def turns_of(prompt: Prompt) -> tuple[Turn, ...]:
    """The turns of a prompt in order: its history, then its parts as a user turn (none if there are no new parts)."""
    return (*prompt.history, Turn("user", prompt.parts)) if prompt.parts or not prompt.history else prompt.history


def move_images(turns: Iterable[Turn], roles: Sequence[str]) -> list[Turn]:
    """Move images out of turns of these roles, for providers that accept only text in them.

    The images follow in a user turn after the last result of the same model turn, each with a line that says where it
    comes from.
    """
    moved: list[Turn] = []
    images: list[str | Artefact] = []
    for turn in turns:
        if turn.role != "tool" and images:
            moved.append(Turn("user", tuple(images)))
            images = []
        if turn.role in roles:
            origin = f"the result of {turn.call.tool} ({turn.call.id})" if turn.call else "your last message"
            for part in turn.parts:
                if isinstance(part, Artefact):
                    images += [f"Image from {origin}:", part]
            turn = replace(turn, parts=tuple(part for part in turn.parts if isinstance(part, str)))
        moved.append(turn)
    return merge_user_turns([*moved, Turn("user", tuple(images))] if images else moved)


def merge_user_turns(turns: Iterable[Turn]) -> list[Turn]:
    """Join consecutive user turns: many chat templates accept only alternating roles.

    >>> merge_user_turns([Turn("user", ("a",)), Turn("user", ("b",))])
    [Turn(role='user', parts=('a', 'b'), calls=(), call=None)]
    """
    merged: list[Turn] = []
    for turn in turns:
        if merged and turn.role == merged[-1].role == "user":
            merged[-1] = Turn("user", merged[-1].parts + turn.parts)
        else:
            merged.append(turn)
    return merged


def text_of(turn: Turn) -> str:
    """All text parts of a turn, joined by newlines."""
    return "\n".join(part for part in turn.parts if isinstance(part, str))


def with_ids(calls: Iterable[Call], prompt: Prompt) -> tuple[Call, ...]:
    """Calls with ids that are unique in the conversation.

    A missing or repeated id becomes `call-N`, where N is the number of earlier calls, so that two runs give the same
    ids. Ids of a provider are kept: some accept only their own format when the call is sent back.

    >>> [call.id for call in with_ids([Call("", "zoom", {}), Call("x", "zoom", {}), Call("x", "zoom", {})], Prompt(()))]
    ['call-0', 'x', 'call-2']
    """
    used_ids = {call.id for turn in prompt.history for call in turn.calls}
    number = sum(len(turn.calls) for turn in prompt.history)
    named: list[Call] = []
    for call in calls:
        if not call.id or call.id in used_ids:
            call = replace(call, id=next(_unused(number + len(named), used_ids)))
        used_ids.add(call.id)
        named.append(call)
    return tuple(named)


def _unused(number: int, used_ids: set[str]) -> Iterator[str]:
    while True:
        if (name := f"call-{number}") not in used_ids:
            yield name
        number += 1


def is_own_id(name: str) -> bool:
    """Whether an id comes from `with_ids`, not from a provider.

    >>> is_own_id("call-0"), is_own_id("call_Ab3")
    (True, False)
    """
    return re.fullmatch(r"call-\d+", name) is not None


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    if math.isinf(number := float(text)):
        raise ValueError(f"{text} is out of range")
    return number


STRICT_JSON = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)
"""Refuses NaN and infinities, which could not be stored as JSON. Raises ValueError or RecursionError."""


MAX_DEPTH = 100
"""Nesting of JSON that is still read; the standard encoder fails on what the decoder barely accepts."""


def is_shallow(value: object, depth: int = MAX_DEPTH) -> bool:
    """Whether JSON is nested at most `depth` deep.

    >>> is_shallow({"a": [1]}, depth=2), is_shallow({"a": [1]}, depth=1)
    (True, False)
    """
    if not isinstance(value, dict | list):
        return True
    return depth > 0 and all(
        is_shallow(inner, depth - 1) for inner in (value.values() if isinstance(value, dict) else value)
    )


def parse_arguments(given: object) -> Mapping[str, Any] | str:
    """Arguments of a call as a mapping; their text where it is not a JSON object.

    >>> parse_arguments('{"x": 1}'), parse_arguments(""), parse_arguments("x=1"), parse_arguments([1])
    ({'x': 1}, {}, 'x=1', '[1]')
    """
    if given is None or given == "":
        return {}
    if not isinstance(given, str) and not is_shallow(given):
        return f"(nested more than {MAX_DEPTH} deep)"
    text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    try:
        parsed = STRICT_JSON.decode(text)
    except (ValueError, RecursionError):
        return text
    return parsed if isinstance(parsed, dict) and is_shallow(parsed) else text


def arguments_text(call: Call) -> str:
    """Arguments of a call as JSON text; the raw text where they could not be parsed.

    >>> arguments_text(Call("", "zoom", {"x": 1}))
    '{"x": 1}'
    """
    return call.arguments if isinstance(call.arguments, str) else json.dumps(dict(call.arguments), ensure_ascii=False)


def require_image_prompt(name: str, prompt: Prompt, item: Item) -> None:
    """Refuse what a model that only generates images cannot answer.

    Raises:
        PixelProofError: The prompt wants text, or is part of an episode.
    """
    if prompt.tools or prompt.history:
        raise PixelProofError(
            f"{name} answers single prompts and cannot play the episode of {item.id}: choose a model that holds a "
            "conversation (chat/, gemini/, gguf/, fn/ or one of Inspect AI), or another bench."
        )
    if prompt.wants != "image":
        raise PixelProofError(f"{name} returns images, but {item.id} wants text: choose another model or bench.")
