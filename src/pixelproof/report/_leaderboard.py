"""The leaderboard of a bench: for each headline metric all runs on one scale, then the counts of their answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pixelproof.contract import Metric
from pixelproof.web import (
    NOTHING,
    Html,
    Scale,
    breakable,
    duration,
    fragment,
    interval,
    interval_bar,
    interval_bar_axis,
    money,
    number,
    percent,
    plural,
    table,
    tag,
)

from ._ranks import ordered
from ._summaries import estimate_of, score_of, text_of
from ._views import View

Ranges = Mapping[str, tuple[int, int]]
"""Key of a run → its best and worst rank."""

_BETTER = {True: "Higher is better.", False: "Lower is better.", None: "Neither end is better."}
_UNINFORMATIVE = " A floor control reaches the ceiling here: this metric cannot distinguish it from a perfect answer."


def headline_metrics(views: Sequence[View]) -> list[Metric]:
    """The headline metrics that any run has a value of, in the order of the bench; all if none has any."""
    bench = views[0].bench
    headline = [metric for metric in bench.metrics if metric.name in bench.display.headline]
    return [m for m in headline if any(m.name in view.summary["metrics"] for view in views)] or headline


def leaderboard(views: Sequence[View], ranks: Mapping[str, Ranges], leading: Metric) -> Html:
    """A chart for each headline metric; all but the leading one are folded."""
    boards = {m.name: _board(views, m, ranks.get(m.name, {})) for m in headline_metrics(views)}
    first = boards.pop(leading.name)
    if not boards:
        return first
    summary = tag(
        "summary", plural(len(boards), "more headline metric"), tag("span", ", ".join(boards), class_="setting")
    )
    return fragment(first, tag("details", summary, list(boards.values()), class_="inner"))


def _board(views: Sequence[View], metric: Metric, ranges: Ranges) -> Html:
    summaries = {view.key: view.summary["metrics"].get(metric.name) or {} for view in views}
    ends = ("value", "lo", "hi", "floor", "ceiling")
    scale = Scale.of_scores(known.get(end) for known in summaries.values() for end in ends)
    columns = {"value": "Value", "spread": "95\u00a0% interval"}
    columns |= {"calibrated": "Calibrated"} if metric.calibrated else {}
    covered = has_abstentions(views)
    head = [
        tag("th", "Model", scope="col"),
        tag("th", "Rank", scope="col", class_="number rank", title="The ranks that the data cannot exclude"),
        tag("th", interval_bar_axis(scale), class_="chart", scope="col", aria_label="On one scale"),
        *(tag("th", name, scope="col", class_=f"number {kind}") for kind, name in columns.items()),
        tag("th", "Faults", scope="col", class_="number", title="Share of answers with a model fault"),
        tag("th", "Coverage", scope="col", class_="number cover") if covered else None,
        tag("th", "n", scope="col", class_="number"),
    ]
    best_first = [
        view for control in (False, True) for view in ordered([v for v in views if v.control is control], metric)
    ]
    rows = [_row(v, summaries[v.key], scale, metric, ranges.get(v.key), covered) for v in best_first]
    about = f"{metric.about[:1].upper()}{metric.about[1:]}. {_BETTER[metric.higher_is_better]}"
    remark = tag("strong", _UNINFORMATIVE) if _is_uninformative(metric, list(summaries.values())) else None
    caption = tag("figcaption", tag("h4", metric.name), tag("p", about, remark))
    kind = "board" if ranges else "board unranked"
    chart = tag("table", tag("thead", tag("tr", head)), tag("tbody", rows), class_=kind)
    return tag("figure", caption, chart, class_="board-figure")


def _row(
    view: View, summary: Mapping[str, Any], scale: Scale, metric: Metric, rank: tuple[int, int] | None, covered: bool
) -> Html:
    estimate, calibrated = estimate_of(summary), score_of(summary)
    bar = interval_bar(estimate, scale, summary.get("floor"), summary.get("ceiling"), hollow=view.control)
    text = "undefined" if summary.get("calibrated_reason") else text_of(calibrated)
    share = view.fault_share if summary.get("faults") is None else float(summary["faults"])
    return tag(
        "tr",
        tag("th", run_label(view), scope="row", class_="model"),
        tag("td", rank_text(rank), class_="number rank", data_name="rank"),
        tag("td", bar, class_="chart"),
        tag("td", number(estimate.value), class_="number value"),
        tag("td", summary.get("interval_reason") or interval(estimate), class_="number spread"),
        tag("td", text, class_="number spread", data_name="calibrated", title=summary.get("calibrated_reason"))
        if metric.calibrated
        else None,
        tag(
            "td",
            percent(share),
            None if covered else bounds_text(summary.get("bounds")),
            class_="number faults" if share > 0 else "number",
            data_name="faults",
        ),
        tag("td", coverage_text(view, summary), class_="number spread cover", data_name="coverage")
        if covered
        else None,
        tag("td", f"{summary.get('n', 0):,}", class_="number", data_name="n"),
        class_="control" if view.control else None,
    )


def fault_class(view: View) -> str:
    """The classes of a cell with the share of faults, which is coloured unless it is zero."""
    return "number faults" if view.fault_share > 0 else "number"


def has_abstentions(views: Sequence[View]) -> bool:
    """Whether a scorer abstained anywhere."""
    return any(view.summary["counts"].get("abstained") for view in views)


def coverage_text(view: View, summary: Mapping[str, Any]) -> Html:
    """Coverage, and the bounds of the mean."""
    return fragment(percent(view.coverage), bounds_text(summary.get("bounds")))


def bounds_text(bounds: Sequence[float] | None) -> Html | None:
    """The bounds of a mean if answers whose value is not known were as bad, or as good, as possible."""
    return tag("span", f"bounds {number(bounds[0])} to {number(bounds[1])}", class_="setting") if bounds else None


def rank_text(rank: tuple[int, int] | None) -> str:
    """One rank, or from the best to the worst.

    >>> rank_text((2, 2)), rank_text((1, 3)), rank_text(None)
    ('2', '1–3', '')
    """
    if rank is None:
        return ""
    return str(rank[0]) if rank[0] == rank[1] else f"{rank[0]}–{rank[1]}"


def run_label(view: View) -> Html:
    """The letter of a run, its model, and the conditions that distinguish it."""
    setting = tag("span", view.setting, class_="setting") if view.setting else None
    return fragment(badge(view.key), tag("span", tag("bdi", breakable(view.model)), setting, class_="run-label"))


def badge(key: str, title: str | None = None) -> Html:
    """The letter of a run."""
    return tag("span", key, class_="badge", title=title)


def legend(views: Sequence[View]) -> Html:
    """The letters with their names."""
    return tag("ul", [tag("li", badge(view.key), tag("bdi", view.name)) for view in views], class_="legend")


def _is_uninformative(metric: Metric, summaries: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a floor control reaches the ceiling everywhere, so that the metric cannot distinguish anything."""
    sign = -1.0 if metric.higher_is_better is False else 1.0
    pairs = [(known.get("floor"), known.get("ceiling")) for known in summaries]
    gaps = [sign * (ceiling - floor) for floor, ceiling in pairs if floor is not None and ceiling is not None]
    return bool(gaps) and max(gaps) < 1e-9


def answers_table(views: Sequence[View]) -> Html:
    """Counts, cost and time of every run."""
    columns = {"planned": "Planned", "completed": "Completed", "model_faults": "Model faults"}
    columns |= {"abstained": "Abstained"} if has_abstentions(views) else {}
    columns |= {"unscored": "Unscored", "errored": "Errored"}
    rows = []
    for view in views:
        counts, ledger = view.summary["counts"], view.state.ledger or {}
        tokens, seconds = ledger.get("output_tokens"), ledger.get("seconds")
        cells = [f"{counts.get(name, 0):,}" for name in columns]
        cells += [f"{tokens:,}" if tokens else NOTHING, money(view.cost), duration(seconds) if seconds else NOTHING]
        rows.append([run_label(view), *cells])
    names = ["Model", *columns.values(), "Tokens out", "Cost", "Model time"]
    return table(names, rows, "Counts of answers", quiet=[view.control for view in views])
