"""Relations between numbers: quality against length and cost, descriptive metrics, correlations."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Estimate, Metric
from pixelproof.stats import Undefined, correlation, mean_interval
from pixelproof.web import Html, Point, Scale, fragment, matrix, plural, radar, scatter, tag, wide

from ._leaderboard import headline_metrics, run_label
from ._summaries import estimate_of, spoken
from ._views import Floats, View

LENGTH = "reply length"
_MOST_NAMES = 12
_DRAWS = 500_000
"""Rows times resamples of one correlation; bounds the time that a page takes."""


def efforts(views: Sequence[View]) -> Html | None:
    """Each headline metric against the length of replies, and against what an answer costs, or how long it takes."""
    sizes: list[tuple[str, dict[str, Estimate]]] = [
        ("characters per reply", _means(views, [view.rows.characters for view in views])),
        ("dollars per answer", _means(views, [view.rows.cost for view in views])),
        ("seconds per answer", _means(views, [view.rows.seconds for view in views])),
    ]
    drawn = [(title, means) for title, means in sizes if means][:2]
    plots = [_plot(views, metric, title, means) for metric in headline_metrics(views) for title, means in drawn]
    shown = [plot for plot in plots if plot is not None]
    return tag("div", shown, class_="plots") if shown else None


def _means(views: Sequence[View], columns: Sequence[Floats]) -> dict[str, Estimate]:
    """Key of a run → the mean of a column over the answers that have it, with a clustered interval; without zeros."""
    means = {}
    for view, column in zip(views, columns, strict=True):
        known = ~np.isnan(column)
        if column[known].any():
            interval = mean_interval(column[known], None, view.rows.clusters[known])
            if isinstance(interval, Undefined):
                interval = Estimate(interval.value, math.nan, math.nan)
            means[view.key] = interval
    return means


def _plot(views: Sequence[View], metric: Metric, title: str, means: dict[str, Estimate]) -> Html | None:
    """A scatter plot; None without a model, or with fewer than two points, which compare nothing."""
    points = []
    for view in views:
        y = estimate_of(view.summary["metrics"].get(metric.name))
        if view.key in means and not math.isnan(y.value):
            points.append(Point(view.key, view.label, means[view.key], y, hollow=view.control))
    if len(points) < 2 or all(point.hollow for point in points):
        return None
    x_scale = Scale.of_amounts([v for p in points for v in (p.x.value, p.x.lo, p.x.hi)])
    y_scale = Scale.of_scores([v for p in points for v in (p.y.value, p.y.lo, p.y.hi)])
    chart = scatter(points, x_scale, y_scale, title, metric.name)
    return tag("figure", chart, tag("figcaption", f"{metric.name} against {title}", class_="unseen"))


def descriptions(views: Sequence[View]) -> Html | None:
    """A radar for each run: descriptive metrics whose values and intervals all lie between 0 and 1."""
    described = [metric for metric in views[0].bench.metrics if metric.higher_is_better is None and not metric.judged]
    bounded = [metric for metric in described if _bounded(views, metric)]
    if len(bounded) < 3:
        return None
    charts = []
    for view in views:
        axes = [(spoken(m.name), estimate_of(view.summary["metrics"].get(m.name))) for m in bounded]
        if any(not math.isnan(estimate.value) for _, estimate in axes):
            charts.append(tag("figure", tag("figcaption", run_label(view)), radar(axes)))
    return tag("div", charts, class_="radars") if charts else None


def _bounded(views: Sequence[View], metric: Metric) -> bool:
    values = [view.rows.metrics[metric.name] for view in views if metric.name in view.rows.metrics]
    known = np.concatenate([column[~np.isnan(column)] for column in values]) if values else np.empty(0)
    ends = [end for view in views for end in _ends(view, metric) if not math.isnan(end)]
    return len(known) > 0 and all(0 <= value <= 1 for value in (known.min(), known.max(), *ends))


def _ends(view: View, metric: Metric) -> tuple[float, float]:
    estimate = estimate_of(view.summary["metrics"].get(metric.name))
    return estimate.lo, estimate.hi


def correlations(view: View) -> Html | None:
    """Rank correlations of descriptive and headline metrics and reply length; None if fewer than two of them vary."""
    bench, rows = view.bench, view.rows
    there = {name for name, column in rows.metrics.items() if not np.isnan(column).all()}
    names = [m.name for m in bench.metrics if m.name in there and (m.higher_is_better is None or m.calibrated)]
    names += [name for name in bench.display.headline if name in there and name not in names]
    columns = {
        spoken(name) if name not in bench.display.headline else name: rows.metrics[name] for name in names[:_MOST_NAMES]
    }
    columns[LENGTH] = rows.characters
    varied = {name: column for name, column in columns.items() if _varies(column)}
    constant = [name for name in columns if name not in varied]
    if len(varied) < 2:
        return None
    cells = _square(list(varied.values()), rows.clusters)
    clusters = plural(len(np.unique(rows.clusters)), "cluster")
    remark = f"Over {plural(len(rows.clusters), 'answer')} in {clusters}."
    if constant:
        remark += f" Left out, because constant: {', '.join(constant)}."
    return fragment(wide(matrix(list(varied), cells), "Correlation matrix"), tag("p", remark, class_="note"))


def _square(columns: Sequence[Floats], clusters: npt.NDArray[np.int64]) -> list[list[Estimate]]:
    resamples = int(np.clip(_DRAWS // max(1, len(clusters)), 200, 2000))
    size = len(columns)
    cells = [[Estimate(1.0, math.nan, math.nan)] * size for _ in range(size)]
    for i in range(size):
        for j in range(i):
            estimate = correlation(columns[i], columns[j], clusters, "spearman", resamples=resamples)
            cells[i][j] = cells[j][i] = estimate
    return cells


def _varies(column: Floats) -> bool:
    known = column[~np.isnan(column)]
    return len(known) > 1 and bool(np.ptp(known) > 0)
