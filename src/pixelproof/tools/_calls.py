"""The six tools as JSON Schema, calls of them with canonical arguments, and errors: observations for the model."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import Any

from pixelproof.contract import Call, Tool

from ._geometry import GRID


class ErrorCode(StrEnum):
    """Why a call has no result."""

    BAD_JSON = "BAD_JSON"  # the arguments are not a JSON object
    UNKNOWN_TOOL = "UNKNOWN_TOOL"
    BAD_ARGS = "BAD_ARGS"  # a missing, unknown or malformed argument
    OUT_OF_BOUNDS = "OUT_OF_BOUNDS"  # a coordinate outside 0..1000, or a frame that the clip does not have
    MISSING_PREREQ = "MISSING_PREREQ"  # `ref` is not an earlier result of the right kind
    WRONG_MODALITY = "WRONG_MODALITY"  # a tool for clips, called on a picture
    NOT_FOUND = "NOT_FOUND"  # there is no object at the place
    BUDGET = "BUDGET"  # calls, pixels, seconds, errors or repeats are used up
    BACKEND = "BACKEND"  # the back end failed, is not installed, or took too long


class ToolError(Exception):
    """A failed call: its code, and one sentence that says what is wrong and what to do."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message


_BOX = {
    "type": "array",
    "items": {"type": "integer", "minimum": 0, "maximum": GRID},
    "minItems": 4,
    "maxItems": 4,
    "description": "left, top, right, bottom, in thousandths of the frame's width and height, origin top-left",
}
_POINT = {
    "type": "array",
    "items": {"type": "integer", "minimum": 0, "maximum": GRID},
    "minItems": 2,
    "maxItems": 2,
    "description": "x, y, in thousandths of the frame's width and height, origin top-left",
}
_FRAME = {"type": "integer", "minimum": 0, "description": "number of the frame of a clip; 0 for a picture"}
_REF = {"type": "string", "description": "the `ref` of an earlier result of SEG or TRK"}
PROPERTIES = ("colour", "area", "centroid", "aspect", "border")
"""What PROP can return."""
MOST_STRIP = 4
"""Frames of a strip of TEMP."""
_KEYS = {
    "type": "array",
    "items": {"type": "string", "enum": list(PROPERTIES)},
    "description": "which properties; all, if left out",
}


def _tool(name: str, about: str, required: Sequence[str] = (), **properties: Any) -> Tool:
    schema = {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}
    return Tool(name, about, schema)


TOOLS: tuple[Tool, ...] = (
    _tool("ZOOM", "Crop a box of a frame and enlarge it.", ["box"], box=_BOX, frame=_FRAME),
    _tool(
        "SEG",
        "Segment the object at a point, in a box, or both: its mask, bounding box and area.",
        point=_POINT,
        box=_BOX,
        frame=_FRAME,
    ),
    _tool(
        "PROP",
        "Properties of what an earlier SEG or TRK returned: mean colour, area, centroid, aspect, whether it touches "
        "the border of the frame.",
        ["ref"],
        ref=_REF,
        keys=_KEYS,
        frame=_FRAME | {"description": "frame of a TRK result; its first frame, if left out"},
    ),
    _tool("OCR", "Read the text in a box of a frame: lines with their boxes.", ["box"], box=_BOX, frame=_FRAME),
    _tool(
        "TRK",
        "Follow an object from frame t0 to frame t1 of a clip: what SEG returned (ref), or what is in a box of frame "
        "t0.",
        ["t1"],
        ref=_REF,
        box=_BOX,
        t0=_FRAME | {"description": "first frame; the frame of `ref`, if left out"},
        t1=_FRAME | {"description": "last frame; may be before t0"},
    ),
    _tool(
        "TEMP",
        "Show frames of a clip side by side, evenly spaced from t0 to t1.",
        ["t0", "t1"],
        t0=_FRAME,
        t1=_FRAME,
        n={"type": "integer", "minimum": 1, "maximum": MOST_STRIP, "description": "number of frames; 4, if left out"},
    ),
)
"""ZOOM, SEG, PROP, OCR, TRK and TEMP. All work on the original frames, whatever size the model was shown."""
NAMES = tuple(tool.name for tool in TOOLS)
_SCHEMAS = {tool.name: tool.parameters for tool in TOOLS}
_MOST_SHOWN = 60
_MOST_FRAMES = 1_000_000
_MAX_TEXT = 20_000
"""Characters of arguments that are parsed."""


@dataclass(frozen=True)
class ParsedCall:
    """A call whose arguments have been checked, with canonical arguments: sorted names, integers, defaults filled in.

    Equal requests mean equal work; frames and references are checked against the session later.
    """

    tool: str
    args: Mapping[str, Any]


def parse_call(call: Call) -> ParsedCall:
    """Check the name and the arguments of a call.

    >>> parse_call(Call("1", "zoom", '{"box": [0, 0, 500.0, 500]}')).args
    {'box': [0, 0, 500, 500], 'frame': 0}

    Raises:
        ToolError: BAD_JSON, UNKNOWN_TOOL, BAD_ARGS or OUT_OF_BOUNDS.
    """
    name = call.tool.strip().upper() if isinstance(call.tool, str) else ""
    if name not in _SCHEMAS:
        close = get_close_matches(name, NAMES, n=1)
        hint = f"; did you mean {close[0]}?" if close else "."
        raise ToolError(
            ErrorCode.UNKNOWN_TOOL, f"There is no tool {_short(call.tool)}{hint} Choose one of: {', '.join(NAMES)}."
        )
    given = {key: value for key, value in _mapping(call.arguments).items() if value is not None}
    known = _SCHEMAS[name]["properties"]
    if unknown := [key for key in given if key not in known]:
        raise _bad(f"{name} has no argument {_short(unknown[0])}: it takes {', '.join(known)}.")
    if missing := [key for key in _SCHEMAS[name]["required"] if key not in given]:
        raise _bad(f"{name} needs {missing[0]!r}: give {', '.join(_SCHEMAS[name]['required'])}.")
    args = {key: _READERS[key](key, given[key]) for key in sorted(given)}
    _COMPLETE[name](args)
    return ParsedCall(name, dict(sorted(args.items())))


def _mapping(arguments: object) -> Mapping[Any, Any]:
    if isinstance(arguments, Mapping):
        return arguments
    if not isinstance(arguments, str):
        raise ToolError(ErrorCode.BAD_JSON, f"The arguments are {_short(arguments)}: give a JSON object.")
    if len(arguments) > _MAX_TEXT:
        raise ToolError(ErrorCode.BAD_JSON, f"The arguments have more than {_MAX_TEXT:,} characters: give fewer.")
    try:
        value = json.loads(arguments or "{}")
    except (ValueError, RecursionError) as error:
        raise ToolError(ErrorCode.BAD_JSON, f"The arguments are no JSON ({error}): give a JSON object.") from error
    if not isinstance(value, dict):
        raise ToolError(ErrorCode.BAD_JSON, f"The arguments are {_short(value)}: give a JSON object.")
    return value


def _whole(key: str, value: object) -> int:
    """An integer; a float without a fraction counts as one, a boolean does not."""
    if isinstance(value, float) and math.isfinite(value) and value == int(value):
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise _bad(f"{key} has {_short(value)}: give integers, coordinates from 0 to {GRID}.")
    return value


def _coordinates(key: str, value: object, count: int) -> list[int]:
    if not isinstance(value, list | tuple) or len(value) != count:
        raise _bad(f"{key} is {_short(value)}: give a list of {count} integers from 0 to {GRID}.")
    numbers = [_whole(key, number) for number in value]
    if min(numbers) < 0 or max(numbers) > GRID:
        raise ToolError(
            ErrorCode.OUT_OF_BOUNDS,
            f"{key} is {_short(numbers)}: coordinates are thousandths of the frame, from 0 to {GRID}.",
        )
    return numbers


def _box(key: str, value: object) -> list[int]:
    box = _coordinates(key, value, 4)
    if box[0] >= box[2] or box[1] >= box[3]:
        raise _bad(f"{key} is {box}, which is empty: give left < right and top < bottom.")
    return box


def _frame(key: str, value: object) -> int:
    number = _whole(key, value)
    if not 0 <= number < _MOST_FRAMES:
        raise ToolError(ErrorCode.OUT_OF_BOUNDS, f"{key} is {_short(number)}: no clip has this frame; count from 0.")
    return number


def _count(key: str, value: object) -> int:
    number = _whole(key, value)
    if not 1 <= number <= MOST_STRIP:
        raise _bad(f"{key} is {_short(number)}: a strip has 1 to {MOST_STRIP} frames.")
    return number


def _reference(key: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _bad(f"{key} is {_short(value)}: give the `ref` of an earlier result of SEG or TRK.")
    return value.strip().lower()[:_MAX_TEXT]


def _keys(key: str, value: object) -> list[str]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not names or any(name not in PROPERTIES for name in names):
        raise _bad(f"{key} is {_short(value)}: choose from {', '.join(PROPERTIES)}.")
    return [name for name in PROPERTIES if name in names]


_READERS: Mapping[str, Callable[[str, object], Any]] = {
    "box": _box,
    "point": lambda key, value: _coordinates(key, value, 2),
    "frame": _frame,
    "t0": _frame,
    "t1": _frame,
    "n": _count,
    "ref": _reference,
    "keys": _keys,
}


def _complete_frame(args: dict[str, Any]) -> None:
    args.setdefault("frame", 0)


def _complete_seg(args: dict[str, Any]) -> None:
    _complete_frame(args)
    if "point" not in args and "box" not in args:
        raise _bad("SEG needs a point or a box: give point [x, y], box [left, top, right, bottom], or both.")


def _complete_prop(args: dict[str, Any]) -> None:
    args.setdefault("keys", list(PROPERTIES))


def _complete_trk(args: dict[str, Any]) -> None:
    if ("ref" in args) == ("box" in args):
        raise _bad("TRK needs either a ref or a box: give one of them.")
    if "box" in args and "t0" not in args:
        raise _bad("TRK with a box needs t0, the frame that the box is in.")


def _complete_temp(args: dict[str, Any]) -> None:
    args.setdefault("n", MOST_STRIP)
    if args["t1"] < args["t0"]:
        raise _bad(f"t1 is {_short(args['t1'])} and t0 is {_short(args['t0'])}: give t0 ≤ t1.")


_COMPLETE: Mapping[str, Callable[[dict[str, Any]], None]] = {
    "ZOOM": _complete_frame,
    "SEG": _complete_seg,
    "PROP": _complete_prop,
    "OCR": _complete_frame,
    "TRK": _complete_trk,
    "TEMP": _complete_temp,
}


def _bad(message: str) -> ToolError:
    return ToolError(ErrorCode.BAD_ARGS, message)


def _short(value: object) -> str:
    """A value for a message, cut where it is long."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=lambda other: type(other).__name__)
    except (ValueError, RecursionError, TypeError):
        text = type(value).__name__
    return text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "…"
