"""A small conversation with tools, and a replier that plays it: shared by the tests of every kind of model."""

from __future__ import annotations

import json
from typing import Any

from models.servers import picture
from pixelproof.contract import Answer, Call, Prompt, Tool, Turn

ZOOM = Tool(
    "zoom",
    "Enlarge a part of the image.",
    {
        "type": "object",
        "properties": {"x": {"type": "integer", "minimum": 0, "maximum": 9}},
        "required": ["x"],
        "additionalProperties": False,
    },
)
READ = Tool("read", "Read the text.", {"type": "object", "properties": {}})
START = Prompt(("What does the sign say?", picture(1)), system="Use the tools.", tools=(ZOOM, READ))
FIRST, SECOND, THIRD = Call("call-0", "zoom", {"x": 3}), Call("call-1", "read", {}), Call("call-2", "zoom", {"x": 4})
HISTORY = (
    Turn("user", START.parts),
    Turn("model", ("I look closer.",), calls=(FIRST, SECOND)),
    Turn("tool", ("enlarged", picture(2)), call=FIRST),
    Turn("tool", ("STOP",), call=SECOND),
)
LATER = Prompt((), system="Use the tools.", tools=(ZOOM, READ), history=HISTORY)
"""The prompt after the first two calls; no new user message."""


def scripted(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Answer:
    """Call both tools, then say what the last result was."""
    assert [tool["function"]["name"] for tool in tools] == ["zoom", "read"]
    results = [message["content"] for message in messages if message["role"] == "tool"]
    if not results:
        return Answer("I look closer.", calls=(Call("", "zoom", {"x": 3}), Call("", "read", {})))
    return Answer(json.dumps(results))
