"""ZOOM, TEMP and PROP: they need no back end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image
from PIL import __version__ as _pillow

from pixelproof.contract import PixelProofError
from pixelproof.pixels import bounding_box, oklab
from pixelproof.world import COLOURS

from ._calls import ErrorCode, ToolError
from ._geometry import decode_mask, grid_box, grid_point, pixel_box
from ._media import Media
from ._result import Observation, ToolResult

Pixels = npt.NDArray[np.uint8]
VERSION = f"plain 1 pillow {_pillow}"
VIEW = 512
"""Longest side in pixels of the picture that ZOOM returns."""
_MOST_ASPECT = 100
_STRIP, _GAP = 320, 4
"""Longest side of each frame in a strip of TEMP, and the space between them."""


def zoom(media: Media, args: Mapping[str, Any]) -> Observation:
    """Crop a box and scale it so that its longest side has `VIEW` pixels."""
    left, top, right, bottom = box = pixel_box(args["box"], media.width, media.height)
    width, height = right - left, bottom - top
    if max(width, height) > _MOST_ASPECT * min(width, height):
        raise ToolError(
            ErrorCode.BAD_ARGS, f"The box is {width} × {height} pixels: give one that is less than 100 times as long."
        )
    crop = media.frames[args["frame"]][top:bottom, left:right]
    picture = scaled(crop, VIEW)
    evidence = {
        "box": list(args["box"]),
        "pixels": list(box),
        "frame": args["frame"],
        "scale": VIEW / max(width, height),
    }
    return Observation(evidence, 1.0, picture)


def scaled(pixels: Pixels, side: int) -> Pixels:
    """Scale to a longest side: by area averages down, by Lanczos up."""
    height, width = pixels.shape[:2]
    factor = side / max(height, width)
    size = max(1, round(width * factor)), max(1, round(height * factor))
    method = Image.Resampling.BOX if factor < 1 else Image.Resampling.LANCZOS
    return np.asarray(Image.fromarray(pixels).resize(size, method))


def temp(media: Media, args: Mapping[str, Any]) -> Observation:
    """Frames side by side, evenly spaced from t0 to t1, both included."""
    count = min(args["n"], args["t1"] - args["t0"] + 1)
    numbers = [round(value) for value in np.linspace(args["t0"], args["t1"], count).tolist()]
    shown = [scaled(media.frames[number], _STRIP) for number in numbers]
    height = shown[0].shape[0]
    gap = np.full((height, _GAP, 3), 255, np.uint8)
    strip = [part for picture in shown for part in (picture, gap)][:-1]
    seconds = [media.seconds(number) for number in numbers]
    return Observation({"span": [args["t0"], args["t1"]], "frames": numbers, "seconds": seconds}, 1.0, np.hstack(strip))


def prop(media: Media, args: Mapping[str, Any], earlier: ToolResult) -> Observation:
    """Properties of the pixels that an earlier result marked: its mask, or its box in a frame."""
    frame, mask = region_of(media, args, earlier)
    box = bounding_box(mask)
    if box is None:
        raise ToolError(ErrorCode.MISSING_PREREQ, "The earlier result marks no pixels: segment something else.")
    wanted = set(args["keys"])
    evidence: dict[str, Any] = {"frame": frame, "of": earlier.tool}
    if "colour" in wanted:
        pixels = media.frames[frame][mask]
        evidence["colour"] = [round(float(value)) for value in pixels.mean(axis=0)]
        evidence["colour_word"] = _colour_word(np.median(pixels, axis=0))
    if "area" in wanted:
        evidence |= {"area": float(mask.mean()), "area_pixels": int(mask.sum())}
    if "centroid" in wanted:
        rows, columns = np.nonzero(mask)
        evidence["centroid"] = grid_point(columns.mean() + 0.5, rows.mean() + 0.5, media.width, media.height)
    if "aspect" in wanted:
        evidence["aspect"] = (box[2] - box[0]) / (box[3] - box[1])
    if "border" in wanted:
        evidence["border"] = bool(box[0] == 0 or box[1] == 0 or box[2] == media.width or box[3] == media.height)
    evidence |= {"box": grid_box(box, media.width, media.height), "pixels": list(box)}
    return Observation(evidence, earlier.conf)


def _colour_word(rgb: npt.NDArray[np.float64]) -> str:
    """The colour word that looks most like a colour: the nearest in OKLab."""
    distance = np.linalg.norm(oklab(list(COLOURS.values())) - oklab([tuple(rgb.round().astype(int).tolist())]), axis=1)
    return list(COLOURS)[int(distance.argmin())]


def region_of(media: Media, args: Mapping[str, Any], earlier: ToolResult) -> tuple[int, npt.NDArray[np.bool_]]:
    """Frame and mask that an earlier SEG or TRK result marks.

    Raises:
        ToolError: The frame is not one of the result, or the object is not visible there.
    """
    evidence = earlier.evidence
    if earlier.tool == "SEG":
        frame = int(evidence["frame"])
        if args.get("frame", frame) != frame:
            raise ToolError(
                ErrorCode.BAD_ARGS, f"The segment is of frame {frame}: leave out `frame`, or segment again."
            )
        try:
            return frame, decode_mask(evidence["mask"])
        except PixelProofError as error:
            raise ToolError(ErrorCode.MISSING_PREREQ, str(error)) from error
    frames = list(evidence["frames"])
    frame = int(args.get("frame", frames[0]))
    if frame not in frames:
        raise ToolError(ErrorCode.OUT_OF_BOUNDS, f"The track has frames {min(frames)} to {max(frames)}: choose one.")
    place = frames.index(frame)
    if not evidence["visible"][place]:
        raise ToolError(ErrorCode.MISSING_PREREQ, f"The object is not visible in frame {frame}: choose another frame.")
    left, top, right, bottom = (int(side) for side in evidence["pixels"][place])
    mask = np.zeros((media.height, media.width), bool)
    mask[max(top, 0) : bottom, max(left, 0) : right] = True
    return frame, mask
