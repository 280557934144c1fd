"""Pictures on their way to a model and back: base64, data URIs, masks."""

from __future__ import annotations

import base64
import binascii
import re

from pixelproof.contract import Artefact, Fault, Prompt
from pixelproof.pixels import media_type_of

from .http import Unanswered

MASK = "image/png;role=mask"
"""Media type of a prompt's part that says where its first picture is to be changed: there it is white, elsewhere black.

It has the size of that picture. Models that know no masks are shown it as a picture like any other.
"""

_DATA_URI = re.compile(r"data:[^,;]*(?:;[^,;]+)*;base64,", re.IGNORECASE)


def full_text(prompt: Prompt) -> str:
    """All that a prompt says, for models that know neither system messages nor places of pictures in a text."""
    return "\n\n".join(filter(None, (prompt.system, prompt.text)))


def pictures_of(prompt: Prompt) -> tuple[list[Artefact], Artefact | None]:
    """The pictures of a prompt in order, and its mask."""
    artefacts = [part for part in prompt.parts if not isinstance(part, str)]
    masks = [artefact for artefact in artefacts if artefact.media_type == MASK]
    return [artefact for artefact in artefacts if artefact.media_type != MASK], masks[-1] if masks else None


def plain_type(artefact: Artefact) -> str:
    """Media type without parameters.

    >>> plain_type(Artefact(b"", MASK))
    'image/png'
    """
    return artefact.media_type.partition(";")[0]


def to_base64(artefact: Artefact) -> str:
    """The bytes of a picture as text."""
    return base64.b64encode(artefact.data).decode()


def received(text: object) -> Artefact:
    """The picture that a reply holds as base64 or as a data URI.

    Its kind is told by its bytes; what the reply calls it is often wrong.

    Raises:
        Unanswered: It is a link, or not a picture.
    """
    if not isinstance(text, str) or not text:
        raise Unanswered(Fault.INFRASTRUCTURE, "bad-response", "the reply announces a picture and holds none")
    if re.match(r"https?://", text, re.IGNORECASE):
        # Whoever controls the link could change what is behind it, and could point it anywhere.
        raise Unanswered(
            Fault.INFRASTRUCTURE, "remote-image", "the reply links to a picture, which is never downloaded"
        )
    head = _DATA_URI.match(text)
    try:
        data = base64.b64decode("".join(text[head.end() if head else 0 :].split()), validate=True)
    except (binascii.Error, ValueError):
        raise Unanswered(Fault.INFRASTRUCTURE, "bad-response", "the picture is not valid base64") from None
    kind = media_type_of(data)
    if not kind.startswith("image/"):
        raise Unanswered(Fault.INFRASTRUCTURE, "bad-response", "what should be a picture is something else")
    return Artefact(data, kind)
