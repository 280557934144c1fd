"""Outcomes of the answers, by name and by fault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from pixelproof.web import Html, Part, breakable, fragment, stacked_bar, table, tag

from ._leaderboard import badge, run_label
from ._views import ABSTAINED, MISSING, SCORED, View

Kind = tuple[str, str]
"""The fault and the name of the failure, as `outcome` returns them."""

_FAULTS = ("model", "instrument", "infrastructure")
_NAMES = {SCORED: "scored", ABSTAINED: "abstained", MISSING: "not asked yet"}


def failure_taxonomy(views: Sequence[View]) -> Html:
    """A bar for each run, and the same as a table."""
    outcomes = {view.key: _outcomes(view) for view in views}
    kinds = _ordered(outcomes)
    shades = _shades(kinds)
    bars = []
    for view in views:
        counts = outcomes[view.key]
        parts = [
            Part(_NAMES.get(kind[0], kind[1]), counts[kind], kind[0], shades[kind]) for kind in kinds if counts[kind]
        ]
        bar = tag("td", stacked_bar(parts, max(1, sum(counts.values()))), class_="chart")
        control = "control" if view.control else None
        bars.append(tag("tr", tag("th", run_label(view), scope="row", class_="model"), bar, class_=control))
    return fragment(tag("table", tag("tbody", bars), class_="board bars"), _table(views, outcomes, kinds, shades))


def _outcomes(view: View) -> Counter[Kind]:
    counts = Counter(view.rows.outcomes)
    missing = int(view.summary["counts"]["planned"]) - sum(counts.values())
    if missing > 0:
        counts[MISSING, MISSING] = missing
    return counts


def _ordered(outcomes: Mapping[str, Counter[Kind]]) -> list[Kind]:
    """Scored, abstained, model faults, our faults, missing; within each the most frequent first."""
    total: Counter[Kind] = sum(outcomes.values(), Counter())
    order = (SCORED, ABSTAINED, *_FAULTS, MISSING)
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
    heads = [tag("span", badge(view.key), tag("bdi", breakable(view.name)), class_="column-head") for view in views]
    rows = []
    for kind in kinds:
        counts = [outcomes[view.key][kind] for view in views]
        rows.append([_name(kind, shades[kind]), *(f"{count:,}" if count else "·" for count in counts)])
    return table(["Outcome", *heads], rows, "Outcomes by run", "plain compact")


def _name(kind: Kind, shade: float) -> Html:
    """The colour and the name of an outcome; a click on the name of a failure shows its answers in the gallery."""
    fault, name = kind
    square = tag("rect", class_=f"part {fault}", fill_opacity=shade, width=10, height=10)
    swatch = tag("svg", square, class_="swatch", width=10, height=10, aria_hidden="true")
    if fault in (SCORED, MISSING):
        return fragment(swatch, _NAMES[fault])
    title = f"Show the answers with {name}"
    button = tag("button", name, type="button", class_="link", data_search=name, title=title)
    aside = tag("span", f"{fault} fault", class_="aside") if fault in _FAULTS else None
    return fragment(swatch, button, aside)
