"""Scatter plot with intervals in both dimensions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pixelproof.contract import Estimate

from ._format import interval, number
from ._html import Html, tag
from ._scale import Scale, tick_text


@dataclass(frozen=True)
class Point:
    """A labelled point with an interval in both directions."""

    key: str
    label: str
    x: Estimate
    y: Estimate
    hollow: bool = False


_WIDTH, _HEIGHT = 460, 312
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 18, 36, 44
_NEAR = 28, 14
"""Points closer than this, horizontally and vertically, share a label."""


def scatter(points: Sequence[Point], x: Scale, y: Scale, x_title: str, y_title: str) -> Html:
    """Points with the intervals of both coordinates as a cross."""
    marks = axes(x, y, x_title, y_title)
    marks += [_cross(point, x, y) for point in points]
    marks += _labels(points, x, y)
    text = "; ".join(f"{p.label}: {number(p.x.value)}, {number(p.y.value)}" for p in points)
    return plot(marks, text)


def plot(marks: Sequence[Html], text: str) -> Html:
    """A chart of these marks; the text says what it shows."""
    return tag("svg", marks, class_="plot", role="img", aria_label=text, viewBox=f"0 0 {_WIDTH} {_HEIGHT}")


def axes(x: Scale, y: Scale, x_title: str, y_title: str) -> list[Html]:
    """Grid lines, ticks and titles of both axes."""
    right, floor = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    marks: list[Html] = []
    for value in y.ticks():
        at = to_y(y, value)
        marks.append(tag("line", class_="grid", x1=_LEFT, x2=right, y1=at, y2=at))
        marks.append(tag("text", tick_text(value), class_="tick", x=_LEFT - 8, y=at + 3.5, text_anchor="end"))
    for value in x.ticks():
        at = to_x(x, value)
        marks.append(tag("line", class_="grid", x1=at, x2=at, y1=_TOP, y2=floor))
        marks.append(tag("text", tick_text(value), class_="tick", x=at, y=floor + 17, text_anchor="middle"))
    marks.append(tag("text", x_title, class_="axis", x=right, y=_HEIGHT - 6, text_anchor="end"))
    marks.append(tag("text", y_title, class_="axis", x=_LEFT - 8, y=12))
    return marks


def to_x(scale: Scale, value: float) -> float:
    """Horizontal position of a value."""
    return _LEFT + scale.at(value) * (_WIDTH - _LEFT - _RIGHT)


def to_y(scale: Scale, value: float) -> float:
    """Vertical position of a value."""
    return _HEIGHT - _BOTTOM - scale.at(value) * (_HEIGHT - _BOTTOM - _TOP)


def _cross(point: Point, x: Scale, y: Scale) -> Html:
    cx, cy = to_x(x, point.x.value), to_y(y, point.y.value)
    texts = [f"{number(e.value)} ({interval(e)})" for e in (point.x, point.y)]
    marks = [tag("title", f"{point.label}: {', '.join(texts)}")]
    if not math.isnan(point.x.lo):
        ends = to_x(x, point.x.lo), to_x(x, point.x.hi)
        marks.append(tag("line", class_="whisker", x1=ends[0], x2=ends[1], y1=cy, y2=cy))
    if not math.isnan(point.y.lo):
        ends = to_y(y, point.y.lo), to_y(y, point.y.hi)
        marks.append(tag("line", class_="whisker", x1=cx, x2=cx, y1=ends[0], y2=ends[1]))
    marks.append(tag("circle", class_="dot hollow" if point.hollow else "dot", cx=cx, cy=cy, r=5))
    return tag("g", marks, class_="control" if point.hollow else None)


def _labels(points: Sequence[Point], x: Scale, y: Scale) -> list[Html]:
    """The keys of the points; those of overlapping points are joined to one label."""
    groups: list[tuple[float, float, list[str]]] = []
    for point in points:
        cx, cy = to_x(x, point.x.value), to_y(y, point.y.value)
        near = next((k for gx, gy, k in groups if abs(gx - cx) < _NEAR[0] and abs(gy - cy) < _NEAR[1]), None)
        if near is None:
            groups.append((cx, cy, [point.key]))
        else:
            near.append(point.key)
    return [tag("text", " ".join(keys), class_="key", x=gx + 8, y=gy - 8) for gx, gy, keys in groups]
