"""Report panels: edits side by side, scores by difficulty, and the published formulas beside ours."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pixelproof.benches.spatial._bench import Spatial
from pixelproof.contract import Estimate, PixelProofError, Result
from pixelproof.report import Panel, View, run_label
from pixelproof.web import (
    Child,
    Html,
    Scale,
    data_uri,
    evenly,
    fragment,
    interval_strip,
    number,
    strip_axis,
    table,
    tag,
    wide,
)

_MOST_EDITS = 8
_MOST_RUNS = 4
DIFFICULTIES = {
    "level": "Difficulty",
    "change": "Size of the edit",
    "things": "Things in the scene",
    "size": "Size of the thing in the photograph",
    "visible": "Visible share of the thing",
}
"""Tag → what it groups by."""
_CURVES = ("ic", "sa")
_BESIDE = ("micro.ic", "published.ic", "micro.sa", "published.sa")


def _models(views: Sequence[View]) -> list[View]:
    return [view for view in views if not view.control] or list(views)


def is_spatial(views: Sequence[View]) -> bool:
    """Whether the runs are of this bench."""
    return views[0].bench.name == Spatial.name


def render_edits(views: Sequence[View]) -> Html:
    """Some edits: the photograph, the instruction, what each run shows, and the target."""
    shown = list(views)[:_MOST_RUNS]
    results = [{result.item: result for result in view.run.results(view.bench) if not result.sample} for view in shown]
    keys = [key for key in shown[0].items if any(key in of_run for of_run in results)]
    rows = []
    for place in sorted(list(evenly(len(keys)))[:_MOST_EDITS]):
        given = next(of_run[keys[place]] for of_run in results if keys[place] in of_run)
        cells: list[Child] = [_image(shown, given, "before")]
        cells += [_answer(view, of_run.get(keys[place])) for view, of_run in zip(shown, results, strict=True)]
        rows.append([given.notes.get("instruction", ""), *cells, _image(shown, given, "target")])
    names = ["Instruction", "Before", *(run_label(view) for view in shown), "Target"]
    hidden = len(views) - len(shown)
    note = tag("p", f"{hidden} more runs are in the gallery below.", class_="note") if hidden else None
    return fragment(table(names, rows, "Edits side by side", "plain"), note)


def _answer(view: View, result: Result | None) -> Html:
    if result is None:
        return tag("span", "not asked", class_="note")
    words = result.failure.name if result.failure else result.notes.get("done") or result.notes.get("declined", "")
    return fragment(_image([view], result, "read"), tag("div", words, class_="note"))


def _image(views: Sequence[View], result: Result, name: str) -> Html:
    """An image of a result; nothing if it has none."""
    key = result.evidence.get(name)
    for view in views if isinstance(key, str) else ():
        try:
            uri = data_uri(view.run.blob(str(key)))
        except (PixelProofError, ValueError):  # in another run, missing, or damaged: the gallery says so
            continue
        if uri:
            return tag("img", src=uri, alt=f"{name}: {result.notes.get('instruction', '')}", width=150, loading="lazy")
    return tag("span", "–", class_="note")


def has_difficulty(views: Sequence[View]) -> bool:
    """Whether the items differ in difficulty."""
    return is_spatial(views) and any(tag_name in view.summary["groups"] for view in views for tag_name in DIFFICULTIES)


def render_difficulty(views: Sequence[View]) -> Html:
    """Compliance and accuracy of every run, by each kind of difficulty."""
    parts = []
    for name, title in DIFFICULTIES.items():
        rows = list(_difficulty_rows(views, name))
        if rows:
            parts.append(fragment(tag("h4", title), _strips(title, rows)))
    return fragment(parts)


def _difficulty_rows(views: Sequence[View], name: str) -> Iterator[tuple[str, View, Mapping[str, Any]]]:
    values = dict.fromkeys(value for view in views for value in view.summary["groups"].get(name, {}))
    for value in sorted(values, key=_order):
        for view in _models(views):
            yield value, view, view.summary["groups"].get(name, {}).get(value, {})


def _order(value: str) -> tuple[int, str]:
    """Places of the values of a difficulty, easy first; intervals are named by their number."""
    words = ("easy", "medium", "hard", "small", "large", "few", "many")
    return words.index(value) if value in words else len(words), value


def _strips(title: str, rows: Sequence[tuple[str, View, Mapping[str, Any]]]) -> Html:
    scale = Scale()
    heads = [tag("th", title, scope="col"), tag("th", "Model", scope="col")]
    for name in _CURVES:
        heads += [tag("th", strip_axis(scale), class_="chart", aria_label=f"{name} on one scale")]
        heads += [tag("th", name, scope="col", class_="number")]
    heads.append(tag("th", "n", scope="col", class_="number"))
    body = []
    for value, view, metrics in rows:
        cells: list[Child] = [tag("td", run_label(view), class_="model")]
        for name in _CURVES:
            estimate = _estimate(metrics.get(name) or {})
            cells += [tag("td", interval_strip(estimate, scale, hollow=view.control), class_="chart")]
            cells += [tag("td", number(estimate.value), class_="number")]
        cells.append(tag("td", str((metrics.get("ic") or {}).get("n", 0)), class_="number"))
        body.append(tag("tr", tag("th", value, scope="row"), cells))
    return wide(tag("table", tag("thead", tag("tr", heads)), tag("tbody", body), class_="plain compact groups"), title)


def _estimate(summary: Mapping[str, Any]) -> Estimate:
    ends = [math.nan if summary.get(name) is None else float(summary[name]) for name in ("value", "lo", "hi")]
    return Estimate(*ends)


def has_published(views: Sequence[View]) -> bool:
    """Whether a run has scores by the published formulas."""
    return is_spatial(views) and any("published.ic" in view.summary["metrics"] for view in views)


def published_means(view: View) -> dict[str, list[float]]:
    """Operation → mean IC, published IC, SA and published SA of the answers that have all of them."""
    rows: dict[str, list[list[float]]] = {}
    for result in view.run.results(view.bench):
        values = [result.metrics.get(name) for name in _BESIDE]
        numbers = [float(value) for value in values if isinstance(value, int | float)]
        if len(numbers) == len(_BESIDE):
            rows.setdefault(view.items[result.item].tags["operation"], []).append(numbers)
    return {
        operation: [sum(column) / len(column) for column in zip(*of, strict=True)] for operation, of in rows.items()
    }


def render_published(views: Sequence[View]) -> Html:
    """Our scores and those of the published formulas, of the same answers."""
    rows = []
    for view in views:
        for operation, values in published_means(view).items():
            rows.append([f"{run_label(view)}: {operation}", *(number(value) for value in values)])
    names = ["Model: operation", "IC", "IC published", "SA", "SA published"]
    return table(names, rows, "Our scores and the published ones", "plain compact")


PANELS = (
    Panel(
        "Which edits were asked for, and what was done?",
        is_spatial,
        render_edits,
        "Green: what is asked for; orange: what the answer shows. Arrows run from where a thing was; lengths are those "
        "in the scene, not in the image.",
    ),
    Panel(
        "How do scores fall with difficulty?",
        has_difficulty,
        render_difficulty,
        "Compliance (IC) and accuracy (SA), with 95 % intervals.",
    ),
    Panel(
        "What would the published formulas say?",
        has_published,
        render_published,
        "GSI-Bench's formulas with a detector that makes no errors, on the same answers: perfect moves below 32 cm "
        "score 0, and moves in the opposite direction comply.",
    ),
)
"""Entry point of `pixelproof.panels`."""
