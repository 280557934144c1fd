"""Images in requests and replies: masks, base64 and data URIs."""

from __future__ import annotations

import base64
import binascii
import re

from pixelproof.contract import Artefact, Fault, Prompt
from pixelproof.pixels import media_type_of

from .http import RequestFailed

MASK = "image/png;role=mask"
"""Media type of a mask for the first image of a prompt: white where the image may change, black elsewhere.

A mask has the size of that image. Models without masks receive it as an ordinary image.
"""

_DATA_URI = re.compile(r"data:[^,;]*(?:;[^,;]+)*;base64,", re.IGNORECASE)


def full_text(prompt: Prompt) -> str:
    """System text and text parts as one string, for models that accept neither a system text nor interleaved images."""
    return "\n\n".join(filter(None, (prompt.system, prompt.text)))


def images_and_mask(prompt: Prompt) -> tuple[list[Artefact], Artefact | None]:
    """The images of a prompt in order, and its mask, if any."""
    artefacts = [part for part in prompt.parts if not isinstance(part, str)]
    masks = [artefact for artefact in artefacts if artefact.media_type == MASK]
    return [artefact for artefact in artefacts if artefact.media_type != MASK], masks[-1] if masks else None


def plain_type(artefact: Artefact) -> str:
    """Media type of an artefact without parameters.

    >>> plain_type(Artefact(b"", MASK))
    'image/png'
    """
    return artefact.media_type.partition(";")[0]


def to_base64(artefact: Artefact) -> str:
    """The bytes of an artefact in base64."""
    return base64.b64encode(artefact.data).decode()


def decode_image(text: object) -> Artefact:
    """Decode an image in a reply from base64 or a data URI.

    Its media type is determined from its bytes, because replies often state a wrong one.

    Raises:
        RequestFailed: It is a link, or not an image.
    """
    if not isinstance(text, str) or not text:
        raise RequestFailed(Fault.INFRASTRUCTURE, "bad-response", "the reply announces an image but has no data")
    if re.match(r"https?://", text, re.IGNORECASE):
        # The target of a link can change, and can be any address.
        raise RequestFailed(
            Fault.INFRASTRUCTURE, "remote-image", "the reply links to an image, and links are never downloaded"
        )
    head = _DATA_URI.match(text)
    try:
        data = base64.b64decode("".join(text[head.end() if head else 0 :].split()), validate=True)
    except (binascii.Error, ValueError):
        raise RequestFailed(Fault.INFRASTRUCTURE, "bad-response", "the image is not valid base64") from None
    kind = media_type_of(data)
    if not kind.startswith("image/"):
        raise RequestFailed(Fault.INFRASTRUCTURE, "bad-response", "the data is not an image")
    return Artefact(data, kind)
