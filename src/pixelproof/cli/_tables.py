"""Tables for the terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from itertools import islice
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from pixelproof import harness
from pixelproof.contract import Bench
from pixelproof.models import CHOICES

from ._console import WIDE

_BAR = 10
_WORST = 10
"""Items in a table that does not show all."""


def print_choices(console: Console, bench: Bench) -> None:
    """Who could answer."""
    console.print(f"\nWho answers? Name a model with [bold]--model[/]. For {bench.name} there are:\n")
    table = Table(box=None, pad_edge=False, show_header=False)
    for choice in CHOICES:
        table.add_row("  " + escape(choice.example), escape(choice.about))
    console.print(table)
    console.print(f"\nControls of {bench.name}: {', '.join(bench.controls())}")
    console.print(f"To try it without any key: [bold]pixelproof run {bench.name} --model control/ceiling-truth[/]\n")


def print_estimate(console: Console, estimate: Mapping[str, Any], as_json: bool) -> None:
    """What a run would ask."""
    if as_json:
        console.print_json(json.dumps(estimate))
        return
    cost = estimate["cost_at_most"]
    console.print(f"{escape(estimate['model'])} would be asked {estimate['asks']:,} times; nothing has been asked.")
    if estimate["already_answered"]:
        console.print(f"  {estimate['already_answered']:,} answers are there already")
    console.print(f"  input tokens, about   {estimate['input_tokens']:,}")
    console.print(f"  output tokens, at most {estimate['output_tokens_at_most']:,}")
    if estimate["images"]:
        console.print(f"  pictures              {estimate['images']:,}")
    console.print("  cost, at most         " + (f"${cost:.4f}" if cost is not None else "unknown: give --price"))
    console.print(f"  run directory         {escape(estimate['out'])}")


def print_summary(console: Console, run: harness.Run, bench: Bench, everything: bool = False) -> None:
    """The table of a run: headline, the bench's own tables, failures, counts."""
    summary = run.summary
    console.print(f"\n[bold]{escape(summary['model'])}[/] on {summary['bench']} {summary['version']}", end="")
    console.print(f"  ({_conditions(run.card, bench)})\n", style="dim")
    console.print(_headline(summary, bench))
    tables = (_families(title, families, summary["metrics"], bench) for title, families in bench.display.tables.items())
    for table in islice((table for table in tables if table is not None), None if everything else 1):
        console.print(table)
    if summary.get("sampling"):
        shown = {m: told for m, told in summary["sampling"].items() if everything or m in bench.display.headline}
        console.print(_sampling(shown or summary["sampling"]))
    for tag, groups in summary["groups"].items():
        if everything or tag in bench.display.groups:
            console.print(_groups(tag, groups, bench))
    if itemised := [name for name in bench.display.itemised if name in summary["metrics"]]:
        console.print(_items(run, bench, itemised, None if everything else _WORST))
    for remark in run.card.get("remarks", ()):
        console.print(escape(remark), style="dim", soft_wrap=True)
    _print_failures(console, summary, run)
    _print_counts(console, summary["counts"], run)


def _conditions(card: Mapping[str, Any], bench: Bench | None = None) -> str:
    """What was asked, and how; of options whose defaults are known, those that are not at their default."""
    usual = {f.name: f.default for f in fields(bench)} if bench is not None else {}  # type: ignore[arg-type]
    options = [f"{name} {value}" for name, value in card["options"].items() if usual.get(name, "") != value]
    arm = [] if card["decoding"]["arm"] == "free" else [f"decoding {card['decoding']['arm']}"]
    return ", ".join([f"source {card['source']['name']}", f"seed {card['seed']}", *options, *arm])


def _headline(summary: Mapping[str, Any], bench: Bench) -> Table:
    table = new_table("Headline (a model fault without a value of its own counts as the floor)")
    table.add_column("metric")
    for name in ("value [95 % interval]", "floor", "ceiling", "calibrated", "n"):
        table.add_column(name, justify="right")
    chosen = [m for m in bench.metrics if m.name in bench.display.headline or m.calibrated]
    found_any = any(m.name in summary["metrics"] for m in chosen)
    for metric in (m for m in chosen if m.name in summary["metrics"] or not found_any):
        found = summary["metrics"].get(metric.name)
        if found is None:
            table.add_row(metric.name, "none", "", "", "", "0")
            continue
        calibrated = interval(found["calibrated"]) if found["calibrated"] else "not calibrated"
        row = interval(found), number(found["floor"]), number(found["ceiling"]), calibrated, str(found["n"])
        table.add_row(metric.name, *row)
    return table


def _families(title: str, families: Any, metrics: Mapping[str, Any], bench: Bench) -> Table | None:
    """Metrics of several families side by side: a row for each name, a column for each family."""
    names = [m.name for m in bench.metrics if m.name in metrics]
    rows = dict.fromkeys(n.removeprefix(f + ".") for f in families for n in names if n.startswith(f + "."))
    if not rows:
        return None
    table = new_table(title)
    table.add_column("")
    for family in families:
        table.add_column(family)
    for row in rows:
        cells = [metrics.get(f"{family}.{row}") for family in families]
        table.add_row(row, *("" if cell is None else _with_bar(cell) for cell in cells))
    return table


def _groups(tag: str, groups: Mapping[str, Any], bench: Bench) -> Table:
    table = new_table(f"By {tag}")
    table.add_column(tag)
    there = dict.fromkeys(name for metrics in groups.values() for name in metrics)
    names = [name for name in bench.display.headline if name in there] or list(there)
    for name in names:
        table.add_column(name, justify="right")
    table.add_column("n", justify="right")
    for value, metrics in groups.items():
        cells = [metrics.get(name) for name in names]
        n = max((cell["n"] for cell in cells if cell), default=0)
        table.add_row(escape(value), *("" if cell is None else interval(cell) for cell in cells), str(n))
    return table


def _sampling(sampling: Mapping[str, Any]) -> Table:
    """What several answers per item tell."""
    table = new_table("Samples (best of k: without bias; of the first k: as often published)")
    table.add_column("metric")
    table.add_column("spread in, between items", justify="right")
    tries = list(dict.fromkeys(k for told in sampling.values() for k in told["best"]))
    for k in tries:
        table.add_column(f"best of {k}", justify="right")
    table.add_column("of the first " + ", ".join(tries), justify="right")
    for metric, told in sampling.items():
        first = ", ".join(number(told["best_of_first"].get(k)) for k in tries)
        cells = [interval(told["best"][k]) if k in told["best"] else "" for k in tries]
        spreads = f"{number(told['spread'], 3)}, {number(told.get('between'), 3)}"
        table.add_row(metric, spreads, *cells, first)
    return table


def _items(run: harness.Run, bench: Bench, itemised: Sequence[str], most: int | None) -> Table:
    """Items by the first of some metrics, the worst first."""
    by = next(metric for metric in bench.metrics if metric.name == itemised[0])
    known = [(result.metrics.get(by.name), result) for result in run.results(bench)]
    worst_first = -1.0 if by.higher_is_better is False else 1.0
    found = sorted(
        ((value, result) for value, result in known if isinstance(value, float)), key=lambda pair: worst_first * pair[0]
    )
    names = {item.id: item.cluster for item in run.items()}
    shown = found[:most]
    some = "all" if len(shown) == len(found) else f"the {len(shown)} worst of {len(found)}; --all shows every one"
    table = new_table(f"By item ({some})")
    for name in ("item", *itemised, "notes"):
        table.add_column(name, justify="left" if name in ("item", "notes") else "right")
    for _, result in shown:
        sample = f" · {result.sample}" if result.sample else ""
        cells = [number(value) if isinstance(value := result.metrics.get(name), float) else "" for name in itemised]
        notes = "; ".join(f"{name}: {note}" for name, note in result.notes.items())
        table.add_row(escape(names.get(result.item, result.item) + sample), *cells, escape(notes[:120]))
    return table


def _print_failures(console: Console, summary: Mapping[str, Any], run: harness.Run) -> None:
    examples = run.failure_examples() if summary["failures"] else {}
    for name, count in summary["failures"].items():
        said = f"  such as: {examples[name][:200]}" if examples.get(name) else ""
        console.print(f"Failure {name}: {count}[dim]{escape(said)}[/]", soft_wrap=True)


def _print_counts(console: Console, counts: Mapping[str, int], run: harness.Run) -> None:
    console.print(
        f"Answers: {counts['planned']} planned, {counts['completed']} completed "
        f"({counts['model_faults']} with a model fault), {counts['unscored']} unscored, {counts['errored']} errored"
    )
    ledger = run.card.get("ledger") or {}
    if ledger.get("output_tokens"):
        cost = f", ${ledger['cost']:.4f}" if ledger.get("cost") else ""
        console.print(
            f"Used: {ledger['input_tokens']:,} tokens in, {ledger['output_tokens']:,} out, "
            f"{ledger['seconds']:.1f} s of model time{cost}"
        )
    if run.card["state"] != "complete":
        more = " and a higher --max-cost" if run.card["state"] == "stopped" else ""
        console.print(f"[yellow]This run is {run.card['state']}: the same command with --resume{more} goes on.[/]")
    console.print(f"Run: {escape(_shown(run.path))}\n", soft_wrap=True)


def _shown(path: Path) -> str:
    """A path as short as it can be."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def print_comparison(console: Console, comparison: harness.Comparison) -> None:
    """B against A."""
    for name, card in (("A", comparison.a), ("B", comparison.b)):
        state = "" if card["state"] == "complete" else f"  [yellow]{card['state']}[/]"
        console.print(f"{name}  [bold]{escape(card['model'])}[/]  [dim]{escape(_conditions(card))}[/]{state}")
    console.print(f"{comparison.common_items} items in both", end="")
    console.print(f", {comparison.only_a} only in A, {comparison.only_b} only in B")
    for name, (a, b) in comparison.changes.items():
        console.print(f"The runs differ in {name}: {a} and {b}.")
    if "scorer" in comparison.changes:
        console.print("[yellow]They were scored by different code: 'pixelproof rescore RUN' scores a run anew.[/]")
    table = new_table("")
    table.add_column("metric", overflow="fold")
    power = ("detectable", "items needed") if console.width >= WIDE else ()
    for name in ("A", "B", "B − A [95 % interval]", "p (Holm)", "B is", *power):
        table.add_column(name, justify="right", no_wrap=True)
    for d in comparison.differences:
        spread = {"value": d.difference.value, "lo": d.difference.lo, "hi": d.difference.hi}
        style = {"better": "green", "worse": "red"}.get(d.verdict, "")
        table.add_row(
            d.metric,
            number(d.a),
            number(d.b),
            interval(spread, sign=True),
            number(d.p_holm, 4),
            Text(d.verdict, style),
            *((number(d.detectable), "" if d.items_needed is None else f"{d.items_needed:,}") if power else ()),
        )
    console.print(table)
    if comparison.too_few:
        console.print(f"[yellow]{comparison.clusters} independent items are too few to show any difference.[/]")
    if power:
        note = (
            "detectable: the smallest true difference that this many items show in four runs of five.\n"
            "items needed: how many items it would take to show the observed difference in four runs of five.\n"
        )
    else:
        note = "A wider terminal, and --json, also show the detectable difference and the number of items needed.\n"
    console.print(note, style="dim")


def new_table(title: str) -> Table:
    """A table in the style of all."""
    return Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)


def number(value: float | None, digits: int = 2) -> str:
    """A number, or a dash where there is none."""
    return "–" if value is None or value != value else f"{value:.{digits}f}"


def interval(estimate: Mapping[str, Any], sign: bool = False) -> str:
    """A value with its interval."""
    value = estimate["value"]
    shown = number(value) if not sign or value is None else f"{value:+.2f}"
    return f"{shown} [{number(estimate['lo'])}, {number(estimate['hi'])}]"


def _with_bar(estimate: Mapping[str, Any]) -> Text:
    value = estimate["value"]
    if value is None or not 0 <= value <= 1:
        return Text(interval(estimate))
    filled = round(value * _BAR)
    return Text.assemble(("█" * filled, "cyan"), ("░" * (_BAR - filled), "dim"), f" {interval(estimate)}")
