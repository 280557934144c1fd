"""The runs that a report is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from pixelproof.contract import PixelProofError
from pixelproof.harness import find_runs, no_run

MAX_RUNS = 200
"""Most runs of a report; charts and galleries of more cannot be read."""


def run_directories(paths: Sequence[str | Path]) -> list[Path]:
    """The run directories that are named, and those below folders that are named; each once, in order.

    Raises:
        PixelProofError: A folder does not exist or has no runs, or there are too many.
    """
    directories: dict[Path, Path] = {}
    for path in paths:
        runs = list(islice(find_runs(path), MAX_RUNS + 1))
        if not runs:
            raise no_run(Path(path), "is not a run directory and contains none")
        for run in runs:
            directories.setdefault(run.resolve(), run)
    if len(directories) > MAX_RUNS:
        raise PixelProofError(f"A report holds at most {MAX_RUNS} runs: name fewer runs, or a smaller folder.")
    return list(directories.values())
