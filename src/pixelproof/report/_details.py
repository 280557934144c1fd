"""Everything about one run: its tables, its groups, all its numbers, its card, and the command that makes it again."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from pixelproof.web import NOTHING, Html, Scale, fragment, interval_strip, number, plural, strip_axis, table, tag, wide

from ._breakdown import group_table, sampling_table, told
from ._leaderboard import who
from ._summaries import estimate_of
from ._views import View, conditions

_LONGEST_CARD = 20_000


def run_details(view: View, open_: bool) -> Html:
    """A run, folded."""
    setting = ", ".join(f"{name} {value}" for name, value in conditions(view.card).items())
    head = tag("summary", who(view), tag("span", setting, class_="setting"))
    body = [
        *(tag("p", remark, class_="note remark") for remark in view.card.get("remarks", ())),
        *(_families(view, title, families) for title, families in view.bench.display.tables.items()),
        sampling_table(view.summary.get("sampling", {})),
        *(group_table(view, name, groups) for name, groups in view.summary["groups"].items()),
        _all_metrics(view),
        tag("h4", "Make it again"),
        tag("pre", command(view.card), class_="code", tabindex="0"),
        tag("details", tag("summary", "Run card"), _card(view.card), class_="inner"),
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
    axis = tag("th", strip_axis(Scale()), class_="chart", scope="col", aria_label="From 0 to 1")
    heads = [tag("th", ""), *(tag("th", family, scope="colgroup", colspan="2") for family in families)]
    axes = [tag("td"), *(fragment(axis, tag("td")) for _ in families)]
    body = [
        tag("tr", tag("th", row.replace("_", " "), scope="row"), [_bar_cells(column[i]) for column in columns])
        for i, row in enumerate(rows)
    ]
    head = tag("thead", tag("tr", heads), tag("tr", axes))
    return fragment(tag("h4", title), wide(tag("table", head, tag("tbody", body), class_="plain families"), title))


def _bar_cells(found: Mapping[str, Any] | None) -> Html:
    """A strip from 0 to 1, where the value lies there, and the numbers."""
    if found is None:
        return fragment(tag("td"), tag("td"))
    estimate = estimate_of(found)
    strip = interval_strip(estimate, Scale(), found["floor"], found["ceiling"]) if 0 <= estimate.value <= 1 else None
    return fragment(tag("td", strip, class_="chart"), tag("td", told(found), class_="number"))


def _all_metrics(view: View) -> Html:
    """Every number of the summary, with the two other ways to count model faults."""
    names = ["Metric", "Value (interval)", "Floor", "Ceiling", "Calibrated", "Without faults", "Faults as 0", "n"]
    rows = []
    for metric in view.bench.metrics:
        found = view.summary["metrics"].get(metric.name)
        if found is not None:
            calibrated = told(found["calibrated"]) if found["calibrated"] else NOTHING
            ends = [number(found[name]) for name in ("floor", "ceiling")]
            others = [number(found.get(name)) for name in ("excluding_faults", "faults_as_zero")]
            name = tag("span", metric.name, title=metric.about)
            rows.append([name, told(found), *ends, calibrated, *others, f"{found['n']:,}"])
    title = f"All {plural(len(rows), 'metric')}"
    return tag("details", tag("summary", title), table(names, rows, title, "plain compact"), class_="inner")


def command(card: Mapping[str, Any]) -> str:
    """The command line that makes a run again, quoted as a shell needs it."""
    words = ["pixelproof", "run", str(card["bench"]), "--model", str(card["model"])]
    told = conditions(card)
    if card["source"]["data"] is not None:
        told["data"] = str(card["source"]["data"])
    for name, value in told.items():
        words += [f"--{name.replace('_', '-')}", value]
    return " ".join(map(shlex.quote, words))


def _card(card: Mapping[str, Any]) -> Html:
    text = json.dumps(card, indent=2, ensure_ascii=False)
    if len(text) > _LONGEST_CARD:
        text = text[:_LONGEST_CARD] + "\n… the rest is in card.json"
    return tag("pre", text, class_="code", tabindex="0")
