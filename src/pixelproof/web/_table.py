"""Tables: the first column names the rows, all others hold numbers."""

from __future__ import annotations

from collections.abc import Sequence

from ._html import Child, Html, tag


def table(
    names: Sequence[Child],
    rows: Sequence[Sequence[Child]],
    label: str,
    kind: str = "plain",
    quiet: Sequence[bool] = (),
) -> Html:
    """A table that scrolls sideways where it is too wide.

    Args:
        names: Column headers.
        rows: Cells of each row, its name first.
        label: Accessible name of the table.
        kind: CSS classes: `plain`, and `compact` for a table that need not fill the width.
        quiet: For each row, whether it is shown faintly, such as controls.
    """
    head = [tag("th", name, scope="col", class_="number" if i else None) for i, name in enumerate(names)]
    body = []
    for place, (first, *cells) in enumerate(rows):
        control = "control" if place < len(quiet) and quiet[place] else None
        numbers = [tag("td", cell, class_="number") for cell in cells]
        body.append(tag("tr", tag("th", first, scope="row", class_="model"), numbers, class_=control))
    return wide(tag("table", tag("thead", tag("tr", head)), tag("tbody", body), class_=kind), label)


def wide(content: Child, label: str) -> Html:
    """Content that scrolls sideways where it is too wide, by touch and by keyboard."""
    return tag("div", content, class_="wide", tabindex="0", role="region", aria_label=label)
