"""The leaderboard: for each headline metric, all runs on one scale; and what became of their answers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from pixelproof.contract import Metric
from pixelproof.web import (
    NOTHING,
    Html,
    Scale,
    duration,
    fragment,
    interval,
    interval_strip,
    money,
    number,
    strip_axis,
    table,
    tag,
)

from ._ranks import ordered
from ._summaries import estimate_of
from ._views import View

Ranges = Mapping[str, tuple[int, int]]
"""Key of a run → its best and worst rank."""

_BETTER = {True: "Higher is better.", False: "Lower is better.", None: "Neither end is better."}
_POINTLESS = " A floor control reaches the ceiling here: this metric cannot tell it from a perfect answer."


def headline_metrics(views: Sequence[View]) -> list[Metric]:
    """The metrics of the leaderboard that any run has a value of, in the order of the bench; all if none has any."""
    bench = views[0].bench
    headline = [metric for metric in bench.metrics if metric.name in bench.display.headline]
    return [m for m in headline if any(m.name in view.summary["metrics"] for view in views)] or headline


def leaderboard(views: Sequence[View], ranks: Mapping[str, Ranges]) -> Html:
    """A chart for each headline metric."""
    return fragment([_board(views, metric, ranks.get(metric.name, {})) for metric in headline_metrics(views)])


def _board(views: Sequence[View], metric: Metric, ranges: Ranges) -> Html:
    found = {view.key: view.summary["metrics"].get(metric.name) or {} for view in views}
    ends = ("value", "lo", "hi", "floor", "ceiling")
    scale = Scale.of_scores(known.get(end) for known in found.values() for end in ends)
    names = {"value": "Value", "spread": "95\u00a0% interval"}
    names |= {"calibrated": "Calibrated"} if metric.calibrated else {}
    head = [
        tag("th", "Model", scope="col"),
        tag("th", "Rank", scope="col", class_="number rank", title="The ranks that the data cannot exclude"),
        tag("th", strip_axis(scale), class_="chart", scope="col", aria_label="On one scale"),
        *(tag("th", name, scope="col", class_=f"number {kind}") for kind, name in names.items()),
        tag("th", "n", scope="col", class_="number"),
    ]
    best_first = [
        view for control in (False, True) for view in ordered([v for v in views if v.control is control], metric)
    ]
    rows = [_row(view, found[view.key], scale, metric, ranges.get(view.key)) for view in best_first]
    kind = "board" if ranges else "board unranked"
    about = f"{metric.about[:1].upper()}{metric.about[1:]}. {_BETTER[metric.higher_is_better]}"
    remark = tag("strong", _POINTLESS) if _is_pointless(metric, list(found.values())) else None
    caption = tag("figcaption", tag("h3", metric.name), tag("p", about, remark))
    chart = tag("table", tag("thead", tag("tr", head)), tag("tbody", rows), class_=kind)
    return tag("figure", caption, chart, class_="board-figure")


def _row(view: View, found: Mapping[str, Any], scale: Scale, metric: Metric, rank: tuple[int, int] | None) -> Html:
    estimate, calibrated = estimate_of(found), estimate_of(found.get("calibrated"))
    strip = interval_strip(estimate, scale, found.get("floor"), found.get("ceiling"), hollow=view.control)
    told = number(calibrated.value) + (f" ({interval(calibrated)})" if not math.isnan(calibrated.lo) else "")
    return tag(
        "tr",
        tag("th", who(view), scope="row", class_="model"),
        tag("td", rank_text(rank), class_="number rank", data_name="rank"),
        tag("td", strip, class_="chart"),
        tag("td", number(estimate.value), class_="number value"),
        tag("td", interval(estimate), class_="number spread"),
        tag("td", told, class_="number spread", data_name="calibrated") if metric.calibrated else None,
        tag("td", found.get("n", 0), class_="number", data_name="n"),
        class_="control" if view.control else None,
    )


def rank_text(rank: tuple[int, int] | None) -> str:
    """One rank, or from the best to the worst.

    >>> rank_text((2, 2)), rank_text((1, 3)), rank_text(None)
    ('2', '1–3', '')
    """
    if rank is None:
        return ""
    return str(rank[0]) if rank[0] == rank[1] else f"{rank[0]}–{rank[1]}"


def who(view: View) -> Html:
    """The run's letter, its model, and what tells it apart."""
    setting = tag("span", view.setting, class_="setting") if view.setting else None
    return fragment(badge(view.key), tag("span", tag("bdi", view.model), setting, class_="who"))


def badge(key: str, title: str | None = None) -> Html:
    """The letter of a run."""
    return tag("span", key, class_="badge", title=title)


def _is_pointless(metric: Metric, found: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a floor control reaches the ceiling everywhere; nobody should have to notice that by looking."""
    sign = -1.0 if metric.higher_is_better is False else 1.0
    pairs = [(known.get("floor"), known.get("ceiling")) for known in found]
    gaps = [sign * (ceiling - floor) for floor, ceiling in pairs if floor is not None and ceiling is not None]
    return bool(gaps) and max(gaps) < 1e-9


def answers_table(views: Sequence[View]) -> Html:
    """Counts, cost and time of every run."""
    names = ["Model", "Planned", "Completed", "Model faults", "Unscored", "Errored", "Tokens out", "Cost", "Model time"]
    rows = []
    for view in views:
        counts, ledger = view.summary["counts"], view.card.get("ledger") or {}
        tokens, seconds = ledger.get("output_tokens"), ledger.get("seconds")
        cells = [f"{counts[name]:,}" for name in ("planned", "completed", "model_faults", "unscored", "errored")]
        cells += [f"{tokens:,}" if tokens else NOTHING, money(view.cost), duration(seconds) if seconds else NOTHING]
        rows.append([who(view), *cells])
    return table(names, rows, "What became of the answers", quiet=[view.control for view in views])
