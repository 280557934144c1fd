"""Between our vocabulary and Inspect's: prompts become messages, outputs become answers, exceptions become failures."""

from __future__ import annotations

import base64
import binascii
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from inspect_ai._util.error import PrerequisiteError  # it is public nowhere, and all providers use it
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentText,
    ModelOutput,
    ModelUsage,
    StopReason,
)
from rich.markup import escape

from pixelproof.contract import Answer, Artefact, Failure, Fault, PixelProofError, Prompt, Usage
from pixelproof.pixels import media_type_of

MARK = "pixelproof"
"""Key in an output's metadata of what Inspect has no field for."""

_STOPS: dict[str, str] = {"max_tokens": "length", "model_length": "length"}
_DATA_URI = re.compile(r"data:[\w.+-]*/[\w.+-]*(?:;[\w.+=-]+)*;base64,")
_SECRET = re.compile(
    r"(?i)\bbearer\s+\S+|\b(?:api[-_ ]?key|key|token|secret|password)['\"]?\s*[=:]\s*['\"]?[^\s'\",&)]+"
    r"|\b(?:sk|pk|rk|gsk|hf|xai|AIza)[-_]?[\w*-]{8,}"
)


def data_uri(artefact: Artefact) -> str:
    """An artefact as it stands in a message.

    >>> data_uri(Artefact(b"abc"))
    'data:image/png;base64,YWJj'
    """
    return f"data:{artefact.media_type};base64,{base64.b64encode(artefact.data).decode()}"


def messages_of(prompt: Prompt) -> list[ChatMessage]:
    """The messages that show a prompt: its parts in order, pictures as data URIs."""
    parts: list[Content] = [
        ContentText(text=part) if isinstance(part, str) else ContentImage(image=data_uri(part)) for part in prompt.parts
    ]
    user = ChatMessageUser(content=parts)
    return [ChatMessageSystem(content=prompt.system), user] if prompt.system else [user]


def output_of(answer: Answer, model: str) -> ModelOutput:
    """An answer of ours as an output; `answer_from` gives the same answer back."""
    content: list[Content] = [ContentText(text=answer.text)] if answer.text else []
    content += [ContentImage(image=data_uri(image)) for image in answer.images]
    stop: StopReason = {"stop": "stop", "length": "max_tokens"}.get(answer.stop, "unknown")  # type: ignore[assignment]
    message = ChatMessageAssistant(content=content, model=model, source="generate")
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
                "trace": list(answer.trace),
                "stop": answer.stop,
                "images": usage.images,
            }
        },
    )


def answer_from(output: ModelOutput, wants: Literal["text", "image"] = "text") -> Answer:
    """What came back, with a named failure where what was wanted is not there.

    A picture that is only linked to is never downloaded: whoever controls the link could change it later.
    """
    mark = (output.metadata or {}).get(MARK)
    message = output.choices[0].message if output.choices else ChatMessageAssistant(content="")
    images, lost = _images_of(message)
    usage = _usage_of(output, len(images) if mark is None else mark["images"])
    if mark is not None:
        failure = mark["failure"] and Failure(Fault(mark["failure"][0]), *mark["failure"][1:])
        return Answer(message.text, images, tuple(mark["trace"]), failure, usage, mark["stop"])
    stop = output.choices[0].stop_reason if output.choices else "unknown"
    failure = _failure_in(output, message)
    if failure is None and wants == "image" and not images:
        failure = lost or Failure(Fault.MODEL, "no-image", message.text[:200])
    return Answer(message.text, images, (), failure, usage, _STOPS.get(stop, stop))


def empty_of_pictures(output: ModelOutput) -> None:
    """Leave only the blob keys of an output's pictures; Inspect would log them whole, even when told not to."""
    for choice in output.choices:
        for part in choice.message.content if isinstance(choice.message.content, list) else ():
            if isinstance(part, ContentImage):
                picture = _picture(part.image)
                part.image = f"sha256:{picture.sha256}" if isinstance(picture, Artefact) else picture.name


def _failure_in(output: ModelOutput, message: ChatMessageAssistant) -> Failure | None:
    refused = isinstance(message.content, list) and any(getattr(part, "refusal", None) for part in message.content)
    if refused or output.error or (output.choices and output.choices[0].stop_reason == "content_filter"):
        return Failure(Fault.MODEL, "refusal", (output.error or message.text)[:200])
    if not output.choices:
        return Failure(Fault.MODEL, "no-response", "the reply holds no choice")
    return None


def _images_of(message: ChatMessageAssistant) -> tuple[tuple[Artefact, ...], Failure | None]:
    """The pictures of a message, and why one of them could not be had."""
    parts = message.content if isinstance(message.content, list) else []
    found = [_picture(part.image) for part in parts if isinstance(part, ContentImage)]
    lost = [failure for failure in found if isinstance(failure, Failure)]
    return tuple(picture for picture in found if isinstance(picture, Artefact)), lost[-1] if lost else None


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


def _usage_of(output: ModelOutput, images: int) -> Usage:
    told = output.usage or ModelUsage()
    cached = (told.input_tokens_cache_read or 0) + (told.input_tokens_cache_write or 0)
    return Usage(told.input_tokens + cached, told.output_tokens, images, told.total_cost, output.time or 0.0)


class Told(PixelProofError, PrerequisiteError):
    """A sentence of ours that Inspect's own command line shows as it is, without a traceback."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.message = f"[bold]ERROR[/bold]: {escape(sentence)}"


@contextmanager
def told_plainly() -> Iterator[None]:
    """Where Inspect calls us while it sets up: what the user can put right is told in a sentence alone."""
    try:
        yield
    except PixelProofError as error:
        raise Told(str(error)) from error


def failure_of(error: BaseException) -> Failure:
    """The infrastructure fault behind an exception of a provider; keys and tokens are taken out of its text.

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
    r"""A message of Inspect's, fit for a sentence of ours: without mark-up, line breaks and secrets.

    >>> one_line("[bold]ERROR[/bold]: No client\n\nNo [blue]SOME_KEY[/blue] defined.")
    'No client: No SOME_KEY defined.'
    """
    text = re.sub(r"\[/?[a-z ]*\]", "", text).strip().removeprefix("ERROR: ")
    return without_secrets(re.sub(r":?\s*\n\s*", ": ", text))


def without_secrets(text: str) -> str:
    """Take out whatever looks like a key, and every key that stands in the environment.

    >>> without_secrets("401: Incorrect API key provided: sk-abcd****wxyz.")
    '401: Incorrect API key provided: [secret].'
    """
    for name, value in os.environ.items():
        if len(value) >= 8 and name.upper().endswith(("KEY", "TOKEN", "SECRET", "PASSWORD")):
            text = text.replace(value, "[secret]")
    return _SECRET.sub("[secret]", text)
