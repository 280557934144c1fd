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
from pixelproof.harness._sampling import sampling
from pixelproof.stats import (
    Undefined,
    calibrated_interval,
    calibrated_pooled_interval,
    finish_mean,
    mean_interval,
    pooled_interval,
)

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
        if not (mask & (self.own.present | self._at_floor)).any():
            return None
        floor = self.floor(mask)
        states = self._filled(self.own, floor, self._at_floor)
        used = mask & states.present
        if not used.any():
            return None
        raw = self._estimate(states.values[used], self.clusters[used])
        ceiling = self.ceiling(used)
        calibrated: Estimate | Undefined | None = None
        if self.metric.calibrated and floor is not None and ceiling is not None:
            calibrated = self._calibrated(states, floor, ceiling, used)
        elif self.metric.calibrated and floor is not None and any(c.startswith("ceiling-") for c in self.controls):
            calibrated = Undefined(math.nan, "no ceiling: no perfect answer to these items is known")
        scored = used & ~self.faulted
        return MetricSummary(
            self.pooled(states, used),
            *((math.nan, math.nan) if isinstance(raw, Undefined) else (raw.lo, raw.hi)),
            floor=None if floor is None else self.pooled(floor, used),
            ceiling=None if ceiling is None else self.pooled(ceiling, used),
            calibrated=None if isinstance(calibrated, Undefined) else calibrated,
            n=int(used.sum()),
            excluding_faults=self.pooled(self.own, scored),
            faults_as_zero=self._faults_as_zero(states, used) if self.metric.pool is None else None,
            bounds=self._bounds(mask, floor, ceiling),
            calibrated_reason=calibrated.reason if isinstance(calibrated, Undefined) else None,
            interval_reason=raw.reason if isinstance(raw, Undefined) else None,
            faults=self._fault_share(mask),
            ceilings=self.ceilings(used),
        )

    def _fault_share(self, mask: Mask) -> float:
        """Share of model faults among the rows that count, whether or not a floor gives them a value."""
        counted = mask & (self.own.present | self._at_floor)
        return float((counted & self.faulted).sum() / counted.sum())

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
