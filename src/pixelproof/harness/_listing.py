"""Run directories below a directory, with what a table of runs shows of each."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pixelproof.contract import PixelProofError
from pixelproof.harness._opened import Run, bench_of
from pixelproof.harness._run_card import Card
from pixelproof.harness._rundir import no_run
from pixelproof.harness._ties import ties_of
from pixelproof.store import local_path, view_problem

_TRACES = ("answers.parquet", "answers.parts", "results.parquet")
"""Files that show that a directory without a readable card is a run."""


@dataclass(frozen=True)
class RunInfo:
    """One run directory in a list of runs."""

    path: Path
    problem: str = ""
    """Why the directory cannot be read; empty if it can. The fields below are empty then."""
    bench: str = ""
    version: str = ""
    model: str = ""
    source: str = ""
    seed: int | None = None
    planned: int | None = None
    completed: int | None = None
    state: str = ""
    """`complete`, `incomplete`, `stopped`, `interrupted` or `running`; `damaged` with a problem."""
    metric: str = ""
    """The bench's first headline metric that the run has."""
    value: float | None = None
    lo: float | None = None
    hi: float | None = None
    created: str = ""


def find_runs(directory: str | Path) -> Iterator[Path]:
    """Run directories at or below a directory, sorted by path; hidden folders and links are not searched.

    A directory counts as a run if its `card.json` names a bench or cannot be read, or if it has tables of a run; in the
    view of a URL, also what cannot be read there.

    Raises:
        PixelProofError: The directory does not exist.
    """
    directory = local_path(directory)
    if not directory.is_dir():
        raise no_run(directory, "is not a directory: name one that contains runs")
    for folder, names, files in os.walk(directory):
        if _is_run(Path(folder), {*names, *files}):
            yield Path(folder)
            names.clear()
        names[:] = sorted(name for name in names if not name.startswith("."))


def _is_run(folder: Path, names: set[str]) -> bool:
    if any(trace in names for trace in _TRACES):
        return True
    if "card.json" not in names:
        return bool(view_problem(folder))
    try:
        card = json.loads((folder / "card.json").read_text("utf-8"))
    except (OSError, ValueError):
        return True
    return isinstance(card, dict) and "bench" in card  # sets of the world have cards, too


def list_runs(directory: str | Path) -> list[RunInfo]:
    """What a table shows of every run at or below a directory, oldest first; damaged runs come first."""
    headlines: dict[str, tuple[str, ...]] = {}
    infos = (run_info(path, headlines) for path in find_runs(directory))
    return sorted(infos, key=lambda info: (info.created, info.path))


def run_info(path: Path, headlines: dict[str, tuple[str, ...]] | None = None) -> RunInfo:
    """What a table shows of one run.

    Args:
        path: The run directory.
        headlines: The headline metrics of benches, kept between calls: to find a bench takes milliseconds.
    """
    try:
        run = Run.open(path)
    except PixelProofError as error:
        return RunInfo(path, str(error), state="damaged")
    about = run.about
    try:
        # The card lists the hash of the file, which was compared when the card was read.
        listed = "summary.json" in ties_of(run.card)
        summary = json.loads((path / "summary.json").read_bytes()) if listed else run.summary
    except FileNotFoundError:
        summary, problem = None, ""
    except PixelProofError as error:
        unfinished = not (path / "summary.json").exists()
        summary, problem = None, "" if unfinished else str(error)
    else:
        problem = ""
    counts = summary["counts"] if summary else {}
    return RunInfo(
        path,
        problem,
        about.bench,
        about.version,
        about.model,
        about.source,
        about.seed,
        counts.get("planned"),
        counts.get("completed"),
        "damaged" if problem else run.state.state,
        *_headline(about, summary, {} if headlines is None else headlines),
        created=about.created,
    )


def _headline(
    about: Card, summary: dict[str, Any] | None, headlines: dict[str, tuple[str, ...]]
) -> tuple[str, Any, Any, Any]:
    metrics = summary["metrics"] if summary else {}
    key = json.dumps([about.bench, dict(about.options)])
    if key not in headlines:
        try:
            headlines[key] = tuple(bench_of(about).display.headline)
        except PixelProofError:  # the bench is not installed
            headlines[key] = ()
    name = next((name for name in (*headlines[key], *metrics) if name in metrics), "")
    metric = metrics.get(name, {})
    ends = (None, None) if metric.get("interval_reason") else (metric.get("lo"), metric.get("hi"))
    return name, metric.get("value"), *ends
