"""One question about a picture or clip of the user, answered by any model in an episode with tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

from pixelproof.contract import (
    Answer,
    Display,
    Item,
    Metric,
    PixelProofError,
    Prompt,
    Result,
    Source,
    option,
)
from pixelproof.harness._opened import Run
from pixelproof.harness._progress import Progress
from pixelproof.harness._uncalibrated import UncalibratedBench
from pixelproof.options import Decoding, ModelName, Settings
from pixelproof.store import digest
from pixelproof.tools import Backends, Budget, Media, Toolbox, Trace, describe_media, open_media, require_backends
from pixelproof.tools.episodes import FRAMES, VIEW, ToolEpisode, TraceFile, steps_of, trace_fragment, with_media

__all__ = ["TRACE", "Asked", "AskedFile", "ask"]

TRACE = "trace.jsonl"
"""Name of the file of traces in the directory of a question."""


@dataclass(frozen=True)
class AskedFile(UncalibratedBench):
    """A question about one file, as a bench of one item without a truth; nothing is scored but the use of tools."""

    name: ClassVar[str] = "ask"
    title: ClassVar[str] = "A question about a picture or clip"
    sources: ClassVar[Mapping[str, str]] = {"file": "a picture or clip"}
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric("calls", "calls of tools", calibrated=False, higher_is_better=None),
        Metric("errors", "calls that failed", calibrated=False, higher_is_better=False),
    )
    display: ClassVar[Display] = Display(headline=("calls", "errors"))

    question: str = option("", "the question")
    view: int = option(VIEW, "longest side in pixels of what the model is shown first; 0: nothing")
    frames: int = option(FRAMES, "frames of a clip that the model is shown first")
    calls: int = option(8, "most calls")
    seg: str = option("", "back end of SEG")
    ocr: str = option("", "back end of OCR")
    trk: str = option("", "back end of TRK")

    @property
    def backends(self) -> Backends:
        """The back ends by name."""
        chosen = {"seg": self.seg, "ocr": self.ocr, "trk": self.trk}
        return Backends(**{tool: name for tool, name in chosen.items() if name})

    def items(self, source: Source, seed: int, n: int | None) -> Iterator[Item]:
        """The one item."""
        assert source.data is not None, "ask gives the file"
        media = _opened(str(source.data.absolute()))
        identity = digest([media.sha256, self.question])[:12]
        inputs = {"question": self.question, "file": str(source.data.absolute()), "sha256": media.sha256}
        yield Item(f"ask/file/1/{identity}", inputs)

    def prompt(self, item: Item) -> Prompt:
        """The first prompt of the episode."""
        return self.episode(item).reset()

    def episode(self, item: Item) -> ToolEpisode:
        """An episode with the six tools."""
        toolbox = Toolbox(_opened(item.inputs["file"]), self.backends, Budget(calls=self.calls))
        return ToolEpisode(toolbox, self.question, self.view, self.frames)

    def score(self, item: Item, answer: Answer, judgements: Mapping[str, Answer]) -> Result:
        """The number of calls, and of those that failed."""
        results = [entry["result"] for entry in answer.trace if "result" in entry]
        counts = {"calls": float(len(results)), "errors": float(sum(not result["ok"] for result in results))}
        return Result(item.id, counts, failure=answer.failure)


@lru_cache(maxsize=2)
def _opened(path: str) -> Media:
    """The media of a file, decoded once."""
    return open_media(Path(path))


@dataclass(frozen=True, repr=False)
class Asked:
    """A question that was answered: the trace, its file, and the run. Notebooks show the chain with its evidence."""

    trace: Trace
    file: TraceFile
    run: Run

    @property
    def answer(self) -> str:
        """The answer; empty if there is none."""
        value = self.trace.answer.get("value")
        return value if isinstance(value, str) else ""

    def __repr__(self) -> str:
        """Question, answer, number of steps and directory, in one line."""
        steps = len(self.trace.steps)
        return f"Asked({self.trace.question!r}: {self.answer!r} after {steps} steps, {str(self.run.path)!r})"

    def _repr_html_(self) -> str:
        return trace_fragment(self.trace, self.file)


def ask(
    file: str | Path,
    question: str,
    model: ModelName,
    *,
    view: int = VIEW,
    frames: int = FRAMES,
    calls: int = 8,
    seg: str | None = None,
    ocr: str | None = None,
    trk: str | None = None,
    decoding: Decoding | None = None,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> Asked:
    """Ask a model a question about a picture or clip; it may use the six tools.

    The directory of the question holds a run, and the trace with its media in `trace.jsonl` and `trace.blobs/`.

    Args:
        file: The picture or clip.
        question: The question.
        model: As for `run`.
        view: Longest side in pixels of what the model is shown first; 0: nothing.
        frames: Frames of a clip that it is shown first.
        calls: Most calls.
        seg: Name of the back end of SEG; None: the default.
        ocr: Name of the back end of OCR; None: the default.
        trk: Name of the back end of TRK; None: the default.
        decoding: How the model generates.
        settings: Directory, resume, costs.
        progress: Is notified of the answer.

    Raises:
        PixelProofError: The set-up is wrong, or the model could not be reached.
    """
    path = Path(file)
    if not question.strip():
        raise PixelProofError("The question is empty: ask something about the picture.")
    for name, value, least in (("view", view, 0), ("frames", frames, 1), ("calls", calls, 1)):
        if value < least:
            raise PixelProofError(f"{name} must be {least} or more, not {value}.")
    require_backends(seg=seg, ocr=ocr, trk=trk)
    _opened.cache_clear()
    media, source = _opened(str(path.absolute())), path.read_bytes()
    bench = AskedFile(question, view, frames, calls, seg or "", ocr or "", trk or "")
    done = bench.run(path, model, decoding, settings, progress)
    for item, _, answer, _ in done.answers():
        trace = _trace_of(item, answer, bench, media, done.about.model)
        traces = TraceFile(done.path / TRACE)
        for step in trace.steps:
            if step.picture:
                traces.blobs.put(done.blob(step.picture))
        trace = with_media(trace, traces, source)
        traces.write([trace])
        return Asked(trace, traces, done)
    examples = "; ".join(f"{name}: {detail}" for name, detail in done.failure_examples().items())
    raise PixelProofError(f"There is no answer ({examples or done.state.state}): correct the cause, then add --resume.")


def _trace_of(item: str, answer: Answer, bench: AskedFile, media: Media, model: str) -> Trace:
    given: dict[str, Any] = {"type": "text", "value": answer.text}
    if answer.failure is not None or not answer.text:
        given = {"type": "none", "value": None, "failure": answer.failure.name if answer.failure else "empty"}
    backends = bench.backends
    names = {tool: getattr(backends, tool) for tool in ("seg", "ocr", "trk")}
    provenance = {"generator": model, "seed": 0, "version": version("pixelproof"), "backends": names}
    return Trace(item, (describe_media(media),), bench.question, given, steps_of(answer.trace), provenance=provenance)
