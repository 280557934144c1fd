"""Line chart of several series on common axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ._format import number
from ._html import Html, tag
from ._scale import Scale
from ._scatter import axes, plot, to_x, to_y

_DASHES = ("", "6 3", "2 3", "8 3 2 3")


@dataclass(frozen=True)
class Series:
    """A line: its key, which is written at its end, its name, and its points."""

    key: str
    label: str
    points: Sequence[tuple[float, float]]


def line_chart(series: Sequence[Series], x: Scale, y: Scale, x_title: str, y_title: str) -> Html:
    """Lines through points; each carries its key at its last point."""
    marks = axes(x, y, x_title, y_title)
    for place, line in enumerate(series):
        spots = [(to_x(x, a), to_y(y, b)) for a, b in line.points]
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in spots)
        dashes = _DASHES[place % len(_DASHES)]
        marks.append(
            tag("polyline", points=path, fill="none", stroke="currentColor", stroke_width=1.6, stroke_dasharray=dashes)
        )
        marks += [tag("circle", cx=round(a, 1), cy=round(b, 1), r=2.4, fill="currentColor") for a, b in spots]
        if spots:
            marks.append(tag("text", line.key, class_="tick", x=round(spots[-1][0] + 5, 1), y=round(spots[-1][1], 1)))
    points = (f"{line.label}: " + ", ".join(f"{number(a)} {number(b)}" for a, b in line.points) for line in series)
    return plot(marks, "; ".join(points))
