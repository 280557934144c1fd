"""One-dimensional charts: an interval on a scale, and a stacked bar. They fill the available width."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle

from pixelproof.contract import Estimate

from ._format import interval, number, plural
from ._html import Html, tag
from ._scale import Scale, tick_text

_HEIGHT = 28
_MIDDLE = _HEIGHT / 2


def interval_bar(
    estimate: Estimate,
    scale: Scale,
    floor: float | None = None,
    ceiling: float | None = None,
    hollow: bool = False,
) -> Html:
    """A value with its interval, between the brackets of floor and ceiling.

    Args:
        estimate: Value and interval; nan where unknown, which is not drawn.
        scale: The axis, the same for all bars of a column.
        floor: Position of the left bracket.
        ceiling: Position of the right bracket.
        hollow: Draw an open dot, for controls.
    """
    marks: list[Html] = [tag("line", class_="track", x1="0", x2="100%", y1=_MIDDLE, y2=_MIDDLE)]
    if floor is not None and ceiling is not None:
        ends = sorted((scale.at(floor), scale.at(ceiling)))
        width = _percent(ends[1] - ends[0])
        marks.append(tag("rect", class_="zone", x=_percent(ends[0]), width=width, y=4, height=_HEIGHT - 8))
    for value, kind, path in ((floor, "floor", "M4 4H0V24H4"), (ceiling, "ceiling", "M-4 4H0V24H-4")):
        if value is not None:
            marks.append(_at(scale.at(value), tag("path", class_=f"bracket {kind}", d=path)))
    if not math.isnan(estimate.lo) and not math.isnan(estimate.hi):
        x1, x2 = _percent(scale.at(estimate.lo)), _percent(scale.at(estimate.hi))
        marks.append(tag("line", class_="interval", x1=x1, x2=x2, y1=_MIDDLE, y2=_MIDDLE))
    if not math.isnan(estimate.value):
        dot = "dot hollow" if hollow else "dot"
        marks.append(tag("circle", class_=dot, cx=_percent(scale.at(estimate.value)), cy=_MIDDLE, r=5))
    text = interval_bar_text(estimate, floor, ceiling)
    return tag("svg", tag("title", text), marks, class_="interval-bar", role="img", width="100%", height=_HEIGHT)


def interval_bar_text(estimate: Estimate, floor: float | None = None, ceiling: float | None = None) -> str:
    """The content of an interval bar as text."""
    text = [number(estimate.value), f"95 % interval {interval(estimate)}"]
    text += [f"floor {number(floor)}"] if floor is not None else []
    text += [f"ceiling {number(ceiling)}"] if ceiling is not None else []
    return ", ".join(text)


def interval_bar_axis(scale: Scale) -> Html:
    """The axis over a column of interval bars; every second tick is hidden where the column is narrow."""
    ticks = scale.ticks()
    labels = [
        tag("text", tick_text(value), x=_percent(scale.at(value)), y=11, class_=name, text_anchor="middle")
        for value, name in zip(ticks, cycle(("tick", "tick narrow")), strict=False)
    ]
    axis = tag("svg", labels, class_="interval-bar-axis", width="100%", height=16, aria_hidden="true")
    return tag("div", axis, class_="interval-bar-axis-box")


@dataclass(frozen=True)
class Part:
    """A part of a bar."""

    label: str
    count: int
    kind: str
    """A class of the style sheet: `scored`, `model`, `instrument`, `infrastructure`, `missing`."""
    shade: float = 1.0
    """Opacity, which distinguishes parts of one kind."""


def stacked_bar(parts: Sequence[Part], total: int) -> Html:
    """Parts of a whole, side by side."""
    drawn: list[Html] = []
    done = 0
    for part in parts:
        title = tag("title", f"{part.label}: {part.count:,} of {plural(total, 'answer')} ({part.count / total:.0%})")
        place, width = _percent(done / total), _percent(part.count / total)
        kind = f"part {part.kind}"
        drawn.append(tag("rect", title, class_=kind, fill_opacity=part.shade, x=place, width=width, height=18))
        done += part.count
    text = ", ".join(f"{part.label} {part.count}" for part in parts)
    return tag("svg", drawn, class_="bar", role="img", aria_label=text, width="100%", height=18)


def _at(share: float, mark: Html) -> Html:
    """A mark of fixed size at a relative position."""
    return tag("svg", mark, x=_percent(share), overflow="visible", width=1, height=_HEIGHT)


def _percent(share: float) -> str:
    return f"{100 * share:.3f}".rstrip("0").rstrip(".") + "%"
