"""A prompt as the messages and tools of chat completions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from pixelproof.contract import Artefact, Prompt, Tool, Turn

from ._conversation import arguments_text, extra_of, move_images, text_of, turns_of

Json: TypeAlias = "None | bool | int | float | str | Sequence[Json] | Mapping[str, Json]"
"""A JSON value."""
Message: TypeAlias = dict[str, Json]
"""A JSON object: a message, a content block or a tool."""
Block = Callable[[Artefact], Message]
"""From an image to its content block."""


def url_block(image: Artefact) -> Message:
    """An image as a data URI, as OpenAI's interface has it."""
    return {"type": "image_url", "image_url": {"url": image.data_uri}}


def chat_messages(prompt: Prompt, tool_images: bool = True, block: Block = url_block) -> list[Message]:
    """System text, history and parts of a prompt as chat messages.

    Args:
        prompt: The prompt.
        tool_images: Whether messages of tools may have images; if not, they follow in a message of the user.
        block: Writes an image.
    """
    system: list[Message] = [{"role": "system", "content": prompt.system}] if prompt.system else []
    turns = move_images(turns_of(prompt), roles=("model",) if tool_images else ("model", "tool"))
    return [*system, *(_message(turn, block) for turn in turns)]


def chat_tools(tools: Iterable[Tool]) -> list[Message]:
    """Tools as functions with JSON Schemas."""
    return [
        {"type": "function", "function": {"name": t.name, "description": t.about, "parameters": dict(t.parameters)}}
        for t in tools
    ]


def content_blocks(parts: Iterable[str | Artefact], block: Block = url_block) -> list[Message]:
    """Text and images as content blocks."""
    return [{"type": "text", "text": part} if isinstance(part, str) else block(part) for part in parts]


def _message(turn: Turn, block: Block) -> Message:
    # Small servers often accept only a plain string.
    plain = all(isinstance(part, str) for part in turn.parts)
    content = text_of(turn) if plain else content_blocks(turn.parts, block)
    if turn.role == "tool" and turn.call is not None:
        return {"role": "tool", "tool_call_id": turn.call.id, "content": content}
    if turn.role == "model":
        message: Message = {"role": "assistant", "content": content}
        calls: list[Message] = []
        for call in turn.calls:
            extra, function = extra_of(call), {"name": call.tool, "arguments": arguments_text(call)}
            written = {"id": call.id, "type": "function", "function": function, **extra.get("call", {})}
            calls.append(written)
            message |= extra.get("message", {})
        return message | ({"tool_calls": calls} if calls else {})
    return {"role": "user", "content": content}
