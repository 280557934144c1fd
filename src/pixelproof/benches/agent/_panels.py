"""Report panels: chains step by step, use of tools, risk and coverage, accuracy against calls, interventions."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pixelproof.benches.agent._bench import Agent
from pixelproof.benches.agent._interventions import replaced_tools
from pixelproof.contract import Estimate, Item, Result, Source
from pixelproof.pixels import encode_png, thumbnail
from pixelproof.report import Panel, View, run_label
from pixelproof.stats import difference_interval, risk_coverage
from pixelproof.tools import NAMES, Media, Step
from pixelproof.tools.episodes import draw_step, evidence_text, steps_of
from pixelproof.web import (
    Child,
    Html,
    Point,
    Scale,
    Series,
    cut,
    fragment,
    line_chart,
    number,
    scatter,
    table,
    tag,
    wide,
)

_MOST = 2
"""Chains that are shown."""
_SIDE, _STRIP = 240, 640
"""Longest side in pixels of the evidence of a step, and of several frames side by side."""


def is_agent(views: Sequence[View]) -> bool:
    """Whether the runs are of this bench."""
    return views[0].bench.name == Agent.name


def _intervention(view: View) -> str:
    """What is withheld or replaced in a run; a smaller budget than usual counts."""
    bench = view.bench
    assert isinstance(bench, Agent)
    cut_budget = bench.calls != Agent.__dataclass_fields__["calls"].default
    return f"{bench.calls} calls" if bench.intervention == "none" and cut_budget else bench.intervention


def _shift(view: View) -> str:
    """How the pictures of a run are degraded; empty: not at all."""
    bench = view.bench
    assert isinstance(bench, Agent)
    return "" if bench.shift == "none" else f"{bench.shift} {bench.strength}"


def _steps(view: View) -> Mapping[str, tuple[Step, ...]]:
    """Item → calls of its first answer."""
    return {item: steps_of(answer.trace) for item, sample, answer, _ in view.run.answers() if not sample}


def _results(view: View) -> Mapping[str, Result]:
    """Item → result of its first answer."""
    return {result.item: result for result in view.run.results(view.bench) if not result.sample}


def _shown_views(views: Sequence[View]) -> list[View]:
    """Runs with calls on the pictures that were asked about, models first."""
    shown = [view for view in views if not replaced_tools(_intervention(view)) and any(_steps(view).values())]
    return [view for view in shown if not view.control] + [view for view in shown if view.control]


def has_chains(views: Sequence[View]) -> bool:
    """Whether a run has calls that can be drawn."""
    return is_agent(views) and bool(_shown_views(views))


def render_chains(views: Sequence[View]) -> Html:
    """The longest chains of the first such run, of different tasks: every call, and its evidence over the frame."""
    view = _shown_views(views)[0]
    chains, results = _steps(view), _results(view)
    chosen: dict[str, str] = {}
    for item, steps in sorted(chains.items(), key=lambda pair: -len(pair[1])):
        if steps and item in view.items:
            chosen.setdefault(view.items[item].tags.get("task", ""), item)
    shown, items = list(chosen.values())[:_MOST], _items(view)
    return fragment([_chain(view, items[item], chains[item], results.get(item)) for item in shown if item in items])


def _items(view: View) -> Mapping[str, Item]:
    """The items of a run with all that they are made from, which a run directory does not have."""
    card = view.about
    source = Source(card.source, Path(card.data) if card.data else None)
    return {item.id: item for item in view.bench.items(source, card.seed, card.limit)}


def _chain(view: View, item: Item, steps: Sequence[Step], result: Result | None) -> Html:
    bench = view.bench
    assert isinstance(bench, Agent)
    media = bench.media(item)
    rows = []
    for place, step in enumerate(steps, 1):
        arguments = step.call.arguments
        called = arguments if isinstance(arguments, str) else json.dumps(dict(arguments))
        words = fragment(f"{place}. ", tag("b", step.call.tool), " ", cut(called, 160))
        told = tag("div", cut(evidence_text(step.result), 240), class_="note")
        rows.append(tag("tr", tag("td", words, told), tag("td", _evidence(media, step))))
    head = tag("tr", tag("th", "Call and evidence", scope="col"), tag("th", "Drawn over the frame", scope="col"))
    chain = tag("table", tag("thead", head), tag("tbody", rows), class_="plain")
    notes: Mapping[str, str] = {} if result is None else result.notes
    answer = notes.get("answer") or (result.failure.name if result and result.failure else "none")
    return fragment(
        tag("h4", item.inputs["question"]),
        wide(chain, "Calls and their evidence"),
        tag("p", run_label(view), ": ", tag("b", answer), f" (right: {notes.get('truth', '')})", class_="note"),
    )


def _evidence(media: Media, step: Step) -> Html:
    drawn = draw_step(media, step.result)
    if drawn is None:
        return tag("span", "–", class_="note")
    side = _STRIP if step.result.tool in ("TRK", "TEMP") else _SIDE
    small = thumbnail(drawn, side) if max(drawn.shape) > side else encode_png(drawn)
    return tag("img", src=small.data_uri, alt=f"evidence of {step.result.tool}", width=min(side, 480), loading="lazy")


def has_calls(views: Sequence[View]) -> bool:
    """Whether a run has calls."""
    return is_agent(views) and any(any(_steps(view).values()) for view in views)


def render_tools(views: Sequence[View]) -> Html:
    """Calls per answer of every tool, by run and task."""
    rows: list[list[Child]] = []
    for view in views:
        all_chains = _steps(view)
        for task in dict.fromkeys(item.tags.get("task", "") for item in view.items.values()):
            chains = [steps for item, steps in all_chains.items() if view.items[item].tags.get("task", "") == task]
            counts = Counter(step.result.tool for steps in chains for step in steps)
            if counts:
                cells = [number(counts[tool] / len(chains), 1) if counts[tool] else "·" for tool in NAMES]
                rows.append([fragment(run_label(view), f" {task}"), *cells])
    return table(["Model and task", *NAMES], rows, "Calls per answer", "plain compact")


def _confidences(view: View) -> tuple[list[float], list[bool]]:
    """Confidences and errors of the answers that state one."""
    stated = [result for result in _results(view).values() if "confidence" in result.metrics]
    return [_number(result, "confidence") for result in stated], [_number(result, "accuracy") < 1 for result in stated]


def _number(result: Result, name: str) -> float:
    value = result.metrics.get(name, 0.0)
    return float(value) if isinstance(value, int | float) else 0.0


def has_confidence(views: Sequence[View]) -> bool:
    """Whether answers state how sure they are."""
    return is_agent(views) and any(_confidences(view)[0] for view in views)


def render_risk(views: Sequence[View]) -> Html:
    """Risk–coverage curve of every run, and the area below it."""
    series, rows = [], []
    for view in views:
        confidence, wrong = _confidences(view)
        if confidence:
            curve = risk_coverage(confidence, wrong)
            points = list(zip(curve.coverage.tolist(), curve.risk.tolist(), strict=True))
            series.append(Series(view.key, view.name, points))
            rows.append(
                [run_label(view), number(curve.area, 3), number(curve.risk[-1].item(), 3), str(len(confidence))]
            )
    chart = line_chart(series, Scale(), Scale(), "coverage", "risk: wrong among the most confident answers")
    return fragment(
        chart, table(["Model", "Area (AURC)", "Risk of all", "n"], rows, "Risk and coverage", "plain compact")
    )


def _estimate(view: View, metric: str) -> Estimate:
    summary: Mapping[str, Any] = view.summary["metrics"].get(metric) or {}
    return Estimate(*(math.nan if summary.get(end) is None else float(summary[end]) for end in ("value", "lo", "hi")))


def render_calls(views: Sequence[View]) -> Html:
    """Accuracy against calls per answer, of every run."""
    points = [
        Point(view.key, view.name, calls, accuracy, view.control)
        for view in views
        if not math.isnan((calls := _estimate(view, "calls")).value)
        and not math.isnan((accuracy := _estimate(view, "accuracy")).value)
    ]
    most = max((end for point in points for end in (point.x.value, point.x.hi) if not math.isnan(end)), default=1.0)
    return scatter(points, Scale.of_amounts([most, 1.0]), Scale(), "calls per answer", "accuracy")


def has_interventions(views: Sequence[View]) -> bool:
    """Whether a model has runs with and without an intervention."""
    return is_agent(views) and bool(intervention_rows(views))


def intervention_rows(views: Sequence[View]) -> list[tuple[View, Estimate]]:
    """Runs with an intervention, and the difference in accuracy to the same model without, over common items.

    Both have the same degradation; of several runs without an intervention, the first counts.
    """
    plain = {(view.model, _shift(view)): view for view in reversed(views) if _intervention(view) == "none"}
    rows = []
    for view in views:
        base = plain.get((view.model, _shift(view)))
        if base is None or _intervention(view) == "none":
            continue
        both = [_results(one) for one in (base, view)]
        common = [item for item in both[0] if item in both[1]]
        before, after = ([_number(results[item], "accuracy") for item in common] for results in both)
        difference = difference_interval(before, after, (0, 1)) if common else None
        if isinstance(difference, Estimate):
            rows.append((view, difference))
        elif common:
            mean = (sum(after) - sum(before)) / len(common)
            rows.append((view, Estimate(mean, math.nan, math.nan)))
    return rows


def render_interventions(views: Sequence[View]) -> Html:
    """What each intervention costs in accuracy."""
    rows: list[list[Child]] = []
    for view, difference in intervention_rows(views):
        ends = "" if math.isnan(difference.lo) else f" ({number(difference.lo)} to {number(difference.hi)})"
        faithful = _estimate(view, "faithful").value
        rows.append(
            [
                view.model,
                ", ".join(filter(None, (_intervention(view), _shift(view)))),
                number(_estimate(view, "accuracy").value),
                number(difference.value) + ends,
                "–" if math.isnan(faithful) else number(faithful),
            ]
        )
    heads = ["Model", "Intervention", "Accuracy", "Change (95 %)", "Faithful"]
    return table(heads, rows, "What interventions cost", "plain compact")


PANELS = (
    Panel("How was a question answered, step by step?", has_chains, render_chains, "The longest chains of one run."),
    Panel("Which tools are used for what?", has_calls, render_tools, "Calls per answer."),
    Panel(
        "Does stated confidence tell right from wrong?",
        has_confidence,
        render_risk,
        "Error rate among the most confident answers, for every share of them. A useful confidence starts low at the "
        "left; one that means nothing gives a flat line.",
    ),
    Panel("What do calls buy?", has_calls, render_calls, "Each run with the intervals of both numbers."),
    Panel(
        "What does each intervention cost?",
        has_interventions,
        render_interventions,
        "Against the same model without the intervention, on the same items. Answers that do not change when the "
        "evidence is that of another picture did not come from evidence.",
    ),
)
"""Entry point of `pixelproof.panels`."""
