"""Traces: a question, the calls that answered it with their results, and what is needed to execute them again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pixelproof.contract import Call, PixelProofError

from ._backends import Backends
from ._errors import ErrorCode
from ._media import Media
from ._result import ToolResult
from ._toolbox import Budget, Toolbox

VERSION = 1
KINDS = ("golden", "recovery", "trap", "model")
"""Shortest right chain; one that recovers from a wrong call; one that invites a wrong answer; what a model did."""
UNLIMITED = Budget(None, None, None, None, None, None)


@dataclass(frozen=True)
class Step:
    """One call of a trace and its result."""

    call: Call
    result: ToolResult
    thought: str = ""
    mask_loss: bool = False
    """Whether training leaves the call out: a mistake made on purpose."""

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        call = {"id": self.call.id, "tool": self.call.tool, "arguments": _arguments(self.call)}
        return {"thought": self.thought, "call": call, "result": self.result.to_json(), "mask_loss": self.mask_loss}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Step:
        """Read a step; pictures of results are not part of it."""
        call = Call(value["call"]["id"], value["call"]["tool"], value["call"]["arguments"])
        return cls(call, ToolResult.from_json(value["result"]), str(value["thought"]), bool(value["mask_loss"]))


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
            if value["version"] != VERSION:
                raise ValueError(f"version {value['version']} instead of {VERSION}")
            if value["kind"] not in KINDS:
                raise ValueError(f"unknown kind {value['kind']!r}")
            steps = tuple(Step.from_json(step) for step in value["steps"])
            rest = {key: value[key] for key in ("question", "answer", "difficulty", "kind", "targets", "provenance")}
            return cls(id=value["id"], media=tuple(value["media"]), steps=steps, version=VERSION, **rest)
        except (KeyError, TypeError, ValueError, RecursionError, AttributeError, PixelProofError) as error:
            raise PixelProofError(f"This line is no trace ({error}): give a file that PixelProof wrote.") from error


def describe_media(media: Media) -> dict[str, Any]:
    """The entry of a picture or clip in a trace."""
    return {"uri": media.uri, "sha256": media.sha256, "kind": media.kind, "fps": media.fps}


@dataclass(frozen=True)
class Mismatch:
    """A step that comes out otherwise when it is executed again."""

    step: int
    """Counted from 0."""
    what: str
    """`call`: another source, other arguments or another back end; `result`: the same call, another result."""
    recorded: ToolResult
    executed: ToolResult


def replay(steps: Sequence[Step], media: Media, backends: Backends | None = None) -> list[Mismatch]:
    """Execute the calls of a trace again, and compare both digests of each step.

    Calls that a budget refused are not executed: whether they are refused depends on time.

    Args:
        steps: The steps of a trace, in order.
        media: The picture or clip that the trace is about.
        backends: As in the session that made it.
    """
    toolbox, mismatches = Toolbox(media, backends, UNLIMITED), []
    for number, step in enumerate(steps):
        if step.result.error is not ErrorCode.BUDGET:
            again = toolbox.call(step.call)
            if again.call_digest != step.result.call_digest:
                mismatches.append(Mismatch(number, "call", step.result, again))
            elif again.result_digest != step.result.result_digest:
                mismatches.append(Mismatch(number, "result", step.result, again))
    return mismatches


def _arguments(call: Call) -> Any:
    """Arguments as JSON values; as text where they are none."""
    if isinstance(call.arguments, str):
        return call.arguments
    try:
        return json.loads(json.dumps(dict(call.arguments), allow_nan=False))
    except (ValueError, TypeError, RecursionError):
        return repr(call.arguments)
