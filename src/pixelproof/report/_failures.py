"""The failure taxonomy: what became of the answers, by name and by whose fault it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from pixelproof.web import Html, Part, fragment, stacked_bar, table, tag

from ._leaderboard import badge, who
from ._views import MISSING, SCORED, View

Kind = tuple[str, str]
"""Whose fault, and the name of the outcome."""

_FAULTS = ("model", "instrument", "infrastructure")
_SAID = {SCORED: "scored", MISSING: "not asked yet"}


def failure_taxonomy(views: Sequence[View]) -> Html:
    """A bar for each run, and the same as a table."""
    outcomes = {view.key: _outcomes(view) for view in views}
    kinds = _ordered(outcomes)
    shades = _shades(kinds)
    bars = []
    for view in views:
        found = outcomes[view.key]
        parts = [Part(kind[1], found[kind], kind[0], shades[kind]) for kind in kinds if found[kind]]
        bar = tag("td", stacked_bar(parts, max(1, sum(found.values()))), class_="chart")
        control = "control" if view.control else None
        bars.append(tag("tr", tag("th", who(view), scope="row", class_="model"), bar, class_=control))
    return fragment(tag("table", tag("tbody", bars), class_="board bars"), _table(views, outcomes, kinds, shades))


def _outcomes(view: View) -> Counter[Kind]:
    found = Counter(view.rows.outcomes)
    missing = int(view.summary["counts"]["planned"]) - sum(found.values())
    if missing > 0:
        found[MISSING, MISSING] = missing
    return found


def _ordered(outcomes: Mapping[str, Counter[Kind]]) -> list[Kind]:
    """Scored, then the model's faults, then ours, then what is missing; within each the most frequent first."""
    total: Counter[Kind] = sum(outcomes.values(), Counter())
    order = (SCORED, *_FAULTS, MISSING)
    return sorted(total, key=lambda kind: (order.index(kind[0]), -total[kind], kind[1]))


def _shades(kinds: Sequence[Kind]) -> dict[Kind, float]:
    """Opacities that fall from the most frequent outcome of a kind to the rarest."""
    shades: dict[Kind, float] = {}
    for fault in {fault for fault, _ in kinds}:
        same = [kind for kind in kinds if kind[0] == fault]
        for i, kind in enumerate(same):
            shades[kind] = round(1 - 0.75 * i / max(4, len(same) - 1), 3)
    return shades


def _table(
    views: Sequence[View],
    outcomes: Mapping[str, Counter[Kind]],
    kinds: Sequence[Kind],
    shades: Mapping[Kind, float],
) -> Html:
    names = ["Outcome", *(badge(view.key, view.label) for view in views)]
    rows = []
    for kind in kinds:
        counts = [outcomes[view.key][kind] for view in views]
        rows.append([_name(kind, shades[kind]), *(f"{count:,}" if count else "·" for count in counts)])
    return table(names, rows, "Outcomes by run", "plain compact")


def _name(kind: Kind, shade: float) -> Html:
    """The colour and the name of an outcome; the name of a fault can be clicked to see its answers in the gallery."""
    fault, name = kind
    square = tag("rect", class_=f"part {fault}", fill_opacity=shade, width=10, height=10)
    swatch = tag("svg", square, class_="swatch", width=10, height=10, aria_hidden="true")
    if fault in (SCORED, MISSING):
        return fragment(swatch, _SAID[fault])
    title = f"Show the answers with {name}"
    button = tag("button", name, type="button", class_="link", data_search=name, title=title)
    return fragment(swatch, button, tag("span", f"{fault} fault", class_="aside"))
