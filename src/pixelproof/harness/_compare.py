"""Two runs on the same items: paired differences, and whether they could have been seen at all."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import Field, asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Bench, Estimate, Metric, PixelProofError, unknown_name
from pixelproof.harness._columns import Column, Floats, Mask
from pixelproof.harness._controls import read_controls
from pixelproof.harness._ends import best_end, with_end, worst_end
from pixelproof.harness._frames import to_pandas
from pixelproof.harness._gate import ALPHA, MOST_MISSING, Gate, Losses
from pixelproof.harness._notebook import comparison_html
from pixelproof.harness._opened import Run, bench_of
from pixelproof.harness._run_card import Card, Entries, RunCard
from pixelproof.harness._rundir import read_card
from pixelproof.harness._summary import describe_only_faults
from pixelproof.harness._table import Table
from pixelproof.stats import (
    Pairs,
    change_tests,
    comparison_interval,
    flip_power,
    flip_test,
)
from pixelproof.store import local_path, plain

Keys = npt.NDArray[np.int64]
"""A number per row of a table, equal for items of one name."""


class NothingInCommon(PixelProofError):
    """No item has a metric in both runs: one of them failed entirely."""


@dataclass(frozen=True)
class Difference:
    """B minus A in one metric, over the items that both runs answered."""

    metric: str
    higher_is_better: bool | None
    a: float
    b: float
    difference: Estimate
    """The interval holds 0 exactly if the test behind `p_adjusted` does not reject; nan where it has no end."""
    p: float
    p_adjusted: float
    """p, corrected for all metrics of the comparison together."""
    n: int
    detectable: float
    """The smallest true difference that this many items show in four runs of five."""
    items_needed: int | None
    """How many items it would take to show the observed difference in four runs of five."""
    losses: Losses
    """Answers that are lost in one run, to items that the other has a value for."""
    bounds: tuple[float, float] | None = None
    """The difference if the lost answers were the worst of B and the best of A, and the reverse; None without losses,
    or without a range."""

    @property
    def verdict(self) -> str:
        """`better`, `worse` or `different` (B against A) when p says so; otherwise `not shown`."""
        if math.isnan(self.p_adjusted) or self.p_adjusted > ALPHA or self.difference.value == 0:
            return "not shown"
        if self.higher_is_better is None:
            return "different"
        return "better" if (self.difference.value > 0) is self.higher_is_better else "worse"


@dataclass(frozen=True, repr=False)
class Comparison:
    """Run B against run A. Notebooks show the table of differences."""

    a: RunCard
    b: RunCard
    common_items: int
    only_a: int
    only_b: int
    clusters: int
    """Independent groups of common items."""
    changes: dict[str, tuple[Any, Any]]
    """Options and decoding settings in which the runs differ; `scorer`, if different code or weights scored them."""
    differences: Sequence[Difference]
    gate: Gate
    faults: tuple[float, float] = (0.0, 0.0)
    """Share of model faults among the answers of A and of B to the common items. They count as the floor; where a run
    has no floor, as the worst end of the metric's range in both."""
    lost: tuple[int, int] = (0, 0)
    """Answers of A and of B that were lost to infrastructure faults; no metric counts them."""
    undefined: Mapping[str, str] = field(default_factory=dict)
    """Metric that could not be compared → why."""

    @property
    def too_few(self) -> bool:
        """Whether even the clearest difference could not be shown, for want of independent items."""
        return 2.0 ** (1 - self.clusters) > ALPHA

    @property
    def worse(self) -> list[str]:
        """Metrics in which B is worse."""
        return [d.metric for d in self.differences if d.verdict == "worse"]

    def rows(self) -> list[dict[str, Any]]:
        """One flat row per metric; the columns are those of `to_pandas`."""
        return [
            {
                "metric": d.metric,
                "a": d.a,
                "b": d.b,
                "difference": d.difference.value,
                "lo": d.difference.lo,
                "hi": d.difference.hi,
                "p": d.p,
                "p_adjusted": d.p_adjusted,
                "verdict": d.verdict,
                "n": d.n,
                "detectable": d.detectable,
                "items_needed": d.items_needed,
            }
            for d in self.differences
        ]

    def to_pandas(self) -> Any:
        """A data frame with a row per metric.

        Columns: `metric`, `a`, `b`, `difference` (B − A) with its 95 % interval `lo` and `hi`, `p`, `p_adjusted`,
        `verdict`, `n` (items), `detectable`, `items_needed`.

        Raises:
            PixelProofError: pandas is not installed.
        """
        return to_pandas(self.rows())

    def __repr__(self) -> str:
        """Both models and the number of verdicts, in one line."""
        verdicts = Counter(d.verdict for d in self.differences)
        counted = ", ".join(f"{name} {count}" for name, count in sorted(verdicts.items()))
        models = f"B {self.b.card.model} against A {self.a.card.model}"
        return f"Comparison({models}: {self.common_items} items; metrics: {counted})"

    def _repr_html_(self) -> str:
        """The table of differences, for notebooks."""
        return comparison_html(self.a, self.b, self.common_items, self.faults, self.changes, self.rows())


def compare(
    a: Run | str | Path,
    b: Run | str | Path,
    metrics: Sequence[str] = (),
    bench: Bench | None = None,
    tags: Mapping[str, str] | None = None,
    *,
    allow_missing: float = MOST_MISSING,
    by: float = 0.0,
) -> Comparison:
    """Compare run B with run A, item by item; model faults count as the floor in both.

    Args:
        a: The run to compare with, or its directory or URL.
        b: The run in question, or its directory or URL.
        metrics: Names or families of metrics; by default the headline and all calibrated ones.
        bench: The bench of both, if it is not an installed one.
        tags: Compare on the items that have these tags only.
        allow_missing: Largest share of answers lost in one of the runs with which the gate still gives a verdict.
        by: How much worse B may be in a metric before the gate fires.
    """
    paths = [run.path if isinstance(run, Run) else local_path(run) for run in (a, b)]
    cards = [read_card(path) for path in paths]
    a_card, b_card = (card.card for card in cards)
    _check_comparable(a_card, b_card)
    bench = bench or bench_of(b_card)
    options = _changes(a_card.options, b_card.options)
    with ExitStack() as files:
        first, second = (files.enter_context(closing(Table(path, bench, read_controls(path)))) for path in paths)
        _check_same_items(first, second, any(_is_of_items(bench, name) for name in options))
        keys = _keys_of_tags((first, second), tags or {})
        chosen = {metric.name: metric for metric in _of_one_judge(chosen_metrics(bench, metrics), a_card, b_card)}
        paired = {name: _pair(metric, (first, second), keys, cards) for name, metric in chosen.items()}
    pairs = {name: pair for name, pair in paired.items() if isinstance(pair, _Paired)}
    undefined = {name: why for name, why in paired.items() if isinstance(why, str)}
    if not pairs:
        raise NothingInCommon(f"{a} and {b} have no metric in common on any item: one of them failed entirely.")
    differences = _differences(pairs)
    faults = _fault_share(first, keys[0], keys[1]), _fault_share(second, keys[1], keys[0])
    gated = {n for n in paired if chosen[n].higher_is_better is not None and (metrics or n in bench.display.headline)}
    gate = Gate.test(
        {name: pair.pairs for name, pair in pairs.items() if name in gated},
        by,
        losses={name: (pair.losses, pair.bounds) for name, pair in pairs.items() if name in gated},
        allow_missing=allow_missing,
        only_faults=describe_only_faults((second if faults[1] == 1 else first).failures) if 1 in faults else "",
        undefined={name: why for name, why in undefined.items() if name in gated},
        notes={d.metric: _describe_power(d) for d in differences},
    )
    return Comparison(
        cards[0],
        cards[1],
        *_count_common((first, second), keys),
        options | _changes(_methods(a_card), _methods(b_card)),
        differences,
        gate,
        faults,
        (int(first.lost.sum()), int(second.lost.sum())),
        undefined,
    )


def _keys_of_tags(tables: tuple[Table, Table], tags: Mapping[str, str]) -> tuple[Keys, ...]:
    """The keys of `paired_keys`; rows of items without these tags are paired with nothing."""
    keys = paired_keys(*tables)
    if not tags:
        return keys
    return tuple(np.where(t.tagged(tags), k, -1 - i) for i, (t, k) in enumerate(zip(tables, keys, strict=True)))


def _count_common(tables: tuple[Table, Table], keys: Sequence[Keys]) -> tuple[int, int, int, int]:
    """Items that both runs answered, those that only one did, and the clusters of the common ones."""
    answered = [~table.lost for table in tables]
    a, b = (set(of_run[rows].tolist()) for of_run, rows in zip(keys, answered, strict=True))
    common = answered[0] & np.isin(keys[0], keys[1][answered[1]])
    return len(a & b), len(a - b), len(b - a), len(set(tables[0].clusters[common].tolist()))


def _describe_power(difference: Difference) -> str:
    """What this many items can show in a metric, and how many would show a fall that was observed."""
    texts = []
    if not math.isnan(difference.detectable):
        texts.append(f"A difference of {difference.detectable:.2f} would be shown in four runs of five.")
    value = difference.difference.value
    if difference.items_needed and value and (value < 0) is difference.higher_is_better:
        texts.append(f"B − A is {value:+.2f}; about {difference.items_needed:,} items would show it.")
    return " ".join(texts)


def _fault_share(table: Table, own: Keys, other: Keys) -> float:
    """Share of model faults among the answers to items that the other run has, too."""
    common = np.isin(own, other)
    return float(table.faulted[common].mean()) if common.any() else 0.0


def chosen_metrics(bench: Bench, names: Sequence[str]) -> list[Metric]:
    """The metrics of these names or families; none named: the headline, and all that are calibrated."""
    if not names:
        return [m for m in bench.metrics if m.name in bench.display.headline or m.calibrated]
    for name in names:
        if not any(_named(m, name) for m in bench.metrics):
            raise unknown_name(f"metric of {bench.name}", name, [m.name for m in bench.metrics])
    return [m for m in bench.metrics if any(_named(m, name) for name in names)]


def _named(metric: Metric, name: str) -> bool:
    return name == "all" or metric.name == name or metric.name.startswith(name + ".")


def _check_comparable(a: Card, b: Card) -> None:
    """Refuse what cannot be compared."""
    if a.bench != b.bench:
        raise PixelProofError(f"These runs are of different benches ({a.bench} and {b.bench}).")
    if a.version.partition(".")[0] != b.version.partition(".")[0]:
        raise PixelProofError(f"{a.bench} {a.version} and {b.version} are not comparable: rescore the older run first.")
    asked = [f"{card.source} with seed {card.seed}" for card in (a, b)]
    if asked[0] != asked[1]:
        raise PixelProofError(f"These runs are on different items: {asked[0]}, and {asked[1]}.")


def _of_one_judge(metrics: Sequence[Metric], a: Card, b: Card) -> list[Metric]:
    """The metrics that can be compared: judged ones only if the same judge scored both runs."""
    if a.judge_card == b.judge_card:
        return list(metrics)
    kept = [metric for metric in metrics if not metric.judged]
    if not kept:
        raise PixelProofError(
            f"These runs have different judges ({a.judge} and {b.judge}), so their judged metrics cannot "
            "be compared: run both with the same --judge."
        )
    return kept


def _methods(card: Card) -> Entries:
    """How a model decoded, and what scored it."""
    return {**card.to_json()["decoding"], "scorer": card.scorer}


def _changes(a: Entries, b: Entries) -> dict[str, tuple[Any, Any]]:
    pairs = {name: (a.get(name), b.get(name)) for name in sorted(a.keys() | b.keys())}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _is_of_items(bench: Bench, option: str) -> bool:
    """Whether a difference in an option may change the items."""
    declared: Mapping[str, Field[object]] = getattr(type(bench), "__dataclass_fields__", {})
    return option not in declared or bool(declared[option].metadata.get("of_items", True))


def _check_same_items(a: Table, b: Table, other_options: bool) -> None:
    """Items of one name and equal options must be equal; with other options they differ by design."""
    one, other = (dict(zip(table.ids, table.digests.to_pylist(), strict=True)) for table in (a, b))
    common = one.keys() & other.keys()
    if not common or (not other_options and any(one[id] != other[id] for id in common)):
        raise PixelProofError(f"The items of {a.path} and {b.path} differ, so their results cannot be paired.")


def paired_keys(first: Table, *others: Table) -> tuple[Keys, ...]:
    """A number per row of each table, equal for items of one name, wherever they stand in their runs."""
    place = {id: index for index, id in enumerate(first.ids)}
    keys = [first.index]
    for table in others:
        numbers = np.array([place.setdefault(id, len(place)) for id in table.ids], dtype=np.int64)
        keys.append(numbers[table.index])
    return tuple(keys)


@dataclass(frozen=True)
class _Side:
    """One metric of one run, by item."""

    states: Mapping[int, Floats]
    """Item → summed states of its answers; faults are among them."""
    kept: Mapping[int, int]
    """Item → number of answers that are not lost, with a value or not."""
    rows: int
    """Answers with a value."""
    samples: int

    @classmethod
    def of(cls, column: Column, lost: Mask, keys: Keys, samples: int) -> _Side:
        """Read the column of a run, in which faults and abstentions have values."""
        states = column.own
        sums: dict[int, Floats] = {}
        for key, values in zip(keys[states.present].tolist(), states.values[states.present], strict=True):
            sums[key] = sums[key] + values if key in sums else values
        return cls(sums, Counter(keys[states.present | ~lost].tolist()), int(states.present.sum()), samples)

    def count_lost(self, item: int) -> int:
        """How many answers to an item are lost."""
        return max(0, self.samples - self.kept.get(item, 0))

    def value(self, metric: Metric, items: Sequence[int], end: float) -> float:
        """The metric over these items if every lost answer had this value."""
        lost = np.array([self.count_lost(item) for item in items], dtype=np.float64)
        zero = np.zeros_like(next(iter(self.states.values())))
        sums = np.stack([self.states.get(item, zero) for item in items])
        if metric.pool is None:
            return float(((sums[:, 0] + lost * end) / np.maximum(sums[:, 1] + lost, 1)).mean())
        total = np.append(sums.sum(axis=0), [lost.sum() + self.rows, lost.sum()])
        pool = with_end(metric, end).pool
        assert pool is not None
        return float(pool(total))


@dataclass(frozen=True)
class _Paired:
    """One metric on the items that both runs answered, and what the lost answers could change."""

    metric: Metric
    pairs: Pairs
    losses: Losses
    bounds: tuple[float, float] | None


def _pair(
    metric: Metric, tables: tuple[Table, Table], keys: Sequence[Keys], cards: Sequence[RunCard]
) -> _Paired | str | None:
    """One metric of both runs by item; None if no item has it in both, a text if a fault has no value."""
    samples = [card.card.samples for card in cards]
    columns = [table.metric(metric) for table in tables]
    by_floor = all(column.has_floor for column in columns)
    weighted = any(column.has_gaps for column in columns)
    a, b = (column.with_values(by_floor, weighted) for column in columns)
    if a is None or b is None:
        return "an answer has a fault, a floor is not measured, and the metric declares no range"
    metric = a.metric
    sides = [
        _Side.of(column, table.lost | table.unscored, of_run, count)
        for column, table, of_run, count in zip((a, b), tables, keys, samples, strict=True)
    ]
    common = sorted(sides[0].states.keys() & sides[1].states.keys())
    if not common:
        return None
    x, y = (np.stack([side.states[key] for key in common]) for side in sides)
    if x.shape != y.shape:
        raise PixelProofError(
            f"{metric.name} has {x.shape[1]} counts in one run and {y.shape[1]} in the other, which have other "
            "classes: score both with the same labels, or compare another --metric."
        )
    cluster_of = dict(zip(keys[0].tolist(), tables[0].clusters.tolist(), strict=True))
    clusters = np.asarray([cluster_of[key] for key in common], dtype=np.int64)
    better = metric.higher_is_better is not False
    if metric.pool is not None:
        pairs = Pairs(x, y, metric.pool, clusters, better)
    else:
        pairs = Pairs.of_means(x[:, 0] / x[:, 1], y[:, 0] / y[:, 1], clusters, better)
    in_b = set(tables[1].ids)
    planned = {number for number, id in enumerate(tables[0].ids) if id in in_b}
    items = sorted((sides[0].states.keys() | sides[1].states.keys()) & planned)
    lost_a, lost_b = (sum(map(side.count_lost, items)) for side in sides)
    losses = Losses(lost_a, lost_b, (len(items) * samples[0], len(items) * samples[1]))
    return _Paired(metric, pairs, losses, _bounds(metric, sides, items) if losses.share else None)


def _bounds(metric: Metric, sides: Sequence[_Side], items: Sequence[int]) -> tuple[float, float] | None:
    """The difference with the lost answers at the ends of the range that are worst for B, and best."""
    worst, best = worst_end(metric), best_end(metric)
    if worst is None or best is None:
        return None
    answered = [item for item in items if all(item in side.states or side.count_lost(item) for side in sides)]
    ends = [
        sides[1].value(metric, answered, of_b) - sides[0].value(metric, answered, of_a)
        for of_a, of_b in ((best, worst), (worst, best))
    ]
    return min(ends), max(ends)


def _differences(pairs: Mapping[str, _Paired]) -> list[Difference]:
    """The differences in all metrics, with p values adjusted for all of them."""
    changes = change_tests([pair.pairs for pair in pairs.values()])
    return [_difference(pairs[name], p, changes.critical) for name, p in zip(pairs, changes.p, strict=True)]


def _difference(paired: _Paired, p_adjusted: float, critical: float) -> Difference:
    metric, pairs = paired.metric, paired.pairs
    flips = flip_test(pairs)
    x, y = np.asarray(pairs.a), np.asarray(pairs.b)
    a, b = (float(pairs.finish(states.sum(axis=0))) for states in (x, y))
    value, detectable, needed = b - a, math.nan, None
    if metric.pool is None:
        differences = y[:, 0] - x[:, 0]
        a, b, value = (float(column.mean()) for column in (x[:, 0], y[:, 0], differences))
        detectable, needed = flip_power(differences, np.asarray(pairs.clusters), critical)
    p_adjusted = max(p_adjusted, flips.p)  # both come from drawn patterns where there are many clusters
    lo, hi = comparison_interval(pairs, flips, metric.range, p_adjusted <= ALPHA, metric.pool, metric.ratios)
    return Difference(
        metric.name,
        metric.higher_is_better,
        a,
        b,
        Estimate(value, lo, hi),
        p=flips.p,
        p_adjusted=p_adjusted,
        n=len(x),
        detectable=detectable,
        items_needed=needed,
        losses=paired.losses,
        bounds=paired.bounds,
    )


def comparison_to_json(comparison: Comparison) -> dict[str, Any]:
    """Plain data; numbers that do not exist are null."""
    document: dict[str, Any] = plain(
        {
            "a": comparison.a.card.model,
            "b": comparison.b.card.model,
            "items": {"common": comparison.common_items, "only_a": comparison.only_a, "only_b": comparison.only_b},
            "faults": {"a": comparison.faults[0], "b": comparison.faults[1]},
            "lost": {"a": comparison.lost[0], "b": comparison.lost[1]},
            "changes": comparison.changes,
            "gate": {
                "metrics": {
                    name: {"p": fall.p, "clusters": fall.clusters} for name, fall in comparison.gate.falls.items()
                },
                "checks": [asdict(check) for check in comparison.gate.verdict.checks],
                "outcome": comparison.gate.verdict.outcome,
                "problem": comparison.gate.verdict.problem or None,
            },
            "metrics": {d.metric: {**asdict(d), "verdict": d.verdict} for d in comparison.differences},
        }
    )
    return document
