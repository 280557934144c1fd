"""A scripted agent for the toy bench `hunt`, and what it receives through different transports in one format."""

from __future__ import annotations

import hashlib
import json

from pixelproof_toy.hunt import Hunt

from pixelproof.contract import Answer, Call, Source
from pixelproof.harness import Plan

PLAN = Plan(Hunt(), Source("boxes"))
RECEIVED: list = []
"""What the agent received, in one format for all transports."""


def agent(messages, tools):
    """Open one box after the other; say the number once it is found."""
    RECEIVED.append((messages, tools))
    results = [text for role, text, *_ in messages if role == "tool"]
    if results and results[-1].startswith("It holds "):
        return Answer(results[-1].removeprefix("It holds ").rstrip("."))
    number = len(results)
    return Answer(f"Box {number}.", calls=(Call(f"call-{number}", "open_box", {"box": number}),))


def message(role, text, images=(), calls=(), call=None):
    return role, text, tuple(hashlib.sha256(image.encode()).hexdigest() for image in images), tuple(calls), call


def from_prompt(prompt):
    """The messages of a prompt of ours."""

    def parts(role, given, **more):
        texts, images = [p for p in given if isinstance(p, str)], [p.data_uri for p in given if not isinstance(p, str)]
        return message(role, "\n".join(texts), images, **more)

    messages = [parts("system", (prompt.system,))]
    for turn in prompt.history:
        calls = [(call.id, call.tool, json.dumps(call.arguments)) for call in turn.calls]
        messages.append(parts(turn.role, turn.parts, calls=calls, call=turn.call and turn.call.id))
    messages += [parts("user", prompt.parts)] if prompt.parts else []
    return messages, [(tool.name, tool.about, list(tool.parameters["properties"])) for tool in prompt.tools]


def from_chat(messages, tools):
    """Messages and tools in OpenAI's format."""
    converted = []
    for said in messages:
        content = said.get("content") or ""
        listed = [{"type": "text", "text": content}] if isinstance(content, str) else content
        texts = [part["text"] for part in listed if part["type"] == "text" and part["text"]]
        images = [part["image_url"]["url"] for part in listed if part["type"] == "image_url"]
        calls = [
            (call["id"], call["function"]["name"], json.dumps(json.loads(call["function"]["arguments"])))
            for call in said.get("tool_calls", ())
        ]
        role = {"assistant": "model"}.get(said["role"], said["role"])
        converted.append(message(role, "\n".join(texts), images, calls, said.get("tool_call_id")))
    functions = [tool["function"] for tool in tools]
    return converted, [(f["name"], f["description"], list(f["parameters"]["properties"])) for f in functions]


def from_inspect(messages, tools):
    """Messages and tools of Inspect AI."""
    converted = []
    for said in messages:
        parts = said.content if isinstance(said.content, list) else []
        texts = [part.text for part in parts if part.type == "text"] or [said.text]
        images = [part.image for part in parts if part.type == "image"]
        calls = [(c.id, c.function, json.dumps(c.arguments)) for c in getattr(said, "tool_calls", None) or ()]
        role = {"assistant": "model"}.get(said.role, said.role)
        call = getattr(said, "tool_call_id", None) if said.role == "tool" else None
        converted.append(message(role, "\n".join(texts), images, calls, call))
    return converted, [(tool.name, tool.description, list(tool.parameters.properties)) for tool in tools]


def hunter(prompt):
    """The agent as a Python function."""
    return agent(*from_prompt(prompt))
