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
    """Read the reply of a gate; a text that changes more than names of things is not adopted.

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
    if not rewritten or not says_the_same(rewritten, text):
        rewritten = text
    reason = content.get("reason")
    return GateVerdict(content["verdict"], reason if isinstance(reason, str) else "", rewritten)


def says_the_same(rewritten: str, text: str) -> bool:
    """Whether a rewritten instruction differs in nothing but names of things.

    Verb, numbers with their units, directions, superlatives and negations must be the same, and words that both texts
    have must have the same order, so that two things do not exchange their parts.

    >>> says_the_same("Move the red coffee mug 10 cm up.", "Move the mug 10 cm up.")
    True
    >>> says_the_same("Remove the rightmost mug.", "Remove the leftmost mug.")
    False
    >>> says_the_same("Put the bowl 9 cm left of the mug.", "Put the mug 9 cm left of the bowl.")
    False
    """
    mine, theirs = _words(rewritten), _words(text)
    if not mine or not theirs or mine[0] != theirs[0] or _facts(rewritten) != _facts(text):
        return False
    shared = set(mine) & set(theirs) - _SMALL
    return [word for word in mine if word in shared] == [word for word in theirs if word in shared]


_SMALL = frozenset("the a an of to on in at it its that which is and with from by this".split())
_FACT = re.compile(
    r"\d+(?:[.,]\d+)?\s*(?:mm|cm|m|metres?|meters?|°|degrees?|%|times)?"
    r"|\b(?:left|right|towards|away|up|down|behind|front|above|below|under|beside|between|anticlockwise|counterclockwise"
    r"|clockwise|not|never|no|without|\w+most|\w+est|half|twice|double|bigger|larger|smaller)\b|n't\b"
)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _facts(text: str) -> list[str]:
    """Numbers with units, and words of direction, order, size and negation, in their order."""
    return [re.sub(r"\s", "", fact) for fact in _FACT.findall(text.casefold())]
