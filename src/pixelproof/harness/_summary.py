"""Aggregates result rows: pooled values, intervals, floors, ceilings, calibrated scores."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pixelproof.contract import (
    Bench,
    Counts,
    Estimate,
    Metric,
    MetricSummary,
    Part,
    PixelProofError,
    Sampling,
    Source,
    Summary,
)
from pixelproof.harness._channels import ceiling_of, count_channels, frequent_channels
from pixelproof.harness._confusion import pooled_confusion
from pixelproof.harness._plan import MAX_SAMPLES
from pixelproof.harness._rundir import read_table
from pixelproof.harness._sampling import sampling
from pixelproof.harness._shape import NUMBER, Shape, lacking
from pixelproof.stats import (
    Refusal,
    calibrated_interval,
    calibrated_pooled_interval,
    finish_mean,
    mean_interval,
    pooled_interval,
)
from pixelproof.store import read_sealed_json

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
_ESTIMATE: Shape = dict.fromkeys(("value", "lo", "hi"), NUMBER)
_METRIC: Shape = {
    **dict.fromkeys((f.name for f in fields(MetricSummary)), NUMBER),
    "calibrated": dict | None,
    "bounds": list | None,
    "calibrated_reason": str | None,
    "interval_reason": str | None,
    "ceilings": dict,
    "n": int,
}
_SHAPE: Shape = {
    **dict.fromkeys(("bench", "version", "model"), str),
    **dict.fromkeys(("metrics", "groups", "failures"), dict),
    **dict.fromkeys((f"counts.{f.name}" for f in fields(Counts)), int),
}
_ROWS_AT_ONCE = 1 << 18
"""Metrics that are means are read together up to this number of rows, which bounds the memory."""
MAX_GROUPS = 60
"""Tags with more values than this identify items and are not shown as groups."""


@dataclass(frozen=True)
class States:
    """A metric as one additive state per row; rows without a value are zero."""

    values: Floats
    present: Mask

    @classmethod
    def of(cls, column: pa.ChunkedArray, metric: Metric) -> States:
        """Read a column of numbers (a mean) or of count vectors (a pooled metric)."""
        if metric.pool is None:
            numbers = column.to_numpy().astype(np.float64)
            present = np.isfinite(numbers)
            return cls(np.stack([np.where(present, numbers, 0.0), present], axis=1).astype(np.float64), present)
        present = np.asarray(pc.is_valid(column))
        width = pc.max(pc.list_value_length(column)).as_py() or 1
        values = np.zeros((len(column), width))
        values[present] = np.asarray(pc.list_flatten(column)).reshape(-1, width)
        return cls(values, present)

    def at(self, index: npt.NDArray[np.int64]) -> States:
        """The states of the rows with these numbers."""
        return States(self.values[index], self.present[index])

    def of_columns(self, columns: Sequence[int]) -> States:
        """Some columns of the counts; zeros where no row has any, so that their number is unknown."""
        if not self.present.any():
            return States(np.zeros((len(self.values), len(columns))), self.present)
        return States(self.values[:, list(columns)], self.present)


class Table:
    """The results of a run and of its controls, aligned by item; pooled metrics are read one at a time."""

    def __init__(self, path: Path, bench: Bench, controls: Mapping[str, pa.Table]) -> None:
        self.bench = bench
        self._file = path / "results.parquet"
        self._controls = controls
        head = read_table(self._file, columns=["order", "status", "failure"])
        self.index: npt.NDArray[np.int64] = head["order"].to_numpy() // MAX_SAMPLES
        self.faulted: Mask = np.asarray(pc.equal(head["status"], "model-fault"))
        self.abstained: Mask = np.asarray(pc.equal(head["status"], "abstained"))
        self.lost: Mask = np.asarray(pc.equal(head["status"], "infrastructure-fault"))
        self.statuses = _count(head["status"])
        self.failures = _count(head["failure"])
        items = read_table(path / "items.parquet", columns=["item", "cluster", "tags"])
        if self.index.size and self.index.max() >= len(items):
            raise PixelProofError(f"{path} has results of items that its items.parquet lacks: restore that file.")
        self.ids: list[str] = items["item"].to_pylist()
        self.clusters = _codes(items["cluster"])[0][self.index]
        self._tags = items["tags"]
        self.channels = count_channels(self._file)
        self.channel = ""
        self.channel = self._least_lossy(frequent_channels(self.channels))

    def _least_lossy(self, channels: Sequence[str]) -> str:
        """The channel with the highest ceiling in the first headline metric that has one; empty without channels."""
        measured = [channel for channel in channels if ceiling_of(channel) in self._controls]
        for name in self.bench.display.headline if len(measured) > 1 else ():
            metric = next(metric for metric in self.bench.metrics if metric.name == name)
            column, everything = self.metric(metric), np.ones(len(self.index), dtype=np.bool_)
            sign = -1.0 if metric.higher_is_better is False else 1.0
            known = column.ceilings(everything)
            if len(values := {c: sign * known[ceiling_of(c)] for c in measured if ceiling_of(c) in known}) > 1:
                return max(values, key=values.__getitem__)
        return measured[0] if measured else ""

    def groups(self) -> dict[str, dict[str, Mask]]:
        """Which rows have which value of a tag."""
        codes, texts = _codes(self._tags)
        kinds = [json.loads(text) for text in texts]  # few: items of one kind have equal tags
        groups: dict[str, dict[str, Mask]] = {}
        for name in sorted({name for tags in kinds for name in tags}):
            values = [tags.get(name, "") for tags in kinds]
            distinct = [value for value in dict.fromkeys(values) if value]
            if 1 < len(distinct) <= MAX_GROUPS:
                of_item = {value: np.asarray([v == value for v in values])[codes] for value in distinct}
                groups[name] = {value: mask[self.index] for value, mask in of_item.items()}
        return groups

    def tagged(self, tags: Mapping[str, str]) -> Mask:
        """Which rows are of items that have all of these tags."""
        codes, texts = _codes(self._tags)
        fitting = [tags.items() <= json.loads(text).items() for text in texts]
        return np.asarray(fitting, dtype=np.bool_)[codes][self.index]

    def metric(self, metric: Metric) -> Column:
        """The rows of one metric, of the model and of the controls."""
        one_read = metric.pool is None and len(self.index) <= _ROWS_AT_ONCE
        column = self._numbers if one_read else read_table(self._file, columns=[metric.name])
        own = States.of(column[metric.name], metric)
        controls = {
            name: States.of(table[metric.name], metric).at(self.index)
            for name, table in self._controls.items()
            if metric.name in table.column_names and metric.higher_is_better is not None
        }
        applies = ~self._measured
        for states in controls.values():
            applies |= states.present
        applies = applies if controls else np.ones_like(applies)
        at_floor = (self.faulted & applies, self.abstained & applies)
        return Column(metric, own, controls, *at_floor, self.clusters, self.channel)

    @cached_property
    def _numbers(self) -> pa.Table:
        """All metrics that are means: each time that a file is opened, all of it is verified."""
        return read_table(self._file, columns=[metric.name for metric in self.bench.metrics if metric.pool is None])

    @cached_property
    def _measured(self) -> Mask:
        """Rows of items on which the controls were measured: a metric that none has there does not apply to them."""
        names = [metric.name for metric in self.bench.metrics]
        measured = np.zeros(len(self.ids), dtype=np.bool_)
        for table in self._controls.values():
            for name in (name for name in names if name in table.column_names):
                measured |= np.asarray(pc.is_valid(table[name]))
        return np.asarray(measured[self.index])


@dataclass(frozen=True)
class Column:
    """One metric: the model's row states, and those of the controls on the same items."""

    metric: Metric
    own: States
    controls: Mapping[str, States]
    faulted: Mask
    """Rows with a model fault, of items that the metric applies to."""
    abstained: Mask
    """Rows whose scorer could not tell, of items that the metric applies to."""
    clusters: npt.NDArray[np.int64]
    channel: str = ""
    """Channel whose ceiling counts; empty: that of `ceiling-channel`."""

    def part(self, name: str, part: Part) -> Column:
        """The column of a metric computed from some of the counts."""
        known = {control: states for control, states in self.controls.items() if states.present.any()}
        controls = {control: states.of_columns(part.columns) for control, states in known.items()}
        metric = replace(self.metric, name=name, pool=part.pool, ratios=part.ratios)
        return replace(self, metric=metric, own=self.own.of_columns(part.columns), controls=controls)

    def sampling(self, items: npt.NDArray[np.int64]) -> Sampling | None:
        """Statistics over samples; None for a pooled metric, which has no value per answer, and without samples."""
        states = self.headline(np.ones(len(items), dtype=np.bool_))
        if self.metric.pool is not None or self.metric.higher_is_better is None:
            return None
        used = states.present
        return sampling(
            states.values[used, 0],
            items[used],
            self.clusters[used],
            lower_is_better=not self.metric.higher_is_better,
            bounds=self.metric.range,
        )

    def finish(self, sums: Floats) -> Floats:
        """Sums of states to values."""
        values: Floats = (self.metric.pool or finish_mean)(sums)
        return values

    def pooled(self, states: States, mask: Mask) -> float:
        """Value over the rows of a mask; nan if none has one."""
        counted = mask & states.present
        if not counted.any():  # without values, the width of a state is unknown
            return math.nan
        with np.errstate(divide="ignore", invalid="ignore"):
            value = float(self.finish(states.values[counted].sum(axis=0)))
        return value if math.isfinite(value) else math.nan

    def floor(self, mask: Mask) -> States | None:
        """The best floor control on the rows that count: with a value, a model fault or an abstention."""
        mask = mask & (self.own.present | self._at_floor)
        sign = 1.0 if self.metric.higher_is_better else -1.0
        values = {name: sign * self.pooled(s, mask) for name, s in self.controls.items() if self._is_floor(name)}
        known = {name: value for name, value in values.items() if not math.isnan(value)}
        return self.controls[max(known, key=known.__getitem__)] if known else None

    def _is_floor(self, control: str) -> bool:
        return control.startswith("floor-") if self.metric.floors is None else control in self.metric.floors

    def ceiling(self, mask: Mask) -> States | None:
        """The ceiling of the channel; without a channel, that of the truth."""
        for name in (ceiling_of(self.channel or "channel"), "ceiling-truth"):
            if name in self.controls and not math.isnan(self.pooled(self.controls[name], mask)):
                return self.controls[name]
        return None

    def ceilings(self, mask: Mask) -> dict[str, float]:
        """Every ceiling that was measured → its value over the rows of a mask."""
        named = {name: self.pooled(s, mask) for name, s in self.controls.items() if name.startswith("ceiling-")}
        return {name: value for name, value in named.items() if not math.isnan(value)}

    def headline(self, mask: Mask) -> States:
        """The model's states; a model fault or an abstention without a value counts as the floor."""
        return self._filled(self.own, self.floor(mask), self._at_floor)

    @property
    def _at_floor(self) -> Mask:
        """Rows that count as the floor where they have no value."""
        return self.faulted | self.abstained

    def _filled(self, states: States, substitute: States | None, rows: Mask) -> States:
        """The states with those of a control in the given rows, where there is no value.

        Where the control was not measured, its mean state stands in, so that no answer drops out of the mean.
        """
        if substitute is None or not substitute.present.any():
            return states
        lacking = rows & ~states.present
        mean = substitute.values[substitute.present].mean(axis=0)
        known = np.where(substitute.present[:, None], substitute.values, mean)
        return States(np.where(lacking[:, None], known, states.values), states.present | lacking)

    def _bounds(self, mask: Mask, floor: States | None, ceiling: States | None) -> tuple[float, float] | None:
        """The value if every abstention without a value were the floor, and if it were the ceiling."""
        if floor is None or ceiling is None or not (mask & self.abstained & ~self.own.present).any():
            return None
        faults = self._filled(self.own, floor, self.faulted)
        ends = [self.pooled(self._filled(faults, end, self.abstained), mask) for end in (floor, ceiling)]
        return min(ends), max(ends)

    def summary(self, mask: Mask) -> MetricSummary | None:
        """The metric over the rows of a mask; None if no row has it."""
        states = self.headline(mask)
        used = mask & states.present
        if not used.any():
            return None
        raw = self._estimate(states.values[used], self.clusters[used])
        floor, ceiling = self.floor(mask), self.ceiling(used)
        calibrated: Estimate | Refusal | None = None
        if self.metric.calibrated and floor is not None and ceiling is not None:
            calibrated = self._calibrated(states, floor, ceiling, used)
        elif self.metric.calibrated and floor is not None and any(c.startswith("ceiling-") for c in self.controls):
            calibrated = Refusal(math.nan, "no ceiling: no perfect answer to these items is known")
        scored = used & ~self.faulted
        return MetricSummary(
            self.pooled(states, used),
            *((math.nan, math.nan) if isinstance(raw, Refusal) else (raw.lo, raw.hi)),
            floor=None if floor is None else self.pooled(floor, used),
            ceiling=None if ceiling is None else self.pooled(ceiling, used),
            calibrated=None if isinstance(calibrated, Refusal) else calibrated,
            n=int(used.sum()),
            excluding_faults=self.pooled(self.own, scored),
            faults_as_zero=self._faults_as_zero(states, used) if self.metric.pool is None else None,
            bounds=self._bounds(mask, floor, ceiling),
            calibrated_reason=calibrated.reason if isinstance(calibrated, Refusal) else None,
            interval_reason=raw.reason if isinstance(raw, Refusal) else None,
            faults=self._fault_share(mask),
            ceilings=self.ceilings(used),
        )

    def _fault_share(self, mask: Mask) -> float:
        """Share of model faults among the rows that count, whether or not a floor gives them a value."""
        counted = mask & (self.own.present | self._at_floor)
        return float((counted & self.faulted).sum() / counted.sum())

    def _estimate(self, states: Floats, clusters: npt.NDArray[np.int64]) -> Estimate | Refusal:
        metric = self.metric
        self._check_range(states)
        if metric.pool is None:
            return mean_interval(states[:, 0], metric.range, clusters)
        return pooled_interval(states, self.finish, metric.range, clusters, ratios=metric.ratios)

    def _calibrated(self, states: States, floor: States, ceiling: States, used: Mask) -> Estimate | Refusal:
        both = used & floor.present & ceiling.present
        if not both.any():
            return Refusal(math.nan, "no item has both a floor and a ceiling")
        model, low, high = (part.values[both] for part in (states, floor, ceiling))
        metric, clusters = self.metric, self.clusters[both]
        better = metric.higher_is_better is not False
        if metric.pool is None:
            for part in (model, low, high):
                self._check_range(part)
            interval = calibrated_interval(
                model[:, 0], low[:, 0], high[:, 0], metric.range, clusters, higher_is_better=better
            )
        else:
            interval = calibrated_pooled_interval(
                model, low, high, self.finish, metric.range, clusters, ratios=metric.ratios, higher_is_better=better
            )
        if isinstance(interval, Refusal):
            return interval
        # The value is that of the three values as shown, to the last digit.
        score, bottom, top = (self.pooled(part, both) for part in (states, floor, ceiling))
        value = (score - bottom) / (top - bottom)
        return Estimate(value, min(value, interval.lo), max(value, interval.hi))

    def _check_range(self, states: Floats) -> None:
        """Refuse values outside the declared range, which would make every interval wrong."""
        if self.metric.pool is not None or self.metric.range is None:
            return
        low, high = self.metric.range
        slack = 1e-9 * (high - low)
        outside = states[(states[:, 0] < low - slack) | (states[:, 0] > high + slack), 0]
        if len(outside):
            raise PixelProofError(
                f"{self.metric.name} declares the range {low:g} to {high:g}, but a result has {outside[0]:g}: correct "
                "the scorer or Metric.range, then run 'pixelproof rescore'."
            )

    def _faults_as_zero(self, states: States, used: Mask) -> float:
        return float(states.values[used & ~self.faulted, 0].sum() / used.sum())


def _codes(column: pa.ChunkedArray) -> tuple[npt.NDArray[np.int64], list[str]]:
    """A number per row, and what the numbers stand for."""
    encoded = column.combine_chunks().dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int64), encoded.dictionary.to_pylist()


def _count(column: pa.ChunkedArray) -> Counter[str]:
    """How often each word occurs."""
    return Counter({str(pair["values"]): pair["counts"] for pair in pc.value_counts(column.drop_null()).to_pylist()})


Groups = dict[str, dict[str, dict[str, MetricSummary]]]


def summarise(
    path: Path, bench: Bench, model: str, planned: int, controls: Mapping[str, pa.Table], source: Source
) -> Summary:
    """The summary of a run."""
    table = Table(path, bench, controls)
    everything = np.ones(len(table.index), dtype=np.bool_)
    metrics: dict[str, MetricSummary] = {}
    groups: Groups = {}
    samplings: dict[str, Sampling] = {}
    masks, parts = table.groups(), bench.parts(source)
    for metric in bench.metrics:
        column = table.metric(metric)
        summary = column.summary(everything)
        if summary is None:
            if metric.judged and (reason := _judge_reason(table.failures)):
                metrics[metric.name] = MetricSummary(math.nan, math.nan, math.nan, interval_reason=reason)
            continue
        metrics[metric.name] = summary
        _add_parts(groups, column, parts, everything)
        if metric.name in bench.display.headline:
            for tag, values in masks.items():
                for value, mask in values.items():
                    part = column.summary(mask)
                    if part is not None:
                        groups.setdefault(tag, {}).setdefault(value, {})[metric.name] = part
        if metric.name in bench.display.headline or metric.calibrated:
            if (statistics := column.sampling(table.index)) is not None:
                samplings[metric.name] = statistics
    counts = table.statuses
    return Summary(
        bench.name,
        bench.version,
        model,
        Counts(
            planned=planned,
            completed=counts["scored"] + counts["abstained"] + counts["model-fault"],
            unscored=counts["instrument-fault"],
            errored=counts["infrastructure-fault"],
            model_faults=counts["model-fault"],
            abstained=counts["abstained"],
        ),
        metrics,
        groups,
        samplings,
        dict(table.failures.most_common()),
        table.channel,
        table.channels,
        pooled_confusion(path / "results.parquet"),
    )


def _judge_reason(failures: Mapping[str, int]) -> str | None:
    """Why no answer has a judged metric; None if no judge failed."""
    lost = {name: number for name, number in failures.items() if name.startswith("judge-")}
    if not lost:
        return None
    named = ", ".join(f"{name}: {number}" for name, number in lost.items())
    return f"No answer of the judge could be used ({named})."


def _add_parts(
    groups: Groups, column: Column, parts: Mapping[str, Mapping[str, Mapping[str, Part]]], rows: Mask
) -> None:
    """Add summaries of the parts of one metric, over the rows with any counts; parts that never occur have none."""
    for group, members in parts.items():
        for member, named in members.items():
            for name, part in named.items():
                if part.metric != column.metric.name:
                    continue
                part_alone = column.part(name, part)
                counted = (part_alone.own.values != 0).any(axis=1) | ~part_alone.own.present
                summary = part_alone.summary(rows & counted)
                if summary is not None and math.isfinite(summary.value):
                    groups.setdefault(group, {}).setdefault(member, {})[name] = summary


def _lacking(summary: Any) -> str | None:
    """The first field that a summary lacks, or None."""
    if (name := lacking(summary, _SHAPE)) is not None:
        return name
    try:
        families = [summary["metrics"], *(one for group in summary["groups"].values() for one in group.values())]
        metrics = [pair for family in families for pair in family.items()]
    except AttributeError:
        return "groups"
    for name, metric in metrics:
        absent = lacking(metric, _METRIC) or (metric["calibrated"] and lacking(metric["calibrated"], _ESTIMATE))
        if absent:
            return f"{name}: {absent}"
    return None


def _upgrade(summary: Any) -> None:
    """Add the fields that summaries of earlier versions lack."""
    with suppress(AttributeError, KeyError, TypeError):
        summary["counts"].setdefault("abstained", 0)
        summary.setdefault("channel", "")
        summary.setdefault("channels", {})
        summary.setdefault("confusion", {})
        members = [member for group in summary["groups"].values() for member in group.values()]
        for metric in (metric for metrics in (summary["metrics"], *members) for metric in metrics.values()):
            for name in ("bounds", "calibrated_reason", "interval_reason"):
                metric.setdefault(name, None)
            metric.setdefault("ceilings", {})
            metric.setdefault("faults", None)


def read_summary(path: Path) -> dict[str, Any]:
    """The summary of a run directory."""
    try:
        summary, _ = read_sealed_json(path / "summary.json")
        _upgrade(summary)
        if (name := _lacking(summary)) is not None:
            raise ValueError(f"it has no usable {name!r}")
    except FileNotFoundError:
        raise PixelProofError(
            f"{path} has no summary yet: finish the run with --resume, or run 'pixelproof rescore {path}' to "
            "summarise the answers so far."
        ) from None
    except (OSError, ValueError) as error:
        raise PixelProofError(
            f"The summary of {path} cannot be read ({error}): run 'pixelproof repair {path}', which makes it again."
        ) from error
    return dict(summary)
