"""One metric of a run: states per row, with floors and ceilings, pooled to values, intervals and calibrated scores."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pixelproof.contract import Estimate, Metric, MetricSummary, Part, PixelProofError, Sampling
from pixelproof.harness._channels import ceiling_of
from pixelproof.harness._ends import best_end, weights, with_end, with_floor, worst_end
from pixelproof.harness._sampling import sampling
from pixelproof.stats import (
    Undefined,
    calibrated_interval,
    calibrated_pooled_interval,
    finish_mean,
    mean_interval,
    pooled_interval,
)

FEWEST_FOR_RATIOS = 15
"""Clusters from which on tables show the interval of a mean of several ratios, such as mean IoU; JSON always has it."""
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


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

    def with_lacking(self, lacking: Mask) -> States:
        """The states of `with_end`: a row that lacks a value is counted, with the value of the end."""
        counted = self.present | lacking
        return States(np.column_stack([self.values, counted, lacking]).astype(np.float64), counted)

    def of_columns(self, columns: Sequence[int]) -> States:
        """Some columns of the counts; zeros where no row has any, so that their number is unknown."""
        if not self.present.any():
            return States(np.zeros((len(self.values), len(columns))), self.present)
        return States(self.values[:, list(columns)], self.present)


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
        filled = self.with_values()
        if filled is None or self.metric.pool is not None or self.metric.higher_is_better is None:
            return None
        states = filled.own
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

    def floor(self, mask: Mask) -> str | None:
        """The name of the best floor control on the rows that count: with a value, a model fault or an abstention."""
        mask = mask & (self.own.present | self._at_floor)
        sign = 1.0 if self.metric.higher_is_better else -1.0
        values = {name: sign * self.pooled(s, mask) for name, s in self.controls.items() if self._is_floor(name)}
        known = {name: value for name, value in values.items() if not math.isnan(value)}
        return max(known, key=known.__getitem__) if known else None

    def _is_floor(self, control: str) -> bool:
        return control.startswith("floor-") if self.metric.floors is None else control in self.metric.floors

    def ceiling(self, mask: Mask) -> str | None:
        """The name of the ceiling of the channel; without a channel, that of the truth."""
        for name in (ceiling_of(self.channel or "channel"), "ceiling-truth"):
            if name in self.controls and not math.isnan(self.pooled(self.controls[name], mask)):
                return name
        return None

    def ceilings(self, mask: Mask) -> dict[str, float]:
        """Every ceiling that was measured → its value over the rows of a mask."""
        named = {name: self.pooled(s, mask) for name, s in self.controls.items() if name.startswith("ceiling-")}
        return {name: value for name, value in named.items() if not math.isnan(value)}

    @property
    def has_floor(self) -> bool:
        """Whether a floor was measured on any row."""
        return self.floor(np.ones(len(self.faulted), dtype=np.bool_)) is not None

    def with_values(self, by_floor: bool = True, weighted: bool = False) -> Column | None:
        """The column in which every model fault and abstention has a value; None if a fault's value is unknown.

        Args:
            by_floor: Use the floor where one was measured; otherwise the worst end of the metric's range.
            weighted: Give a pooled metric the states of `with_floor` even if every answer has a value.
        """
        floor = self.floor(np.ones(len(self.faulted), dtype=np.bool_)) if by_floor else None
        if floor is not None:
            return self._filled({floor: self._at_floor}, weighted)
        end = worst_end(self.metric)
        if end is not None:
            return self._at_end(end)
        unknown = self.metric.higher_is_better is not None and bool(self._lacking.any())
        return None if unknown else self

    @property
    def _lacking(self) -> Mask:
        """Model faults and abstentions without a value; none for a metric that no answer has, as it may not apply."""
        return self._at_floor & ~self.own.present & self.own.present.any()

    def _at_end(self, end: float) -> Column:
        """The column with an end of the range as the value of faults and abstentions that have none."""
        lacking = self._lacking
        counted = self.own.present | lacking
        if self.metric.pool is None:
            filled = np.where(lacking[:, None], [end, 1.0], self.own.values)
            return replace(self, own=States(filled, counted))
        controls = {name: states.with_lacking(np.zeros_like(lacking)) for name, states in self.controls.items()}
        own = self.own.with_lacking(lacking)
        return replace(self, metric=with_end(self.metric, end), own=own, controls=controls)

    @property
    def _at_floor(self) -> Mask:
        """Rows that count as the floor where they have no value."""
        return self.faulted | self.abstained

    @property
    def has_gaps(self) -> bool:
        """Whether a model fault or an abstention has no value."""
        return bool((self._at_floor & ~self.own.present).any())

    def _filled(self, rows_of: Mapping[str, Mask], weighted: bool = False) -> Column:
        """The column with the states of controls in the given rows, where there is no value.

        Where a control was not measured, its mean state stands in, so that no answer drops out of the mean. A pooled
        metric has the states of `with_floor`, because a control may have few counts in its denominator.
        """
        lacking = {name: rows & ~self.own.present for name, rows in rows_of.items()}
        counted = self.own.present | np.logical_or.reduce(list(lacking.values()))
        if not weighted and not (counted & ~self.own.present).any():
            return self
        floor = np.zeros((len(counted), max(self.controls[name].values.shape[1] for name in rows_of)))
        for name, rows in lacking.items():
            floor[rows] = _with_means(self.controls[name])[rows]
        own = np.where(self.own.present[:, None], self.own.values, 0.0)
        if self.metric.pool is None:
            return replace(self, own=States(own + floor, counted))
        width, everything = floor.shape[1], np.ones_like(counted)
        reference = self.controls[self.ceiling(everything) or next(iter(rows_of))]
        sizes = _with_means(States(weights(self.metric, reference.values), reference.present))
        own = np.broadcast_to(own, floor.shape)
        answered, filled = (sizes * rows[:, None] for rows in (self.own.present, counted & ~self.own.present))
        empty = np.zeros((len(counted), width + 2 * sizes.shape[1]))
        controls = {
            name: States(np.column_stack([states.values, empty]), states.present)
            for name, states in self.controls.items()
        }
        states = States(np.column_stack([own, floor, answered, filled]), counted)
        return replace(self, metric=with_floor(self.metric, width), own=states, controls=controls)

    def _bounds(self, mask: Mask, floor: str | None, ceiling: str | None) -> tuple[float, float] | None:
        """The value if every abstention without a value were the floor, and if it were the ceiling."""
        if floor is None or ceiling is None or not (mask & self.abstained & ~self.own.present).any():
            return None
        filled = self._filled({floor: self._at_floor}), self._filled({floor: self.faulted, ceiling: self.abstained})
        ends = [column.pooled(column.own, mask) for column in filled]
        return min(ends), max(ends)

    def summary(self, mask: Mask) -> MetricSummary | None:
        """The metric over the rows of a mask; None if no row has it."""
        if not (mask & (self.own.present | self._at_floor)).any():
            return None
        floor = self.floor(mask)
        if floor is None and self.metric.higher_is_better is not None and (mask & self._lacking).any():
            floor = self.floor(np.ones_like(mask))  # measured, but on no row of the mask
            if floor is None:
                return self._summary_without_floor(mask)
        filled = self if floor is None else self._filled({floor: mask & self._at_floor})
        used = mask & filled.own.present
        if not used.any():
            return None
        ceiling = self.ceiling(used)
        summary = filled._summary(mask, used, floor, ceiling)
        excluding = self.pooled(self.own, used & ~self.faulted)
        return replace(summary, excluding_faults=excluding, bounds=self._bounds(mask, floor, ceiling))

    def _summary(self, mask: Mask, used: Mask, low: str | None, high: str | None) -> MetricSummary:
        """The metric over the rows of a mask that have a value, with these floor and ceiling."""
        states = self.own
        floor, ceiling = (None if name is None else self.controls[name] for name in (low, high))
        raw = self._estimate(states.values[used], self.clusters[used])
        calibrated: Estimate | Undefined | None = None
        if self.metric.calibrated and floor is not None and ceiling is not None:
            calibrated = self._calibrated(states, floor, ceiling, used)
        elif self.metric.calibrated and floor is not None and any(c.startswith("ceiling-") for c in self.controls):
            calibrated = Undefined(math.nan, "no ceiling: no perfect answer to these items is known")
        return MetricSummary(
            self.pooled(states, used),
            *((math.nan, math.nan) if isinstance(raw, Undefined) else (raw.lo, raw.hi)),
            floor=None if floor is None else self.pooled(floor, used),
            ceiling=None if ceiling is None else self.pooled(ceiling, used),
            calibrated=None if isinstance(calibrated, Undefined) else calibrated,
            n=int(used.sum()),
            faults_as_zero=self._faults_as_zero(states, used) if self.metric.pool is None else None,
            calibrated_reason=calibrated.reason if isinstance(calibrated, Undefined) else None,
            interval_reason=raw.reason if isinstance(raw, Undefined) else self._too_few(states, used),
            faults=self._fault_share(mask),
            ceilings=self.ceilings(used),
        )

    def _summary_without_floor(self, mask: Mask) -> MetricSummary | None:
        """The metric where no floor is measured: faults and abstentions count as the worst end of its range."""
        worst, best = worst_end(self.metric), best_end(self.metric)
        answered, faults = self.pooled(self.own, mask & ~self.faulted), self._fault_share(mask)
        if worst is None or best is None:
            lost = int((mask & self._lacking).sum())
            reason = f"{lost} answers have no value, no floor is measured, and the metric declares no range"
            nan = (math.nan,) * 3
            return MetricSummary(*nan, excluding_faults=answered, interval_reason=reason, faults=faults)
        summary = self._at_end(worst).summary(mask)
        if summary is None:
            return None
        high = self._at_end(best)
        ends = summary.value, high.pooled(high.own, mask)
        return replace(summary, excluding_faults=answered, bounds=(min(ends), max(ends)))

    def _fault_share(self, mask: Mask) -> float:
        """Share of model faults among the rows that count, whether or not a floor gives them a value."""
        counted = mask & (self.own.present | self._at_floor)
        return float((counted & self.faulted).sum() / counted.sum())

    def _too_few(self, states: States, used: Mask) -> str | None:
        """Why the interval of a mean of several ratios says too little to be shown."""
        count = len(np.unique(self.clusters[used]))
        if self.metric.pool is None or self.metric.ratios is None or count >= FEWEST_FOR_RATIOS:
            return None
        several = np.count_nonzero(self.metric.ratios(states.values[used].sum(axis=0))[1]) > 1
        return f"too few items for an interval (n = {count})" if several else None

    def _estimate(self, states: Floats, clusters: npt.NDArray[np.int64]) -> Estimate | Undefined:
        metric = self.metric
        self._check_range(states)
        if metric.pool is None:
            return mean_interval(states[:, 0], metric.range, clusters)
        return pooled_interval(states, self.finish, metric.range, clusters, ratios=metric.ratios)

    def _calibrated(self, states: States, floor: States, ceiling: States, used: Mask) -> Estimate | Undefined:
        both = used & floor.present & ceiling.present
        if not both.any():
            return Undefined(math.nan, "no item has both a floor and a ceiling")
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
        if isinstance(interval, Undefined):
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
                "the scorer or Metric.range, then run 'pixelproof runs rescore'."
            )

    def _faults_as_zero(self, states: States, used: Mask) -> float:
        return float(states.values[used & ~self.faulted, 0].sum() / used.sum())


def _with_means(states: States) -> Floats:
    """The states of a control, with their mean in the rows where it was not measured."""
    return np.where(states.present[:, None], states.values, states.values[states.present].mean(axis=0))
