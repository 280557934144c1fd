"""The command line's verbs as functions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pixelproof.contract import Bench
    from pixelproof.harness import Comparison, Run


def run(
    bench: str | Bench,
    model: str,
    *,
    source: str | None = None,
    data: str | Path | None = None,
    seed: int = 0,
    limit: int | None = None,
    samples: int = 1,
    out: str | Path | None = None,
    resume: bool = False,
    decoding: str = "free",
    temperature: float | None = None,
    max_tokens: int | None = None,
    threads: int = 1,
    judge: str | None = None,
    price: str | None = None,
    max_cost: float | None = None,
    workers: int = 1,
    connections: int | None = None,
    **options: Any,
) -> Run:
    """Ask a model, and measure its answers: `pixelproof run`.

    Args:
        bench: Name of an installed bench, or a bench object of your own.
        model: Who answers, such as `gguf/smollm2`, `control/ceiling-truth`, `folder/DIR`, `openai/gpt-4o-mini`.
        source: Which items; the bench's first source by default.
        data: Directory or file of a data set source.
        seed: Of items, controls and answers.
        limit: Use the first items only.
        samples: Answers per item, a seed each.
        out: Run directory; by default one that the settings determine, under `runs/`.
        resume: Continue the run that is there.
        decoding: `free`, `schema` or `grammar`, for local models.
        temperature: Of sampling; None for the model's own.
        max_tokens: Longest reply; None for what the prompt allows.
        threads: Of a local model.
        judge: Model that answers the bench's questions about answers.
        price: Dollars per million tokens and per picture: `input=2.5,output=10,image=0.04`.
        max_cost: Stop before more than this many dollars are spent.
        workers: Processes that score answers which exist already.
        connections: Requests in flight at once.
        **options: Options of the bench, when it is given by name.
    """
    from pixelproof import harness
    from pixelproof.benches import get_bench
    from pixelproof.contract import Source
    from pixelproof.models import Decoding

    chosen = get_bench(bench, **options) if isinstance(bench, str) else bench
    name = source or chosen.default_source()
    plan = harness.Plan(chosen, Source(name, None if data is None else Path(data)), seed, limit, samples)
    settings = harness.Settings(
        out=None if out is None else Path(out),
        resume=resume,
        prices=None if price is None else harness.Prices.parse(price),
        max_cost=max_cost,
        workers=workers,
        connections=connections,
    )
    arm = Decoding(arm=decoding, temperature=temperature, max_tokens=max_tokens, threads=threads)  # type: ignore[arg-type]
    return harness.run(plan, model, arm, judge, settings)


def score(bench: str | Bench, answers: str | Path | None = None, **settings: Any) -> Run:
    """Measure answers that exist: a folder of them, or those that the source itself carries.

    The settings are those of `run`.
    """
    return run(bench, "recorded" if answers is None else f"folder/{answers}", **settings)


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


def open_run(path: str | Path) -> Run:
    """A run directory, for reading."""
    from pixelproof import harness

    return harness.Run.open(path)
