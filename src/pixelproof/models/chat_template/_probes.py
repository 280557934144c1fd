"""Conversations that the template is tried on: episodes with tools and images, and words to find again in the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

IMAGE: Mapping[str, Any] = {"type": "image"}
TOOL: Mapping[str, Any] = {
    "type": "function",
    "function": {
        "name": "ZOOM",
        "description": "Crop a box of a frame and enlarge it.",
        "parameters": {
            "type": "object",
            "properties": {"box": {"type": "array", "items": {"type": "integer"}}, "label": {"type": "string"}},
            "required": ["box"],
        },
    },
}
LABEL = 'größer "Ä"'
"""An argument that must survive: letters beyond ASCII, and quotation marks."""
Thoughts = Literal["plain", "tags"]


def text(words: str) -> dict[str, Any]:
    """A part of a message that is text."""
    return {"type": "text", "text": words}


def word(kind: str, number: int = 0) -> str:
    """A word that no template contains, and that is no part of another one.

    >>> word("thought", 2)
    'Qthought2Q'
    """
    return f"Q{kind}{number}Q"


def system() -> dict[str, Any]:
    """The first message."""
    return {"role": "system", "content": word("system")}


def user(*parts: Mapping[str, Any]) -> dict[str, Any]:
    """A user's message."""
    return {"role": "user", "content": list(parts)}


def call(number: int, thoughts: Thoughts = "plain") -> dict[str, Any]:
    """A model's message that calls a tool."""
    said = word("thought", number)
    function = {"name": "ZOOM", "arguments": {"box": [0, 0, 100 + number, 500], "label": LABEL}}
    return {
        "role": "assistant",
        "content": f"<think>\n{said}\n</think>\n\n{word('said', number)}" if thoughts == "tags" else said,
        "tool_calls": [{"type": "function", "id": f"call{number}", "function": function}],
    }


def result(number: int, parts: Sequence[Mapping[str, Any]] | None = None) -> dict[str, Any]:
    """The result of a call: an image between two texts, or other parts."""
    default = [text(word("before", number)), IMAGE, text(word("after", number))]
    content = default if parts is None else list(parts)
    return {"role": "tool", "name": "ZOOM", "tool_call_id": f"call{number}", "content": content}


def answer(number: int, thoughts: Thoughts = "plain") -> dict[str, Any]:
    """A model's last message."""
    said = word("answer", number)
    think = word("last", number)
    return {"role": "assistant", "content": f"<think>\n{think}\n</think>\n\n{said}" if thoughts == "tags" else said}


def episode(steps: int, thoughts: Thoughts = "plain", with_system: bool = True) -> list[dict[str, Any]]:
    """A question about an image, `steps` calls with results, an answer, and a second question with its answer."""
    messages = [system()] if with_system else []
    messages.append(user(IMAGE, text(word("question"))))
    for number in range(steps):
        messages += [call(number, thoughts), result(number)]
    messages += [answer(0, thoughts), user(text(word("question", 1))), answer(1, thoughts)]
    return messages


def images_in(messages: Sequence[Mapping[str, Any]]) -> int:
    """Number of images in a conversation."""
    return sum(
        part == IMAGE
        for message in messages
        for part in (message["content"] if isinstance(message["content"], list) else ())
    )
