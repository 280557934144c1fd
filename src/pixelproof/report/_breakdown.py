"""Tables of one run by group, such as classes, and over several answers per item."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from pixelproof.web import (
    Child,
    Html,
    Scale,
    fragment,
    interval_bar,
    interval_bar_axis,
    number,
    percent,
    plural,
    table,
    tag,
    wide,
)

from ._leaderboard import headline_metrics
from ._summaries import estimate_of, estimate_text
from ._views import View

_SHOWN = 20
"""Rows of a group; the others are folded."""

Summaries = Mapping[str, Any]
"""Metric → its part of `summary.json`."""


def group_table(view: View, name: str, groups: Mapping[str, Summaries]) -> Html:
    """The headline metrics of each group, with a bar for the first; parts such as classes have metrics of their own.

    Groups keep their order; parts are sorted, best first.
    """
    known = dict.fromkeys(metric for summaries in groups.values() for metric in summaries)
    headline = [metric.name for metric in headline_metrics([view]) if metric.name in known]
    columns = headline or list(known)
    rows = list(groups.items()) if headline else sorted(groups.items(), key=lambda row: -_value(row[1], columns[0]))
    title = f"By {name}"
    shown = _table(name, columns, rows[:_SHOWN], title)
    rest = rows[_SHOWN:]
    if not rest:
        return fragment(tag("h4", title), shown)
    more = tag("summary", f"{len(rest):,} more of {plural(len(rows), 'row')}")
    folded = tag("details", more, _table(name, columns, rest, f"{title}, the others"), class_="inner")
    return fragment(tag("h4", title), shown, folded)


def _value(summaries: Summaries, metric: str) -> float:
    value = estimate_of(summaries.get(metric)).value
    return -math.inf if math.isnan(value) else value


def _table(name: str, columns: Sequence[str], rows: Sequence[tuple[str, Summaries]], label: str) -> Html:
    firsts = [estimate_of(summaries.get(columns[0])) for _, summaries in rows]
    scale = Scale.of_scores(end for e in firsts for end in (e.value, e.lo, e.hi))
    axis = tag("th", interval_bar_axis(scale), class_="chart", aria_label="On one scale")
    heads = [tag("th", name, scope="col"), axis]
    heads += [tag("th", column, scope="col", class_="number") for column in (*columns, "Faults", "n")]
    body = []
    for (value, summaries), first in zip(rows, firsts, strict=True):
        n = max((part["n"] for part in summaries.values()), default=0)
        faults = percent(max((part["faults"] or 0.0 for part in summaries.values()), default=0.0))
        texts = [estimate_text(summaries[column]) if column in summaries else "" for column in columns]
        cells: list[Child] = [tag("td", interval_bar(first, scale), class_="chart")]
        cells += [tag("td", text, class_="number") for text in (*texts, faults, f"{n:,}")]
        body.append(tag("tr", tag("th", tag("bdi", value), scope="row"), cells))
    return wide(tag("table", tag("thead", tag("tr", heads)), tag("tbody", body), class_="plain compact groups"), label)


def sampling_table(sampling: Mapping[str, Summaries]) -> Html | None:
    """Spread, and estimated score of the best of k answers; None without several answers per item."""
    if not sampling:
        return None
    tries = list(dict.fromkeys(k for summaries in sampling.values() for k in summaries["best"]))
    names = ["Metric", "Spread within an item", *(f"Best of {k}" for k in tries), f"Of the first {', '.join(tries)}"]
    rows = []
    for metric, summaries in sampling.items():
        best = [estimate_text(summaries["best"][k]) if k in summaries["best"] else "" for k in tries]
        first = ", ".join(number(summaries["best_of_first"].get(k)) for k in tries)
        rows.append([metric, number(summaries["spread"], 3), *best, first])
    title = "Several answers to each item"
    about = "Best of k is unbiased; the best of the first k, as often published, depends on their order."
    return fragment(tag("h4", title), tag("p", about, class_="note"), table(names, rows, title, "plain compact"))
