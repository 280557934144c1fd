"""Floors and ceilings, measured on the items of a run and cached for the next one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pixelproof.contract import Answer, Bench, Metric, PixelProofError
from pixelproof.harness import _rows as rows
from pixelproof.harness._card import scored_options, scorer_fingerprint
from pixelproof.harness._channels import ceiling_names
from pixelproof.harness._checks import checked_controls
from pixelproof.harness._conversation import is_crash
from pixelproof.harness._judge import CachedJudge
from pixelproof.harness._ledger import BudgetSpent
from pixelproof.harness._native import exchange_with, worth_spreading
from pixelproof.harness._plan import Ask, Plan
from pixelproof.harness._progress import Progress
from pixelproof.harness._rundir import open_table
from pixelproof.harness._scoring import SCORER_CRASHED, ask_judge, score
from pixelproof.models import Model, open_model
from pixelproof.store import Executor, Workers, cache_root, digest, executor_for, read_parquet, write_parquet

_BATCH = 1024


def calibration_controls(bench: Bench, channels: Sequence[str] = ()) -> list[str]:
    """The controls that calibration needs: floors, and the ceilings of the channels of the answers."""
    controls = checked_controls(bench, bench.controls())
    return [*(name for name in controls if name.startswith("floor-")), *ceiling_names(controls, channels)]


def measure_controls(
    plan: Plan,
    data_hash: str,
    count: int,
    progress: Progress,
    items: int | None = None,
    workers: Workers = 1,
    judge: CachedJudge | None = None,
    channels: Sequence[str] = (),
) -> dict[str, pa.Table]:
    """Metric values of every floor and ceiling, one row per item; from the cache where possible.

    Args:
        plan: Of the run.
        data_hash: Hash of the content of all items.
        count: Number of items.
        progress: Is notified of every item.
        items: Measure on this many, evenly spaced; None for all. The others have no values.
        workers: Processes, or a cluster; None for a process per core if there are enough items.
        judge: Answers the bench's questions about controls, so that judged metrics have floors and ceilings, too.
        channels: Channels of the answers, whose ceilings are measured.
    """
    if items == 0:
        return {}
    chosen = _evenly(count, items)
    bench = plan.bench
    key: tuple[Any, ...] = (bench.name, bench.version, scored_options(bench), data_hash, scorer_fingerprint(bench))
    if other_data := bench.control_data(plan.source):
        key = (*key, other_data)
    if judge is not None:
        key = (*key, judge.card)
    paths = {}
    for name in calibration_controls(bench, channels):
        identity = digest((*key, plan.seed, name, items if items and len(chosen) > items else None))[:32]
        paths[name] = cache_root() / "controls" / f"{plan.bench.name}-{identity}.parquet"
    measured = {name: _cached(path) for name, path in paths.items()}
    missing = [name for name, table in measured.items() if table is None]
    spread = bool(missing) and judge is None and worth_spreading(bench, int(chosen.sum()), workers)
    with executor_for(workers if spread else 1) as pool:
        for name in missing:
            measured[name] = _measure(plan, name, paths[name], progress, chosen, pool, judge)
    return {name: table for name, table in measured.items() if table is not None}


def _evenly(count: int, most: int | None) -> npt.NDArray[np.bool_]:
    """Which items to measure: at most `most`, evenly spaced."""
    chosen = np.ones(count, dtype=np.bool_)
    if most is not None and most < count:
        chosen[:] = False
        chosen[np.linspace(0, count - 1, most).round().astype(int)] = True
    return chosen


def _cached(path: Path) -> pa.Table | None:
    """The table of a control, if it is there and verified; else it is measured again."""
    try:
        return read_parquet(path)
    except (OSError, PixelProofError):
        return None


@dataclass(frozen=True)
class _Control:
    """A control that can be sent to worker processes, where it must not have a judge."""

    bench: Bench
    name: str
    judge: CachedJudge | None = None

    @cached_property
    def _model(self) -> Model:
        """The control, opened once in each process; it may hold functions that cannot be sent."""
        model = open_model(f"control/{self.name}", self.bench)
        assert model is not None, "controls are models of this package"
        return model

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave out the open control."""
        return type(self), (self.bench, self.name, self.judge)

    def __call__(self, ask: Ask) -> tuple[dict[str, Any], str, bool]:
        """Metric values on one item, the status, and whether code of the bench crashed."""
        answer = exchange_with(self._model, self.bench, ask).answer
        judgements = {} if self.judge is None else self._judged(ask, answer)
        result = score(self.bench, ask, answer, judgements)
        values = {metric.name: result.metrics.get(metric.name) for metric in self.bench.metrics}
        crashed = is_crash(answer.failure) or (result.failure is not None and result.failure.name == SCORER_CRASHED)
        return {"index": ask.index, **values}, result.status, crashed

    def _judged(self, ask: Ask, answer: Answer) -> dict[str, Answer]:
        assert self.judge is not None
        try:
            return ask_judge(self.bench, ask, answer, self.judge)
        except BudgetSpent:
            self.judge.complete = False
            return {}


def _results(control: _Control, asks: Iterable[Ask], pool: Executor) -> Iterator[Any]:
    """Values of a control on each ask, in order."""
    if control.judge is None:
        yield from pool.map(control, asks, chunk=4)
        return
    with ThreadPoolExecutor(control.judge.connections) as threads:
        yield from threads.map(control, asks)


def _measure(
    plan: Plan,
    name: str,
    path: Path,
    progress: Progress,
    chosen: npt.NDArray[np.bool_],
    pool: Executor,
    judge: CachedJudge | None,
) -> pa.Table:
    schema = values_schema(plan.bench.metrics)
    batches: list[pa.RecordBatch] = []
    batch: list[dict[str, Any]] = []
    total = int(chosen.sum())
    progress.begin(f"control/{name}", total)
    asks = (plan.ask(index, item, 0) for index, item in plan.items() if chosen[index])
    any_crash = False
    for row, status, crashed in _results(_Control(plan.bench, name, judge), asks, pool):
        batch.append(row)
        if len(batch) == _BATCH:
            batches.append(pa.RecordBatch.from_pylist(batch, schema))
            batch = []
        any_crash = any_crash or crashed
        progress.advance(status)
    progress.end()
    batches.append(pa.RecordBatch.from_pylist(batch, schema))
    table = _all_rows(pa.Table.from_batches(batches, schema), len(chosen))
    if not any_crash and (judge is None or judge.complete):
        with suppress(PixelProofError, OSError):  # an unwritable cache only costs time
            path.parent.mkdir(parents=True, exist_ok=True)
            write_parquet(path, table)
    return table


def _all_rows(table: pa.Table, count: int) -> pa.Table:
    """A row for every item, at its index; null where nothing was measured."""
    if len(table) == count:
        return table
    places = np.full(count, -1)
    places[table["index"].to_numpy()] = np.arange(len(table))
    return table.take(pa.array(places, mask=places < 0)).set_column(0, "index", pa.array(np.arange(count)))


def values_schema(metrics: Sequence[Metric]) -> pa.Schema:
    """Item index and metric columns."""
    columns = [field for field in rows.result_schema(metrics) if field.name in {m.name for m in metrics}]
    return pa.schema([("index", pa.int64()), *columns])


def write_controls(directory: Path, controls: Mapping[str, pa.Table]) -> None:
    """Store the controls that a summary used in the run directory."""
    if controls:
        named = [table.add_column(0, "control", pa.array([name] * len(table))) for name, table in controls.items()]
        write_parquet(directory / "controls.parquet", pa.concat_tables(named))


def read_controls(directory: Path) -> dict[str, pa.Table]:
    """The controls that the summary of a run used."""
    path = directory / "controls.parquet"
    if not path.exists():
        return {}
    with closing(open_table(path, ["control"])) as file:
        table = file.read()
    return {name: table.filter(pc.equal(table["control"], name)) for name in table["control"].unique().to_pylist()}
