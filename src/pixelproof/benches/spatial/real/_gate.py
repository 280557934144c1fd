"""The gate: any model that reads images says whether a proposal is plausible, and may rewrite its text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pixelproof.benches.spatial.real._edit import RealEdit
from pixelproof.contract import Answer, Artefact, Prompt

Ask = Callable[[Prompt], Answer]
_TEXT = """\
The photograph is to be edited as this instruction says:

{text}

Boxes are drawn on it: orange where the thing is now, green where it will be{reference}{removal}. Is the instruction \
clear and is the edit possible in this scene: does the orange box fit the thing that is named, would the thing rest on \
something in its new place, and would it neither be inside another thing nor hidden?

Answer with a JSON object and nothing else: {{"verdict": "keep" or "drop", "reason": "one sentence", "text": "the \
instruction with a better name of the thing, or the same instruction"}}. Never change numbers or directions."""


@dataclass(frozen=True)
class GateVerdict:
    """What the gate says of a proposal."""

    verdict: Literal["keep", "drop", "unclear"]
    """`unclear`: the reply could not be read; a person decides."""
    reason: str
    text: str
    """The instruction, perhaps with another name of the thing."""


def gate_prompt(edit: RealEdit, overlay: Artefact) -> Prompt:
    """The photograph with its boxes, and the question."""
    reference = ", blue around the thing that it refers to" if edit.reference is not None else ""
    removal = "; a cross marks what is removed" if edit.after is None else ""
    text = _TEXT.format(text=edit.text, reference=reference, removal=removal)
    return Prompt((overlay, text), max_tokens=400)


def ask_gate(edit: RealEdit, overlay: Artefact, ask: Ask) -> GateVerdict:
    """Ask a model about a proposal."""
    answer = ask(gate_prompt(edit, overlay))
    if answer.failure is not None:
        return GateVerdict("unclear", f"the gate failed: {answer.failure.name}", edit.text)
    return read_verdict(answer.text, edit.text)


def read_verdict(reply: str, text: str) -> GateVerdict:
    """Read the reply of a gate; a text that changes the numbers of the instruction is not taken over.

    >>> read_verdict('{"verdict": "drop", "reason": "It would hang in the air."}', "Move it 10 cm up.").verdict
    'drop'
    >>> read_verdict('{"verdict": "keep", "text": "Move the cup 30 cm up."}', "Move it 10 cm up.").text
    'Move it 10 cm up.'
    >>> read_verdict("Looks good.", "Move it 10 cm up.").verdict
    'unclear'
    """
    match = re.search(r"\{.*\}", reply, re.DOTALL)
    try:
        content = json.loads(match[0]) if match else None
    except ValueError:
        content = None
    if not isinstance(content, dict) or content.get("verdict") not in ("keep", "drop"):
        return GateVerdict("unclear", f"the gate's reply could not be read: {reply.strip()[:120]!r}", text)
    given = content.get("text")
    rewritten = given.strip() if isinstance(given, str) else ""
    if not rewritten or _facts(rewritten) != _facts(text):
        rewritten = text
    reason = content.get("reason")
    return GateVerdict(content["verdict"], reason if isinstance(reason, str) else "", rewritten)


def _facts(text: str) -> list[str]:
    """Numbers and words of direction, in order: what a gate may not change."""
    words = r"\d+|left|right|towards|away|up|down|behind|front|anticlockwise|clockwise|remove"
    return re.findall(rf"\b(?:{words})\b", text.lower())
