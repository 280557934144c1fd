"""The commands of the command line as functions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pixelproof.contract import Bench
from pixelproof.options import ModelName, RunOptions, Settings, split_options, with_keywords

if TYPE_CHECKING:
    from pixelproof.harness import Comparison, Repair, Run
    from pixelproof.harness.asking import Asked


@with_keywords(RunOptions)
def run(bench: str | Bench, model: ModelName, **options: Any) -> Run:
    """Ask a model and measure its answers: `pixelproof run`.

    Args:
        bench: Name of an installed bench, or a bench object of your own.
        model: Name of a model, such as `gguf/smollm2`, `control/ceiling-truth`, `folder/DIR`, `openai/gpt-4o-mini`; or
            a Python function that takes a `Prompt` and returns an answer.
        **options: Options of the bench, if it is given by name.
    """
    from pixelproof import harness

    chosen, of_bench = split_options(RunOptions, options)
    return harness.run(harness.plan_run(bench, chosen, **of_bench), model, chosen, chosen.judge, chosen)


def score(bench: str | Bench, answers: str | Path | None = None, **settings: Any) -> Run:
    """Measure existing answers: those in a folder, or those recorded in the source.

    The settings are those of `run`.
    """
    return run(bench, "recorded" if answers is None else f"folder/{answers}", **settings)


def merge(runs: Sequence[str | Path], out: str | Path, bench: Bench | None = None, calibrate: int | None = None) -> Run:
    """Put runs of one plan together in a new run directory: `pixelproof runs merge`.

    Args:
        runs: Run directories: shards, or parts that several people asked.
        out: The new run directory.
        bench: The bench of the runs, if it is not an installed one.
        calibrate: Measure floors and ceilings on this many items, 0 for none; None for the default of the bench.
    """
    from pixelproof import harness

    return harness.merge(runs, out, bench, calibrate=calibrate)


def ask(
    file: str | Path,
    question: str,
    model: ModelName,
    *,
    out: str | Path | None = None,
    resume: bool = False,
    **settings: Any,
) -> Asked:
    """Ask a model a question about a picture or clip; it may use tools: `pixelproof ask`.

    Args:
        file: The picture or clip.
        question: The question.
        model: As for `run`.
        out: Directory of the run and the trace; by default one under `runs/` that depends on the settings.
        resume: Continue in that directory; an answer that is there is returned again.
        **settings: `view`, `frames`, `calls`, `seg`, `ocr`, `trk`, as options of the command.
    """
    from pixelproof.harness import asking

    return asking.ask(file, question, model, settings=Settings(out=out, resume=resume), **settings)


def repair(path: str | Path, bench: Bench | None = None) -> Repair:
    """Repair a damaged run directory, keep what is intact, ask no model: `pixelproof runs repair`."""
    from pixelproof import harness

    return harness.repair(path, bench)


def rescore(path: str | Path, bench: Bench | None = None) -> Run:
    """Score the stored answers of a run again; no model is called."""
    from pixelproof import harness

    return harness.rescore(path, bench)


def compare(
    a: Run | str | Path, b: Run | str | Path, metrics: Sequence[str] = (), bench: Bench | None = None
) -> Comparison:
    """Compare run B with run A, item by item: `pixelproof compare`.

    Args:
        a: The run to compare with, or its directory.
        b: The run in question, or its directory.
        metrics: Names or families of metrics; by default the headline and all calibrated ones.
        bench: The bench of both, if it is not an installed one.
    """
    from pixelproof import harness

    return harness.compare(a, b, metrics, bench)


def report(*runs: Run | str | Path, out: str | Path = "report.html", bench: Bench | None = None) -> Path:
    """Write one HTML page about runs, of one bench or of several, and return its path: `pixelproof report`.

    Args:
        *runs: Runs, run directories, and folders that contain some.
        out: The file to write, or a directory, in which it becomes `report.html`; an older report is replaced.
        bench: The bench of the runs, if it is not an installed one.
    """
    from pixelproof.report import write_report

    return write_report(runs, out, bench)


def open_run(path: str | Path) -> Run:
    """A run directory, for reading."""
    from pixelproof import harness

    return harness.Run.open(path)
