"""Floors and ceilings, measured on the very items of a run and kept for the next one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pixelproof.contract import Bench, Metric, PixelProofError, Prompt
from pixelproof.harness import _rows as rows
from pixelproof.harness._card import scored_options, scorer_fingerprint
from pixelproof.harness._native import WORTH_SPREADING
from pixelproof.harness._plan import Ask, Plan
from pixelproof.harness._progress import Progress
from pixelproof.harness._rundir import read_column, read_table
from pixelproof.harness._scoring import score
from pixelproof.models import open_model
from pixelproof.store import cache_root, digest, executor, write_parquet

_BATCH = 1024


def calibration_controls(plan: Plan) -> list[str]:
    """The controls that calibration needs: floors and ceilings."""
    return [name for name in plan.bench.controls() if name.startswith(("floor-", "ceiling-"))]


def measure_controls(
    plan: Plan, data_hash: str, progress: Progress, items: int | None = None, workers: int | None = 1
) -> dict[str, pa.Table]:
    """Metric values of every floor and ceiling, one row per item; from the cache where they were measured before.

    Args:
        plan: Whose items.
        data_hash: Of the items' content.
        progress: Is told of every item.
        items: Measure on so many, evenly chosen; None for all. The others have no values.
        workers: Processes; None for as many as there are cores, if there is enough to do.
    """
    if items == 0:
        return {}
    chosen = _evenly(sum(1 for _ in plan.items()), items)
    key = (plan.bench.name, plan.bench.version, scored_options(plan.bench), data_hash, scorer_fingerprint(plan.bench))
    measured = {}
    for name in calibration_controls(plan):
        known = digest((*key, plan.seed, name, items if items and len(chosen) > items else None))[:32]
        path = cache_root() / "controls" / f"{plan.bench.name}-{known}.parquet"
        measured[name] = _cached(path) or _measure(plan, name, path, progress, chosen, workers)
    return measured


def _evenly(count: int, most: int | None) -> npt.NDArray[np.bool_]:
    """Which of so many items to measure."""
    chosen = np.ones(count, dtype=np.bool_)
    if most is not None and most < count:
        chosen[:] = False
        chosen[np.linspace(0, count - 1, most).round().astype(int)] = True
    return chosen


def _cached(path: Path) -> pa.Table | None:
    try:
        return pq.read_table(path)
    except (OSError, pa.ArrowException):  # absent, or damaged: measuring again is always right
        return None


@dataclass(frozen=True)
class _Control:
    """A control that can travel to worker processes."""

    bench: Bench
    name: str

    def __call__(self, ask: Ask) -> tuple[dict[str, Any], str]:
        """Metric values on one item, and the status."""
        model = open_model(f"control/{self.name}", self.bench)
        assert model is not None, "controls are ours"
        result = score(self.bench, ask, model.answer(Prompt(()), ask.item, 0, ask.seed), {})
        values = {metric.name: result.metrics.get(metric.name) for metric in self.bench.metrics}
        return {"index": ask.index, **values}, result.status


def _measure(
    plan: Plan, name: str, path: Path, progress: Progress, chosen: npt.NDArray[np.bool_], workers: int | None
) -> pa.Table:
    schema = values_schema(plan.bench.metrics)
    batches: list[pa.RecordBatch] = []
    batch: list[dict[str, Any]] = []
    total = int(chosen.sum())
    progress.begin(f"control/{name}", total)
    asks = (plan.ask(index, item, 0) for index, item in plan.items() if chosen[index])
    spread = workers != 1 and (workers is not None or total >= WORTH_SPREADING)
    with executor("processes" if spread else "serial", workers) as pool:
        for row, status in pool.map(_Control(plan.bench, name), asks, chunk=4):
            batch.append(row)
            if len(batch) == _BATCH:
                batches.append(pa.RecordBatch.from_pylist(batch, schema))
                batch = []
            progress.advance(status)
    progress.end()
    batches.append(pa.RecordBatch.from_pylist(batch, schema))
    table = _all_rows(pa.Table.from_batches(batches, schema), len(chosen))
    with suppress(PixelProofError, OSError):  # a cache that cannot be written costs time, nothing else
        path.parent.mkdir(parents=True, exist_ok=True)
        write_parquet(path, table)
    return table


def _all_rows(table: pa.Table, count: int) -> pa.Table:
    """A row for every item, empty where nothing was measured, so that rows are found by their number."""
    if len(table) == count:
        return table
    places = np.full(count, -1)
    places[table["index"].to_numpy()] = np.arange(len(table))
    taken = table.take(pa.array(places, mask=places < 0))
    return taken.set_column(0, "index", pa.array(np.arange(count)))


def values_schema(metrics: Sequence[Metric]) -> pa.Schema:
    """Item index and metric columns."""
    columns = [field for field in rows.result_schema(metrics) if field.name in {m.name for m in metrics}]
    return pa.schema([("index", pa.int64()), *columns])


def write_controls(directory: Path, controls: Mapping[str, pa.Table]) -> None:
    """Keep the controls that a summary used beside its results."""
    if controls:
        named = [table.add_column(0, "control", pa.array([name] * len(table))) for name, table in controls.items()]
        write_parquet(directory / "controls.parquet", pa.concat_tables(named))


def read_controls(directory: Path) -> dict[str, pa.Table]:
    """The controls that a summary used."""
    path = directory / "controls.parquet"
    if not path.exists():
        return {}
    names = dict.fromkeys(read_column(path, "control").to_pylist())
    table = read_table(path)
    return {name: table.filter(pc.equal(table["control"], name)) for name in names}
