"""A run as a report needs it: card and summary, and the answers as columns of numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Bench, Item, Result
from pixelproof.harness import Card, Run, RunState, partial_summary
from pixelproof.store import BlobStore

Floats = npt.NDArray[np.float64]
_AMOUNTS = frozenset({"limit", "max_tokens"})
"""Conditions that name a run only where no other distinguishes it."""
SCORED, ABSTAINED, MISSING = "scored", "abstained", "missing"


@dataclass(frozen=True)
class Rows:
    """The answers of a run as columns of numbers; nan where there is none."""

    clusters: npt.NDArray[np.int64]
    metrics: Mapping[str, Floats]
    """Metrics that are means; pooled ones have no number per answer."""
    characters: Floats
    seconds: Floats
    cost: Floats
    outcomes: Counter[tuple[str, str]]
    """(fault, name of the failure) → number of answers; also (`scored`, `scored`) and (`abstained`, `abstained`)."""


@dataclass(frozen=True)
class View:
    """One run, ready to be shown."""

    key: str
    """A letter that represents the run in charts."""
    setting: str
    """Conditions that distinguish it from other runs of the same model."""
    run: Run
    bench: Bench
    partial: dict[str, Any] | None = None
    """The summary of the results so far, for a run that has not ended."""

    @property
    def about(self) -> Card:
        """The conditions of the run."""
        return self.run.about

    @property
    def state(self) -> RunState:
        """What the run has come to."""
        return self.run.state

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The content of `summary.json`; for a run without one, the same for the results so far."""
        return self.run.summary if self.partial is None else self.partial

    @property
    def in_progress(self) -> bool:
        """Whether the run has not been summarised yet: it is going on, or was interrupted."""
        return self.partial is not None

    @property
    def model(self) -> str:
        """The name of the model."""
        return str(self.about.model)

    @property
    def control(self) -> bool:
        """Whether it is a floor, a ceiling or another control, and not a model."""
        return is_control(self.run)

    @property
    def name(self) -> str:
        """Model and setting in one line."""
        return f"{self.model} ({self.setting})" if self.setting else self.model

    @property
    def label(self) -> str:
        """Key, model and setting in one line."""
        return f"{self.key} · {self.name}"

    @property
    def cost(self) -> float | None:
        """Dollars, if known: from a price list, or as the provider billed them."""
        ledger = self.state.ledger or {}
        known = ledger.get("prices") is not None or ledger.get("cost")
        return float(ledger["cost"]) if known else None

    @property
    def fault_share(self) -> float:
        """Model faults among the completed answers; nan without any."""
        counts = self.summary["counts"]
        return counts["model_faults"] / counts["completed"] if counts["completed"] else math.nan

    @property
    def coverage(self) -> float:
        """Share of the completed answers on which the scorer did not abstain; nan without any."""
        counts = self.summary["counts"]
        return 1 - counts.get("abstained", 0) / counts["completed"] if counts["completed"] else math.nan

    @property
    def blobs(self) -> BlobStore:
        """The files of the run."""
        return BlobStore(self.run.path / "blobs")

    @cached_property
    def items(self) -> dict[str, Item]:
        """The items by id, in order."""
        return {item.id: item for item in self.run.items()}

    @cached_property
    def rows(self) -> Rows:
        """The answers as numbers."""
        return _read_rows(self)


def is_control(run: Run) -> bool:
    """Whether a control answered."""
    return str(run.about.model).startswith("control/")


def open_view(run: Run, bench: Bench) -> View:
    """A run without key and setting.

    Raises:
        PixelProofError: The run is damaged.
    """
    if run.state.state in ("running", "interrupted") and not (run.path / "summary.json").exists():
        return View("", "", run, bench, partial_summary(run, bench))
    run.check_whole()
    return View("", "", run, bench)


def outcome(result: Result) -> tuple[str, str]:
    """What came of an answer: the fault and the name of the failure, or twice `scored` or `abstained`."""
    if result.failure is not None:
        return str(result.failure.fault), result.failure.name
    return (ABSTAINED, ABSTAINED) if result.abstained else (SCORED, SCORED)


def conditions(card: Card) -> dict[str, str]:
    """The conditions of a run by the names of the command line's options; options that were not set are absent."""
    decoding = card.to_json()["decoding"]
    values: dict[str, Any] = {"source": card.source, "seed": card.seed, "limit": card.limit}
    values |= {"samples": card.samples, **card.options, "judge": card.judge}
    values |= {"decoding": decoding.pop("arm"), **decoding}
    if values.get("threads") == 1:
        del values["threads"]
    return {name: str(value) for name, value in values.items() if value not in (None, "")}


def settings_of(runs: Sequence[Run]) -> list[str]:
    """For each run, the conditions in which it differs from other runs of the same model; else its directory."""
    settings = []
    for run in runs:
        own = conditions(run.about)
        others = [conditions(r.about) for r in runs if r is not run and r.about.model == run.about.model]
        differing = [name for name in own if any(other.get(name) != own[name] for other in others)]
        differing = [name for name in differing if name not in _AMOUNTS] or differing
        names = dict.fromkeys([*(["decoding"] if own["decoding"] != "free" else []), *differing])
        settings.append(", ".join(f"{name} {own[name]}" for name in names))
    pairs = [(run.about.model, setting) for run, setting in zip(runs, settings, strict=True)]
    for i, run in enumerate(runs):
        if pairs.count(pairs[i]) > 1:
            settings[i] = ", ".join(filter(None, [settings[i], run.path.resolve().name]))
    return settings


def _read_rows(view: View) -> Rows:
    names = [metric.name for metric in view.bench.metrics if metric.pool is None]
    codes: dict[str, int] = {}
    of_item = {key: codes.setdefault(item.cluster, len(codes)) for key, item in view.items.items()}
    places: dict[tuple[str, int], int] = {}
    values: list[list[float]] = []
    outcomes: Counter[tuple[str, str]] = Counter()
    for result in view.run.results(view.bench):
        places[result.item, result.sample] = len(values)
        values.append([_scalar(result.metrics.get(name)) for name in names])
        outcomes[outcome(result)] += 1
    characters, seconds, cost = usage = np.full((3, len(values)), math.nan)
    for place, *numbers in _usage(view.run, places):
        usage[:, place] = numbers
    columns = np.asarray(values, dtype=np.float64).reshape(len(values), len(names)).T
    clusters = np.asarray([of_item[item] for item, _ in places], dtype=np.int64)
    return Rows(clusters, dict(zip(names, columns, strict=True)), characters, seconds, cost, outcomes)


def _usage(run: Run, places: Mapping[tuple[str, int], int]) -> Iterator[tuple[int, float, float, float]]:
    for item, sample, answer, _ in run.answers():
        place = places.get((item, sample))
        if place is not None and answer.failure is None:
            cost = math.nan if answer.usage.cost is None else answer.usage.cost
            yield place, float(len(answer.text)), answer.usage.seconds, cost


def _scalar(value: object) -> float:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else math.nan
