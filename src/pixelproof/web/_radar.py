"""Radar chart of several numbers on one absolute scale."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pixelproof.contract import Estimate

from ._format import interval, number
from ._html import Html, tag

_WIDTH, _HEIGHT, _RADIUS = 340, 270, 88
_RINGS = (0.25, 0.5, 0.75, 1.0)


def radar(axes: Sequence[tuple[str, Estimate]]) -> Html:
    """Values on spokes that all run from 0 in the centre to 1 at the rim, with their intervals along the spokes.

    A spoke without a value stays empty, and no area is drawn then, because 0 would be a value.
    """
    count = len(axes)
    marks = [tag("polygon", class_="grid", points=_outline([ring] * count)) for ring in _RINGS]
    values = [estimate.value for _, estimate in axes]
    if not any(map(math.isnan, values)):
        marks.append(tag("polygon", class_="area", points=_outline(values)))
    for spoke, (name, estimate) in enumerate(axes):
        marks.append(_line("grid", _at(spoke, count, 0), _at(spoke, count, 1)))
        if not math.isnan(estimate.lo):
            marks.append(_line("interval", _at(spoke, count, estimate.lo), _at(spoke, count, estimate.hi)))
        if not math.isnan(estimate.value):
            x, y = _at(spoke, count, estimate.value)
            marks.append(tag("circle", class_="dot", cx=x, cy=y, r=3))
        marks.append(_label(name, estimate, *_at(spoke, count, 1.16)))
    text = "; ".join(f"{name} {number(e.value)} ({interval(e)})" for name, e in axes)
    return tag("svg", marks, class_="radar", role="img", aria_label=text, viewBox=f"0 0 {_WIDTH} {_HEIGHT}")


def _at(spoke: int, count: int, value: float) -> tuple[float, float]:
    """Coordinates of a value; the first spoke points up, the others follow clockwise."""
    angle = 2 * math.pi * spoke / count - math.pi / 2
    return _WIDTH / 2 + _RADIUS * value * math.cos(angle), _HEIGHT / 2 + _RADIUS * value * math.sin(angle)


def _outline(values: Sequence[float]) -> str:
    places = (_at(spoke, len(values), value) for spoke, value in enumerate(values))
    return " ".join(f"{x:.2f},{y:.2f}" for x, y in places)


def _line(kind: str, start: tuple[float, float], end: tuple[float, float]) -> Html:
    return tag("line", class_=kind, x1=start[0], y1=start[1], x2=end[0], y2=end[1])


def _label(name: str, estimate: Estimate, x: float, y: float) -> Html:
    """The name of a spoke beyond its end, in two lines if it has several words."""
    anchor = "middle" if abs(x - _WIDTH / 2) < 12 else "start" if x > _WIDTH / 2 else "end"
    words = name.split(" ")
    half = (len(words) + 1) // 2
    lines = filter(None, [" ".join(words[:half]), " ".join(words[half:])])
    spans = [tag("tspan", line, x=x, dy=12 if i else 0) for i, line in enumerate(lines)]
    title = tag("title", f"{name}: {number(estimate.value)}, 95 % interval {interval(estimate)}")
    return tag("text", title, spans, class_="tick", x=x, y=y - 6 if y < 100 else y + 4, text_anchor=anchor)
