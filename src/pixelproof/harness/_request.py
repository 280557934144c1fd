"""From the arguments of a user to a run: the one place where the command line and the Python API set defaults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from pixelproof.benches import get_bench
from pixelproof.contract import Bench, Source, unknown_name
from pixelproof.harness._estimate import estimate
from pixelproof.harness._ledger import Prices
from pixelproof.harness._opened import Run
from pixelproof.harness._plan import Plan, Shard
from pixelproof.harness._progress import Progress, Silent
from pixelproof.harness._run import ModelName, Settings, run
from pixelproof.models import Decoding
from pixelproof.store import Workers, local_path, place_of


@dataclass(frozen=True)
class Request:
    """A run as a user asks for it; the fields are the options of `pixelproof run` and of `pixelproof.run`."""

    bench: str | Bench
    model: ModelName = ""
    source: str | None = None
    data: str | Path | None = None
    seed: int = 0
    limit: int | None = None
    samples: int = 1
    shard: str | None = None
    split: str = "all"
    out: str | Path | None = None
    resume: bool = False
    decoding: str = "free"
    temperature: float | None = None
    max_tokens: int | None = None
    threads: int = 1
    judge: str | None = None
    price: str | None = None
    max_cost: float | None = None
    workers: Workers = None
    calibrate: int | None = None
    connections: int | None = None
    progress: Progress | None = None
    announce: Callable[[str], None] | None = None

    def plan(self, **options: Any) -> Plan:
        """The plan, with the options of the bench if it is given by name.

        Raises:
            PixelProofError: An option is neither one of the bench nor an argument of a run.
        """
        if isinstance(self.bench, str) and options:
            known = [field.name for kind in (get_bench(self.bench), Request) for field in fields(kind)]  # type: ignore[arg-type]
            for name in options:
                if name.replace("-", "_") not in known:
                    raise unknown_name("argument", name, known)
        bench = get_bench(self.bench, **options) if isinstance(self.bench, str) else self.bench
        source = Source(self.source or bench.default_source(), None if self.data is None else local_path(self.data))
        shard = None if self.shard is None else Shard.parse(self.shard)
        return Plan(bench, source, self.seed, self.limit, self.samples, shard, self.split)

    def settings(self) -> Settings:
        """How the run is executed."""
        return Settings(
            out=None if self.out is None else place_of(self.out),
            resume=self.resume,
            prices=None if self.price is None else Prices.parse(self.price),
            max_cost=self.max_cost,
            workers=self.workers,
            calibrate=self.calibrate,
            connections=self.connections,
            progress=self.progress or Silent(),
            announce=self.announce or (lambda sentence: None),
        )

    def generation(self) -> Decoding:
        """How the model generates."""
        return Decoding(self.decoding, self.temperature, self.max_tokens, self.threads)  # type: ignore[arg-type]

    def run(self, **options: Any) -> Run:
        """Carry it out."""
        return run(self.plan(**options), self.model, self.generation(), self.judge, self.settings())

    def estimate(self, **options: Any) -> dict[str, Any]:
        """What it would ask and cost at most."""
        return estimate(self.plan(**options), self.model, self.settings(), self.generation(), self.judge)
