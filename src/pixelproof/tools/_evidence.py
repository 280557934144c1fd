"""Pictures of evidence: what a result says, drawn over the frames that it is about."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from pixelproof.contract import PixelProofError

from ._geometry import decode_mask, pixel_box, pixel_point
from ._media import Media
from ._result import ToolResult

Pixels = npt.NDArray[np.uint8]
_MARK, _HIDDEN, _INK = (255, 0, 170), (255, 190, 0), (255, 255, 255)
"""Colours of what was found, of predicted places, and of labels."""
_TRACK_FRAMES = 4
_GAP = 6


def render_evidence(media: Media, result: ToolResult) -> Pixels:
    """Draw the evidence of a result over its frame; of a track, over some of its frames side by side.

    A result that failed is its frame with the box or point of the call.

    Args:
        media: What the result is about.
        result: From a session, or read back from a trace.
    """
    if result.tool == "TRK" and result.ok:
        return _track(media, result)
    if result.tool == "TEMP" and result.ok:
        return _strip(media, result.evidence["frames"], [()] * len(result.evidence["frames"]))
    frame = result.evidence.get("frame", result.args.get("frame", 0))
    canvas = media.frames[frame if isinstance(frame, int) and 0 <= frame < len(media) else 0]
    if "mask" in result.evidence:
        canvas = _tinted(canvas, result)
    image = Image.fromarray(canvas)
    pen, width = ImageDraw.Draw(image), _line_width(media)
    for box, label in _boxes(media, result):
        pen.rectangle(_corners(box), outline=_MARK, width=width)
        _write(pen, label, box, media)
    point = result.args.get("point")
    if isinstance(point, list) and len(point) == 2:
        x, y = pixel_point(point, media.width, media.height)
        reach = 3 * width
        pen.line((x - reach, y, x + reach, y), fill=_MARK, width=width)
        pen.line((x, y - reach, x, y + reach), fill=_MARK, width=width)
    return np.asarray(image)


def _boxes(media: Media, result: ToolResult) -> list[tuple[Sequence[float], str]]:
    """Boxes in pixels with their labels: of lines of text, of an object, or of the call."""
    evidence = result.evidence
    if result.tool == "OCR" and result.ok:
        return [(box, line["text"]) for box, line in zip(evidence["pixels"], evidence["lines"], strict=True)]
    if "pixels" in evidence:
        words = [str(evidence[key]) for key in ("colour_word",) if key in evidence]
        words += [f"{evidence['area']:.1%}"] if "area" in evidence else []
        return [(evidence["pixels"], " ".join(words))]
    box = result.args.get("box")
    if not isinstance(box, list) or len(box) != 4:
        return []
    return [(pixel_box(box, media.width, media.height), str(result.error or ""))]


def _tinted(frame: Pixels, result: ToolResult) -> Pixels:
    try:
        mask = decode_mask(result.evidence["mask"])
    except PixelProofError:
        return frame
    if mask.shape != frame.shape[:2]:
        return frame
    tinted = frame.copy()
    tinted[mask] = (0.45 * frame[mask] + 0.55 * np.array(_MARK)).astype(np.uint8)
    return tinted


def _track(media: Media, result: ToolResult) -> Pixels:
    """Frames with the object's box; pink where it was seen, yellow where its place is predicted."""
    evidence = result.evidence
    count = len(evidence["frames"])
    places = [round(value) for value in np.linspace(0, count - 1, min(count, _TRACK_FRAMES)).tolist()]
    hidden = [place for place in range(count) if not evidence["visible"][place]]
    if hidden and not set(hidden) & set(places) and len(places) > 2:
        middle = hidden[len(hidden) // 2]
        places = sorted({*places[:1], middle, *places[-2:]})
    marks = [
        [(box, _MARK if evidence["visible"][place] else _HIDDEN)]
        for place in places
        for box in (evidence["pixels"][place],)
    ]
    return _strip(media, [evidence["frames"][place] for place in places], marks)


Marks = Sequence[tuple[Sequence[float], tuple[int, int, int]]]


def _strip(media: Media, frames: Sequence[int], marks: Sequence[Marks]) -> Pixels:
    """Frames side by side with their numbers and boxes."""
    height, width = media.height, media.width
    sheet = Image.new("RGB", (len(frames) * (width + _GAP) - _GAP, height), _INK)
    for place, (frame, boxes) in enumerate(zip(frames, marks, strict=True)):
        image = Image.fromarray(media.frames[frame])
        pen = ImageDraw.Draw(image)
        for box, colour in boxes:
            pen.rectangle(_corners(box), outline=colour, width=_line_width(media))
        _write(pen, f"frame {frame}", (0, 0, 0, 0), media)
        sheet.paste(image, (place * (width + _GAP), 0))
    return np.asarray(sheet)


def _corners(box: Sequence[float]) -> tuple[float, float, float, float]:
    """Corners of an outline around a box whose right and bottom are exclusive."""
    left, top, right, bottom = box
    return left - 1, top - 1, max(right, left), max(bottom, top)


def _line_width(media: Media) -> int:
    return max(1, round(max(media.width, media.height) / 250))


def _write(pen: ImageDraw.ImageDraw, text: str, box: Sequence[float], media: Media) -> None:
    """A label above a box, or below it at the top of the frame."""
    if not text:
        return
    size = max(10, round(max(media.width, media.height) / 32))
    font = ImageFont.load_default(size)
    left, top, right, bottom = pen.textbbox((0, 0), text, font=font)
    x = min(max(box[0], 0), max(media.width - right - 4, 0))
    y = box[1] - bottom - 6 if box[1] - bottom - 6 >= 0 else min(box[3] + 2, media.height - bottom - 4)
    pen.rectangle((x, y, x + right + 4, y + bottom + 4), fill=_MARK)
    pen.text((x + 2, y + 2), text, fill=_INK, font=font)
