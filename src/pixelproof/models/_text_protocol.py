"""Tool calls as text, for models that have none of their own.

`as_text` describes the tools in the system text and renders earlier calls and results as text; `read_reply` finds the
call or the answer in what the model wrote. A legal reply is one JSON object:

    {"tool": "zoom", "arguments": {"box": [0, 0, 500, 500]}}
    {"answer": "three"}
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from pixelproof.contract import Answer, Artefact, Call, Failure, Fault, Prompt, Tool, Turn, read_statement

from ._conversation import STRICT_JSON, is_shallow, merge_user_turns, parse_arguments, text_of, turns_of, with_ids

_CALL_RULE = '{"tool": NAME, "arguments": {...}} calls a tool; its result follows in the next message.'
_ANSWER_RULE = '{"answer": ...} gives your final answer.'
_OBJECT_START = re.compile(r'\{\s*"')
_BETWEEN_CALLS = re.compile(r"(?:[\s,`]|json|</?tool_call>)*")
_BEFORE_CALL = re.compile(r"(?:[\s\[`]|```\w*|<tool_call>)+\Z")
_MARK = re.compile(
    r"<\|?(?:tool_?calls?|python_tag)(?:_begin)?\|?>|\[TOOL_CALLS\]|<｜tool▁calls?▁begin｜>|<function=", re.IGNORECASE
)
"""How models are trained to mark a call, for the tool parser of their server."""
_TAGGED = re.compile(r"<function=([\w.-]+)>.*?</function>|(?:\[TOOL_CALLS\]|<｜tool▁sep｜>)([\w.-]+)", re.DOTALL)
_MAX_FAILURES = 1000
"""Places in a reply that look like the beginning of an object and are none."""


def uses_tools(prompt: Prompt) -> bool:
    """Whether the conversation has tools, now or in its history, so that the protocol applies."""
    return bool(prompt.tools) or any(turn.role == "tool" or turn.calls for turn in prompt.history)


def as_text(prompt: Prompt) -> Prompt:
    """The same conversation for a model that reads and writes only text.

    The result has no tools, no tool turns and no two user turns in a row; its last user turn is in `parts`, and
    `schema` describes a legal reply. A prompt without tools stays as it is, with its user turns merged.
    """
    if not prompt.history and not prompt.tools:
        return prompt
    in_force = uses_tools(prompt)
    turns = merge_user_turns(_render(turn, prompt) if in_force else turn for turn in turns_of(prompt))
    last = turns.pop().parts if turns and turns[-1].role == "user" else ()
    plain = replace(prompt, parts=last, history=tuple(turns), tools=())
    if not in_force:
        return plain
    system = "\n\n".join(filter(None, (prompt.system, _rules(prompt.tools))))
    return replace(plain, system=system, schema=reply_schema(prompt), grammar=None)


def reply_schema(prompt: Prompt) -> dict[str, Any]:
    """JSON Schema of a legal reply: a call of one of the tools, or the final answer."""
    calls = [
        _object(tool={"const": tool.name}, arguments={"additionalProperties": False, **tool.parameters})
        for tool in prompt.tools
    ]
    answer = _object(answer=dict(prompt.schema) if prompt.schema else {"type": "string"})
    return {"anyOf": [*calls, answer]} if calls else answer


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _rules(tools: tuple[Tool, ...]) -> str:
    if not tools:
        return f"Reply with one JSON object and nothing else: {_ANSWER_RULE}"
    lines = ["Reply with one JSON object and nothing else, either of:", _CALL_RULE, _ANSWER_RULE, "", "Tools:"]
    lines += [f"- {tool.name}: {tool.about} Arguments: {_dumps(dict(tool.parameters))}" for tool in tools]
    return "\n".join(lines)


def _render(turn: Turn, prompt: Prompt) -> Turn:
    images = tuple(part for part in turn.parts if isinstance(part, Artefact))
    if turn.role == "tool":
        origin = f"Result of {turn.call.tool} ({turn.call.id}):" if turn.call else "Result:"
        return Turn("user", (origin, *turn.parts))
    if turn.role == "model":
        return Turn("model", (render_reply(text_of(turn), turn.calls, prompt), *images))
    return turn


def render_reply(text: str, calls: tuple[Call, ...], prompt: Prompt) -> str:
    """A model's message as the protocol writes it; `read_reply` gives the same text and calls back."""
    if not calls:
        return _dumps({"answer": _structured(text) if prompt.schema else text})
    written = [_dumps({"tool": call.tool, "arguments": call.arguments}) for call in calls]
    return "\n".join([text, *written] if text else written)


def _structured(text: str) -> Any:
    """An answer that has a schema of its own, as JSON; a string where it is none."""
    try:
        value = STRICT_JSON.decode(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict | list) and is_shallow(value) else text


def read_reply(answer: Answer, prompt: Prompt) -> Answer:
    """Find the calls or the final answer in a model's text.

    The first legal object counts: what a model writes after it, such as a result that it imagines, is dropped. Calls
    that follow each other directly all count. Text before a call is kept. A reply without a legal object stays the text
    of the answer. Takes linear time and raises nothing, whatever the text is.

    Args:
        answer: What the model wrote.
        prompt: The prompt with its tools, as it was before `as_text`.
    """
    if not uses_tools(prompt):
        return answer
    calls: list[Call] = []
    text, last_end = answer.text, 0
    for value, start, end in _json_objects(answer.text):
        if calls and not _BETWEEN_CALLS.fullmatch(answer.text, last_end, start):
            break
        call = _call_in(value, prompt.tools)
        if call is not None:
            text = text if calls else _BEFORE_CALL.sub("", answer.text[:start]).strip()
            calls.append(call)
            last_end = end
        elif calls:
            break
        elif value.get("answer") is not None:
            return replace(answer, text=_as_string(value["answer"]))
    return replace(answer, text=text, calls=with_ids(calls, prompt)) if calls else answer


def check_parsed(text: str, prompt: Prompt) -> Failure | None:
    """The failure of a reply with a well-formed call in its text: the server passed it on without parsing it.

    A call that is not well-formed is the model's own fault.
    """
    text = read_statement(text)
    if not prompt.tools or not _MARK.search(text):
        return None
    names = {name for pair in _TAGGED.findall(text) for name in pair}
    names |= {value.get("name") for value, _, _ in _json_objects(text) if isinstance(value.get("name"), str)}
    if not names & {tool.name for tool in prompt.tools}:
        return None
    return Failure(
        Fault.INFRASTRUCTURE,
        "no-tool-parser",
        "the server returned a tool call as text: start it with the model's tool parser (vLLM: "
        "--enable-auto-tool-choice --tool-call-parser …; SGLang: --tool-call-parser …; llama.cpp: --jinja). The reply: "
        f"{text[:80]!r}",
    )


def _call_in(value: Mapping[str, Any], tools: tuple[Tool, ...]) -> Call | None:
    """The call that an object stands for. An unknown tool is a call too: the bench says that it does not exist."""
    name = value.get("tool")
    if not isinstance(name, str) and "arguments" in value and value.get("name") in {tool.name for tool in tools}:
        name = value["name"]  # the format in which many models are trained to call tools
    if not tools or not isinstance(name, str) or not name:
        return None
    return Call("", name, parse_arguments(value.get("arguments")))


def _json_objects(text: str) -> Iterator[tuple[dict[str, Any], int, int]]:
    """The outermost JSON objects in a text, with where they begin and end.

    A failed attempt may have read up to the end of the text, and there may be as many attempts as braces. So the
    characters read in vain are limited to a multiple of the length.
    """
    position, wasted, failures = 0, 0, 0
    while failures < _MAX_FAILURES and wasted <= 16 * len(text) and (match := _OBJECT_START.search(text, position)):
        start = match.start()
        try:
            value, position = STRICT_JSON.raw_decode(text, start)
        except (ValueError, RecursionError) as error:
            exact = isinstance(error, json.JSONDecodeError) and not error.msg.startswith("Unterminated")
            wasted += (getattr(error, "pos", 0) if exact else len(text)) - start
            position, failures = start + 1, failures + 1
        else:
            if is_shallow(value):
                yield value, start, position


def _as_string(value: Any) -> str:
    return value if isinstance(value, str) else _dumps(value)


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
