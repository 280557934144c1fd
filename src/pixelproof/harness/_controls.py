"""Floors and ceilings, measured on the very items of a run and kept for the next one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pixelproof.contract import Metric, PixelProofError, Prompt
from pixelproof.harness import _rows as rows
from pixelproof.harness._card import options_of, scorer_fingerprint
from pixelproof.harness._plan import Plan
from pixelproof.harness._progress import Progress
from pixelproof.harness._rundir import read_column, read_table
from pixelproof.harness._scoring import score
from pixelproof.models import open_model
from pixelproof.store import cache_root, digest, write_parquet

_BATCH = 1024


def calibration_controls(plan: Plan) -> list[str]:
    """The controls that calibration needs: floors and ceilings."""
    return [name for name in plan.bench.controls() if name.startswith(("floor-", "ceiling-"))]


def measure_controls(plan: Plan, data_hash: str, progress: Progress) -> dict[str, pa.Table]:
    """Metric values of every floor and ceiling, one row per item; from the cache where they were measured before."""
    key = (plan.bench.name, plan.bench.version, options_of(plan.bench), data_hash, scorer_fingerprint(plan.bench))
    measured = {}
    for name in calibration_controls(plan):
        path = cache_root() / "controls" / f"{plan.bench.name}-{digest((*key, plan.seed, name))[:32]}.parquet"
        measured[name] = _cached(path) or _measure(plan, name, path, progress)
    return measured


def _cached(path: Path) -> pa.Table | None:
    try:
        return pq.read_table(path)
    except (OSError, pa.ArrowException):  # absent, or damaged: measuring again is always right
        return None


def _measure(plan: Plan, name: str, path: Path, progress: Progress) -> pa.Table:
    schema = values_schema(plan.bench.metrics)
    model = open_model(f"control/{name}", plan.bench)
    assert model is not None, "controls are ours"
    batches: list[pa.RecordBatch] = []
    batch: list[dict[str, Any]] = []
    total = sum(1 for _ in plan.items())
    progress.begin(f"control/{name}", total)
    for index, item in plan.items():
        ask = plan.ask(index, item, 0)
        answer = model.answer(Prompt(()), item, 0, ask.seed)
        result = score(plan.bench, ask, answer, {})
        batch.append({"index": index, **{m.name: result.metrics.get(m.name) for m in plan.bench.metrics}})
        if len(batch) == _BATCH:
            batches.append(pa.RecordBatch.from_pylist(batch, schema))
            batch = []
        progress.advance(result.status)
    progress.end()
    batches.append(pa.RecordBatch.from_pylist(batch, schema))
    table = pa.Table.from_batches(batches, schema)
    with suppress(PixelProofError, OSError):  # a cache that cannot be written costs time, nothing else
        path.parent.mkdir(parents=True, exist_ok=True)
        write_parquet(path, table)
    return table


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
