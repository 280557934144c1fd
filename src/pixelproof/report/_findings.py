"""What runs show, in words: the first screen of a report.

An entry point of the group `pixelproof.findings`, named like its bench, is a function from `stats.Evidence` to
sentences (`stats.Finding`), usually `findings` in the bench's `_findings.py`. Other benches get the general sentences.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from pixelproof.contract import Metric
from pixelproof.plugins import load_plugin, plugins
from pixelproof.stats import Contrast, Evidence, Finding, RunNumbers, RunSummary, Words, describe
from pixelproof.web import Entry, GalleryRow, Html, Scale, breakable, cut, interval, interval_bar, number, percent, tag

from ._leaderboard import headline_metrics
from ._ranks import Pairs, distinct_pairs, ordered
from ._shots import Collected
from ._summaries import estimate_of, score_of
from ._views import View

GROUP = "pixelproof.findings"
_MOST_BARS, _EXCERPT = 6, 60
_LOWEST, _HIGHEST = -0.5, 1.5
"""Ends of the widest axis; values beyond are drawn at its ends."""


def leading_metric(views: Sequence[View]) -> Metric:
    """The first headline metric that is calibrated in any run; without one, the first headline metric."""
    metrics = headline_metrics(views)
    return next((metric for metric in metrics if any(is_calibrated(view, metric) for view in views)), metrics[0])


def is_calibrated(view: View, metric: Metric) -> bool:
    """Whether a run has a calibrated value of a metric."""
    return not math.isnan(estimate_of((view.summary["metrics"].get(metric.name) or {}).get("calibrated")).value)


def find(views: Sequence[View], pairs: Pairs) -> list[Finding]:
    """The sentences about runs of one bench on the same items; runs in progress have none.

    Args:
        views: The runs.
        pairs: The paired differences of the models.
    """
    ended = [view for view in views if not view.in_progress]
    if not ended:
        return []
    names = {view.key: view.name for view in views}
    runs = [RunNumbers(view.name, view.control, cast(RunSummary, view.summary)) for view in ended]
    contrasts = [contrast for metric in headline_metrics(views) for contrast in _contrasts(metric, names, pairs)]
    evidence = Evidence(leading_metric(ended).name, runs, contrasts)
    point = plugins(GROUP).get(views[0].bench.name)
    rules: Callable[[Evidence], list[Finding]] | None = load_plugin(point, "findings") if point else None
    return rules(evidence) if rules else describe(evidence, Words())


def _contrasts(metric: Metric, names: Mapping[str, str], pairs: Pairs) -> list[Contrast]:
    distinct = distinct_pairs(pairs, metric.name) if metric.higher_is_better is not None else set()
    contrasts = []
    for (a, b), differences in pairs.items():
        if metric.name in differences:
            d = differences[metric.name]
            second = (d.difference.value > 0) is (metric.higher_is_better is not False)
            better = names[b if second else a] if (a, b) in distinct else ""
            contrasts.append(Contrast(frozenset((names[a], names[b])), metric.name, better, d.n, d.items_needed))
    return contrasts


def lead(title: Html | str, views: Sequence[View], findings: Sequence[Finding], collected: Collected) -> Html:
    """The sentences, a bar of the calibrated score for each model, and the worst, median and best answer."""
    said = [
        tag("p", finding.text, class_="finding" if finding.certain else "finding uncertain") for finding in findings
    ]
    words = tag("div", tag("h2", title), said, class_="lead-words")
    name = tag("p", views[0].bench.title, class_="lead-of", aria_hidden="true")
    shown = tag("div", name, _bars(views), _answers(views, collected), class_="lead-evidence")
    return tag("article", words, shown, class_="lead")


def _bars(views: Sequence[View]) -> Html:
    """Calibrated scores of the models (of the controls, if there are only controls), best first."""
    metric = leading_metric(views)
    models = [view for view in views if not view.control] or list(views)
    shown = ordered(models, metric)[:_MOST_BARS]
    parts = [(view, view.summary["metrics"].get(metric.name) or {}) for view in shown]
    calibrated = any(is_calibrated(view, metric) for view in shown)
    estimates = [score_of(part) if calibrated else estimate_of(part) for _, part in parts]
    ends = (end for e in estimates for end in (e.value, e.lo, e.hi))
    # A floor close to the ceiling makes enormous values, beside which all others would look alike.
    bounds = (0.0, 1.0) if calibrated else ()  # floor and ceiling, which every bar shows
    scale = Scale.of_scores([*bounds, *(min(max(end, _LOWEST), _HIGHEST) for end in ends)])
    rows = []
    for (view, part), estimate in zip(parts, estimates, strict=True):
        floor, ceiling = (0.0, 1.0) if calibrated else (part.get("floor"), part.get("ceiling"))
        faults = tag("span", f"{percent(view.fault_share)} faults", class_="faults") if view.fault_share > 0 else None
        known = not math.isnan(estimate.lo)
        unknown = part.get("interval_reason") or f"no interval, n = {part.get('n', 0)}"
        spread = tag("span", interval(estimate) if known else unknown, class_="spread")
        cells = [tag("bdi", breakable(view.name)), interval_bar(estimate, scale, floor, ceiling, view.control)]
        rows.append(
            tag("li", cells, tag("span", tag("b", number(estimate.value)), spread, faults, class_="lead-value"))
        )
    scaled = "0: floor, 1: ceiling" if calibrated else "not calibrated"
    return tag(
        "div", tag("p", f"{metric.name} ({scaled}; bar: 95\u00a0% interval)", class_="lead-scale"), tag("ul", rows)
    )


def _answers(views: Sequence[View], collected: Collected) -> Html | None:
    """The worst, median and best answer of the leading model, each beside the truth."""
    models = [i for i, view in enumerate(views) if not view.control] or list(range(len(views)))
    best_first = ordered([views[i] for i in models], leading_metric(views))
    column = next(i for i, view in enumerate(views) if view is best_first[0])
    ceilings = [i for i, view in enumerate(views) if view.model.startswith("control/ceiling-") and i != column]
    shown = [row for row in collected.rows if row.cells[column] and (row.given or row.cells[column][0].images)]
    if not shown:
        return None
    measured = [row for row in shown if 0 in dict(row.cells[column][0].numbers) or row.cells[column][0].kind]
    ranked = sorted(measured or shown, key=lambda row: _merit(row.cells[column][0], collected.metrics))
    places = dict.fromkeys((0, (len(ranked) - 1) // 2, len(ranked) - 1))
    names = ("worst", "median", "best") if len(places) == 3 else ("worst", "best")[-len(places) :]
    figures = [
        _figure(name, ranked[place], column, ceilings, collected) for name, place in zip(names, places, strict=True)
    ]
    return tag("div", figures, class_="lead-answers")


def _merit(entry: Entry, metrics: Sequence[Metric]) -> tuple[float, ...]:
    """How good an answer is, by each metric in which an end is better, headline first; without values, the worst."""
    values = dict(entry.numbers)
    signs = [-1.0 if metric.higher_is_better is False else 1.0 for metric in metrics]
    return tuple(sign * values.get(i, -sign * math.inf) for i, sign in enumerate(signs)
                 if metrics[i].higher_is_better is not None)  # fmt: skip


def _figure(name: str, row: GalleryRow, column: int, ceilings: Sequence[int], collected: Collected) -> Html:
    """An answer beside the truth: the last image of the item, or what a ceiling control answered."""
    entry = row.cells[column][0]
    perfect = [("truth", cell[0].images[0][1]) for i in ceilings if (cell := row.cells[i]) and cell[0].images]
    images = [*row.given[-1:], *perfect][:1] + [("answer", place) for _, place in entry.images[:1]]
    pictures = [
        tag(
            "span",
            tag("img", src=collected.images[place], alt=f"{kind}, {row.label}", decoding="async"),
            tag("span", kind, class_="lead-kind"),
        )  # fmt: skip
        for kind, place in images
    ]
    value = entry.outcome if entry.kind else number(dict(entry.numbers).get(0))
    reply = f" “{cut(entry.text.strip(), _EXCERPT)}”" if entry.text and not entry.images else None
    caption = [tag("b", name), f" {cut(row.request or row.label, _EXCERPT)}: {value}", reply]
    return tag("figure", tag("div", pictures), tag("figcaption", caption))
