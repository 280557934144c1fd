"""Runs and comparisons as HTML fragments, for notebooks.

The fragments are self-contained, need no script, and use the colours of their surroundings, light or dark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pixelproof.contract import Bench
from pixelproof.harness._run_card import RunCard
from pixelproof.harness._summary import describe_faults
from pixelproof.web import NOTHING, Child, Html, fragment, number, percent, plural, tag

_STYLE = Html(
    ".pixelproof{font-variant-numeric:tabular-nums;overflow-x:auto}"
    ".pixelproof table{border-collapse:collapse;margin:.5em 0;color:inherit;font-size:inherit}"
    ".pixelproof th,.pixelproof td{padding:.2em .8em;text-align:right;border-bottom:1px solid;"
    "border-color:color-mix(in srgb,currentColor 20%,transparent)}"
    ".pixelproof th:first-child{text-align:left}"
    ".pixelproof small{opacity:.7}"
    ".pixelproof .grid{display:flex;flex-wrap:wrap;gap:.8em}.pixelproof figure{margin:0;max-width:18em}"
    ".pixelproof img{height:7em;max-width:9em;object-fit:contain;image-rendering:pixelated;margin-right:2px}"
)


@dataclass(frozen=True, repr=False)
class ImageGrid:
    """Answers as images; notebooks show it."""

    figures: Sequence[tuple[str, Sequence[tuple[str, str]]]]
    """Caption of each answer, with the kind and the `data:` address of its images."""

    def __repr__(self) -> str:
        """The number of answers, in one line."""
        return f"ImageGrid({plural(len(self.figures), 'answer')})"

    def _repr_html_(self) -> str:
        """The images of each answer side by side, above its caption."""
        return _fragment(self.html())

    def html(self) -> Html:
        """The grid without its style sheet."""
        cells = [
            tag(
                "figure",
                [tag("img", src=uri, alt=f"{kind}, {caption}", title=kind) for kind, uri in images],
                tag("figcaption", tag("small", caption)),
            )  # fmt: skip
            for caption, images in self.figures
        ]
        return tag("div", cells, class_="grid")


def run_html(
    run: RunCard, summary: Mapping[str, Any] | None, bench: Bench | None, path: str, grid: Child = None
) -> Html:
    """Images, model, conditions, headline metrics and counts of a run; `summary` is None while there is none."""
    title = tag(
        "p", tag("b", run.card.model), f" on {run.card.bench} {run.card.version} ", tag("small", _conditions(run))
    )
    if summary is None:
        body: Child = tag("p", f"This run is {run.state.state} and has no summary yet.")
    else:
        body = [_headline(summary, bench), tag("p", tag("small", counts_text(summary["counts"])))]
    return _fragment(grid, title, body, tag("p", tag("small", tag("code", path))))


def comparison_html(
    a: RunCard,
    b: RunCard,
    items: int,
    faults: tuple[float, float],
    changes: Mapping[str, tuple[Any, Any]],
    rows: Sequence[Mapping[str, Any]],
) -> Html:
    """Both models, settings that differ, and a row per metric with the difference, its interval and the verdict."""
    models = [
        [f"{name} ", tag("b", run.card.model), tag("small", f" {_conditions(run)}, faults {percent(share)}"), tag("br")]
        for name, run, share in (("A", a, faults[0]), ("B", b, faults[1]))
    ]
    settings = [f"; {name}: {first} and {second}" for name, (first, second) in changes.items()]
    title = tag("p", models, tag("small", f"{items:,} items in both", settings))
    heads = ("metric", "A", "B", "B − A", "95 % interval", "p (adjusted)", "B is")
    cells = [
        (
            row["metric"],
            number(row["a"]),
            number(row["b"]),
            number(row["difference"]),
            _between(row["lo"], row["hi"]),
            number(row["p_adjusted"], 4),
            tag("b", row["verdict"]) if row["verdict"] in ("better", "worse") else row["verdict"],
        )
        for row in rows
    ]
    return _fragment(title, _table(heads, cells))


def counts_text(counts: Mapping[str, int]) -> str:
    """Outcomes of the planned answers, in one line.

    >>> counts_text({"planned": 4, "completed": 3, "model_faults": 1, "unscored": 0, "errored": 1})
    '4 answers planned, 3 completed (1 with a model fault), 0 unscored, 1 errored'
    """
    parts = [f"{counts['model_faults']} with a model fault"]
    if counts.get("abstained"):
        parts.append(f"{counts['abstained']} abstained")
    return (
        f"{counts['planned']} answers planned, {counts['completed']} completed ({', '.join(parts)}), "
        f"{counts['unscored']} unscored, {counts['errored']} errored"
    )


def _headline(summary: Mapping[str, Any], bench: Bench | None) -> Html:
    names = [m.name for m in bench.metrics if m.name in bench.display.headline or m.calibrated] if bench else []
    shown = {name: summary["metrics"][name] for name in names if name in summary["metrics"]} or summary["metrics"]
    rows = [
        (
            name,
            number(metric["value"]),
            metric.get("interval_reason") or _between(metric["lo"], metric["hi"]),
            percent(metric["faults"]),
            number(metric["floor"]),
            number(metric["ceiling"]),
            _calibrated(metric),
            f"{metric['n']:,}",
        )
        for name, metric in shown.items()
    ]
    table = _table(("metric", "value", "95 % interval", "faults", "floor", "ceiling", "calibrated", "n"), rows)
    return fragment(table, tag("p", tag("small", describe_faults(shown))))


def _calibrated(metric: Mapping[str, Any]) -> Child:
    """The calibrated score with its interval, or why there is none."""
    score, reason = metric["calibrated"], metric.get("calibrated_reason")
    if not score:
        return tag("span", "undefined", title=reason) if reason else NOTHING
    if metric.get("interval_reason"):
        return number(score["value"])
    return f"{number(score['value'])} ({_between(score['lo'], score['hi'])})"


def _conditions(run: RunCard) -> str:
    card, state = run.card, run.state.state
    arm = [] if card.decoding == "free" else [f"decoding {card.decoding}"]
    outcome = [] if state == "complete" else [state]
    return ", ".join([f"source {card.source}", f"seed {card.seed}", *arm, *outcome])


def _between(lo: float | None, hi: float | None) -> str:
    return NOTHING if lo is None or hi is None or lo != lo or hi != hi else f"{number(lo)} to {number(hi)}"


def _table(heads: Sequence[str], rows: Sequence[Sequence[Child]]) -> Html:
    head = tag("thead", tag("tr", [tag("th", name) for name in heads]))
    body = [tag("tr", tag("th", first), [tag("td", cell) for cell in cells]) for first, *cells in rows]
    return tag("table", head, tag("tbody", body))


def _fragment(*children: Child) -> Html:
    return tag("div", fragment(tag("style", _STYLE), *children), class_="pixelproof")
