"""`images/MODEL`: OpenAI-compatible endpoints that generate and edit images."""

from __future__ import annotations

import io
import secrets
from collections.abc import Sequence
from typing import Any

import numpy as np
from PIL import Image

from pixelproof.contract import Answer, Artefact, Item, PixelProofError, Prompt
from pixelproof.pixels import ImageError, read_image

from ._artefacts import decode_image, full_text, images_and_mask, plain_type
from ._conversation import require_image_prompt
from ._parameters import SERVICE, SIZE, YES_OR_NO, Parameter, one_of
from .http import RemoteModel, Request, bad_response, dig, no_image, text_at

_ALWAYS_BASE64 = ("gpt-image", "chatgpt-image")
"""Prefixes of models that refuse the parameter `response_format`."""

Field = tuple[str, str | Artefact]


class ImagesModel(RemoteModel):
    """Requests one image at a time.

    A prompt of text goes to `/images/generations`; a prompt with images, and optionally a mask, to `/images/edits`.
    """

    kind = "images"
    parameters = {
        "size": SIZE,
        "quality": one_of("auto", "low", "medium", "high", "standard", "hd"),
        "background": one_of("auto", "opaque", "transparent"),
        "moderation": one_of("auto", "low"),
        "input_fidelity": one_of("high", "low"),
        "output_format": one_of("png", "jpeg", "webp"),
        "output_compression": Parameter(r"\d{1,2}|100", "a whole number from 0 to 100"),
        "response_format": Parameter("b64_json|", "b64_json or empty"),
        "seed": YES_OR_NO,
        "service": SERVICE,
    }

    def _request(self, prompt: Prompt, item: Item, seed: int) -> Request:
        require_image_prompt(self.name, prompt, item)
        fields = self._settings(seed) | {"prompt": full_text(prompt)}
        images, mask = images_and_mask(prompt)
        if not images:
            return Request.of_json("/images/generations", fields)
        name = "image" if len(images) == 1 else "image[]"
        files: list[Field] = [(name, image) for image in images]
        if mask is not None:
            files.append(("mask", transparent_where_white(mask)))
        body, content_type = multipart([*((key, str(value)) for key, value in fields.items()), *files])
        return Request("/images/edits", body, content_type)

    def _settings(self, seed: int) -> dict[str, Any]:
        given = {key: value for key, value in self._given.items() if key not in ("service", "seed")}
        if not self._model.rpartition("/")[2].startswith(_ALWAYS_BASE64):
            given.setdefault("response_format", "b64_json")
        settings: dict[str, Any] = {"model": self._model, "n": 1, **{key: v for key, v in given.items() if v}}
        if "output_compression" in settings:
            settings["output_compression"] = int(settings["output_compression"])
        return settings | ({"seed": seed} if self._given.get("seed") == "yes" else {})

    def _read(self, content: Any, prompt: Prompt) -> Answer:
        results = dig(content, "data")
        if not isinstance(results, list):
            raise bad_response("list 'data'")
        images = tuple(decode_image(dig(result, "b64_json") or dig(result, "url")) for result in results)
        revised = tuple({"revised_prompt": text} for result in results if (text := text_at(result, "revised_prompt")))
        return Answer("", images, revised, None if images else no_image("the reply has no image"))


def transparent_where_white(mask: Artefact) -> Artefact:
    """Convert a mask to the format of these endpoints: transparent where the image may change.

    Raises:
        PixelProofError: The mask is not an image.
    """
    try:
        change = read_image(mask).mean(axis=2) >= 128
    except ImageError as error:
        raise PixelProofError(f"The mask of the prompt cannot be read: {error}") from error
    rgba = np.zeros((*change.shape, 4), np.uint8)
    rgba[..., 3] = np.where(change, 0, 255)
    buffer = io.BytesIO()
    Image.fromarray(rgba).save(buffer, "PNG")
    return Artefact(buffer.getvalue())


def multipart(fields: Sequence[Field]) -> tuple[bytes, str]:
    """Encode texts and files as `multipart/form-data`; returns the body and its content type."""
    boundary = secrets.token_hex(16)  # 128 random bits do not occur in an image
    pieces = []
    for number, (name, value) in enumerate(fields):
        if isinstance(value, str):
            head, data = f'name="{name}"', value.encode("utf-8", "replace")
        else:
            kind = plain_type(value)
            head = f'name="{name}"; filename="{number}.{kind.rpartition("/")[2]}"\r\nContent-Type: {kind}'
            data = value.data
        pieces += [f"--{boundary}\r\nContent-Disposition: form-data; {head}\r\n\r\n".encode(), data, b"\r\n"]
    return b"".join([*pieces, f"--{boundary}--\r\n".encode()]), f"multipart/form-data; boundary={boundary}"
