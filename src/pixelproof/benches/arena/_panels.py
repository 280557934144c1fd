"""Report panel: which labels are painted in place of which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pixelproof.benches.arena._bench import Arena
from pixelproof.report import Panel, View, run_label
from pixelproof.web import Html, fragment, heatmap, percent, table, tag, wide

Confusion = Mapping[str, Mapping[str, float]]

_MOST_LABELS = 24
"""Labels of a heat map; of more, those with the most wrong pixels are shown."""
_MOST_PAIRS = 15
_NONE = "no label"


@dataclass(frozen=True)
class Pair:
    """Pixels of one label that are painted as another."""

    truth: str
    painted: str
    """Empty: no label."""
    share: float
    """Of the pixels of the true label."""
    of_errors: float
    """Of all wrong pixels."""


def confused_pairs(confusion: Confusion) -> list[Pair]:
    """Pairs of different labels, those with the most wrong pixels first."""
    wrong = sum(n for truth, row in confusion.items() for painted, n in row.items() if painted != truth)
    pairs = [
        Pair(truth, painted, n / sum(row.values()), n / wrong)
        for truth, row in confusion.items()
        for painted, n in row.items()
        if painted != truth and n > 0
    ]
    return sorted(pairs, key=lambda pair: (-pair.of_errors, pair.truth, pair.painted))


def shown_labels(confusion: Confusion, order: Sequence[str] = (), most: int = _MOST_LABELS) -> list[str]:
    """Labels for a heat map, in the order of the vocabulary; of many, those that take part in the most errors."""
    weights = dict.fromkeys([*confusion, *(painted for row in confusion.values() for painted in row if painted)], 0.0)
    for pair in confused_pairs(confusion):
        for name in (pair.truth, pair.painted):
            if name:
                weights[name] += pair.of_errors
    kept = sorted(weights, key=lambda name: (-weights[name], name))[:most]
    places = {name: place for place, name in enumerate(order)}
    return sorted(kept, key=lambda name: (places.get(name, len(places)), name))


def applies(views: Sequence[View]) -> bool:
    """Whether the runs are of this bench, and one of them has a confusion matrix."""
    return views[0].bench.name == Arena.name and any(view.summary.get("confusion") for view in views)


def render(views: Sequence[View]) -> Html:
    """The heat map of every model, and the pairs that are confused most; controls only if there is nothing else."""
    known = [view for view in views if view.summary.get("confusion")]
    shown = [view for view in known if not view.control] or known
    return fragment(
        [
            tag(
                "details", tag("summary", run_label(view)), _matrix(view), _pairs(view), class_="inner", open=place == 0
            )
            for place, view in enumerate(shown)
        ]
    )


def _matrix(view: View) -> Html:
    confusion: Confusion = view.summary["confusion"]
    labels = shown_labels(confusion, list(view.summary["groups"].get("class", {})))
    rows = [label for label in labels if label in confusion]
    rest = any(painted not in labels for row in rows for painted in confusion[row])
    columns = [*labels, *(["others"] if rest else [])]
    totals = {row: sum(confusion[row].values()) for row in rows}

    def count(row: str, column: str) -> float:
        if column in labels:
            return confusion[row].get(column, 0)
        return sum(n for painted, n in confusion[row].items() if painted not in labels)

    shares = [[count(row, column) / totals[row] for column in columns] for row in rows]
    everything = {*confusion, *(painted for row in confusion.values() for painted in row if painted)}
    hidden = len(everything) - len(labels)
    note = f"The {len(labels)} labels with the most errors; {hidden} more are in summary.json." if hidden else ""
    chart = heatmap(
        rows,
        columns,
        shares,
        f"Confusion of labels by {view.name}",
        is_expected=lambda row, column: rows[row] == columns[column],
        title=lambda row, column: f"{rows[row]} painted as {columns[column]}: {percent(shares[row][column])}",
    )
    return fragment([wide(chart, "Confusion of labels"), *([tag("p", note, class_="note")] if note else [])])


def _pairs(view: View) -> Html:
    pairs = confused_pairs(view.summary["confusion"])
    if not pairs:
        return tag("p", "No pixel has a wrong label.", class_="note")
    rows = [
        [f"{pair.truth} → {pair.painted or _NONE}", percent(pair.share), percent(pair.of_errors)]
        for pair in pairs[:_MOST_PAIRS]
    ]
    names = ["Truth → painted as", "of its pixels", "of all wrong pixels"]
    return table(names, rows, "Most confused pairs of labels", "plain compact")


PANELS = (
    Panel(
        "Which labels are confused?",
        applies,
        render,
        "Rows: labels of the truth; columns: what their pixels are painted as, in per cent of the row, over all images "
        "(robust decoder). The diagonal is recall. Colours grow with the square root, so that small errors show.",
    ),
)
"""Entry point of `pixelproof.panels`."""
