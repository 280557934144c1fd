"""`chat/MODEL`: OpenAI-compatible chat completions with text, images and tools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pixelproof.contract import Answer, Call, Fault, Item, Prompt

from ._artefacts import decode_image
from ._conversation import call_with, parse_arguments, with_ids
from ._gemini import REFUSALS
from ._logprobs import MAX_CANDIDATES, openai_logprobs
from ._messages import chat_messages, chat_tools
from ._parameters import SERVICE, YES_OR_NO, Parameter, one_of
from ._text_protocol import check_parsed
from .http import (
    RemoteModel,
    Request,
    RequestFailed,
    bad_response,
    dig,
    list_at,
    no_image,
    refusal,
    text_at,
)

_THOUGHTS = ("reasoning_details", "reasoning_content")
"""Fields of a message with calls that some services (OpenRouter, DeepSeek) require back in the next request."""
_SIGNATURES = ("extra_content",)
"""Likewise of a call: Google's signature of the thoughts behind it."""


class ChatModel(RemoteModel):
    """Sends a conversation to `/chat/completions`.

    Images of a reply are read from the message's `images`, where OpenRouter and similar gateways put them, and from
    the parts of its content.
    """

    kind = "chat"
    parameters = {
        "aspect": Parameter(r"[1-9]\d?:[1-9]\d?", "WIDTH:HEIGHT, such as 16:9"),
        "size": one_of("0.5K", "1K", "2K", "4K"),
        "logprobs": YES_OR_NO,
        "modalities": Parameter("image|image,text|text,image", "image or image,text"),
        "service": SERVICE,
    }

    def _request(self, prompt: Prompt, item: Item, seed: int) -> Request:
        draws = prompt.wants == "image"
        candidates = 0 if self._given.get("logprobs") == "no" else min(prompt.logprobs, MAX_CANDIDATES)
        image = {"aspect_ratio": self._given.get("aspect"), "image_size": self._given.get("size")}
        content = {
            "model": self._model,
            "messages": chat_messages(prompt, tool_images=False),
            "tools": chat_tools(prompt.tools) or None,
            "seed": seed,
            "temperature": self._decoding.temperature,
            "max_tokens": self._decoding.max_tokens or (None if draws else prompt.max_tokens),
            "logprobs": candidates > 0 or None,
            "top_logprobs": candidates or None,
            "modalities": self._given.get("modalities", "image,text").split(",") if draws else None,
            "image_config": {key: value for key, value in image.items() if value} if draws else None,
        }
        return Request.of_json("/chat/completions", {key: v for key, v in content.items() if v not in (None, {})})

    def _read(self, content: Any, prompt: Prompt) -> Answer:
        if not isinstance(dig(content, "choices"), list):
            raise bad_response("list 'choices'")
        choice, message = dig(content, "choices", 0), dig(content, "choices", 0, "message")
        text, images = _text(message), tuple(decode_image(url) for url in _urls(message))
        stop, native = text_at(choice, "finish_reason"), text_at(choice, "native_finish_reason")
        calls = with_ids(_calls(message), prompt)
        failure = None
        if not calls and (unparsed := check_parsed(text, prompt)):
            raise RequestFailed(unparsed.fault, unparsed.name, unparsed.detail)
        if prompt.wants == "text" or not images:
            if stop == "error":  # calls may be cut off, too
                reason = text_at(choice, "error", "message") or "the service stopped with an error"
                raise RequestFailed(Fault.INFRASTRUCTURE, "api-error", self._endpoint.service.scrub(reason))
            if text_at(message, "refusal") or stop == "content_filter" or native in REFUSALS:
                failure = refusal(text_at(message, "refusal") or f"{native or stop} {text}")
            elif prompt.wants == "image" and not calls:
                failure = no_image(text)
        stop = "stop" if stop in ("", "tool_calls") else stop
        logprobs = openai_logprobs(choice)
        return Answer(text, images, _trace(content, message), failure, stop=stop, calls=calls, logprobs=logprobs)


def _calls(message: Any) -> Iterator[Call]:
    thoughts = {"message": _present(message, _THOUGHTS)}
    for call in list_at(message, "tool_calls"):
        if name := text_at(call, "function", "name"):
            extra = thoughts | {"call": _present(call, _SIGNATURES)}
            arguments = parse_arguments(dig(call, "function", "arguments"))
            yield call_with({key: v for key, v in extra.items() if v}, text_at(call, "id"), name, arguments)
            thoughts = {}  # once per message


def _present(content: Any, keys: Sequence[str]) -> dict[str, Any]:
    return {key: value for key in keys if (value := dig(content, key)) is not None}


def _text(message: Any) -> str:
    """The text of a message, whose content is a string or a list of parts."""
    return text_at(message, "content") or "".join(text_at(part, "text") for part in list_at(message, "content"))


def _urls(message: Any) -> Iterator[Any]:
    """The image URLs of a message: those in its content, then those in its `images`."""
    for part in (*list_at(message, "content"), *list_at(message, "images")):
        image = dig(part, "image_url")
        if image is not None:
            yield image if isinstance(image, str) else dig(image, "url")


def _trace(content: Any, message: Any) -> tuple[dict[str, str], ...]:
    """The version of the model and its visible reasoning."""
    entries = {"served_by": text_at(content, "model"), "thought": text_at(message, "reasoning")}
    return tuple({name: text} for name, text in entries.items() if text)
