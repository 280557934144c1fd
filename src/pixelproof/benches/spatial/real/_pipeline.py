"""From frames to proposals for review: sharp frames, lifted things, edits by rule, drawn boxes, and a model as gate."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from pixelproof.benches.spatial._gsi_files import GsiAnnotation
from pixelproof.benches.spatial.real._boxes import RealEdit
from pixelproof.benches.spatial.real._frames import Frame, Lifter, Pixels, sharpness
from pixelproof.benches.spatial.real._overlay import draw_edit
from pixelproof.benches.spatial.real._proposals import propose_edits
from pixelproof.contract import Answer, Artefact, Prompt
from pixelproof.pixels import encode_png
from pixelproof.stats import generator

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


@dataclass(frozen=True)
class Candidate:
    """A proposal with all that a reviewer is shown."""

    frame: Frame
    edit: RealEdit
    overlay: Pixels = field(repr=False)
    gate: GateVerdict | None = None
    """None without a gate."""
    target: Pixels | None = field(default=None, repr=False)
    """The photograph after the edit, where it is known."""

    @property
    def text(self) -> str:
        """The instruction, as the gate left it."""
        return self.gate.text if self.gate else self.edit.text

    def facts(self) -> dict[str, str]:
        """What a reviewer should know beside the text."""
        shown = {"operation": self.edit.operation, "thing": self.edit.target}
        if self.edit.before.score < 1:
            shown["detector"] = f"{self.edit.before.score:.0%}"
        if self.gate:
            shown["gate"] = f"{self.gate.verdict}: {self.gate.reason}".rstrip(": ")
        if self.text != self.edit.text:
            shown["before the gate"] = self.edit.text
        if self.frame.assumed:
            shown["camera"] = "assumed: no camera.json"
        return shown

    def annotation(self) -> dict[str, Any]:
        """The truth of the edit, as GSI-Bench writes it."""
        return annotation_of(self.edit, self.text, self.frame)


@dataclass(frozen=True)
class Rejected:
    """What a step left out, and why."""

    frame: str
    step: str
    """`sharpness`, `lifting`, `proposals` or `gate`."""
    reason: str
    text: str = ""


@dataclass(frozen=True)
class Settings:
    """What the steps are done with."""

    seed: int = 0
    sharpness: float = 0.6
    """Least share of high frequencies of a frame; 0: all frames."""
    per_frame: int = 8
    """Number of proposals per frame."""


def find_candidates(
    frames: Iterable[Frame], lifter: Lifter, settings: Settings, ask: Ask | None = None
) -> Iterator[Candidate | Rejected]:
    """Proposals of frames, and what was rejected on the way; frame by frame.

    Args:
        frames: The frames, sampled already.
        lifter: Finds things and where they are.
        settings: Of the steps.
        ask: Answers prompts of the gate; None: no gate.
    """
    for place, frame in enumerate(frames):
        sharp = sharpness(frame.rgb)
        if sharp < settings.sharpness:
            yield Rejected(frame.name, "sharpness", f"blurry: {sharp:.2f} is below {settings.sharpness:g}")
            continue
        boxes = lifter.lift(frame)
        if not boxes:
            yield Rejected(frame.name, "lifting", "nothing was found")
            continue
        edits = propose_edits(frame, boxes, generator(settings.seed, "spatial/real", place), settings.per_frame)
        if not edits:
            yield Rejected(frame.name, "proposals", f"no edit fits {len(boxes)} things")
        for edit in edits:
            yield _gated(frame, edit, ask)


def _gated(frame: Frame, edit: RealEdit, ask: Ask | None) -> Candidate | Rejected:
    overlay = draw_edit(frame, edit)
    verdict = ask_gate(edit, encode_png(overlay), ask) if ask else None
    if verdict and verdict.verdict == "drop":
        return Rejected(frame.name, "gate", verdict.reason or "no reason given", edit.text)
    return Candidate(frame, edit, overlay, verdict, frame.execute(edit) if frame.execute else None)


def annotation_of(edit: RealEdit, text: str, frame: Frame) -> dict[str, Any]:
    """An edit as GSI-Bench writes it: boxes in the camera's frame."""
    after = edit.after
    annotation = GsiAnnotation(
        text,
        edit.target,
        edit.before.vector(),
        None if after is None else after.vector(),
        edit.before.rotation,
        None if after is None else after.rotation,
        tuple(tuple(row) for row in np.asarray(frame.intrinsics, dtype=float).tolist()),
        None if edit.reference is None else edit.reference.label,
        None if edit.reference is None else edit.reference.centre,
    )
    return {name: value for name, value in vars(annotation).items() if value is not None}


def counted(rejected: Iterable[Rejected]) -> Mapping[str, int]:
    """Step → number of frames or proposals that it left out."""
    return Counter(one.step for one in rejected)
