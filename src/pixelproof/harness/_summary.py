"""The summary of a run: made from its results, written and read as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import pyarrow as pa

from pixelproof.contract import Bench, Counts, MetricSummary, Part, PixelProofError, Sampling, Source, Summary
from pixelproof.harness._columns import Column, Mask
from pixelproof.harness._shape import NUMBER, Shape, lacking
from pixelproof.harness._table import Table
from pixelproof.store import read_sealed_json

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
    **dict.fromkeys(("bench", "version", "model", "channel"), str),
    **dict.fromkeys(("metrics", "groups", "failures", "sampling", "channels", "confusion"), dict),
    **dict.fromkeys((f"counts.{f.name}" for f in fields(Counts)), int),
}
Groups = dict[str, dict[str, dict[str, MetricSummary]]]


def summarise(
    path: Path, bench: Bench, model: str, planned: int, controls: Mapping[str, pa.Table], source: Source
) -> Summary:
    """The summary of a run."""
    with closing(Table(path, bench, controls)) as table:
        return _summary_of(table, model, planned, source)


def _summary_of(table: Table, model: str, planned: int, source: Source) -> Summary:
    bench = table.bench
    everything = np.ones(len(table.index), dtype=np.bool_)
    metrics: dict[str, MetricSummary] = {}
    groups: Groups = {}
    samplings: dict[str, Sampling] = {}
    masks, parts = table.groups(), bench.parts(source)
    for metric in bench.metrics:
        column = table.metric(metric)
        unread = metric.judged and not column.own.present.any() and _judge_reason(table.failures)
        if unread:  # the floor of a few model faults would stand for all that could not be judged
            metrics[metric.name] = MetricSummary(math.nan, math.nan, math.nan, interval_reason=unread)
            continue
        summary = column.summary(everything)
        if summary is None:
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
        table.confusion(),
    )


def describe_only_faults(failures: Mapping[str, int]) -> str:
    """Why a run of model faults alone says nothing about the model."""
    named = ", ".join(f"{name}: {count}" for name, count in failures.items())
    return (
        f"Every answer is a model fault ({named}): the values say nothing else about the model. This is more often a "
        "wrong setting than a bad model: look at a reply."
    )


class _Ends(TypedDict):
    """The fields of a metric in `summary.json` that say how faults count."""

    floor: float | None
    bounds: list[float] | None


def describe_faults(metrics: Mapping[str, _Ends]) -> str:
    """How model faults count in a summary: as the floor, or, where none is measured, as the worst end of the range."""
    lacking = (m for m in metrics.values() if m["floor"] is None and m["bounds"] is not None)
    if any(lacking):
        return "no floors measured: a model fault or abstention counts as the worst end of the metric's range"
    return "a model fault counts as the floor unless it has a value of its own"


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
                own = column.own.of_columns(part.columns)
                counted = rows & ((own.values != 0).any(axis=1) | ~own.present)
                if not counted.any():  # most classes of a large data set are in no item of a small run
                    continue
                summary = column.part(name, part).summary(counted)
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


def read_summary(path: Path) -> dict[str, Any]:
    """The summary of a run directory."""
    try:
        summary = read_sealed_json(path / "summary.json")
        if (name := _lacking(summary)) is not None:
            raise ValueError(f"it has no usable {name!r}")
    except FileNotFoundError:
        raise PixelProofError(
            f"{path} has no summary yet: finish the run with --resume, or run 'pixelproof runs rescore {path}' to "
            "summarise the answers so far."
        ) from None
    except (OSError, ValueError) as error:
        raise PixelProofError(
            f"The summary of {path} cannot be read ({error}): run 'pixelproof runs repair {path}', which makes it "
            "again."
        ) from error
    return dict(summary)
