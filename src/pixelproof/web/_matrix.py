"""A correlation matrix with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pixelproof.contract import Estimate

from ._format import interval, number
from ._html import Html, tag

_SIDE, _LEFT, _TOP, _BELOW = 46, 150, 8, 118
_HALF = _SIDE / 2


def matrix(names: Sequence[str], cells: Sequence[Sequence[Estimate]]) -> Html:
    """Correlations: below the diagonal their values, above it their intervals on an axis from -1 to 1.

    Args:
        names: Names of rows and columns.
        cells: A symmetric matrix of estimates; nan where unknown.
    """
    span = _SIDE * len(names)
    marks: list[Html] = []
    for row, name in enumerate(names):
        middle = (row + 0.5) * _SIDE
        marks.append(tag("text", name, class_="name", x=_LEFT - 10, y=_TOP + middle + 4))
        slanted = f"translate({_LEFT + middle:g} {_TOP + span + 10}) rotate(-45)"
        marks.append(tag("text", name, class_="name", transform=slanted, y=4))
        marks += [_cell(row, column, names, cells[row][column]) for column in range(len(names))]
    width, height = _LEFT + span + 8, _TOP + span + _BELOW
    box = f"0 0 {width} {height}"
    label = f"Correlations of {', '.join(names)}"
    return tag("svg", marks, class_="matrix", role="img", aria_label=label, width=width, height=height, viewBox=box)


def _cell(row: int, column: int, names: Sequence[str], estimate: Estimate) -> Html:
    place = f"translate({_LEFT + column * _SIDE} {_TOP + row * _SIDE})"
    frame = tag("rect", class_="cell" if row != column else "diagonal", width=_SIDE, height=_SIDE)
    if row == column:
        return tag("g", frame, transform=place)
    title = f"{names[row]} and {names[column]}: {number(estimate.value)}, 95 % interval {interval(estimate)}"
    inside = _value(estimate) if row > column else _interval(estimate)
    return tag("g", tag("title", title), frame, inside, transform=place)


def _value(estimate: Estimate) -> list[Html]:
    """The number on a background of its strength, faint where the interval contains 0 or is unknown."""
    sure = estimate.lo > 0 or estimate.hi < 0
    text = tag("text", number(estimate.value), class_="value" if sure else "value unsure", x=_HALF, y=_HALF + 4)
    if math.isnan(estimate.value):
        return [text]
    depth = round((0.6 if sure else 0.3) * abs(estimate.value), 3)
    kind = "positive" if estimate.value >= 0 else "negative"
    return [tag("rect", class_=kind, width=_SIDE, height=_SIDE, fill_opacity=depth), text]


def _interval(estimate: Estimate) -> list[Html]:
    def at(value: float) -> float:
        return _HALF + value * (_HALF - 5)

    marks = [tag("line", class_="zero", x1=_HALF, x2=_HALF, y1=_HALF - 7, y2=_HALF + 7)]
    if not math.isnan(estimate.lo):
        marks.append(tag("line", class_="interval", x1=at(estimate.lo), x2=at(estimate.hi), y1=_HALF, y2=_HALF))
    if not math.isnan(estimate.value):
        marks.append(tag("circle", class_="dot", cx=at(estimate.value), cy=_HALF, r=2.5))
    return marks
