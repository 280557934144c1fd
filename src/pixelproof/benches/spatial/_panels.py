"""Report panels: edits side by side, scores by difficulty, and the published formulas beside ours."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from pixelproof.benches.spatial._bench import Spatial
from pixelproof.contract import Estimate, PixelProofError, Result
from pixelproof.pixels import read_image, thumbnail
from pixelproof.report import Panel, View, run_label
from pixelproof.web import (
    Child,
    Html,
    Scale,
    data_uri,
    evenly,
    fragment,
    interval_bar,
    interval_bar_axis,
    number,
    table,
    tag,
    wide,
)

_MOST_EDITS = 8
_MOST_RUNS = 4
_COLUMNS = ("Before", "Instruction", "Model", "Answer", "Perceived", "Target")
_SHOWN = 170
"""Width of an image in the table of edits, in CSS pixels."""
_ANSWER_SIDE = 340
"""Longest side of an answer's image there, in its own pixels."""
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


def has_edits(views: Sequence[View]) -> bool:
    """Whether the runs are of the editing task."""
    return is_spatial(views) and getattr(views[0].bench, "task", "editing") == "editing"


def render_edits(views: Sequence[View]) -> Html:
    """Some edits: the photograph and the instruction, each run's answer and what was perceived in it, the target."""
    shown = list(views)[:_MOST_RUNS]
    results = [{result.item: result for result in view.run.results(view.bench) if not result.sample} for view in shown]
    keys = [key for key in shown[0].items if any(key in of_run for of_run in results)]
    chosen = [keys[place] for place in sorted(list(evenly(len(keys)))[:_MOST_EDITS])]
    answers = [_answer_images(view, chosen) for view in shown]
    rows = []
    for key in chosen:
        given = next(of_run[key] for of_run in results if key in of_run)
        instruction = tag("th", given.notes.get("instruction", ""), scope="rowgroup", rowspan=len(shown))
        before, target = (tag("td", _image(shown, given, name), rowspan=len(shown)) for name in ("before", "target"))
        cells = [
            (
                tag("td", run_label(view), class_="model"),
                tag("td", of_run.get(key, "–")),
                tag("td", _perceived(view, one.get(key))),
            )
            for view, one, of_run in zip(shown, results, answers, strict=True)
        ]
        body = [tag("tr", before, instruction, cells[0], target), *(tag("tr", of_run) for of_run in cells[1:])]
        rows.append(tag("tbody", body))
    head = [
        tag("th", name, scope="col") for name in ("Before", "Instruction", "Model", "Answer", "Perceived", "Target")
    ]
    hidden = len(views) - len(shown)
    note = tag("p", f"{hidden} more runs are in the gallery below.", class_="note") if hidden else None
    edits = wide(tag("table", tag("thead", tag("tr", head)), rows, class_="plain"), "Edits side by side")
    return fragment(edits, note)


def _answer_images(view: View, items: Sequence[str]) -> dict[str, Html]:
    """Item → the first answer's last image; items whose answer has none are missing."""
    keys = {
        item: images[-1] for item, sample, _, images in view.run.answers() if item in items and not sample and images
    }
    shown = {}
    for item, key in keys.items():
        with suppress(PixelProofError, ValueError):  # missing or damaged: the gallery says so
            small = thumbnail(read_image(view.run.blob(key)), _ANSWER_SIDE)
            shown[item] = _img(small.data_uri, f"answer of {view.name}")
    return shown


def _perceived(view: View, result: Result | None) -> Html:
    """The answer with outlines and arrows, and in words what was done, or why that is not known."""
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
            return _img(uri, f"{name}: {result.notes.get('instruction', '')}")
    return tag("span", "–", class_="note")


def _img(uri: str, label: str) -> Html:
    return tag("img", src=uri, alt=label, width=_SHOWN, loading="lazy")


def has_questions(views: Sequence[View]) -> bool:
    """Whether the runs are of the understanding task."""
    return is_spatial(views) and not has_edits(views)


def render_questions(views: Sequence[View]) -> Html:
    """Some questions: the photograph, the question with its options, the right answer, and what each run answered."""
    shown = list(views)[:_MOST_RUNS]
    results = [{result.item: result for result in view.run.results(view.bench) if not result.sample} for view in shown]
    keys = [key for key in shown[0].items if any(key in of_run for of_run in results)]
    rows = []
    for place in sorted(list(evenly(len(keys)))[:_MOST_EDITS]):
        given = next(of_run[keys[place]] for of_run in results if keys[place] in of_run)
        question = fragment(
            tag("div", given.notes.get("question", "")), tag("div", given.notes.get("options", ""), class_="note")
        )
        cells: list[Child] = [_image(shown, given, "before"), given.notes.get("right answer", "")]
        rows.append([question, *cells, *(_reply(of_run.get(keys[place])) for of_run in results)])
    names = ["Question", "Photograph", "Right", *(run_label(view) for view in shown)]
    return table(names, rows, "Questions and answers", "plain")


def _reply(result: Result | None) -> Html:
    if result is None:
        return tag("span", "not asked", class_="note")
    if result.failure is not None:
        return tag("span", result.failure.name, class_="note")
    value = next((float(v) for n in ("accuracy", "mra") if isinstance(v := result.metrics.get(n), int | float)), 0.0)
    return fragment(result.notes.get("read as", ""), tag("div", number(value), class_="note"))


def has_difficulty(views: Sequence[View]) -> bool:
    """Whether the items differ in difficulty."""
    return has_edits(views) and any(tag_name in view.summary["groups"] for view in views for tag_name in DIFFICULTIES)


def render_difficulty(views: Sequence[View]) -> Html:
    """Compliance and accuracy of every run, by each kind of difficulty."""
    parts = []
    for name, title in DIFFICULTIES.items():
        rows = list(_difficulty_rows(views, name))
        if rows:
            parts.append(fragment(tag("h4", title), _interval_bars(title, rows)))
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


def _interval_bars(title: str, rows: Sequence[tuple[str, View, Mapping[str, Any]]]) -> Html:
    scale = Scale()
    heads = [tag("th", title, scope="col"), tag("th", "Model", scope="col")]
    for name in _CURVES:
        heads += [tag("th", interval_bar_axis(scale), class_="chart", aria_label=f"{name} on one scale")]
        heads += [tag("th", name, scope="col", class_="number")]
    heads.append(tag("th", "n", scope="col", class_="number"))
    body = []
    for value, view, metrics in rows:
        cells: list[Child] = [tag("td", run_label(view), class_="model")]
        for name in _CURVES:
            estimate = _estimate(metrics.get(name) or {})
            cells += [tag("td", interval_bar(estimate, scale, hollow=view.control), class_="chart")]
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
            rows.append([fragment(run_label(view), f": {operation}"), *(number(value) for value in values)])
    names = ["Model: operation", "IC", "IC published", "SA", "SA published"]
    return table(names, rows, "Our scores and the published ones", "plain compact")


PANELS = (
    Panel(
        "Which edits were asked for, and what was done?",
        has_edits,
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
    Panel(
        "Which questions were asked, and what was answered?",
        has_questions,
        render_questions,
        "Below each answer stands its score: 0 or 1, or the mean relative accuracy of a number.",
    ),
)
"""Entry point of `pixelproof.panels`."""
