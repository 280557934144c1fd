"""Extraction of the JSON object of a reply, in linear time and memory."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from pixelproof.benches.pixelart._objects import (
    DEEPEST,
    CommentScanner,
    Span,
    complete_objects,
    scan_object,
    without_comments,
    without_last_commas,
)
from pixelproof.contract import without_thinking

LONGEST = 1_000_000
"""Length limit of a reply in characters, unless 64 characters per cell are more."""

_SPACE = " \t\r\n"  # white space of JSON; str.strip removes more
_HUGE = 10**18  # stands for every integer of 19 digits or more: no palette is that long
_STRING = r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?'  # the end is optional, so that a missing quote costs one line, not n²
_BRACES = re.compile(_STRING + r"|[{}]")
_BRACKETS = re.compile(_STRING + r"|[\[\]{}]")
_BEGUN = re.compile(r"""\{(?=\s*+(?:["'“”]|/[/*]|\w++\s*+:|\Z))""")  # not the braces of prose
_KEYS = {"palette", "grid"}
_LATER = "later-object-unreadable"


class Problem(NamedTuple):
    """A named outcome with a short message."""

    outcome: str
    detail: str


class Stop(Exception):
    """Parsing stops with a problem."""

    def __init__(self, outcome: str, detail: str) -> None:
        super().__init__(outcome, detail)
        self.problem = Problem(outcome, detail[:200])


class Object(dict[str, Any]):
    """A JSON object with the set of its repeated keys."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.repeated = {key for key, times in Counter(key for key, _ in pairs).items() if times > 1}


@dataclass(frozen=True)
class Found:
    """The object of a reply, or the problem in its place."""

    value: Object | Problem
    repairs: tuple[str, ...] = ()


def show(value: object) -> str:
    r"""A value as short printable ASCII, for messages.

    >>> show("\u0660" + "b" * 100)
    "'\\u0660bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb...'"
    """
    if isinstance(value, str):
        return ascii(value if len(value) <= 32 else value[:32] + "...")
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    return ascii(value)[:32]


def too_deep(text: str, deepest: int = DEEPEST) -> bool:
    """Whether brackets nest too deeply for a JSON parser.

    >>> too_deep("[[1]]", 1), too_deep('["[[["]', 1)
    (True, False)
    """
    depth = 0
    for token in _BRACKETS.finditer(text):
        mark = text[token.start()]
        depth += (mark in "[{") - (mark in "]}")
        if depth > deepest:
            return True
    return False


def find(text: str, longest: int = LONGEST, size: int = 0) -> tuple[Found, Found]:
    """The object that is the whole reply (strict), and the drawing that it contains (lenient).

    The lenient object is the last complete one that has both keys and, comments and last commas removed, is JSON: a
    model that thinks writes drafts first. One with `size` rows comes before all others, such as a quotation of the
    prompt's example. If there is none, it is the last balanced one, or the problem with it. What
    is between thinking tags does not count, nor does a draft in thinking that is cut off in a later object.
    """
    try:
        if not text.strip():
            raise Stop("empty", "The reply is empty.")
        if len(text) > longest:
            raise Stop("too-long", f"The reply has {len(text)} characters; {longest} are read.")
        place, lenient = _find_lenient(text, size)
    except Stop as stop:
        return Found(stop.problem), Found(stop.problem)
    return _whole(text, place), lenient


def _find_lenient(text: str, size: int) -> tuple[tuple[int, int], Found]:
    """Place and value of the drawing that a reply contains, or of the last balanced object."""
    answer, endless = (text, None) if _is_object(text.strip(_SPACE)) else without_thinking(text)
    if "{" not in answer:
        raise Stop("no-object", f"There is no JSON object in the reply{', thinking aside' if answer != text else ''}.")
    drawing = _last_drawing(answer, size)
    if drawing is None:
        spans = _balanced(answer)
        drawing = spans[-1], Found(_load(answer[slice(*spans[-1])]), _around(answer, spans))
    place, found = drawing
    if endless is not None and endless < place[0] and _LATER in found.repairs:
        raise Stop("unfinished", f"The thinking that begins at character {endless} never ends.")
    return place, Found(found.value, (*(["thinking-removed"] if answer != text else []), *found.repairs))


def _is_object(text: str) -> bool:
    """Whether a text is one object from end to end."""
    span = scan_object(text, 0) if text[:1] == "{" else None
    return span is not None and span.end == len(text)


def _whole(text: str, place: tuple[int, int]) -> Found:
    """The object that is the whole reply, where `place` or a complete object is all of it."""
    inner = text.strip(_SPACE)
    if _is_object(inner) or text[slice(*place)] == inner:
        return Found(_load(inner))
    return Found(Problem("text-around", "There is other text beside the object."))


def _last_drawing(text: str, size: int) -> tuple[tuple[int, int], Found] | None:
    """Place and value of the last complete object with both keys and `size` rows, or else of any number of rows."""
    drawing: tuple[Span, Object, list[str]] | None = None
    outermost: list[tuple[int, int]] = []
    objects = complete_objects(text)
    span = next(objects, None)
    while span is not None:
        loaded = _load_drawing(text, span)
        if loaded and (drawing is None or _has_rows(loaded[0], size) or not _has_rows(drawing[1], size)):
            drawing = (span, *loaded)
        if not outermost or outermost[-1][1] <= span.start:
            outermost.append((span.start, span.end))
        try:
            span = objects.send(loaded is not None)
        except StopIteration:
            break
    if drawing is None:
        return None
    span, value, repairs = drawing
    others = [(start, end) for start, end in outermost if end <= span.start or span.end <= start]
    place = (span.start, span.end)
    later = [_LATER] if _has_unreadable(text, span.end) else []
    return place, Found(value, (*_around(text, sorted([*others, place])), *later, *repairs))


def _has_rows(drawing: Object, size: int) -> bool:
    return isinstance(drawing["grid"], list) and len(drawing["grid"]) == size


def _has_unreadable(text: str, start: int) -> bool:
    """Whether from `start` on an object begins that never ends, is no JSON, or has one key of a drawing alone."""
    scans = (lambda at: scan_object(text, at), CommentScanner(text).scan)
    while begun := _BEGUN.search(text, start):
        spans = [span for scan in scans if (span := scan(begun.start()))]
        read = [(value, span.end) for span in spans if isinstance(value := _load_repaired(text, span)[0], Object)]
        if not read or len(_KEYS & read[0][0].keys()) == 1:
            return True
        start = read[0][1]
    return False


def _load_drawing(text: str, span: Span) -> tuple[Object, list[str]] | None:
    """The value of an object that has both keys, and the repairs that it needed; None for any other."""
    if any(text.find(f'"{key}"', span.start, span.end) < 0 for key in _KEYS):
        return None
    value, repairs = _load_repaired(text, span)
    return (value, repairs) if isinstance(value, Object) and value.keys() >= _KEYS else None


def _load_repaired(text: str, span: Span) -> tuple[Object | Problem, list[str]]:
    """The value of an object without its comments and last commas, and the names of these repairs."""
    content, repairs = without_comments(text, span), ["comments-removed"] if span.comments else []
    value = _load(content)
    if isinstance(value, Problem):
        value, repairs = _load(without_last_commas(content)), [*repairs, "last-commas-removed"]
    return value, repairs


def _balanced(text: str) -> list[tuple[int, int]]:
    """Spans of the outermost balanced braces of a text, complete objects or not, to say what is wrong with them."""
    spans: list[tuple[int, int]] = []
    begun: list[int] = []
    first = at = text.find("{")
    while at >= 0 and (token := _BRACES.search(text, at)):
        at = token.end()
        if token[0] == "{":
            begun.append(token.start())
        elif token[0] == "}":
            start = begun.pop()
            while spans and spans[-1][0] > start:
                spans.pop()
            spans.append((start, at))
            at = at if begun else text.find("{", at)  # quotes outside objects have no meaning
    if not spans:
        raise Stop("unfinished", f"The object that begins at character {first} never ends.")
    return spans


def _around(text: str, spans: list[tuple[int, int]]) -> tuple[str, ...]:
    """Names of the repairs to what is around an object."""
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(text)]
    outside = "\n".join(text[end:start] for end, start in zip(ends, starts, strict=True))
    repairs = {
        "fence-removed": "```" in outside,
        "text-removed": bool(re.sub(r"```\w*", "", outside).strip(_SPACE)),
        "other-objects-ignored": len(spans) > 1,
    }
    return tuple(name for name, needed in repairs.items() if needed)


def _load(text: str) -> Object | Problem:
    if too_deep(text):
        return Problem("too-deep", f"The object nests deeper than {DEEPEST} levels.")
    try:
        value = json.loads(text, object_pairs_hook=Object, parse_int=_integer, parse_constant=_constant)
    except json.JSONDecodeError as error:
        return Problem("broken-json", f"{error.msg} at character {error.pos} of the object.")
    except ValueError as error:
        return Problem("broken-json", f"{error}.")
    assert isinstance(value, Object)  # the text begins with a brace
    return value


def _integer(digits: str) -> int:
    if len(digits) < 19:
        return int(digits)
    return -_HUGE if digits[0] == "-" else _HUGE


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
