"""Details of one run: tables, groups, all numbers, the run card, and the command that repeats it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from pixelproof.harness import Card, RunCard, describe_channels
from pixelproof.web import (
    NOTHING,
    Html,
    Scale,
    fragment,
    interval_bar,
    interval_bar_axis,
    number,
    percent,
    plural,
    table,
    tag,
    wide,
)

from ._breakdown import group_table, sampling_table
from ._leaderboard import run_label
from ._summaries import estimate_of, estimate_text, score_of, text_of
from ._views import View, conditions

_LONGEST_CARD = 20_000


def run_details(view: View, open_: bool) -> Html:
    """A run, collapsed unless `open_`."""
    setting = ", ".join(f"{name} {value}" for name, value in conditions(view.about).items())
    head = tag("summary", run_label(view), tag("span", setting, class_="setting"))
    body = [
        *(tag("p", remark, class_="note remark") for remark in view.state.remarks),
        tag("p", channels, class_="note") if (channels := describe_channels(view.summary)) else None,
        *(_families(view, title, families) for title, families in view.bench.display.tables.items()),
        sampling_table(view.summary.get("sampling", {})),
        *(group_table(view, name, groups) for name, groups in view.summary["groups"].items()),
        _all_metrics(view),
        tag("h4", "Repeat it"),
        tag("pre", command(view.about), class_="code", tabindex="0"),
        tag("details", tag("summary", "Run card"), _card(view.run.card), class_="inner"),
    ]
    return tag("details", head, tag("div", body, class_="run-body"), class_="run", open=open_)


def _families(view: View, title: str, families: Sequence[str]) -> Html | None:
    """Metrics of several families side by side: a row for each name, a column for each family."""
    metrics = view.summary["metrics"]
    names = [m.name for m in view.bench.metrics if m.name in metrics]
    rows = list(dict.fromkeys(n.removeprefix(f + ".") for f in families for n in names if n.startswith(f + ".")))
    if not rows:
        return None
    columns = [[metrics.get(f"{family}.{row}") for row in rows] for family in families]
    axis = tag("th", interval_bar_axis(Scale()), class_="chart", scope="col", aria_label="From 0 to 1")
    heads = [tag("th", ""), *(tag("th", family, scope="colgroup", colspan="2") for family in families)]
    axes = [tag("td"), *(fragment(axis, tag("td")) for _ in families)]
    body = [
        tag("tr", tag("th", row.replace("_", " "), scope="row"), [_bar_cells(column[i]) for column in columns])
        for i, row in enumerate(rows)
    ]
    head = tag("thead", tag("tr", heads), tag("tr", axes))
    return fragment(tag("h4", title), wide(tag("table", head, tag("tbody", body), class_="plain families"), title))


def _bar_cells(summary: Mapping[str, Any] | None) -> Html:
    """An interval bar from 0 to 1, if the value is in that range, and the numbers."""
    if summary is None:
        return fragment(tag("td"), tag("td"))
    estimate = estimate_of(summary)
    bar = interval_bar(estimate, Scale(), summary["floor"], summary["ceiling"]) if 0 <= estimate.value <= 1 else None
    return fragment(tag("td", bar, class_="chart"), tag("td", estimate_text(summary), class_="number"))


def _all_metrics(view: View) -> Html:
    """Every number of the summary, with the share of model faults and the two other ways to count them."""
    names = [
        "Metric",
        "Value (interval)",
        "Floor",
        "Ceiling",
        "Calibrated",
        "Faults",
        "Without faults",
        "Faults as 0",
        "n",
    ]
    rows = []
    for metric in view.bench.metrics:
        summary = view.summary["metrics"].get(metric.name)
        if summary is not None:
            undefined = summary.get("calibrated_reason") or NOTHING
            calibrated = text_of(score_of(summary)) if summary["calibrated"] else undefined
            ends = [number(summary["floor"]), _ceilings(summary)]
            others = [number(summary.get(name)) for name in ("excluding_faults", "faults_as_zero")]
            name = tag("span", metric.name, title=metric.about)
            rows.append(
                [
                    name,
                    estimate_text(summary),
                    *ends,
                    calibrated,
                    percent(summary["faults"]),
                    *others,
                    f"{summary['n']:,}",
                ]
            )
    title = f"All {plural(len(rows), 'metric')}"
    return tag("details", tag("summary", title), table(names, rows, title, "plain compact"), class_="inner")


def _ceilings(summary: Mapping[str, Any]) -> str:
    """The ceiling of the channel of the answers and, if it is another number, that of the lossless truth."""
    truth = summary["ceilings"].get("ceiling-truth")
    differs = truth is not None and summary["ceiling"] is not None and abs(truth - summary["ceiling"]) > 1e-9
    return number(summary["ceiling"]) + (f" (lossless {number(truth)})" if differs else "")


def command(card: Card) -> str:
    """The command line that repeats a run, quoted for a shell."""
    words = ["pixelproof", "run", str(card.bench), "--model", str(card.model)]
    options = conditions(card)
    if card.data is not None:
        options["data"] = str(card.data)
    for name, value in options.items():
        words += [f"--{name.replace('_', '-')}", value]
    return " ".join(map(shlex.quote, words))


def _card(card: RunCard) -> Html:
    text = json.dumps(card.to_json(), indent=2, ensure_ascii=False)
    if len(text) > _LONGEST_CARD:
        text = text[:_LONGEST_CARD] + "\n… the rest is in card.json"
    return tag("pre", text, class_="code", tabindex="0")
