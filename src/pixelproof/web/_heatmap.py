"""A heat map of a matrix of shares."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ._format import cut, percent
from ._html import Html, tag

_LONGEST = 22
"""Characters of a name that fit beside the map."""


def heatmap(
    rows: Sequence[str],
    columns: Sequence[str],
    shares: Sequence[Sequence[float]],
    label: str,
    is_expected: Callable[[int, int], bool] = lambda row, column: False,
    title: Callable[[int, int], str] | None = None,
) -> Html:
    """Shares as cells whose colour is the stronger, the larger the share; numbers stand in cells that are wide enough.

    Args:
        rows: Names of the rows.
        columns: Names of the columns.
        shares: A share, 0 to 1, of each cell.
        label: Accessible name of the chart.
        is_expected: Whether a cell is where large shares should be, such as the diagonal: it has another colour.
        title: Text shown for a cell under the pointer; names and share unless given.
    """
    side = 34 if len(columns) <= 14 else 24 if len(columns) <= 25 else 16
    left, top = 8 + 7 * min(_LONGEST, max(map(len, rows), default=0)), 8
    below = 16 + 5 * min(_LONGEST, max(map(len, columns), default=0))
    marks: list[Html] = []
    for place, name in enumerate(rows):
        y = top + (place + 0.5) * side + 4
        marks.append(tag("text", tag("title", name), cut(name, _LONGEST), class_="name", x=left - 6, y=y))
    for place, name in enumerate(columns):
        slanted = f"translate({left + (place + 0.5) * side:g} {top + side * len(rows) + 10}) rotate(-45)"
        marks.append(tag("text", tag("title", name), cut(name, _LONGEST), class_="name", transform=slanted, y=4))
    for row in range(len(rows)):
        for column in range(len(columns)):
            words = title(row, column) if title else f"{rows[row]}, {columns[column]}: {percent(shares[row][column])}"
            place_ = (left + column * side, top + row * side)
            marks.append(_cell(shares[row][column], side, place_, words, is_expected(row, column)))
    width, height = left + side * len(columns) + 8, top + side * len(rows) + below
    return tag(
        "svg",
        marks,
        class_="matrix heatmap",
        role="img",
        aria_label=label,
        width=width,
        height=height,
        viewBox=f"0 0 {width} {height}",
    )


def _cell(share: float, side: int, place: tuple[float, float], words: str, expected: bool) -> Html:
    inside: list[Html] = [tag("title", words)]
    if share > 0:
        kind = "positive" if expected else "negative"
        # Square root: errors of a few per cent, which matter, would be invisible beside the diagonal.
        inside.append(
            tag("rect", class_=kind, width=side, height=side, fill_opacity=round(0.75 * min(1.0, share) ** 0.5, 3))
        )
    inside.append(tag("rect", class_="cell", width=side, height=side))
    if side >= 24 and share >= 0.005:
        inside.append(tag("text", f"{100 * share:.0f}", class_="value", x=side / 2, y=side / 2 + 4))
    return tag("g", inside, transform=f"translate({place[0]:g} {place[1]:g})")
