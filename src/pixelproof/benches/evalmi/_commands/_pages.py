"""Pages about scores measured against people, and about raters; made of the web kit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pixelproof.contract import Estimate, MetricSummary, PixelProofError
from pixelproof.report import report_page
from pixelproof.stats import Undefined, mean_interval
from pixelproof.store import replacing
from pixelproof.web import (
    Html,
    Point,
    Scale,
    fragment,
    header,
    heatmap,
    interval,
    interval_bar,
    interval_bar_axis,
    number,
    scatter,
    section,
    table,
    tag,
    wide,
)

_MARK = b"PixelProof"
_BINS = 8
"""Rows and columns of the table of images by score and rating."""
_LEGEND = (
    "The dot is the value, the bar its 95 % interval over prompts. The brackets are the floor (the best predictor that "
    "never sees a pixel) and the ceiling (what the noise of the raters leaves to a perfect score)."
)
_GENERATORS = "Means of the generators, numbered from the highest rating, with 95 % intervals over prompts."
_JOINT = (
    "Every row is an eighth of the images by score, the lowest first; its cells say how many per cent of them are in "
    "each eighth by rating. A perfect score has 100 on the diagonal."
)
_RATERS = (
    "SRCC: of a rater's votes with the mean of the others. Bias and noise: of the maximum likelihood estimate, in "
    "levels of the votes. Hollow dots: raters whose votes are left out."
)
_SHOWN = ("srcc", "plcc", "krcc", "within_prompt.srcc", "within_generator.srcc", "accuracy", "auc")


def write_page(path: Path, title: str, page_summary: str, sections: Mapping[str, Html]) -> None:
    """Write a page with named sections; an older page of ours is replaced.

    Raises:
        PixelProofError: The file is something else, or cannot be written.
    """
    links = [(_id(name), name) for name in sections]
    main = tag("main", [section(_id(n), n, s) for n, s in sections.items()])
    body = fragment(header(title, page_summary, links), main)
    if path.is_dir() or (path.is_file() and _MARK not in path.read_bytes()[:4096]):
        raise PixelProofError(f"{path} exists and is not a page of ours: choose another file.")
    try:
        with replacing(path, sync=False) as temporary:
            temporary.write_bytes(report_page(f"{title} · PixelProof", body).html().encode("utf-8", "replace"))
    except PixelProofError as error:
        raise PixelProofError(f"Cannot write {path} ({error.__cause__}): choose another file.") from error


def _id(name: str) -> str:
    return name.lower().replace(" ", "-")


def meta_sections(data: Any, reference: Any, evaluations: Sequence[Any], names: Mapping[str, str]) -> dict[str, Html]:
    """Sections about scores: agreement between floor and ceiling, and scatter plots against the ratings."""
    sections = {"Agreement with people": _agreement(reference, evaluations, names)}
    for target in (target for target in reference.targets if target in data.targets):
        sections[f"Scores against {target}"] = _against(data, target, evaluations)
    sections["Floors and ceilings"] = _ends(reference, evaluations[0])
    return sections


def _agreement(reference: Any, evaluations: Sequence[Any], names: Mapping[str, str]) -> Html:
    figures = []
    for target in reference.targets:
        shown = [m for m in _SHOWN if any(f"{target}.{m}" in evaluation.metrics for evaluation in evaluations)]
        for measure in shown:
            rows = [
                (evaluation.scores.column, evaluation.metrics.get(f"{target}.{measure}")) for evaluation in evaluations
            ]
            known = [(column, metric) for column, metric in rows if metric is not None]
            level, _, last = measure.rpartition(".")
            where = f", {level.replace('_', ' ')}" if level else ""
            name = names[last][0].upper() + names[last][1:]
            figures.append(_interval_bars(f"{name} with {target}{where}", known))
    return fragment(tag("p", _LEGEND, class_="note"), figures)


def _interval_bars(title: str, rows: Sequence[tuple[str, MetricSummary]]) -> Html:
    """One measure of all scores on one scale, each between its floor and its ceiling."""
    values = [v for _, m in rows for v in (m.value, m.lo, m.hi, m.floor, m.ceiling)]
    scale = Scale.of_scores([0.0, 1.0, *(v for v in values if v is not None and math.isfinite(v))])
    head = [
        tag("th", "Score", scope="col"),
        tag("th", interval_bar_axis(scale), class_="chart", scope="col", aria_label="On one scale"),
        *(tag("th", name, scope="col", class_="number") for name in ("Value", "Floor", "Ceiling")),
        tag("th", "Interval", scope="col", class_="number spread"),
    ]
    body = [
        tag(
            "tr",
            tag("th", column, scope="row", class_="model"),
            tag("td", interval_bar(_estimate(m), scale, m.floor, _finite(m.ceiling)), class_="chart"),
            tag("td", number(m.value, 3), class_="number value"),
            tag("td", number(m.floor, 3), class_="number", data_name="floor"),
            tag("td", number(m.ceiling, 3), class_="number", data_name="ceiling"),
            tag("td", interval(_estimate(m)), class_="number spread"),
        )
        for column, m in rows
    ]
    chart = tag("table", tag("thead", tag("tr", head)), tag("tbody", body), class_="board unranked")
    return tag("figure", tag("figcaption", tag("h4", title)), chart, class_="board-figure")


def _estimate(metric: Any) -> Estimate:
    return Estimate(float(metric.value), float(metric.lo), float(metric.hi))


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _against(data: Any, target: str, evaluations: Sequence[Any]) -> Html:
    parts = []
    for evaluation in evaluations:
        usable = np.isfinite(evaluation.scores.values)
        x, y = evaluation.scores.scaled[usable], data.targets[target][usable]
        model, cluster = data.model[usable], data.cluster[usable]
        column = f"−{evaluation.scores.column}" if evaluation.scores.lower_is_better else evaluation.scores.column
        points = _generator_points(data, x, y, model, cluster)
        dots = scatter(points, _axis([p.x for p in points]), _axis([p.y for p in points]), column, target)
        legend = [[f"{p.key} {p.label}", number(p.x.value), number(p.y.value)] for p in points]
        bars = _interval_bars("SRCC over images", [(evaluation.scores.column, evaluation.metrics[f"{target}.srcc"])])
        parts.append(
            tag(
                "div",
                tag("h4", evaluation.scores.column),
                tag("p", _GENERATORS, class_="note"),
                tag("figure", dots),
                table(["Generator", column, target], legend, "Generators", "plain compact"),
                tag("p", _JOINT, class_="note"),
                wide(_joint(x, y, evaluation.scores.column, target), f"{evaluation.scores.column} against {target}"),
                bars,
            )
        )
    return fragment(parts)


def _generator_points(data: Any, x: Any, y: Any, model: Any, cluster: Any) -> list[Point]:
    """Means of the generators, numbered from the highest rating: their names would cover each other."""
    members = {code: model == code for code in np.unique(model)}
    best_first = sorted(members, key=lambda code: -float(y[members[code]].mean()))
    points = []
    for place, code in enumerate(best_first, start=1):
        rows = members[code]
        means = _mean(x[rows], cluster[rows]), _mean(y[rows], cluster[rows])
        points.append(Point(str(place), data.title(data.models[code]), *means))
    return points


def _mean(values: Any, clusters: Any) -> Estimate:
    found = mean_interval(values, None, clusters)
    value = float(values.mean())
    return Estimate(value, math.nan, math.nan) if isinstance(found, Undefined) else Estimate(value, found.lo, found.hi)


def _axis(estimates: Sequence[Estimate]) -> Scale:
    """An axis around all values and intervals, not from zero: ratings do not begin there."""
    ends = [v for e in estimates for v in (e.value, e.lo, e.hi) if math.isfinite(v)]
    low, high = min(ends), max(ends)
    raw = (high - low or 1.0) / 5
    power = 10.0 ** math.floor(math.log10(raw))
    step = power * next(factor for factor in (1, 2, 5, 10) if factor * power >= raw * (1 - 1e-9))
    # One more step: the labels of points are to their right.
    return Scale(step * math.floor(low / step), step * math.ceil(high / step + 1), step)


def _joint(x: Any, y: Any, column: str, target: str) -> Html:
    """Images by equal parts of the score (rows) and of the rating (columns)."""
    places = [
        np.minimum((np.argsort(np.argsort(v, kind="stable"), kind="stable") * _BINS) // len(v), _BINS - 1)
        for v in (x, y)
    ]
    counts = np.zeros((_BINS, _BINS))
    np.add.at(counts, (places[0], places[1]), 1)
    shares = (counts / np.maximum(1, counts.sum(axis=1, keepdims=True))).tolist()
    rows = [f"{column} {k + 1}/{_BINS}" for k in range(_BINS)]
    columns = [f"{k + 1}/{_BINS}" for k in range(_BINS)]
    return heatmap(rows, columns, shares, f"{column} against {target}", is_expected=lambda row, place: row == place)


def _ends(reference: Any, first: Any) -> Html:
    rows = []
    for target, floors in first.floors.items():
        for name, values in floors.items():
            key = "srcc" if "srcc" in values else "accuracy"
            rows.append([f"{target}: floor, {name}", key, number(values[key], 3)])
        if (top := reference.ceilings.get(target)) is not None:
            rows.append([f"{target}: ceiling, {top.source}, {top.raters} raters", "srcc", number(top.srcc, 3)])
    return table(["Predictor", "Measure", "Value"], rows, "Floors and ceilings", "plain compact")


def votes_sections(analysis: Any) -> dict[str, Html]:
    """Sections about raters: how each agrees with the others, and how reliable they are together."""
    scale = Scale.of_scores([rater.agreement for rater in analysis.raters])
    head = [
        tag("th", "Rater", scope="col"),
        tag("th", interval_bar_axis(scale), class_="chart", scope="col", aria_label="SRCC with the others"),
        *(tag("th", name, scope="col", class_="number") for name in ("SRCC", "Votes", "Mean", "Bias", "Noise")),
    ]
    body = []
    for rater in sorted(analysis.raters, key=lambda rater: (math.isnan(rater.agreement), -rater.agreement)):
        numbers = {"votes": str(rater.votes), "mean": number(rater.mean), "bias": number(rater.bias)}
        numbers["noise"] = number(rater.inconsistency)
        reason = tag("span", f"rejected: {rater.rejected}", class_="setting") if rater.rejected else None
        bar = interval_bar(Estimate(rater.agreement, math.nan, math.nan), scale, hollow=bool(rater.rejected))
        body.append(
            tag(
                "tr",
                tag("th", tag("span", rater.name, reason, class_="run-label"), scope="row", class_="model"),
                tag("td", bar, class_="chart"),
                tag("td", number(rater.agreement), class_="number value"),
                [tag("td", text, class_="number", data_name=name) for name, text in numbers.items()],
                class_="control" if rater.rejected else None,
            )
        )
    chart = tag("table", tag("thead", tag("tr", head)), tag("tbody", body), class_="board unranked")
    icc, top = analysis.icc, analysis.ceiling
    rows = [
        ["ICC(2,1), one rater", number(icc.icc2, 3)],
        ["ICC(2,k), mean of all", number(icc.icc2k, 3)],
        ["Krippendorff's alpha, ordinal", number(analysis.alpha_ordinal, 3)],
        ["Standard error of a score", number(top.error)],
        ["Ceiling of a perfect metric, SRCC", number(top.srcc, 3)],
    ]
    return {
        "Agreement of raters": fragment(tag("p", _RATERS, class_="note"), tag("figure", chart, class_="board-figure")),
        "Reliability": table(["", "Value"], rows, "Reliability", "plain compact"),
    }
