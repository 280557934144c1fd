"""`gemini/MODEL`: Google's Gemini models, with pictures in and out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from pixelproof.contract import Answer, Artefact, Item, Prompt, Usage

from ._parameters import YES_OR_NO, one_of
from ._pictures import plain_type, received, to_base64
from .http import RemoteModel, Request, Service, count_at, dig, list_at, no_image, not_understood, refusal, text_at

_ASPECTS = "1:1 1:4 1:8 2:3 3:2 3:4 4:1 4:3 4:5 5:4 8:1 9:16 16:9 21:9".split()
_STOPS = {"STOP": "stop", "MAX_TOKENS": "length", "": "stop"}
REFUSALS = frozenset(
    {
        "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII",
        "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION",
    }
)  # fmt: skip
"""Reasons to stop that are a refusal."""


class GeminiModel(RemoteModel):
    """Asks `generateContent`. What a model thinks, in words and pictures, goes to the answer's trace."""

    kind = "gemini"
    parameters = {
        "aspect": one_of(*_ASPECTS),
        "size": one_of("512", "1K", "2K", "4K"),
        "thoughts": YES_OR_NO,
        "thinking": one_of("minimal", "low", "medium", "high"),
        "safety": one_of("OFF", "BLOCK_NONE", "BLOCK_ONLY_HIGH", "BLOCK_MEDIUM_AND_ABOVE", "BLOCK_LOW_AND_ABOVE"),
    }

    def _service(self) -> tuple[Service, Mapping[str, str]]:
        address = "https://generativelanguage.googleapis.com"
        service = Service.find("GOOGLE_GEMINI_BASE_URL", address, "GEMINI_API_KEY", "GOOGLE_API_KEY")
        return service, {"x-goog-api-key": service.key} if service.key else {}

    def _request(self, prompt: Prompt, item: Item, seed: int) -> Request:
        content: dict[str, Any] = {
            "contents": [{"role": "user", "parts": [_part(part) for part in prompt.parts]}],
            "generationConfig": self._config(prompt, seed),
        }
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
        picture = {"aspectRatio": self._given.get("aspect"), "imageSize": self._given.get("size")}
        thinking = {
            "includeThoughts": self._given.get("thoughts") == "yes" or None,
            "thinkingLevel": self._given.get("thinking", "").upper() or None,
        }
        config = {
            "seed": seed,
            "responseModalities": ["TEXT", "IMAGE"] if draws else ["TEXT"],
            "imageConfig": _without_none(picture) if draws else None,
            "thinkingConfig": _without_none(thinking),
            "temperature": self._decoding.temperature,
            # The tokens of a picture count as well, so a limit that is meant for text would cut it off.
            "maxOutputTokens": self._decoding.max_tokens or (None if draws else prompt.max_tokens),
        }
        return {key: value for key, value in config.items() if value not in (None, {})}

    def _read(self, content: Any, prompt: Prompt) -> Answer:
        candidates = list_at(content, "candidates")
        blocked = text_at(content, "promptFeedback", "blockReason")
        if not candidates and blocked:
            why = f"{blocked} {text_at(content, 'promptFeedback', 'blockReasonMessage')}"
            return Answer(failure=refusal(why), stop=blocked.lower())
        if not candidates and dig(content, "usageMetadata") is None:
            raise not_understood("list 'candidates'")
        parts = list_at(content, "candidates", 0, "content", "parts")
        final = [part for part in parts if not dig(part, "thought")]
        text = "".join(text_at(part, "text") for part in final)
        images = tuple(received(dig(blob, "data")) for part in final if (blob := _blob(part)) is not None)
        reason = text_at(content, "candidates", 0, "finishReason")
        why = f"{reason} {text_at(content, 'candidates', 0, 'finishMessage')} {text}"
        failure = None
        if prompt.wants == "text" or not images:
            if reason in REFUSALS:
                failure = refusal(why)
            elif prompt.wants == "image":
                failure = no_image(why)
        return Answer(text, images, _trace(content, parts), failure, stop=_STOPS.get(reason, reason.lower()))

    def _usage(self, content: Any) -> Usage:
        told = dig(content, "usageMetadata")
        thoughts = count_at(told, "thoughtsTokenCount")
        return Usage(count_at(told, "promptTokenCount"), count_at(told, "candidatesTokenCount") + thoughts)


def _part(part: str | Artefact) -> dict[str, Any]:
    if isinstance(part, str):
        return {"text": part}
    return {"inlineData": {"mimeType": plain_type(part), "data": to_base64(part)}}


def _blob(part: Any) -> Any:
    """The picture in a part; services that pass Gemini on spell it either way."""
    return dig(part, "inlineData") or dig(part, "inline_data")


def _trace(content: Any, parts: Any) -> tuple[dict[str, str], ...]:
    """Which version answered, and what it thought on the way, in order."""
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
