"""Tables for the terminal."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import fields
from itertools import accumulate, islice
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from pixelproof import harness, web
from pixelproof.contract import Bench, Result
from pixelproof.models import CHOICES
from pixelproof.store import origin_of

from ._console import WIDE
from ._echo import echo

_BAR = 10
_WORST = 10
"""Rows of the table of items without `--all`."""
_HEADLINES = 3
"""Rows of the table after a run."""


def print_choices(console: Console, bench: Bench) -> None:
    """Show the kinds of models, for a command without `--model`."""
    console.print("\nChoose a model with [bold]--model[/]:\n")
    table = Table(box=None, pad_edge=False, show_header=False)
    for choice in CHOICES:
        table.add_row("  " + escape(choice.example), escape(choice.about))
    console.print(table)
    console.print(f"\nControls of {bench.name}: {', '.join(bench.controls())}")
    console.print(f"To try it without a key: [bold]pixelproof run {bench.name} --model control/ceiling-truth[/]\n")


def print_estimate(console: Console, estimate: Mapping[str, Any], as_json: bool) -> None:
    """Show how often a model would be asked, and what that may cost."""
    if as_json:
        echo(json.dumps(estimate, indent=2))
        return
    cost = estimate["cost_at_most"]
    console.print(f"{escape(estimate['model'])} would be asked {estimate['asks']:,} times. Nothing was asked.")
    if estimate["already_answered"]:
        console.print(f"  {estimate['already_answered']:,} answers are stored already")
    if estimate["judge"]:
        console.print(f"  questions to the judge  {estimate['judge_questions_at_most']:,} at most, controls included")
    console.print(f"  input tokens, about     {estimate['input_tokens']:,}")
    console.print(f"  output tokens, at most  {estimate['output_tokens_at_most']:,}")
    if estimate["images"]:
        console.print(f"  images                  {estimate['images']:,}")
    console.print("  cost, at most           " + (f"${cost:.4f}" if cost is not None else "unknown: give --price"))
    console.print(f"  run directory           {escape(estimate['out'])}", soft_wrap=True)
    if estimate["budget"]:
        console.print(escape(estimate["budget"]), soft_wrap=True)


def print_result(console: Console, run: harness.Run, bench: Bench) -> None:
    """Show the first headline metrics of a run, its failures and counts, and how to see the rest."""
    _print_title(console, run, bench)
    chosen = [name for name in bench.display.headline if name in run.summary["metrics"]][:_HEADLINES]
    console.print(_headline(run.summary, bench, chosen))
    _print_undefined(console, {name: run.summary["metrics"][name].get("interval_reason") for name in chosen})
    _print_failures(console, run.summary, run)
    _print_counts(console, run.summary["counts"], run)
    path = escape(shlex.quote(_shown(run.path)))
    console.print(
        f"The rest: [bold]pixelproof show {path} --all[/] or [bold]pixelproof report {path}[/]", soft_wrap=True
    )


def _print_title(console: Console, run: harness.Run, bench: Bench) -> None:
    summary = run.summary
    console.print(f"\n[bold]{escape(summary['model'])}[/] on {summary['bench']} {summary['version']}", end="")
    console.print(f"  ({_conditions(run.about, bench)})\n", style="dim")


def print_summary(console: Console, run: harness.Run, bench: Bench, everything: bool = False) -> None:
    """Show the tables of a run: headline, the bench's own tables, failures, counts."""
    summary = run.summary
    _print_title(console, run, bench)
    if summary["version"] != bench.version:
        console.print(
            f"Scored with version {summary['version']} of {bench.name}, whose metrics and intervals are not those of "
            f"{bench.version}: 'pixelproof runs rescore {escape(_shown(run.path))}' scores the stored answers again.\n",
            style="yellow",
        )
    chosen = [m.name for m in bench.metrics if m.name in bench.display.headline or m.calibrated]
    console.print(_headline(summary, bench, chosen))
    known = [name for name in bench.display.headline if name in summary["metrics"]]
    _print_undefined(console, {name: summary["metrics"][name].get("interval_reason") for name in known})
    if channels := harness.describe_channels(summary):
        console.print(f"{channels}\n", style="dim")
    tables = (_families(title, families, summary["metrics"], bench) for title, families in bench.display.tables.items())
    for table in islice((table for table in tables if table is not None), None if everything else 1):
        console.print(table)
    if summary.get("sampling"):
        shown = {m: s for m, s in summary["sampling"].items() if everything or m in bench.display.headline}
        console.print(_sampling(shown or summary["sampling"]))
    for tag, groups in summary["groups"].items():
        if everything or tag in bench.display.groups:
            console.print(_groups(tag, groups, bench, console.width))
    if itemised := [name for name in bench.display.itemised if name in summary["metrics"]]:
        console.print(_items(run, bench, itemised, None if everything else _WORST))
    for remark in run.state.remarks:
        console.print(escape(remark), style="dim", soft_wrap=True)
    _print_failures(console, summary, run)
    _print_counts(console, summary["counts"], run)
    console.print(f"Run: {escape(_shown(run.path))}\n", soft_wrap=True)


def _conditions(card: harness.Card, bench: Bench | None = None) -> str:
    """Source, seed, options and decoding of a run; with a bench, only options that differ from their defaults."""
    usual = {f.name: f.default for f in fields(bench)} if bench is not None else {}  # type: ignore[arg-type]
    options = [f"{name} {value}" for name, value in card.options.items() if usual.get(name, "") != value]
    arm = [] if card.decoding == "free" else [f"decoding {card.decoding}"]
    return ", ".join([f"source {card.source}", f"seed {card.seed}", *options, *arm])


def _headline(summary: Mapping[str, Any], bench: Bench, chosen: Sequence[str]) -> Table:
    """Some metrics; where values of answers are not known, also the bounds of each mean."""
    metrics = summary["metrics"]
    table = new_table(f"Headline ({harness.describe_faults(metrics)})")
    table.add_column("metric", overflow="fold")
    bounds = ("bounds",) if any(metric.get("bounds") for metric in metrics.values()) else ()
    lossy = summary.get("channel") not in ("", "truth", None)
    ceiling = "ceiling (lossless)" if lossy else "ceiling"
    for name in ("value [95 % interval]", "faults", *bounds, "floor", ceiling, "calibrated", "n"):
        table.add_column(name, justify="right")
    present = [name for name in chosen if name in metrics]
    for name in present:
        metric = metrics[name]
        reason = {"interval_reason": metric.get("interval_reason")}
        calibrated = interval(metric["calibrated"] | reason) if metric["calibrated"] else _why_not(metric)
        between = [" to ".join(map(number, metric.get("bounds") or ()))] if bounds else []
        truth = metric["ceilings"].get("ceiling-truth")
        top = number(metric["ceiling"]) + (f" ({number(truth)})" if lossy and truth is not None else "")
        cells = [number(metric["floor"]), top, calibrated, str(metric["n"])]
        table.add_row(name, interval(metric), percent(metric["faults"]), *between, *cells)
    for name in () if present else chosen:
        table.add_row(name, "none", *[""] * (len(bounds) + 4), "0")
    return table


def _print_undefined(console: Console, reasons: Mapping[str, str | None]) -> None:
    """Say why metrics have no value or no interval, if they have none."""
    names: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        if reason:
            names.setdefault(reason, []).append(name)
    for reason, of in names.items():
        console.print(f"{', '.join(of)}: {reason}.", style="dim", soft_wrap=True)


def _why_not(metric: Mapping[str, Any]) -> str:
    """Why a metric has no calibrated score."""
    reason = metric.get("calibrated_reason")
    return f"undefined: {reason}" if reason else "not calibrated"


def _families(title: str, families: Any, metrics: Mapping[str, Any], bench: Bench) -> Table | None:
    """Metrics of several families side by side: a row per name, a column per family; None without any."""
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


def _fitting(names: Sequence[str], width: int) -> Sequence[str]:
    """The first names, at least one, whose columns fit the width; a column has room for a value with its interval."""
    widths = accumulate(max(len(name), len("0.00 [0.00, 0.00]")) + 3 for name in names)
    return names[: max(1, sum(total <= width for total in widths))]


def _groups(tag: str, groups: Mapping[str, Any], bench: Bench, width: int) -> Table:
    """The headline metrics by value of a tag, as many as fit the width in characters."""
    table = new_table(f"By {tag}")
    table.add_column(tag)
    present = dict.fromkeys(name for metrics in groups.values() for name in metrics)
    named = [name for name in bench.display.headline if name in present] or list(present)
    label = max(map(len, (tag, *groups)))
    names = _fitting(named, width - label - len("  faults  n  "))
    if left := len(named) - len(names):
        table.title = f"By {tag} (and {left} more metric{'s' if left > 1 else ''} in a wider terminal or with --json)"
    for name in (*names, "faults", "n"):
        table.add_column(name, justify="right", no_wrap=True)
    for value, metrics in groups.items():
        cells = [metrics.get(name) for name in names]
        known = [cell for cell in cells if cell]
        n = max((cell["n"] for cell in known), default=0)
        faults = max((cell["faults"] or 0.0 for cell in known), default=None)
        table.add_row(
            escape(value), *("" if cell is None else interval(cell) for cell in cells), percent(faults), str(n)
        )
    return table


def _sampling(sampling: Mapping[str, Any]) -> Table:
    """Statistics over several answers per item."""
    table = new_table("Samples (best of k: unbiased estimate; of the first k: as often published)")
    table.add_column("metric")
    table.add_column("SD within, between items", justify="right")
    tries = list(dict.fromkeys(k for statistics in sampling.values() for k in statistics["best"]))
    for k in tries:
        table.add_column(f"best of {k}", justify="right")
    table.add_column("of the first " + ", ".join(tries), justify="right")
    for metric, statistics in sampling.items():
        first = ", ".join(number(statistics["best_of_first"].get(k)) for k in tries)
        cells = [interval(statistics["best"][k]) if k in statistics["best"] else "" for k in tries]
        spreads = f"{number(statistics['spread'], 3)}, {number(statistics.get('between'), 3)}"
        table.add_row(metric, spreads, *cells, first)
    return table


def _items(run: harness.Run, bench: Bench, itemised: Sequence[str], most: int | None) -> Table:
    """Items with some metrics, sorted by the first of them, worst first."""
    by = next(metric for metric in bench.metrics if metric.name == itemised[0])
    sign = -1.0 if by.higher_is_better is False else 1.0

    def rank(result: Result) -> float:
        value = result.metrics.get(by.name)
        return sign * value if isinstance(value, float) else -math.inf

    present = (r for r in run.results(bench) if r.failure or isinstance(r.metrics.get(by.name), float))
    rows = sorted(present, key=rank)
    names = {item.id: item.cluster for item in run.items()}
    shown = rows[:most]
    extent = "all" if len(shown) == len(rows) else f"the {len(shown)} worst of {len(rows)}; --all shows all"
    table = new_table(f"By item ({extent})")
    for name in ("item", *itemised, "notes"):
        table.add_column(name, justify="left" if name in ("item", "notes") else "right")
    for result in shown:
        sample = f" · {result.sample}" if result.sample else ""
        cells = [number(value) if isinstance(value := result.metrics.get(name), float) else "" for name in itemised]
        fault = [f"failure {result.failure.name}"] if result.failure else []
        notes = " ".join("; ".join([*fault, *(f"{name}: {note}" for name, note in result.notes.items())]).split())
        table.add_row(escape(names.get(result.item, result.item) + sample), *cells, escape(web.cut(notes, 120)))
    return table


def _print_failures(console: Console, summary: Mapping[str, Any], run: harness.Run) -> None:
    examples = run.failure_examples() if summary["failures"] else {}
    for name, count in summary["failures"].items():
        example = f"  for example: {' '.join(examples[name].split())[:200]}" if examples.get(name) else ""
        console.print(f"Failure {escape(name)}: {count}[dim]{escape(example)}[/]", soft_wrap=True)


def _print_counts(console: Console, counts: Mapping[str, int], run: harness.Run) -> None:
    console.print(
        f"Answers: {counts['planned']} planned, {counts['completed']} completed "
        f"({counts['model_faults']} with a model fault), {counts['unscored']} unscored, {counts['errored']} errored"
    )
    if run.only_faults:
        console.print(Text(run.only_faults, "yellow"))
    if abstained := counts.get("abstained", 0):
        coverage = 1 - abstained / counts["completed"] if counts["completed"] else 0.0
        console.print(
            f"Abstentions: {abstained} (coverage {coverage:.0%}). They count as a fault does; 'bounds' are the values "
            "if all of them were as bad, or as good, as possible."
        )
    ledger = run.state.ledger or {}
    if ledger.get("output_tokens") or ledger.get("assumed_calls") and ledger.get("cost"):
        cost = f", ${ledger['cost']:.4f}" if ledger.get("cost") else ""
        if cost and (assumed := ledger.get("assumed_calls")):
            cost += f" ({assumed} calls stated no usage and count with the most that they could cost)"
        console.print(
            f"Usage: {ledger['input_tokens']:,} input tokens, {ledger['output_tokens']:,} output tokens, "
            f"{ledger['seconds']:.1f} s of model time{cost}"
        )
    if run.state.merged and run.state.state == "stopped":
        console.print(
            "[yellow]This run lacks answers: merge the missing shards, too, or ask for the rest with the command of a "
            "shard, without --shard, with --resume and the --out of this run.[/]"
        )
    elif run.state.state != "complete":
        budget = " and a higher --max-cost" if run.state.state == "stopped" else ""
        console.print(f"[yellow]This run is {run.state.state}: the same command with --resume{budget} continues it.[/]")


def _shown(path: Path) -> str:
    """A path, relative to the current directory if it is below it; of a local copy, the URL."""
    if (origin := origin_of(path)) != str(path):
        return origin
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def print_comparison(console: Console, comparison: harness.Comparison) -> None:
    """Show the differences between two runs."""
    for name, card in (("A", comparison.a), ("B", comparison.b)):
        about, outcome = card.card, card.state.state
        state = "" if outcome == "complete" else f"  [yellow]{outcome}[/]"
        lost = f", {comparison.lost[name == 'B']} answers lost" if comparison.lost[name == "B"] else ""
        faults = f"faults {percent(comparison.faults[name == 'B'])}{lost}"
        console.print(f"{name}  [bold]{escape(about.model)}[/]  [dim]{escape(_conditions(about))}[/]  {faults}{state}")
    console.print(f"{comparison.common_items} items in both", end="")
    console.print(f", {comparison.only_a} only in A, {comparison.only_b} only in B")
    for name, (a, b) in comparison.changes.items():
        console.print(f"The runs differ in {name}: {a} and {b}.")
    if "scorer" in comparison.changes:
        console.print(
            "[yellow]They were scored by different code: 'pixelproof runs rescore RUN' scores a run again.[/]"
        )
    table = new_table("")
    table.add_column("metric", overflow="fold")
    power = ("detectable", "items needed") if console.width >= WIDE else ()
    for name in ("A", "B", "B − A [95 % interval]", "p (adjusted)", "B is", "n", *power):
        table.add_column(name, justify="right", no_wrap=True)
    for d in comparison.differences:
        spread = {"value": d.difference.value, "lo": d.difference.lo, "hi": d.difference.hi}
        style = {"better": "green", "worse": "red"}.get(d.verdict, "")
        table.add_row(
            d.metric,
            number(d.a),
            number(d.b),
            interval(spread, sign=True),
            number(d.p_adjusted, 4),
            Text(d.verdict, style),
            f"{d.n:,}",
            *((number(d.detectable), "" if d.items_needed is None else f"{d.items_needed:,}") if power else ()),
        )
    console.print(table)
    if comparison.too_few:
        console.print(
            f"[yellow]{comparison.clusters} independent items are too few to show any difference by a two-sided test: "
            "at least 6 are needed.[/]"
        )
    for metric, why in comparison.undefined.items():
        console.print(f"[yellow]{metric} cannot be compared: {why}.[/]")
    if worst_case := comparison.gate.worst_case:
        console.print(Text(worst_case, "yellow"))
    if power:
        note = (
            "p is adjusted for all metrics here (sign-flip maxT test); an interval excludes 0 exactly if p ≤ 0.05.\n"
            "detectable: the smallest true difference that this test shows with this many items in four runs of five.\n"
            "items needed: how many items it would take to show the observed difference in four runs of five.\n"
        )
    else:
        note = "A wider terminal, and --json, also show the detectable difference and the number of items needed.\n"
    console.print(note, style="dim")


def print_verdict(console: Console, verdict: harness.Verdict) -> None:
    """Show the outcome of a gate in each metric, and together."""
    styles = {"worse": "red", "passed": ""}
    for check in verdict.checks:
        console.print(Text(f"{check.metric}: {check.message}", styles.get(check.outcome, "yellow")), soft_wrap=True)
    style = {"worse": "bold red", "passed": "bold"}.get(verdict.outcome, "bold yellow")
    console.print(Text(f"Gate: {verdict.outcome}. {verdict.problem}".strip(), style), soft_wrap=True)


def new_table(title: str) -> Table:
    """An empty table in the common style."""
    return Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)


def percent(share: float | None) -> str:
    """A share as a percentage, or a dash for None and NaN.

    >>> percent(0.3), percent(0.004), percent(None)
    ('30 %', '0.4 %', '–')
    """
    return web.percent(share).replace("\u00a0", " ")


def number(value: float | None, digits: int = 2) -> str:
    """A number with fixed decimals, or a dash for None and NaN."""
    return "–" if value is None or value != value else f"{value:.{digits}f}"


def interval(estimate: Mapping[str, Any], sign: bool = False) -> str:
    """A value with its interval, or with a dash if there is a reason not to show it."""
    value = estimate["value"]
    shown = number(value) if not sign or value is None else f"{value:+.2f}"
    if estimate.get("interval_reason"):
        return f"{shown} [–]"
    return f"{shown} [{number(estimate['lo'])}, {number(estimate['hi'])}]"


def _with_bar(estimate: Mapping[str, Any]) -> Text:
    """A bar for a value between 0 and 1, the value with its interval, and the share of faults if there are any."""
    value, faults = estimate["value"], estimate["faults"]
    text = interval(estimate) + (f", {percent(faults)} faults" if faults else "")
    if value is None or not 0 <= value <= 1:
        return Text(text)
    filled = round(value * _BAR)
    return Text.assemble(("█" * filled, "cyan"), ("░" * (_BAR - filled), "dim"), f" {text}")
