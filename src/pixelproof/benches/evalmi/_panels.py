"""Report panels: tie groups by task, models by task on an absolute scale, and whether the judge has drifted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from pixelproof.benches.evalmi._bench import EvalMi
from pixelproof.benches.evalmi._drift import anchor_scores, check_drift, control_scores
from pixelproof.contract import Estimate, Metric
from pixelproof.report import Panel, View, rank_ranges, rank_text, run_label
from pixelproof.store import digest
from pixelproof.web import Html, fragment, number, radar, table, tag

_MOST_RADARS = 8
_MOST_TESTS = 600
"""Pairs of runs times tasks that are tested for ties; beyond, `judge rank` does it."""


def _metric(views: Sequence[View]) -> Metric | None:
    """The first headline metric that a run has a value of."""
    names = [name for name in EvalMi.display.headline if any(name in view.summary["metrics"] for view in views)]
    return next((metric for metric in EvalMi.metrics if names and metric.name == names[0]), None)


def _tasks(views: Sequence[View], metric: Metric) -> list[str]:
    named = [view.summary["groups"].get("task", {}) for view in views]
    return sorted({task for tasks in named for task, metrics in tasks.items() if metric.name in metrics})


def _of_task(view: View, task: str, metric: Metric) -> Mapping[str, Any]:
    value: Mapping[str, Any] = view.summary["groups"].get("task", {}).get(task, {}).get(metric.name) or {}
    return value


def _models(views: Sequence[View]) -> list[View]:
    return [view for view in views if not view.control] or list(views)


def applies(views: Sequence[View]) -> bool:
    """Whether the runs are of this bench and have values by task."""
    if views[0].bench.name != EvalMi.name:
        return False
    metric = _metric(views)
    return metric is not None and bool(_tasks(views, metric))


def render_tasks(views: Sequence[View]) -> Html:
    """A row per task: value, floor and ceiling, and the ranks that cannot be excluded."""
    metric = _metric(views)
    assert metric is not None, "the panel applies"
    tasks, models = _tasks(views, metric), _models(views)
    tested = len(models) > 1 and len(models) * (len(models) - 1) / 2 * len(tasks) <= _MOST_TESTS
    rows = []
    for task in tasks:
        ranks = rank_ranges(models, [metric], {"task": task})[metric.name] if tested else {}
        cells: list[Any] = []
        for view in models:
            summary = _of_task(view, task, metric)
            rank = tag("span", f"rank {rank_text(ranks[view.key])}", class_="setting") if view.key in ranks else None
            cells.append(fragment(number(summary.get("value")), rank))
        first = _of_task(models[0], task, metric)
        ends = [number(first.get(end)) for end in ("floor", "ceiling")]
        rows.append([task.replace("_", " "), str(first.get("n", 0)), *ends, *cells])
    names = ["Task", "n", "Floor", "Ceiling", *(run_label(view) for view in models)]
    label = f"{metric.name} by task"
    return fragment(tag("h4", metric.name), table(names, rows, label, "plain"))


def render_radar(views: Sequence[View]) -> Html:
    """One radar chart per model: its value in every task, from 0 in the centre to 1 at the rim."""
    metric = _metric(views)
    assert metric is not None, "the panel applies"
    tasks, shown = _tasks(views, metric), _models(views)[:_MOST_RADARS]
    charts = []
    for view in shown:
        axes = [(task.replace("_", " "), _estimate(_of_task(view, task, metric))) for task in tasks]
        charts.append(tag("figure", tag("figcaption", run_label(view)), radar(axes), class_="radar-figure"))
    hidden = len(_models(views)) - len(shown)
    note = tag("p", f"{hidden} more models are in the table above.", class_="note") if hidden else None
    return fragment(tag("div", charts, class_="radars"), note)


def _estimate(summary: Mapping[str, Any]) -> Estimate:
    ends = [math.nan if summary.get(name) is None else float(summary[name]) for name in ("value", "lo", "hi")]
    return Estimate(*ends)


def has_judge(views: Sequence[View]) -> bool:
    """Whether a judge scored these runs."""
    return views[0].bench.name == EvalMi.name and any(view.about.judge_card for view in views)


def render_judge(views: Sequence[View]) -> Html:
    """The judge, its scores of the anchors in every run, and what has moved."""
    judged = sorted((v for v in views if v.about.judge_card), key=lambda view: str(view.about.created))
    names = dict.fromkeys(f"{view.about.judge} ({digest(view.about.judge_card)[:12]})" for view in judged)
    columns = {view.key: anchor_scores(view.run) for view in judged}
    keys = list(dict.fromkeys(key for scores in columns.values() for key in scores))
    rows = [
        [f"{anchor}: {metric.removeprefix('anchor.')}", *(number(columns[v.key].get((anchor, metric))) for v in judged)]
        for anchor, metric in keys
    ]
    drift = check_drift(
        {view.label: columns[view.key] for view in judged}, {view.label: control_scores(view.run) for view in judged}
    )
    remarks = [tag("p", text, class_="note remark") for text in drift.lines]
    head = tag("p", f"Judge: {', '.join(names)}", class_="note")
    scores = table(["Anchor", *(run_label(view) for view in judged)], rows, "Scores of the anchors", "plain compact")
    return fragment(head, remarks or tag("p", "No anchor has moved.", class_="note"), scores)


PANELS = (
    Panel(
        "Which model is better at which task?",
        applies,
        render_tasks,
        "Ranks that the data cannot exclude: models with a rank in common are tied in that task (paired permutation "
        "test on the items of the task, corrected for the number of pairs). Floor and ceiling are those of the judge.",
    ),
    Panel(
        "How do models differ by task?",
        applies,
        render_radar,
        "Every spoke runs from 0 in the centre to 1 at the rim, for all models alike; the bars are 95 % intervals.",
    ),
    Panel(
        "Is the judge still the same?",
        has_judge,
        render_judge,
        "Fixed images that every judged run asks its judge about. If their scores move, so may all others, and runs "
        "from before and after are not comparable.",
    ),
)
"""Entry point of `pixelproof.panels`."""
