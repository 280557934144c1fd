"""The commands of the command line as functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pixelproof.contract import Bench
    from pixelproof.harness import Comparison, Repair, Run
    from pixelproof.harness.asking import Asked


def run(
    bench: str | Bench,
    model: str | Callable[..., object],
    *,
    source: str | None = None,
    data: str | Path | None = None,
    seed: int = 0,
    limit: int | None = None,
    samples: int = 1,
    shard: str | None = None,
    split: str = "all",
    out: str | Path | None = None,
    resume: bool = False,
    decoding: str = "free",
    temperature: float | None = None,
    max_tokens: int | None = None,
    threads: int = 1,
    judge: str | None = None,
    price: str | None = None,
    max_cost: float | None = None,
    workers: int | None = None,
    calibrate: int | None = None,
    connections: int | None = None,
    **options: Any,
) -> Run:
    """Ask a model and measure its answers: `pixelproof run`.

    Args:
        bench: Name of an installed bench, or a bench object of your own.
        model: Name of a model, such as `gguf/smollm2`, `control/ceiling-truth`, `folder/DIR`, `openai/gpt-4o-mini`; or
            a Python function that takes a `Prompt` and returns an answer.
        source: Name of the source of items; the bench's first source by default.
        data: Directory or file of a data set source.
        seed: Seed of items, controls and answers.
        limit: Use only the first items.
        samples: Answers per item, each with its own seed.
        shard: Ask only part k of N of the items: `k/N`; `merge` puts the parts together.
        split: `eval` for items that are kept out of training, `train` for those of it, whose seeds are 2**32 and above.
        out: Run directory; by default one under `runs/` that depends on the settings.
        resume: Continue the run in that directory.
        decoding: `free`, `schema` or `grammar`, for local models.
        temperature: Sampling temperature; None for the model's default.
        max_tokens: Longest reply; None for the limit of the prompt.
        threads: Threads of a local model.
        judge: Model that answers the bench's questions about answers and controls.
        price: Dollars per million tokens and per image: `input=2.5,output=10,image=0.04`.
        max_cost: Stop before more than this many dollars are spent.
        workers: Processes that score existing answers and controls; None: one per core if there are enough items.
        calibrate: Measure floors and ceilings on this many items, 0 for none; None for the default of the bench.
        connections: Requests in flight at once.
        **options: Options of the bench, if it is given by name.
    """
    from pixelproof.harness import Request

    request = Request(
        bench,
        model,
        source,
        data,
        seed,
        limit,
        samples,
        shard,
        split,
        out,
        resume,
        decoding,
        temperature,
        max_tokens,
        threads,
        judge,
        price,
        max_cost,
        workers,
        calibrate,
        connections,
    )
    return request.run(**options)


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
    model: str | Callable[..., object],
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
    from pixelproof.harness import Settings, asking

    chosen = Settings(out=None if out is None else Path(out), resume=resume)
    return asking.ask(file, question, model, settings=chosen, **settings)


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
