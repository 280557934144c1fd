"""`gemini/MODEL`: Google's Gemini models, with text, images and tools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from pixelproof.contract import Answer, Artefact, Call, Item, Prompt, Tool, Turn

from ._artefacts import decode_image, plain_type, to_base64
from ._conversation import call_with, extra_of, is_own_id, move_images, parse_arguments, text_of, turns_of, with_ids
from ._logprobs import MAX_CANDIDATES, gemini_logprobs
from ._parameters import YES_OR_NO, one_of
from .http import RemoteModel, Request, Service, bad_response, dig, list_at, no_image, refusal, text_at

_ASPECTS = "1:1 1:4 1:8 2:3 3:2 3:4 4:1 4:3 4:5 5:4 8:1 9:16 16:9 21:9".split()
_STOPS = {"STOP": "stop", "MAX_TOKENS": "length", "": "stop"}
REFUSALS = frozenset(
    {
        "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII",
        "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION",
    }
)  # fmt: skip
"""Finish reasons that are a refusal."""


class GeminiModel(RemoteModel):
    """Sends a conversation to `generateContent`. Thoughts, text and images, go to the answer's trace."""

    kind = "gemini"
    parameters = {
        "aspect": one_of(*_ASPECTS),
        "size": one_of("512", "1K", "2K", "4K"),
        "thoughts": YES_OR_NO,
        "thinking": one_of("minimal", "low", "medium", "high"),
        "logprobs": YES_OR_NO,
        "safety": one_of("OFF", "BLOCK_NONE", "BLOCK_ONLY_HIGH", "BLOCK_MEDIUM_AND_ABOVE", "BLOCK_LOW_AND_ABOVE"),
    }

    def _service(self) -> tuple[Service, Mapping[str, str]]:
        address = "https://generativelanguage.googleapis.com"
        service = Service.from_environment("GOOGLE_GEMINI_BASE_URL", address, "GEMINI_API_KEY", "GOOGLE_API_KEY")
        return service, {"x-goog-api-key": service.key} if service.key else {}

    def _request(self, prompt: Prompt, item: Item, seed: int) -> Request:
        content: dict[str, Any] = {"contents": _contents(prompt), "generationConfig": self._config(prompt, seed)}
        if prompt.tools:
            content["tools"] = [{"functionDeclarations": [_declaration(tool) for tool in prompt.tools]}]
        if prompt.system:
            content["systemInstruction"] = {"parts": [{"text": prompt.system}]}
        if "safety" in self._given:
            content["safetySettings"] = [
                {"category": f"HARM_CATEGORY_{harm}", "threshold": self._given["safety"]}
                for harm in ("HARASSMENT", "HATE_SPEECH", "SEXUALLY_EXPLICIT", "DANGEROUS_CONTENT")
            ]
        return Request.of_json(f"/v1beta/models/{quote(self._model, safe='')}:generateContent", content)

    def _config(self, prompt: Prompt, seed: int) -> dict[str, Any]:
        draws = prompt.wants == "image"
        candidates = 0 if self._given.get("logprobs") == "no" else min(prompt.logprobs, MAX_CANDIDATES)
        image = {"aspectRatio": self._given.get("aspect"), "imageSize": self._given.get("size")}
        thinking = {
            "includeThoughts": self._given.get("thoughts") == "yes" or None,
            "thinkingLevel": self._given.get("thinking", "").upper() or None,
        }
        config = {
            "seed": seed,
            "responseModalities": ["TEXT", "IMAGE"] if draws else ["TEXT"],
            "imageConfig": _without_none(image) if draws else None,
            "thinkingConfig": _without_none(thinking),
            "temperature": self._decoding.temperature,
            # The tokens of an image count too, so a limit meant for text would cut it off.
            "maxOutputTokens": self._decoding.max_tokens or (None if draws else prompt.max_tokens),
            "responseLogprobs": candidates > 0 or None,
            "logprobs": candidates or None,
        }
        return {key: value for key, value in config.items() if value not in (None, {})}

    def _read(self, content: Any, prompt: Prompt) -> Answer:
        candidates = list_at(content, "candidates")
        blocked = text_at(content, "promptFeedback", "blockReason")
        if not candidates and blocked:
            reason = f"{blocked} {text_at(content, 'promptFeedback', 'blockReasonMessage')}"
            return Answer(failure=refusal(reason), stop=blocked.lower())
        if not candidates and dig(content, "usageMetadata") is None:
            raise bad_response("list 'candidates'")
        parts = list_at(content, "candidates", 0, "content", "parts")
        final = [part for part in parts if not dig(part, "thought")]
        text = "".join(text_at(part, "text") for part in final)
        images = tuple(decode_image(dig(blob, "data")) for part in final if (blob := _blob(part)) is not None)
        reason = text_at(content, "candidates", 0, "finishReason")
        detail = f"{reason} {text_at(content, 'candidates', 0, 'finishMessage')} {text}"
        calls = with_ids(_calls(final), prompt)
        failure = None
        if prompt.wants == "text" or not images:
            if reason in REFUSALS:
                failure = refusal(detail)
            elif prompt.wants == "image" and not calls:
                failure = no_image(detail)
        stop, logprobs = _STOPS.get(reason, reason.lower()), gemini_logprobs(dig(content, "candidates", 0))
        return Answer(text, images, _trace(content, parts), failure, stop=stop, calls=calls, logprobs=logprobs)

    def _states_no_image(self, content: Any) -> bool:
        details = list_at(content, "usageMetadata", "candidatesTokensDetails")
        return bool(details) and all(text_at(part, "modality") == "TEXT" for part in details)


def _part(part: str | Artefact) -> dict[str, Any]:
    if isinstance(part, str):
        return {"text": part}
    return {"inlineData": {"mimeType": plain_type(part), "data": to_base64(part)}}


def _contents(prompt: Prompt) -> list[dict[str, Any]]:
    """The conversation; all results of one model turn are in one content, as Google requires."""
    contents: list[dict[str, Any]] = []
    previous = ""
    # Images inside a function response are understood by the newest models only.
    for turn in move_images(turns_of(prompt), roles=("tool",)):
        if turn.role == "tool" and previous == "tool":
            contents[-1]["parts"].append(_response(turn))
        elif turn.role == "tool":
            contents.append({"role": "user", "parts": [_response(turn)]})
        else:
            parts = [_part(part) for part in turn.parts] + [_call_part(call) for call in turn.calls]
            contents.append({"role": turn.role, "parts": parts or [{"text": ""}]})
        previous = turn.role
    return contents


def _declaration(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.about, "parametersJsonSchema": dict(tool.parameters)}


def _call_part(call: Call) -> dict[str, Any]:
    arguments = {"arguments": call.arguments} if isinstance(call.arguments, str) else dict(call.arguments)
    return {"functionCall": {**_id(call), "name": call.tool, "args": arguments}, **extra_of(call)}


def _response(turn: Turn) -> dict[str, Any]:
    if turn.call is None:
        return {"text": text_of(turn)}
    return {"functionResponse": {**_id(turn.call), "name": turn.call.tool, "response": {"result": text_of(turn)}}}


def _id(call: Call) -> dict[str, str]:
    """The id that Google gave the call; ids of our own stay here."""
    return {} if is_own_id(call.id) else {"id": call.id}


def _calls(parts: Iterable[Any]) -> Iterator[Call]:
    for part in parts:
        call = dig(part, "functionCall") or dig(part, "function_call")
        if name := text_at(call, "name"):
            # Newer models refuse a call that comes back without its signature.
            signature = text_at(part, "thoughtSignature") or text_at(part, "thought_signature")
            extra = {"thoughtSignature": signature} if signature else {}
            yield call_with(extra, text_at(call, "id"), name, parse_arguments(dig(call, "args")))


def _blob(part: Any) -> Any:
    """The inline data of a part; proxies of Gemini spell the field in either way."""
    return dig(part, "inlineData") or dig(part, "inline_data")


def _trace(content: Any, parts: Any) -> tuple[dict[str, str], ...]:
    """The version of the model, and its thoughts in order."""
    version = text_at(content, "modelVersion")
    steps = [{"served_by": version}] if version else []
    for part in parts:
        if dig(part, "thought") and text_at(part, "text"):
            steps.append({"thought": text_at(part, "text")})
        elif dig(part, "thought") and _blob(part) is not None:
            data, kind = text_at(_blob(part), "data"), text_at(_blob(part), "mimeType")
            steps.append({"thought_image": f"data:{kind};base64,{data}"})
    return tuple(steps)


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}
