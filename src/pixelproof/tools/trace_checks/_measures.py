"""Measures of single traces: use of tools, footprints, hops, repeats, and whether evidence mentions an answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeGuard

from pixelproof.tools._trace import Step, Trace

Box = Sequence[float]
"""Left, top, right, bottom, 0 to 1000."""
NEAR, FAR = 0.8, 0.1
"""Overlap of footprints above which two steps are at the same place, and below which they are at different ones."""
_FARTHEST = 1e6
_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_PLACES = frozenset("mask pixels box boxes frame frames centroid conf confs fit lines".split())
"""Evidence about places, whose numbers are no words of an answer. The text of `lines` is in `text`, too."""
_COMMON = frozenset("a an the is it its of on in at to and or this that there".split())


def used_tools(trace: Trace) -> bool:
    """Whether a trace has a successful call that is no repeat."""
    return any(step.result.ok and not step.result.repeat for step in trace.steps)


def footprint(step: Step) -> tuple[int, Box] | None:
    """Frame and box that a step is about; None if it is about no place, such as TEMP."""
    for source in (step.result.evidence, step.result.args):
        boxes, frames = source.get("boxes"), source.get("frames")
        if isinstance(boxes, list) and boxes and isinstance(frames, list) and frames:  # a track: where it begins
            box, frame = boxes[0], frames[0]
        else:
            box, frame = source.get("box"), source.get("frame", source.get("t0", 0))
        if is_box(box):
            return (frame if isinstance(frame, int) else 0), box
    return None


def is_box(value: object) -> TypeGuard[list[float]]:
    """Whether a value of a trace is four numbers of a usable size."""
    return (
        isinstance(value, list)
        and len(value) == 4
        and all(isinstance(side, int | float) and abs(side) <= _FARTHEST for side in value)
    )


def intersection(a: Box, b: Box) -> float:
    """Area that two boxes share."""
    return max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))


def overlap(a: Box, b: Box) -> float:
    """Intersection over union of two boxes.

    >>> overlap((0, 0, 2, 2), (1, 0, 3, 2))
    0.3333333333333333
    """
    shared = intersection(a, b)
    union = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared
    return shared / union if union > 0 else 0.0


def is_hop(before: Step, after: Step) -> bool:
    """Whether the next call is another tool at another place that does not use the result before."""
    ref = after.result.args.get("ref")
    refers = isinstance(ref, str) and bool(ref) and before.result.result_digest.startswith(ref)
    if refers or before.result.tool == after.result.tool:
        return False
    a, b = footprint(before), footprint(after)
    return a is not None and b is not None and (a[0] != b[0] or overlap(a[1], b[1]) < FAR)


def is_repeat(steps: Sequence[Step], number: int) -> bool:
    """Whether a call was made before, or is the same tool at nearly the same place."""
    step = steps[number]
    here = footprint(step)
    for other in steps[:number]:
        if step.result.repeat or other.result.call_digest == step.result.call_digest:
            return True
        there = footprint(other)
        same_tool = other.result.tool == step.result.tool and "ref" not in step.result.args
        if same_tool and here and there and here[0] == there[0] and overlap(here[1], there[1]) > NEAR:
            return True
    return False


def mentions(steps: Iterable[Step], answer: object) -> bool | None:
    """Whether the evidence of steps contains every telling word of an answer; None if it has none.

    >>> mentions([], "K7"), mentions([], "it is the")
    (False, None)
    """
    wanted = telling_words(answer)
    return wanted <= evidence_words(steps) if wanted else None


def telling_words(answer: object) -> set[str]:
    """The words and numbers of an answer, without articles and the like."""
    return set(_words(answer)) - _COMMON


def evidence_words(steps: Iterable[Step]) -> set[str]:
    """The words and numbers that successful calls returned, apart from places."""
    evidence = [step.result.evidence for step in steps if step.result.ok]
    return {word for entry in evidence for key, value in entry.items() if key not in _PLACES for word in _words(value)}


def _words(value: Any) -> Iterator[str]:
    """The words and numbers within JSON values, in lower case."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for inner in value:
            yield from _words(inner)
    elif value is not None and not isinstance(value, bool):
        yield from _WORD.findall(str(value).lower())
