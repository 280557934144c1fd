"""The evidence of a step, drawn over the frames that it is about, and in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from pixelproof.contract import PixelProofError
from pixelproof.tools._geometry import pixel_box, pixel_point
from pixelproof.tools._media import Media
from pixelproof.tools._result import ToolResult
from pixelproof.tools._rle import decode_mask

Pixels = npt.NDArray[np.uint8]
SIDE = 640
"""Longest side in pixels of a drawing."""
MOST_FRAMES = 4
_ASKED, _GIVEN, _LOST = (255, 209, 26), (0, 229, 255), (255, 96, 64)
"""Colours: what the call asked about, what the tool returned, where it lost the object."""
_MOST_LABEL = 60


@dataclass(frozen=True)
class Drawing:
    """A frame with evidence drawn over it."""

    caption: str
    pixels: Pixels


class _Canvas:
    """A reduced frame on which boxes of the original frame are drawn."""

    def __init__(self, frame: Pixels) -> None:
        self._size = frame.shape[1], frame.shape[0]
        factor = SIDE / max(self._size)
        size = max(1, round(self._size[0] * factor)), max(1, round(self._size[1] * factor))
        method = Image.Resampling.LANCZOS if factor < 1 else Image.Resampling.NEAREST
        self._image = Image.fromarray(frame).resize(size, method)
        self._draw = ImageDraw.Draw(self._image)
        self._font = ImageFont.load_default(14)

    def _scale(self, box: Sequence[float]) -> list[float]:
        return [value * self._image.size[place % 2] / self._size[place % 2] for place, value in enumerate(box)]

    def box(self, box: Sequence[float], colour: tuple[int, int, int], label: str = "") -> None:
        """Outline a box in pixels of the frame, with a dark edge that shows on any picture."""
        left, top, right, bottom = self._scale(box)
        corners = [left, top, max(right - 1, left), max(bottom - 1, top)]
        self._draw.rectangle(corners, outline=(0, 0, 0), width=5)
        self._draw.rectangle(
            [corners[0] + 1, corners[1] + 1, max(corners[2] - 1, corners[0] + 1), max(corners[3] - 1, corners[1] + 1)],
            outline=colour,
            width=3,
        )
        if label:
            self._label(left, top, label, colour)

    def _label(self, x: float, y: float, label: str, colour: tuple[int, int, int]) -> None:
        text = "".join(character if character.isprintable() else " " for character in label)[:_MOST_LABEL]
        width, height = self._draw.textlength(text, self._font) + 8, 18
        x = min(max(x, 0), max(0, self._image.width - width))
        y = y - height if y >= height else y
        self._draw.rectangle([x, y, x + width, y + height], fill=(0, 0, 0))
        self._draw.text((x + 4, y + 1), text, fill=colour, font=self._font)

    def point(self, point: Sequence[float], colour: tuple[int, int, int]) -> None:
        """Mark a point by a cross."""
        x, y = self._scale(point)
        for width, shade in ((5, (0, 0, 0)), (2, colour)):
            self._draw.line([x - 9, y, x + 9, y], fill=shade, width=width)
            self._draw.line([x, y - 9, x, y + 9], fill=shade, width=width)

    def path(self, points: Sequence[Sequence[float]], colour: tuple[int, int, int]) -> None:
        """Connect points."""
        scaled = [tuple(self._scale(point)) for point in points]
        for width, shade in ((4, (0, 0, 0)), (2, colour)):
            self._draw.line(scaled, fill=shade, width=width)

    def mask(self, mask: npt.NDArray[np.bool_], colour: tuple[int, int, int]) -> None:
        """Outline the pixels of a mask, and darken the others."""
        small = Image.fromarray(mask).resize(self._image.size, Image.Resampling.NEAREST)
        inside = np.asarray(small)
        pixels = np.asarray(self._image).astype(np.float32)
        pixels[~inside] *= 0.45
        pixels[_dilated(inside, 3) & ~inside] = colour
        self._image = Image.fromarray(pixels.round().astype(np.uint8))
        self._draw = ImageDraw.Draw(self._image)

    @property
    def pixels(self) -> Pixels:
        return np.asarray(self._image)


def _dilated(mask: npt.NDArray[np.bool_], by: int) -> npt.NDArray[np.bool_]:
    """A mask with `by` pixels more on every side."""
    return np.asarray(Image.fromarray(mask.astype(np.uint8) * 255).filter(ImageFilter.MaxFilter(2 * by + 1))) > 0


def draw_step(media: Media, result: ToolResult) -> list[Drawing]:
    """Draw the evidence of a result; a failed call shows what it asked about.

    Yellow is what the call asked about, cyan what the tool returned, red where it lost an object. Evidence that does
    not fit the media, such as a frame that it lacks, is left out.

    Args:
        media: The picture or clip.
        result: The result of a call.
    """
    try:
        return list(_drawings(media, result))
    except (KeyError, TypeError, ValueError, IndexError, PixelProofError):  # evidence of a damaged or foreign trace
        return []


def _drawings(media: Media, result: ToolResult) -> Iterable[Drawing]:
    evidence, args = result.evidence, result.args
    if result.ok and result.tool == "TRK":
        yield from _track(media, evidence)
        return
    if result.ok and result.tool == "TEMP":
        for number in list(evidence["frames"])[:MOST_FRAMES]:
            yield Drawing(_frame_name(media, number), _Canvas(media.frames[number]).pixels)
        return
    number = int(evidence.get("frame", args.get("frame", args.get("t0", 0))))
    canvas = _Canvas(media.frames[number])
    size = media.width, media.height
    if isinstance(evidence.get("mask"), Mapping):
        canvas.mask(decode_mask(evidence["mask"]), _GIVEN)
    if isinstance(args.get("box"), list):
        canvas.box(pixel_box(args["box"], *size), _ASKED)
    if isinstance(args.get("point"), list):
        canvas.point(pixel_point(args["point"], *size), _ASKED)
    if result.tool in ("SEG", "PROP") and result.ok:
        canvas.box(evidence["pixels"], _GIVEN)
    for line, place in zip(evidence.get("lines", ()), evidence.get("pixels", ()), strict=False):
        canvas.box(place, _GIVEN, str(line["text"]))
    yield Drawing(_frame_name(media, number), canvas.pixels)


def _track(media: Media, evidence: Mapping[str, Any]) -> Iterable[Drawing]:
    """Some frames of a track, each with its box and the way so far."""
    frames, boxes, visible = evidence["frames"], evidence["pixels"], evidence["visible"]
    centres = [((box[0] + box[2]) / 2, (box[1] + box[3]) / 2) for box in boxes]
    places = sorted({round(value) for value in np.linspace(0, len(frames) - 1, min(MOST_FRAMES, len(frames))).tolist()})
    for place in places:
        canvas = _Canvas(media.frames[frames[place]])
        if place:
            canvas.path(centres[: place + 1], _GIVEN)
        canvas.box(boxes[place], _GIVEN if visible[place] else _LOST, "" if visible[place] else "not visible")
        yield Drawing(_frame_name(media, frames[place]), canvas.pixels)


def _frame_name(media: Media, number: int) -> str:
    seconds = media.seconds(number)
    return "" if media.kind == "picture" else f"frame {number}" + ("" if seconds is None else f", {seconds:.2f} s")


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
    if isinstance(evidence.get("area"), float | int):
        parts.append(f"{100 * evidence['area']:.1f} % of the frame")
    if isinstance(evidence.get("box"), list):
        parts.append("box " + " ".join(map(str, evidence["box"])))
    if isinstance(evidence.get("frames"), list) and evidence["frames"]:
        frames = evidence["frames"]
        parts.append(f"frames {frames[0]} to {frames[-1]}" if result.tool == "TRK" else f"frames {_listed(frames)}")
    if isinstance(evidence.get("visible"), list):
        parts.append(f"visible in {sum(map(bool, evidence['visible']))} of {len(evidence['visible'])}")
    if result.conf < 1:
        parts.append(f"confidence {result.conf:.2f}")
    return ", ".join(parts)


def _listed(values: Sequence[Any]) -> str:
    return ", ".join(map(str, values))
