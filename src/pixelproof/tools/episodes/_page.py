"""The evidence of steps, drawn and in words, and traces as a page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError
from pixelproof.pixels import thumbnail
from pixelproof.store import replacing
from pixelproof.tools._evidence import render_evidence
from pixelproof.tools._media import Media
from pixelproof.tools._result import ToolResult
from pixelproof.tools._trace import Step, Trace
from pixelproof.web import Child, Html, Page, cut, data_uri, duration, header, plural, section, static, tag

from ._files import TraceFile


def draw_step(media: Media, result: ToolResult) -> npt.NDArray[np.uint8] | None:
    """The evidence of a result over its frames, as `render_evidence` draws it; None if it does not fit the media.

    Evidence of a trace that was damaged, or that is about another clip, need not have a frame or a box that exists.
    """
    try:
        return render_evidence(media, result)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, PixelProofError):
        return None


def evidence_text(result: ToolResult) -> str:
    """The evidence of a result in one line.

    >>> evidence_text(ToolResult(True, "PROP", {}, {"colour_word": "red", "area": 0.25, "box": [0, 0, 500, 500]}, 1.0))
    'red, 25.0 % of the frame, box 0 0 500 500'
    """
    if not result.ok:
        return f"{result.error}: {result.message}"
    evidence = result.evidence
    parts = []
    if "text" in evidence:
        parts.append(f"reads {str(evidence['text'])!r}" if evidence["text"] else "no text")
    if "colour_word" in evidence:
        parts.append(str(evidence["colour_word"]))
    if isinstance(evidence.get("area"), float | int) and 0 <= evidence["area"] <= 1:
        parts.append(f"{100 * evidence['area']:.1f} % of the frame")
    if isinstance(evidence.get("centroid"), list):
        parts.append("centroid " + " ".join(map(str, evidence["centroid"])))
    if isinstance(evidence.get("aspect"), float | int):
        parts.append(f"aspect {evidence['aspect']:.2f}")
    if isinstance(evidence.get("border"), bool):
        parts.append("touches the border" if evidence["border"] else "inside the frame")
    if isinstance(evidence.get("box"), list):
        parts.append("box " + " ".join(map(str, evidence["box"])))
    if isinstance(evidence.get("frames"), list) and evidence["frames"]:
        frames = evidence["frames"]
        parts.append(f"frames {frames[0]} to {frames[-1]}" if result.tool == "TRK" else f"frames {_listed(frames)}")
    if isinstance(evidence.get("visible"), list):
        parts.append(f"visible in {sum(map(bool, evidence['visible']))} of {len(evidence['visible'])}")
    if result.conf is not None and result.conf < 1:
        parts.append(f"confidence {result.conf:.2f}")
    return ", ".join(parts)


def _listed(values: Sequence[Any]) -> str:
    return ", ".join(map(str, values))


MAX_BYTES = 30_000_000
"""Of all images of a page together; later ones are left out."""
MOST_TRACES = 100
SIDE, _STRIP = 640, 1200
"""Longest side in pixels of pictures, and of several frames side by side."""
_LONGEST = 2000
_MARK = b"PixelProof"


@dataclass
class Marks:
    """Remarks about a trace and its steps."""

    trace: list[str] = field(default_factory=list)
    steps: dict[int, str] = field(default_factory=dict)
    """Step, counted from 0 → what is wrong with it."""


class _Images:
    """Addresses of images within a budget."""

    def __init__(self, budget: int) -> None:
        self._left = budget
        self.left_out = 0

    def figure(self, data: bytes, caption: str) -> Html | None:
        uri = data_uri(data)
        if uri is None or len(uri) > self._left:
            self.left_out += 1
            return None
        self._left -= len(uri)
        return tag("figure", tag("img", src=uri, alt=caption or "evidence"), _caption(caption))


def _caption(text: str) -> Html | None:
    return tag("figcaption", text) if text else None


def trace_page(
    file: TraceFile,
    traces: Sequence[Trace],
    title: str = "Traces",
    page_summary: str = "",
    before: Child = None,
    marks: Mapping[str, Marks] | None = None,
    other: Path | None = None,
    max_bytes: int = MAX_BYTES,
) -> Page:
    """A page about traces.

    Args:
        file: The file with their media.
        traces: Those to show; at most `MOST_TRACES` are.
        title: The heading.
        page_summary: The line below it.
        before: What stands before the traces.
        marks: Id of a trace → what is said about it.
        other: A picture or clip to use instead of that of the traces.
        max_bytes: Of all images together.
    """
    images = _Images(max_bytes)
    shown = [
        _trace(trace, file, (marks or {}).get(trace.id), images, other, trace.question != title)
        for trace in traces[:MOST_TRACES]
    ]
    notes = []
    if len(traces) > MOST_TRACES:
        notes.append(f"{len(traces) - MOST_TRACES:,} further traces are not on this page. ")
    if images.left_out:
        notes.append(f"{plural(images.left_out, 'image')} left out for want of space.")
    legend = (
        "The evidence of a step is drawn over its frame, or over some of its frames; a call that failed shows what it "
        "asked about. The two codes of a step are the digests of its call and of its result. "
    )
    main = tag(
        "main", before, section("traces", "Traces" if len(traces) != 1 else "Steps", shown, note=[legend, notes])
    )
    return Page(f"PixelProof: {title}", [header(title, page_summary, []), main], [static("trace.css", __package__)])


def write_page(page: Page, path: Path) -> Path:
    """Write a page; only an older page of ours is replaced.

    Raises:
        PixelProofError: There is another file, or it cannot be written.
    """
    if path.is_dir() or (path.is_file() and _MARK not in path.read_bytes()[:4096]):
        raise PixelProofError(f"{path} exists and is no page of PixelProof: choose another --out.")
    with replacing(path, sync=False) as temporary:
        temporary.write_bytes(page.html().encode("utf-8", "replace"))
    return path


def _trace(
    trace: Trace, file: TraceFile, marks: Marks | None, images: _Images, other: Path | None, heading: bool = True
) -> Html:
    marks = marks or Marks()
    problem, media = None, None
    try:
        media = file.media(trace, other)
    except PixelProofError as error:
        problem = tag("p", str(error), class_="note")
    steps = [_step(step, media, file, images, marks.steps.get(number, "")) for number, step in enumerate(trace.steps)]
    entry = trace.media[0] if trace.media else {}
    about = [str(trace.provenance.get("generator", "")), str(entry.get("uri", "")), trace.id]
    return tag(
        "article",
        tag("h3", cut(trace.question, _LONGEST)) if heading else None,
        tag("span", " · ".join(filter(None, about)), class_="setting"),
        tag("ul", [tag("li", mark) for mark in marks.trace], class_="marks") if marks.trace else None,
        problem,
        _source(media, images),
        tag("ol", steps, class_="steps"),
        tag("p", tag("b", "Answer"), answer_text(trace), class_="given"),
        class_="trace",
    )


def _source(media: Media | None, images: _Images) -> Html | None:
    """The picture, or the first and the last frame of a clip."""
    if media is None:
        return None
    numbers = [0] if media.kind == "picture" else sorted({0, len(media) - 1})
    size = f"{media.width} × {media.height} pixels"
    figures = [
        images.figure(
            thumbnail(media.frames[number], SIDE).data, size if media.kind == "picture" else f"frame {number}, {size}"
        )
        for number in numbers
    ]
    return tag("div", figures, class_="shots asked")


def answer_text(trace: Trace) -> str:
    """The answer of a trace in words."""
    value = trace.answer.get("value")
    if value is None:
        return f"none ({trace.answer.get('failure', 'no answer')})"
    return cut(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), _LONGEST)


def _step(step: Step, media: Media | None, file: TraceFile, images: _Images, mark: str) -> Html:
    result = step.result
    arguments = step.call.arguments
    called = arguments if isinstance(arguments, str) else json.dumps(dict(arguments), ensure_ascii=False)
    digests = f"{result.call_digest[:12]} → {result.result_digest[:12]}"
    about = [digests, "repeated" if result.repeat else duration(result.cost.ms / 1000), result.backend]
    words = tag(
        "div",
        tag("p", cut(step.thought, _LONGEST), class_="thought") if step.thought else None,
        tag("p", tag("b", cut(step.call.tool, 40)), " ", cut(called, _LONGEST), class_="called"),
        tag("p", cut(evidence_text(result), _LONGEST), class_="outcome"),
        tag("p", mark, class_="outcome") if mark else None,
        tag("span", " · ".join(filter(None, about)), class_="setting"),
    )
    kinds = ["step", *(["failed"] if not result.ok else []), *(["flagged"] if mark else [])]
    return tag("li", words, tag("div", _shots(step, media, file, images), class_="shots"), class_=" ".join(kinds))


def _shots(step: Step, media: Media | None, file: TraceFile, images: _Images) -> Iterable[Html | None]:
    drawing = None if media is None else draw_step(media, step.result)
    if drawing is not None:
        yield images.figure(thumbnail(drawing, _STRIP if step.result.tool in ("TRK", "TEMP") else SIDE).data, "")
    picture = _picture_of(step, file)
    if picture is not None and step.result.tool != "TEMP":
        yield images.figure(picture, "what the model received")


def _picture_of(step: Step, file: TraceFile) -> bytes | None:
    if step.result.image is not None:
        return step.result.image.data
    return file.picture(step.picture) if step.picture else None


def trace_fragment(trace: Trace, file: TraceFile) -> Html:
    """One trace as a fragment for notebooks, with its own style and without scripts."""
    images = _Images(MAX_BYTES)
    plain = static("notebook.css", __package__)
    return tag("div", tag("style", Html(plain)), _trace(trace, file, None, images, None), class_="pixelproof-trace")
