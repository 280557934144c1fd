"""The results of a run and of its controls, aligned by item."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pixelproof.contract import Bench, Metric, PixelProofError
from pixelproof.harness._channels import ceiling_of, count_channels, frequent_channels
from pixelproof.harness._columns import Column, Mask, States
from pixelproof.harness._confusion import Confusion, pooled_confusion
from pixelproof.harness._plan import MAX_SAMPLES
from pixelproof.harness._rundir import open_table, read_table

_ROWS_AT_ONCE = 1 << 18
"""Metrics that are means are read together up to this number of rows, which bounds the memory."""
MAX_GROUPS = 60
"""Tags with more values than this identify items and are not shown as groups."""


class Table:
    """The results of a run and of its controls, aligned by item; pooled metrics are read one at a time.

    Its files are verified once, when they are opened.
    """

    def __init__(self, path: Path, bench: Bench, controls: Mapping[str, pa.Table]) -> None:
        self.path = path
        self.bench = bench
        self._controls = controls
        names = ["order", "status", "failure", "channel", "confusion"]
        self._results = open_table(path / "results.parquet", [*names, *(metric.name for metric in bench.metrics)])
        head = self._results.read(["order", "status", "failure", "channel"])
        self.index: npt.NDArray[np.int64] = head["order"].to_numpy() // MAX_SAMPLES
        self.faulted: Mask = np.asarray(pc.equal(head["status"], "model-fault"))
        self.abstained: Mask = np.asarray(pc.equal(head["status"], "abstained"))
        self.lost: Mask = np.asarray(pc.equal(head["status"], "infrastructure-fault"))
        self.unscored: Mask = np.asarray(pc.equal(head["status"], "instrument-fault"))
        self.statuses = _count(head["status"])
        self.failures = _count(head["failure"])
        items = read_table(path / "items.parquet", columns=["item", "cluster", "tags", "digest"])
        if self.index.size and self.index.max() >= len(items):
            raise PixelProofError(f"{path} has results of items that its items.parquet lacks: restore that file.")
        self.ids: list[str] = items["item"].to_pylist()
        self.clusters = _codes(items["cluster"])[0][self.index]
        self.digests: pa.ChunkedArray = items["digest"]
        self._tags = items["tags"]
        self.channels = count_channels(head["channel"])
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

    def close(self) -> None:
        """Close the file of results."""
        self._results.close()

    def confusion(self) -> Confusion:
        """The sum of the confusion matrices of all answers."""
        return pooled_confusion(self._results.read(["confusion"])["confusion"])

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
        column = self._numbers if one_read else self._results.read([metric.name])
        own = States.of(column[metric.name], metric)
        controls = {
            name: States.of(table[metric.name], metric).at(self.index)
            for name, table in self._controls.items()
            if metric.name in table.column_names and metric.higher_is_better is not None
        }
        applies = ~self._measured
        for states in controls.values():
            applies |= states.present
        if not any(states.present.any() for states in controls.values()):  # whether it applies is not known
            applies = np.ones_like(applies)
        at_floor = (self.faulted & applies, self.abstained & applies)
        return Column(metric, own, controls, *at_floor, self.clusters, self.channel)

    @cached_property
    def _numbers(self) -> pa.Table:
        """All metrics that are means."""
        return self._results.read([metric.name for metric in self.bench.metrics if metric.pool is None])

    @cached_property
    def _measured(self) -> Mask:
        """Rows of items on which the controls were measured: a metric that none has there does not apply to them."""
        names = [metric.name for metric in self.bench.metrics]
        measured = np.zeros(len(self.ids), dtype=np.bool_)
        for table in self._controls.values():
            for name in (name for name in names if name in table.column_names):
                measured |= np.asarray(pc.is_valid(table[name]))
        return np.asarray(measured[self.index])


def _codes(column: pa.ChunkedArray) -> tuple[npt.NDArray[np.int64], list[str]]:
    """A number per row, and what the numbers stand for."""
    encoded = column.combine_chunks().dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int64), encoded.dictionary.to_pylist()


def _count(column: pa.ChunkedArray) -> Counter[str]:
    """How often each word occurs."""
    return Counter({str(pair["values"]): pair["counts"] for pair in pc.value_counts(column.drop_null()).to_pylist()})
