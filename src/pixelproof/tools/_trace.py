"""Traces: a question, the calls that answered it with their results, and what is needed to execute them again."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pixelproof.contract import Call, PixelProofError
from pixelproof.pixels import read_image
from pixelproof.store import digest

from ._backends import Backends
from ._calls import ErrorCode, ParsedCall, ToolError
from ._media import Media
from ._result import ToolResult, fail
from ._toolbox import Budget, Toolbox, raw_arguments

VERSION = 1
KINDS = ("golden", "recovery", "trap", "model")
"""Shortest right chain; one that recovers from a wrong call; one that invites a wrong answer; what a model did."""
UNLIMITED = Budget(None, None, None, None, None, None)
_OBJECT, _LIST, _TEXT = (dict, "object"), (list, "list"), (str, "text")
_TYPES: Mapping[str, tuple[type, str]] = {
    "id": _TEXT, "question": _TEXT, "media": _LIST, "answer": _OBJECT, "steps": _LIST, "targets": _OBJECT,
    "provenance": _OBJECT,
}  # fmt: skip


@dataclass(frozen=True)
class Step:
    """One call of a trace and its result."""

    call: Call
    result: ToolResult
    thought: str = ""
    mask_loss: bool = False
    """Whether training leaves the call out: a mistake made on purpose."""
    picture: str = ""
    """SHA-256 of the result's picture, where the result was read without it; empty if there is none."""

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        call = {"id": self.call.id, "tool": self.call.tool, "arguments": _arguments(self.call)}
        result = self.result.to_json()
        if self.picture and result["image"] is None:
            result["image"] = {"sha256": self.picture, "media_type": "image/png"}
        return {"thought": self.thought, "call": call, "result": result, "mask_loss": self.mask_loss}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Step:
        """Read a step; of the result's picture, it has the hash."""
        call = Call(value["call"]["id"], value["call"]["tool"], value["call"]["arguments"])
        if not isinstance(call.id, str) or not isinstance(call.tool, str) or not isinstance(call.arguments, str | dict):
            raise TypeError("a call has a field of the wrong type")
        image = value["result"]["image"]
        picture = "" if image is None else str(image["sha256"])
        result = ToolResult.from_json(value["result"])
        return cls(call, result, str(value["thought"]), bool(value["mask_loss"]), picture)


@dataclass(frozen=True)
class Trace:
    """One record of a file of traces (chain of tool actions), one JSON object per line."""

    id: str
    media: tuple[Mapping[str, Any], ...]
    """`uri`, `sha256`, `kind` (picture or clip) and `fps` of each."""
    question: str
    answer: Mapping[str, Any]
    """`type`, `value`, and `tolerance` where there is one."""
    steps: tuple[Step, ...] = ()
    difficulty: float | None = None
    kind: str = "model"
    """One of `KINDS`."""
    targets: Mapping[str, Any] = field(default_factory=dict)
    """True `boxes`, `masks`, `spans` and `text`, where they are known."""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    """`generator`, `seed`, `version`."""
    version: int = VERSION
    edited: bool = field(default=False, compare=False)
    """Whether the line that it was read from has another digest than it states."""

    @property
    def digest(self) -> str:
        """Hash of what the model received and wrote: media, question, thoughts, calls, digests of results, answer.

        It shows that a line was edited, not by whom: whoever edits it can compute it again.
        """
        steps = [
            [step.thought, step.call.tool, _arguments(step.call), step.result.call_digest, step.result.result_digest]
            for step in self.steps
        ]
        media = [entry.get("sha256") for entry in self.media]
        return digest([media, self.question, steps, dict(self.answer)])

    def to_json(self) -> str:
        """One line of JSON."""
        value = {
            "version": self.version,
            "id": self.id,
            "media": [dict(entry) for entry in self.media],
            "question": self.question,
            "answer": dict(self.answer),
            "difficulty": self.difficulty,
            "kind": self.kind,
            "steps": [step.to_json() for step in self.steps],
            "targets": dict(self.targets),
            "provenance": dict(self.provenance),
            "digest": self.digest,
        }
        return json.dumps(value, ensure_ascii=True, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Trace:
        """Read one line.

        Raises:
            PixelProofError: It is no trace of this version.
        """
        try:
            value = json.loads(text)
            if not isinstance(value, dict):
                raise TypeError("it is not a JSON object")
            if value["version"] != VERSION:
                raise ValueError(f"it has format version {value['version']!r}, and this release reads {VERSION}")
            if value["kind"] not in KINDS:
                raise ValueError(f"unknown kind {value['kind']!r}")
            _check_types(value)
            steps = tuple(Step.from_json(step) for step in value["steps"])
            rest = {key: value[key] for key in ("question", "answer", "difficulty", "kind", "targets", "provenance")}
            trace = cls(id=value["id"], media=tuple(value["media"]), steps=steps, **rest)
            return replace(trace, edited=value.get("digest", trace.digest) != trace.digest)
        except (KeyError, TypeError, ValueError, RecursionError, AttributeError, PixelProofError) as error:
            reason = f"it lacks {error}" if isinstance(error, KeyError) else error
            raise PixelProofError(f"This line is no trace ({reason}): give a file that PixelProof wrote.") from error


def _check_types(value: Mapping[str, Any]) -> None:
    for name, (kind, word) in _TYPES.items():
        if not isinstance(value[name], kind):
            raise TypeError(f"the field {name} is not of type {word}")
    if not all(isinstance(entry, dict) for entry in value["media"]):
        raise TypeError("an entry of media is not an object")


def describe_media(media: Media) -> dict[str, Any]:
    """The entry of a picture or clip in a trace."""
    return {"uri": media.uri, "sha256": media.sha256, "kind": media.kind, "fps": media.fps}


@dataclass(frozen=True)
class Mismatch:
    """A step that comes out otherwise when it is executed again."""

    step: int
    """Counted from 0."""
    what: str
    """`call`: another source, other arguments or another back end; `result`: the same call, another result; `record`:
    the digests are right, but what the trace shows beside them is not what they stand for."""
    recorded: ToolResult
    executed: ToolResult


def replay(
    steps: Sequence[Step],
    media: Media,
    backends: Backends | None = None,
    pictures: Callable[[str], bytes | None] = lambda key: None,
) -> list[Mismatch]:
    """Execute the calls of a trace again, and compare both digests of each step, and what is recorded beside them.

    Calls that a budget refused are not executed, since whether they are refused depends on time: their record must be
    that of a refusal.

    Args:
        steps: The steps of a trace, in order.
        media: The picture or clip that the trace is about.
        backends: As in the session that made it.
        pictures: From the hash of a result's picture to its file; None if it is not stored.
    """
    toolbox, mismatches = Toolbox(media, backends, UNLIMITED), []
    for number, step in enumerate(steps):
        refused = step.result.error is ErrorCode.BUDGET
        again = _refusal(step.result) if refused else toolbox.call(step.call)
        if what := _difference(step, again, pictures):
            mismatches.append(Mismatch(number, what, step.result, again))
    return mismatches


def _refusal(recorded: ToolResult) -> ToolResult:
    """What a call that a budget refused gives: no evidence, and the digest of the error."""
    error = ToolError(ErrorCode.BUDGET, recorded.message)
    return fail(ParsedCall(recorded.tool, recorded.args), error, recorded.call_digest, recorded.backend)


def _difference(step: Step, again: ToolResult, pictures: Callable[[str], bytes | None]) -> str:
    """What differs between a recorded result and that of the same call now; empty if nothing does."""
    recorded = step.result
    if again.call_digest != recorded.call_digest:
        return "call"
    if again.result_digest != recorded.result_digest:
        return "result"
    shown = [(r.ok, r.tool, dict(r.args), dict(r.evidence), r.conf, r.error) for r in (recorded, again)]
    return "" if shown[0] == shown[1] and _same_picture(step, again, pictures) else "record"


def _same_picture(step: Step, again: ToolResult, pictures: Callable[[str], bytes | None]) -> bool:
    """Whether the recorded picture has the pixels of the new one; its file may be encoded in another way."""
    key = step.picture if step.result.image is None else step.result.image.sha256
    if not key or again.image is None:
        return not key and again.image is None
    if key == again.image.sha256:
        return True
    data = step.result.image.data if step.result.image is not None else pictures(key)
    try:
        return data is not None and bool(np.array_equal(read_image(data), read_image(again.image.data)))
    except PixelProofError:
        return False


def _arguments(call: Call) -> Any:
    """Arguments as JSON values; where they are none, such as NaN, the text that has the same digest."""
    if isinstance(call.arguments, str):
        return call.arguments
    try:
        return json.loads(json.dumps(dict(call.arguments), allow_nan=False))
    except (ValueError, TypeError, RecursionError):
        return raw_arguments(call, None)
