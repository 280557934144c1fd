"""The exchange between a model and one item: a single prompt, or an episode. Shared by both runners."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pixelproof.contract import (
    Answer,
    Artefact,
    Bench,
    Call,
    Episode,
    Failure,
    Fault,
    Item,
    PixelProofError,
    Prompt,
    Turn,
    Usage,
)
from pixelproof.harness._checks import checked_answer, checked_prompt
from pixelproof.pixels import clip_frames

Value = TypeVar("Value")
NOT_EXECUTED = "This call was not executed."


@dataclass(frozen=True)
class Exchange:
    """The answer of a model to an item, and the first prompt that it received (None if it needs no prompt)."""

    answer: Answer
    prompt: Prompt | None = None


class _Crashed(Exception):
    """Code of the bench raised an exception."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.detail)
        self.failure = failure


class Conversation:
    """Produces the prompts to send for one item, and the final answer.

    Call `begin` for the first prompt and `proceed` with each reply for the next one, until None; then read `exchange`.
    Every prompt contains the whole conversation so far. Exceptions in code of the bench become an instrument fault of
    the item; a `PixelProofError` before the first reply is a set-up error and is raised.
    """

    def __init__(self, bench: Bench, item: Item) -> None:
        self._bench, self._item = bench, item
        self._replies = 0
        self._episode: Episode | None = None
        self._first: Prompt | None = None
        self._prompt: Prompt | None = None
        self._turns: tuple[Turn, ...] = ()
        self._usage = Usage()
        self._answer = Answer()

    def begin(self) -> Prompt | None:
        """The first prompt; None if the bench's code fails."""
        try:
            self._episode = _guarded(self._bench.episode, self._item)
            prompt = _guarded(self._episode.reset) if self._episode else _guarded(self._bench.prompt, self._item)
            self._first = self._prompt = prepared(checked_prompt(self._bench, prompt))
        except _Crashed as crash:
            self._fail(crash.failure)
        return self._prompt

    def proceed(self, reply: Answer) -> Prompt | None:
        """Process a reply; the next prompt, or None if the conversation is over."""
        self._usage = self._usage + reply.usage
        self._replies += 1
        if self._episode is None or is_lost(reply):
            self._answer = reply
            self._prompt = None
            return None
        assert self._prompt is not None, "begin comes first"
        self._turns = (*_said(self._prompt), _model_turn(reply))
        try:
            observation = _guarded(self._episode.step, reply, any_error=True)
            if observation is None:
                final = checked_answer(self._bench, "Episode.answer()", _guarded(self._episode.answer, any_error=True))
                self._answer, self._prompt = _concluded(final, reply), None
            elif self._replies == MAX_REPLIES:
                self._fail(Failure(Fault.INSTRUMENT, CRASHED, f"the episode did not end after {MAX_REPLIES} replies"))
            else:
                checked_prompt(self._bench, observation)
                self._prompt = _guarded(_continued, self._prompt, self._turns, reply.calls, observation, any_error=True)
        except _Crashed as crash:
            self._fail(crash.failure)
        return self._prompt

    @property
    def is_episode(self) -> bool:
        """Whether the bench has an episode for the item."""
        return self._episode is not None

    @property
    def exchange(self) -> Exchange:
        """The final answer, with the usage of all replies and, for an episode, its trace."""
        answer = replace(self._answer, usage=self._usage)
        if self._episode is not None and not answer.trace:
            answer = replace(answer, trace=tuple(_trace_entry(turn) for turn in self._turns))
        return Exchange(answer, self._first)

    def _fail(self, failure: Failure) -> None:
        self._answer, self._prompt = Answer(failure=failure), None


def _concluded(final: Answer, last: Answer) -> Answer:
    """The answer of an episode; if it ends with a reply that failed or was cut off, so does its answer."""
    failure = final.failure or (last.failure if last.failure and last.failure.fault is Fault.MODEL else None)
    return replace(final, failure=failure, stop=last.stop if final.stop == "stop" else final.stop)


def converse(bench: Bench, item: Item, reply: Callable[[Prompt], Answer]) -> Exchange:
    """Let a function that answers prompts play the whole conversation of an item."""
    conversation = Conversation(bench, item)
    prompt = conversation.begin()
    while prompt is not None:
        prompt = conversation.proceed(reply(prompt))
    return conversation.exchange


MAX_REPLIES = 1000
"""Replies of one episode; a longer one is taken to be endless."""
CRASHED = "episode-crashed"
CONTROL_CRASHED = "control-crashed"


def is_crash(failure: Failure | None) -> bool:
    """Whether code of a bench raised an exception before there was an answer."""
    return failure is not None and failure.fault is Fault.INSTRUMENT and failure.name in (CRASHED, CONTROL_CRASHED)


def is_lost(answer: Answer) -> bool:
    """Whether there is no answer to store: an infrastructure fault, or a crash of the bench. It is asked again."""
    failure = answer.failure
    return failure is not None and (failure.fault is Fault.INFRASTRUCTURE or is_crash(failure))


def describe_crash(error: BaseException) -> str:
    """Type, innermost place and message of an exception in one line."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{frame.filename.rpartition('pixelproof/')[2]}:{frame.lineno}"
    return f"{type(error).__name__} at {where}: {error}"[:500]


def _guarded(function: Callable[..., Value], *arguments: Any, any_error: bool = False) -> Value:
    """Call code of the bench; its exceptions become `_Crashed`, except set-up errors unless `any_error`."""
    try:
        return function(*arguments)
    except PixelProofError as error:
        if not any_error:
            raise
        raise _Crashed(Failure(Fault.INSTRUMENT, CRASHED, describe_crash(error))) from error
    except Exception as error:
        raise _Crashed(Failure(Fault.INSTRUMENT, CRASHED, describe_crash(error))) from error


def _said(prompt: Prompt) -> tuple[Turn, ...]:
    """The turns that a model has received with a prompt."""
    return (*prompt.history, Turn("user", prompt.parts)) if prompt.parts else prompt.history


def _model_turn(reply: Answer) -> Turn:
    text = (reply.text,) if reply.text else ()
    return Turn("model", (*text, *reply.images), reply.calls)


def _continued(before: Prompt, turns: Sequence[Turn], calls: Sequence[Call], new: Prompt) -> Prompt:
    """The next prompt with the conversation so far; every call has a result, in the order of the calls."""
    new = prepared(new)
    if any(turn.role != "tool" or turn.call is None for turn in new.history):
        raise ValueError("the history of an observation may hold only tool turns with their call")
    results = {turn.call.id: turn for turn in new.history if turn.call is not None}
    if len(results) < len(new.history):
        raise ValueError("the episode returned two results for one call")
    if strangers := results.keys() - {call.id for call in calls}:
        raise ValueError(f"the episode returned a result for the call {min(strangers)!r}, which the model did not make")
    parts = new.parts
    if calls and not results:
        results[calls[-1].id] = Turn("tool", parts, call=calls[-1])
        parts = ()
    answered = [results.get(call.id) or Turn("tool", (NOT_EXECUTED,), call=call) for call in calls]
    return replace(
        new,
        parts=parts,
        history=(*turns, *answered),
        system=new.system or before.system,
        tools=new.tools or before.tools,
        max_tokens=new.max_tokens or before.max_tokens,
        data=new.data or before.data,
    )


def prepared(prompt: Prompt) -> Prompt:
    """The prompt as models receive it: clips become frames."""
    turns = tuple(replace(turn, parts=_stills(turn.parts)) for turn in prompt.history)
    return replace(prompt, parts=_stills(prompt.parts), history=turns)


def _stills(parts: tuple[str | Artefact, ...]) -> tuple[str | Artefact, ...]:
    stills: list[str | Artefact] = []
    for part in parts:
        frames, rate = ([], 0.0) if isinstance(part, str) else clip_frames(part)
        if frames:
            speed = f" at {rate:g} frames per second" if rate else ""
            stills += [f"A clip of {len(frames)} frames{speed}:", *frames]
        else:
            stills.append(part)
    return tuple(stills)


def _trace_entry(turn: Turn) -> Mapping[str, Any]:
    entry: dict[str, Any] = {"role": turn.role, "parts": list(turn.parts)}
    if turn.calls:
        entry["calls"] = [{"id": call.id, "tool": call.tool, "arguments": call.arguments} for call in turn.calls]
    if turn.call is not None:
        entry["call"] = turn.call.id
    return entry
