"""The summary of a run that has not ended."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from pixelproof.contract import Bench, Source
from pixelproof.harness import _rows as rows
from pixelproof.harness._opened import Run
from pixelproof.harness._summary import summarise
from pixelproof.store import Records, plain


def partial_summary(run: Run, bench: Bench) -> dict[str, Any]:
    """The content that `summary.json` would have, from the results so far and without floors and ceilings.

    Nothing in the run directory changes, and the run may go on meanwhile. Without floors, a model fault counts as the
    worst end of the metric's range.
    """
    about = run.about
    with tempfile.TemporaryDirectory(prefix="pixelproof-") as name:
        folder = Path(name)
        shutil.copyfile(run.path / "items.parquet", folder / "items.parquet")
        schema = rows.result_schema(bench.metrics)
        with Records(run.path, "results", schema) as results, Records(folder, "results", schema) as copy:
            copy.replace(results.rows())
        where = Source(about.source, None if about.data is None else Path(about.data))
        summary = summarise(folder, bench, about.model, run.state.planned or 0, {}, where)
    document: dict[str, Any] = plain(summary)
    return document
