"""A run taken apart: by groups such as classes, and by what several answers to each item tell."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from pixelproof.web import (
    Child,
    Html,
    Scale,
    fragment,
    interval,
    interval_strip,
    number,
    plural,
    strip_axis,
    table,
    tag,
    wide,
)

from ._leaderboard import headline_metrics
from ._summaries import estimate_of
from ._views import View

_SHOWN = 20
"""Rows of a group; the others are folded."""

Found = Mapping[str, Any]
"""Metric → its part of `summary.json`."""


def told(found: Found) -> str:
    """A value with its interval, if it is known, in words."""
    estimate = estimate_of(found)
    return number(estimate.value) + ("" if math.isnan(estimate.lo) else f" ({interval(estimate)})")


def group_table(view: View, name: str, groups: Mapping[str, Found]) -> Html:
    """The headline metrics of each group, with a bar for the first; parts such as classes have metrics of their own.

    Groups come in their order, parts the best first.
    """
    there = dict.fromkeys(metric for found in groups.values() for metric in found)
    headline = [metric.name for metric in headline_metrics([view]) if metric.name in there]
    columns = headline or list(there)
    rows = list(groups.items()) if headline else sorted(groups.items(), key=lambda row: -_value(row[1], columns[0]))
    title = f"By {name}"
    shown = _table(name, columns, rows[:_SHOWN], title)
    rest = rows[_SHOWN:]
    if not rest:
        return fragment(tag("h4", title), shown)
    more = tag("summary", f"{len(rest):,} more of {plural(len(rows), 'row')}")
    folded = tag("details", more, _table(name, columns, rest, f"{title}, the others"), class_="inner")
    return fragment(tag("h4", title), shown, folded)


def _value(found: Found, metric: str) -> float:
    value = estimate_of(found.get(metric)).value
    return -math.inf if math.isnan(value) else value


def _table(name: str, columns: Sequence[str], rows: Sequence[tuple[str, Found]], label: str) -> Html:
    firsts = [estimate_of(found.get(columns[0])) for _, found in rows]
    scale = Scale.of_scores(end for e in firsts for end in (e.value, e.lo, e.hi))
    heads = [tag("th", name, scope="col"), tag("th", strip_axis(scale), class_="chart", aria_label="On one scale")]
    heads += [tag("th", column, scope="col", class_="number") for column in (*columns, "n")]
    body = []
    for (value, found), first in zip(rows, firsts, strict=True):
        n = max((part["n"] for part in found.values()), default=0)
        texts = [told(found[column]) if column in found else "" for column in columns]
        cells: list[Child] = [tag("td", interval_strip(first, scale), class_="chart")]
        cells += [tag("td", text, class_="number") for text in (*texts, f"{n:,}")]
        body.append(tag("tr", tag("th", tag("bdi", value), scope="row"), cells))
    return wide(tag("table", tag("thead", tag("tr", heads)), tag("tbody", body), class_="plain compact groups"), label)


def sampling_table(sampling: Mapping[str, Found]) -> Html | None:
    """Spread, and what the best of k answers would score; None without several answers per item."""
    if not sampling:
        return None
    tries = list(dict.fromkeys(k for found in sampling.values() for k in found["best"]))
    names = ["Metric", "Spread within an item", *(f"Best of {k}" for k in tries), f"Of the first {', '.join(tries)}"]
    rows = []
    for metric, found in sampling.items():
        best = [told(found["best"][k]) if k in found["best"] else "" for k in tries]
        first = ", ".join(number(found["best_of_first"].get(k)) for k in tries)
        rows.append([metric, number(found["spread"], 3), *best, first])
    title = "Several answers to each item"
    about = "Best of k is without bias; the best of the first k, as it is often published, depends on their order."
    return fragment(tag("h4", title), tag("p", about, class_="note"), table(names, rows, title, "plain compact"))
