"""Executing a trace again, and saying in words what differs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pixelproof.contract import PixelProofError
from pixelproof.tools._backends import Backends
from pixelproof.tools._media import Media
from pixelproof.tools._result import ToolResult
from pixelproof.tools._trace import Mismatch, Trace, replay


@dataclass(frozen=True)
class Replay:
    """A trace that was executed again."""

    trace: Trace
    mismatches: tuple[Mismatch, ...]
    same_media: bool
    """Whether all frames are those of the trace."""

    @property
    def same(self) -> bool:
        """Whether the media, both digests of every step and the digest of the trace are those of the record."""
        return self.same_media and not self.mismatches and not self.trace.edited

    @property
    def messages(self) -> list[str]:
        """What differs, a sentence for each step, counted from 1; empty if nothing does."""
        said = [_describe(mismatch, self) for mismatch in self.mismatches]
        if not self.same_media and not self.mismatches:
            said.append("The picture or clip differs from that of the trace, but in no frame that a step used.")
        if self.trace.edited and not self.mismatches:
            said.append("Question, thoughts or answer were edited: the digest of the trace is another.")
        return said


def backends_of(trace: Trace, **chosen: str | None) -> Backends:
    """The back ends that a trace was made with, as its provenance names them, unless others are chosen.

    Args:
        trace: The trace.
        **chosen: Names by tool: `seg`, `ocr`, `trk`; None: as in the trace, or the default.
    """
    recorded = trace.provenance.get("backends")
    names = {**(recorded if isinstance(recorded, dict) else {}), **{key: name for key, name in chosen.items() if name}}
    return Backends(
        **{key: name for key, name in names.items() if key in ("seg", "ocr", "trk") and isinstance(name, str)}
    )


def replay_trace(
    trace: Trace,
    media: Media,
    backends: Backends | None = None,
    pictures: Callable[[str], bytes | None] = lambda key: None,
) -> Replay:
    """Execute the calls of a trace again on a picture or clip, and compare both digests of each step.

    Args:
        trace: The trace.
        media: Its picture or clip, or another one.
        backends: Those of the trace, if left out.
        pictures: From the hash of a result's picture to its file, such as `TraceFile.picture`.

    Raises:
        PixelProofError: The trace has no media entry with a hash.
    """
    if not trace.media or not isinstance(trace.media[0].get("sha256"), str):
        raise PixelProofError(f"The trace {trace.id} has no media entry with a hash: it cannot be executed again.")
    mismatches = replay(trace.steps, media, backends or backends_of(trace), pictures)
    return Replay(trace, tuple(mismatches), media.sha256 == trace.media[0]["sha256"])


def _describe(mismatch: Mismatch, replayed: Replay) -> str:
    recorded, executed = mismatch.recorded, mismatch.executed
    head = f"Step {mismatch.step + 1} ({recorded.tool}): "
    if mismatch.what == "call":
        return head + f"it is another call: {_call_reason(recorded, executed, replayed.same_media)}."
    if mismatch.what == "record":
        return head + f"the trace shows what the call did not give: {_result_reason(recorded, executed)}."
    return head + f"the same call gives another result: {_result_reason(recorded, executed)}."


def _call_reason(recorded: ToolResult, executed: ToolResult, same_media: bool) -> str:
    if not executed.ok and recorded.ok:
        return f"now an error ({executed.error}: {executed.message.rstrip('.')})"
    if recorded.backend != executed.backend:
        return f"the back end was {recorded.backend or 'none'} and is {executed.backend or 'none'}"
    if not same_media:
        return "the pixels of its frame differ from those of the trace"
    if recorded.args != executed.args:
        return "the recorded arguments are not those of the call"
    return "the recorded digest is not that of the call"


def _result_reason(recorded: ToolResult, executed: ToolResult) -> str:
    if recorded.error != executed.error:
        return f"{recorded.error or 'a result'} was recorded, and it gives {executed.error or 'a result'}"
    keys = sorted(recorded.evidence.keys() | executed.evidence.keys())
    differing = [key for key in keys if recorded.evidence.get(key) != executed.evidence.get(key)]
    if recorded.conf != executed.conf:
        differing.append("conf")
    if recorded.args != executed.args:
        differing.append("args")
    if differing:
        return f"{', '.join(differing)} {'differs' if len(differing) == 1 else 'differ'}"
    if recorded.ok != executed.ok:
        return f"a {'success' if recorded.ok else 'failure'} was recorded, and it is none"
    same_picture = recorded.image_sha256 == executed.image_sha256
    return "the recorded digest is not that of the result" if same_picture else "its picture differs"
