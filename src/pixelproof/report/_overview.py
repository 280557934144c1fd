"""Models × benches: one table over all groups of a report."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pixelproof.contract import Metric
from pixelproof.web import NOTHING, Html, Scale, breakable, interval, interval_bar, number, percent, tag, wide

from ._findings import is_calibrated, leading_metric
from ._groups import Group
from ._leaderboard import fault_class
from ._summaries import estimate_of, score_of
from ._views import View

_LOWEST, _HIGHEST = -0.5, 1.5
"""Ends of the widest axis; values beyond are drawn at its ends."""


def overview(groups: Sequence[Group], anchors: Sequence[str]) -> Html:
    """A row for each model (for each control, if there are only controls), a column for each group that has any.

    Args:
        groups: The groups of the report.
        anchors: The address of each group's section or page.
    """
    only_controls = all(view.control for group in groups for view in group.views)
    shown = [{v.name: v for v in group.views if only_controls or not v.control} for group in groups]
    groups, anchors, cells = zip(*((g, a, s) for g, a, s in zip(groups, anchors, shown, strict=True) if s), strict=True)
    metrics = [leading_metric(group.views) for group in groups]
    heads = [
        tag(
            "th",
            tag("a", group.name, href=anchor, title=group.title),
            tag("span", _about(group, metric), class_="setting"),
        )
        for group, anchor, metric in zip(groups, anchors, metrics, strict=True)
    ]
    names = list(dict.fromkeys(name for column in cells for name in column))
    scale = _scale(groups, metrics)
    rows = []
    for name in names:
        views = [column.get(name) for column in cells]
        first = next(view for view in views if view is not None)
        setting = tag("span", first.setting, class_="setting") if first.setting else None
        head = tag(
            "th",
            tag("span", tag("bdi", breakable(first.model)), setting, class_="run-label"),
            scope="row",
            class_="model",
        )
        rows.append(tag("tr", head, [_cell(v, metric, scale) for v, metric in zip(views, metrics, strict=True)]))
    head = tag("thead", tag("tr", tag("th", "Model", scope="col"), heads))
    return wide(tag("table", head, tag("tbody", rows), class_="plain overview"), "Models by bench")


def _about(group: Group, metric: Metric) -> str:
    calibrated = any(is_calibrated(view, metric) for view in group.views)
    return f"{metric.name}, {'calibrated' if calibrated else 'not calibrated'}"


def _scale(groups: Sequence[Group], metrics: Sequence[Metric]) -> Scale:
    estimates = [
        score_of(view.summary["metrics"].get(metric.name) or {})
        for group, metric in zip(groups, metrics, strict=True)
        for view in group.views
    ]
    ends = (end for estimate in estimates for end in (estimate.value, estimate.lo, estimate.hi))
    # A floor close to the ceiling makes enormous values, beside which all others would look alike.
    return Scale.of_scores([0.0, 1.0, *(min(max(end, _LOWEST), _HIGHEST) for end in ends)])


def _cell(view: View | None, metric: Metric, scale: Scale) -> Html:
    if view is None:
        return tag("td")
    summary = view.summary["metrics"].get(metric.name) or {}
    calibrated = score_of(summary)
    raw = estimate_of(summary)
    faults = tag("span", f"faults {percent(view.fault_share)}", class_=fault_class(view).replace("number", "aside"))
    if not math.isnan(calibrated.value):
        bar = interval_bar(calibrated, scale, floor=0.0, ceiling=1.0, hollow=view.control)
        text = tag("b", number(calibrated.value))
        spread = tag("span", summary.get("interval_reason") or interval(calibrated), class_="setting")
        return tag("td", bar, text, faults, spread)
    if math.isnan(raw.value):
        return tag("td", "no values yet" if view.in_progress else NOTHING)
    note = tag(
        "span",
        f"raw, {summary.get('interval_reason') or interval(raw)}",
        class_="setting",
        title=summary.get("calibrated_reason"),
    )
    return tag("td", tag("b", number(raw.value)), faults, note)
