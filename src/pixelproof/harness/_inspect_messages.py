"""Conversion between the contract and Inspect: prompts to messages, outputs to answers, exceptions to failures."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Literal

from inspect_ai._util.error import PrerequisiteError  # it is public nowhere, and all providers use it
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentText,
    ModelOutput,
    ModelUsage,
    StopReason,
)
from inspect_ai.tool import ToolCall, ToolInfo, ToolParams
from rich.markup import escape

from pixelproof.contract import (
    Answer,
    Artefact,
    Call,
    Failure,
    Fault,
    PixelProofError,
    Prompt,
    Tool,
    Turn,
    Usage,
)
from pixelproof.harness._rows import ARTEFACT, packed
from pixelproof.models import read_usage
from pixelproof.pixels import media_type_of
from pixelproof.store import scrub

MARK = "pixelproof"
"""Key in an output's metadata for what Inspect has no field for."""

_STOPS: dict[str, str] = {"max_tokens": "length", "model_length": "length"}
_DATA_URI = re.compile(r"data:[\w.+-]*/[\w.+-]*(?:;[\w.+=-]+)*;base64,")
_SECRET = re.compile(
    r"(?i)\bbearer\s+\S+|\b(?:api[-_ ]?key|key|token|secret|password)['\"]?\s*[=:]\s*['\"]?[^\s'\",&)]+"
    r"|\b(?:sk|pk|rk|gsk|hf|xai|AIza)[-_]?[\w*-]{8,}"
)


def messages_of(prompt: Prompt) -> list[ChatMessage]:
    """The whole conversation of a prompt: system text, history, and its parts as a user message."""
    messages: list[ChatMessage] = [ChatMessageSystem(content=prompt.system)] if prompt.system else []
    messages += [_message(turn) for turn in prompt.history]
    if prompt.parts or not prompt.history:
        messages.append(ChatMessageUser(content=_contents(prompt.parts)))
    return messages


def _message(turn: Turn) -> ChatMessage:
    if turn.role == "user":
        return ChatMessageUser(content=_contents(turn.parts))
    if turn.role == "model":
        return ChatMessageAssistant(content=_contents(turn.parts), tool_calls=_tool_calls(turn.calls))
    assert turn.call is not None, "a tool turn is the result of a call"
    return ChatMessageTool(content=_contents(turn.parts), tool_call_id=turn.call.id, function=turn.call.tool)


def _contents(parts: Sequence[str | Artefact]) -> list[Content]:
    return [ContentText(text=p) if isinstance(p, str) else ContentImage(image=p.data_uri) for p in parts]


def _tool_calls(calls: Sequence[Call]) -> list[ToolCall] | None:
    return [
        ToolCall(call.id, call.tool, {}, parse_error=call.arguments)
        if isinstance(call.arguments, str)
        else ToolCall(call.id, call.tool, dict(call.arguments))
        for call in calls
    ] or None


def tools_of(tools: Sequence[Tool]) -> list[ToolInfo]:
    """Tools as Inspect describes them to providers.

    Raises:
        PixelProofError: A tool's parameters are not a JSON Schema that Inspect can represent.
    """
    infos = []
    for tool in tools:
        try:
            parameters = ToolParams.model_validate(dict(tool.parameters))
        except ValueError as error:
            raise PixelProofError(
                f"The parameters of the tool {tool.name!r} must be a JSON Schema of an object ({error})."
            ) from error
        infos.append(ToolInfo(name=tool.name, description=tool.about, parameters=parameters))
    return infos


def output_of(answer: Answer, model: str) -> ModelOutput:
    """An answer as an output of Inspect; `answer_from` returns the same answer."""
    content = _contents([answer.text] if answer.text else []) + _contents(answer.images)
    stop: StopReason = {"stop": "stop", "length": "max_tokens"}.get(answer.stop, "unknown")  # type: ignore[assignment]
    message = ChatMessageAssistant(
        content=content, model=model, source="generate", tool_calls=_tool_calls(answer.calls)
    )
    usage, failure = answer.usage, answer.failure
    return ModelOutput(
        model=model,
        choices=[ChatCompletionChoice(message=message, stop_reason=stop)],
        usage=ModelUsage(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            total_tokens=usage.input_tokens + usage.output_tokens,
            total_cost=usage.cost,
        ),
        time=usage.seconds,
        metadata={
            MARK: {
                "failure": failure and [str(failure.fault), failure.name, failure.detail],
                "trace": packed(answer.trace, None),
                "calls": [[call.id, call.tool, packed(call.arguments, None)] for call in answer.calls],
                "logprobs": packed(answer.logprobs, None),
                "stop": answer.stop,
                "images": usage.images,
            }
        },
    )


def answer_from(output: ModelOutput, wants: Literal["text", "image"] = "text") -> Answer:
    """The answer of an output, with a named failure if it lacks what the prompt wants.

    Linked images are never downloaded: the content behind a link can change.
    """
    mark = (output.metadata or {}).get(MARK)
    message = output.choices[0].message if output.choices else ChatMessageAssistant(content="")
    images, lost = _images_of(message)
    usage, seconds = output.usage or ModelUsage(), output.time or 0.0
    if mark is not None:
        stated = Usage(usage.input_tokens, usage.output_tokens, mark["images"], usage.total_cost, seconds)
        failure = mark["failure"] and Failure(Fault(mark["failure"][0]), *mark["failure"][1:])
        calls = tuple(Call(*call) for call in mark.get("calls", ()))
        trace, logprobs = tuple(_revived(mark["trace"])), tuple(mark.get("logprobs", ()))
        return Answer(message.text, images, trace, failure, stated, mark["stop"], calls, logprobs)
    stop = output.choices[0].stop_reason if output.choices else "unknown"
    failure, calls = _failure_in(output, message), _calls_of(message)
    if failure is None and wants == "image" and not images and not calls:
        failure = lost or Failure(Fault.MODEL, "no-image", message.text[:200])
    stated = replace(read_usage({"usage": usage.model_dump()}).usage, images=len(images), seconds=seconds)
    return Answer(message.text, images, (), failure, stated, _STOPS.get(stop, stop), calls, _logprobs_of(output))


def _calls_of(message: ChatMessageAssistant) -> tuple[Call, ...]:
    """The tool calls of a message; arguments that could not be parsed stay raw text."""
    return tuple(
        Call(call.id, call.function, call.arguments if call.parse_error is None else _raw_arguments(call))
        for call in message.tool_calls or ()
    )


def _raw_arguments(call: ToolCall) -> str:
    """What the model wrote as arguments; Inspect keeps it under the name of the function, or only in the error."""
    raw = call.arguments.get(call.function)
    return raw if isinstance(raw, str) else str(call.parse_error)


def _logprobs_of(output: ModelOutput) -> tuple[dict[str, float], ...]:
    logprobs = output.choices[0].logprobs if output.choices else None
    return tuple(
        {token.token: token.logprob, **{other.token: other.logprob for other in token.top_logprobs or ()}}
        for token in (logprobs.content if logprobs else ())
    )


def _revived(value: Any) -> Any:
    """The value of a trace with its data URIs as artefacts again."""
    if isinstance(value, list):
        return [_revived(part) for part in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {ARTEFACT, "media_type"}:
        image = _picture(value[ARTEFACT])
        return Artefact(image.data, value["media_type"]) if isinstance(image, Artefact) else value
    return {name: _revived(part) for name, part in value.items()}


def empty_of_pictures(output: ModelOutput) -> None:
    """Replace an output's images by their blob keys; Inspect logs images of outputs even with log_images=False."""
    mark = (output.metadata or {}).get(MARK)
    if mark is not None:
        mark["trace"] = _keyed(mark["trace"])
    for choice in output.choices:
        for part in choice.message.content if isinstance(choice.message.content, list) else ():
            if isinstance(part, ContentImage):
                picture = _picture(part.image)
                part.image = f"sha256:{picture.sha256}" if isinstance(picture, Artefact) else picture.name


def _keyed(value: Any) -> Any:
    """The value of a trace with its data URIs replaced by blob keys."""
    if isinstance(value, list):
        return [_keyed(part) for part in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {ARTEFACT, "media_type"}:
        image = _picture(value[ARTEFACT])
        return {**value, ARTEFACT: image.sha256} if isinstance(image, Artefact) else value
    return {name: _keyed(part) for name, part in value.items()}


def _failure_in(output: ModelOutput, message: ChatMessageAssistant) -> Failure | None:
    refused = isinstance(message.content, list) and any(getattr(part, "refusal", None) for part in message.content)
    if refused or output.error or (output.choices and output.choices[0].stop_reason == "content_filter"):
        return Failure(Fault.MODEL, "refusal", (output.error or message.text)[:200])
    if not output.choices:
        return Failure(Fault.MODEL, "no-response", "the reply holds no choice")
    return None


def _images_of(message: ChatMessageAssistant) -> tuple[tuple[Artefact, ...], Failure | None]:
    """The images of a message, and the failure of the last one that could not be read."""
    parts = message.content if isinstance(message.content, list) else []
    decoded = [_picture(part.image) for part in parts if isinstance(part, ContentImage)]
    lost = [failure for failure in decoded if isinstance(failure, Failure)]
    return tuple(picture for picture in decoded if isinstance(picture, Artefact)), lost[-1] if lost else None


def _picture(uri: str) -> Artefact | Failure:
    head = _DATA_URI.match(uri)
    if head is None and re.match(r"https?://", uri):
        return Failure(Fault.INFRASTRUCTURE, "remote-image", "the reply links to a picture, which is not downloaded")
    if head is None:
        return Failure(Fault.INSTRUMENT, "image-not-logged", "the log was written without pictures")
    try:
        data = base64.b64decode(uri[head.end() :], validate=True)
    except (binascii.Error, ValueError) as error:
        return Failure(Fault.INFRASTRUCTURE, "broken-image", f"the picture is not valid base64: {error}")
    return Artefact(data, media_type_of(data))


class SetupError(PixelProofError, PrerequisiteError):
    """An error that Inspect's command line prints without a traceback."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = f"[bold]ERROR[/bold]: {escape(message)}"


@contextmanager
def setup_errors() -> Iterator[None]:
    """Convert errors that the user can correct into errors that Inspect prints without a traceback."""
    try:
        yield
    except PixelProofError as error:
        raise SetupError(str(error)) from error


def failure_of(error: BaseException) -> Failure:
    """The infrastructure fault for an exception of a provider; keys and tokens are removed from its text.

    >>> failure_of(ConnectionError("no route, api_key=abc123"))  # doctest: +ELLIPSIS
    Failure(fault=<Fault.INFRASTRUCTURE: ...>, name='api-error', detail='ConnectionError: no route, [secret]')
    """
    attempt: Any = getattr(error, "last_attempt", None)
    error = (attempt.exception() if attempt is not None else None) or error.__cause__ or error
    status, kind = getattr(error, "status_code", None) or getattr(error, "code", None), type(error).__name__.lower()
    if isinstance(error, TimeoutError) or "timeout" in kind:
        name = "timeout"
    elif status == 429 or "ratelimit" in kind or "toomanyrequests" in kind or "exhausted" in kind:
        name = "rate-limit"
    else:
        name = "api-error"
    return Failure(Fault.INFRASTRUCTURE, name, one_line(f"{type(error).__name__}: {error}")[:300])


def one_line(text: str) -> str:
    r"""A message of Inspect on one line, without markup and secrets.

    >>> one_line("[bold]ERROR[/bold]: No client\n\nNo [blue]SOME_KEY[/blue] defined.")
    'No client: No SOME_KEY defined.'
    """
    text = re.sub(r"\[/?[a-z ]*\]", "", text).strip().removeprefix("ERROR: ")
    return without_secrets(re.sub(r":?\s*\n\s*", ": ", text))


def without_secrets(text: str) -> str:
    """Remove all known keys, and whatever looks like one.

    >>> without_secrets("401: Incorrect API key provided: sk-abcd****wxyz.")
    '401: Incorrect API key provided: [secret].'
    """
    return _SECRET.sub("[secret]", scrub(text))
