"""One model under several conditions, such as other colours for the same labels: differences after calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Bench, Estimate, Metric, PixelProofError
from pixelproof.harness._compare import Keys, chosen_metrics, paired_keys
from pixelproof.harness._controls import read_controls
from pixelproof.harness._opened import bench_of
from pixelproof.harness._rundir import read_card
from pixelproof.harness._summary import Column, Floats, States, Table, resamples_for
from pixelproof.stats import calibrated_difference, pooled_difference

Triple = tuple[Floats, Floats, Floats]


@dataclass(frozen=True)
class Shift:
    """Difference of one metric between a group of conditions and the first condition."""

    metric: str
    group: str
    runs: int
    raw: Estimate
    """Difference of the raw scores, which also depends on the instrument (such as the palette)."""
    calibrated: Estimate
    """Difference of the calibrated scores, each relative to the floor and ceiling of its condition."""
    ceilings: tuple[float, float]
    """Ceiling under the first condition, and the mean ceiling of the others."""
    n: int


def shifts(
    first: Path, groups: Mapping[str, Sequence[Path]], metrics: Sequence[str] = (), bench: Bench | None = None
) -> list[Shift]:
    """Compare one run with groups of runs on the same items under other conditions.

    Args:
        first: Run directory of the first condition.
        groups: Name → run directories, which are averaged.
        metrics: Names or families; by default the headline and all calibrated ones.
        bench: The bench, if it is not an installed one.
    """
    bench = bench or bench_of(read_card(first))
    paths = [first, *(path for group in groups.values() for path in group)]
    tables = {path: Table(path, bench, read_controls(path)) for path in paths}
    keys = dict(zip(paths, paired_keys(*tables.values()), strict=True))
    results = []
    for metric in chosen_metrics(bench, metrics):
        columns = {path: table.metric(metric) for path, table in tables.items()}
        for name, members in groups.items():
            shift = _shift(metric, name, first, members, tables, columns, keys)
            if shift is not None:
                results.append(shift)
    if not results:
        raise PixelProofError(f"{first} and the other runs have no calibrated metric in common: calibrate them all.")
    return results


def _shift(
    metric: Metric,
    name: str,
    first: Path,
    members: Sequence[Path],
    tables: Mapping[Path, Table],
    columns: Mapping[Path, Column],
    keys: Mapping[Path, Keys],
) -> Shift | None:
    by_item = {path: _triples(columns[path], keys[path]) for path in (first, *members)}
    common = sorted(set.intersection(*(set(triples) for triples in by_item.values())))
    if not common:
        return None
    matrices = {path: _stacked([triples[index] for index in common]) for path, triples in by_item.items()}
    cluster_of = dict(zip(keys[first].tolist(), tables[first].clusters.tolist(), strict=True))
    clusters = np.asarray([cluster_of[index] for index in common], dtype=np.int64)
    finish, resamples = columns[first].finish, resamples_for(clusters)
    one, others = matrices[first], [matrices[path] for path in members]
    mean = np.sum([triple[0] for triple in others], axis=0) / len(others)
    raw = pooled_difference(mean, one[0], finish, clusters, resamples=resamples)
    calibrated = calibrated_difference(one, others, finish, clusters, resamples=resamples)
    ceilings = [float(finish(triple[2].sum(axis=0))) for triple in (one, *others)]
    return Shift(
        metric.name, name, len(members), raw, calibrated, (ceilings[0], float(np.mean(ceilings[1:]))), len(common)
    )


def _triples(column: Column, keys: Keys) -> dict[int, list[Floats]]:
    """Item → summed states of the model, the floor and the ceiling; items that lack one of them are left out."""
    everything = np.ones(len(keys), dtype=np.bool_)
    floor, ceiling = column.floor(everything), column.ceiling(everything)
    if not column.metric.calibrated or floor is None or ceiling is None:
        return {}
    states: list[States] = [column.headline(everything), floor, ceiling]
    sums: dict[int, list[Floats]] = {}
    for row in np.flatnonzero(np.logical_and.reduce([one.present for one in states])):
        index = int(keys[row])
        values = [one.values[row] for one in states]
        sums[index] = [a + b for a, b in zip(sums[index], values, strict=True)] if index in sums else values
    return sums


def _stacked(triples: Sequence[Sequence[Floats]]) -> tuple[npt.NDArray[np.float64], ...]:
    return tuple(np.stack(part) for part in zip(*triples, strict=True))
