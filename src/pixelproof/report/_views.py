"""What a report needs to know of a run: its card and summary, and its rows as columns of numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.contract import Bench, Item, PixelProofError
from pixelproof.harness import Run, bench_of

Floats = npt.NDArray[np.float64]
SCORED, MISSING = "scored", "missing"


@dataclass(frozen=True)
class Rows:
    """The answers of a run, a number each; nan where there is none."""

    clusters: npt.NDArray[np.int64]
    metrics: Mapping[str, Floats]
    """The metrics that are means; pooled ones have no number per answer."""
    characters: Floats
    seconds: Floats
    cost: Floats
    outcomes: Counter[tuple[str, str]]
    """(whose fault, its name) → answers; what went well is (`scored`, `scored`)."""


@dataclass(frozen=True)
class View:
    """One run, ready to be shown."""

    key: str
    """A letter that stands for the run in charts."""
    setting: str
    """What tells it from other runs of the same model."""
    run: Run
    bench: Bench

    @property
    def card(self) -> dict[str, Any]:
        """The run card."""
        return self.run.card

    @cached_property
    def summary(self) -> dict[str, Any]:
        """What `summary.json` says."""
        return self.run.summary

    @property
    def model(self) -> str:
        """Who answered."""
        return str(self.card["model"])

    @property
    def control(self) -> bool:
        """Whether it is a floor, a ceiling or another control, and not a model."""
        return _is_control(self.run)

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
        """Dollars, as far as they are known: with a price list, or as the provider billed them."""
        ledger = self.card.get("ledger") or {}
        known = ledger.get("prices") is not None or ledger.get("cost")
        return float(ledger["cost"]) if known else None

    @cached_property
    def items(self) -> dict[str, Item]:
        """The items by id, in order."""
        return {item.id: item for item in self.run.items()}

    @cached_property
    def rows(self) -> Rows:
        """The answers as numbers."""
        return _read_rows(self)


def open_views(paths: Sequence[str | Path], bench: Bench | None = None) -> list[View]:
    """Open the runs of one bench: models in the order given, then controls.

    Raises:
        PixelProofError: A path is no whole run, or the runs are of different benches, major versions or items.
    """
    runs = sorted(map(Run.open, paths), key=_is_control)
    if not runs:
        raise PixelProofError("A report needs at least one run directory.")
    kinds = sorted({(run.card["bench"], str(run.card["version"]).partition(".")[0]) for run in runs})
    if len(kinds) > 1:
        named = ", ".join(f"{name} {version}.x" for name, version in kinds)
        raise PixelProofError(f"These runs are of different benches ({named}): make a report of each.")
    asked = {(run.card["source"]["name"], run.card["seed"]) for run in runs}
    if len(asked) > 1:  # items of equal number would share a row, but not a subject
        told = ", ".join(f"{source} with seed {seed}" for source, seed in sorted(asked))
        raise PixelProofError(f"These runs are on different items ({told}): make a report of each.")
    for run in runs:
        run.check_whole()
    settings = _tell_apart(runs)
    return [View(_key(i), settings[i], run, bench or bench_of(run.card)) for i, run in enumerate(runs)]


def _is_control(run: Run) -> bool:
    return str(run.card["model"]).startswith("control/")


def _key(index: int) -> str:
    """The letters of a run: A to Z, then AA, AB and so on."""
    return (_key(index // 26 - 1) if index >= 26 else "") + chr(ord("A") + index % 26)


def conditions(card: Mapping[str, Any]) -> dict[str, str]:
    """What was asked and how, by the names of the command line's options; what was not limited or set is absent."""
    decoding = dict(card["decoding"])
    told: dict[str, Any] = {"source": card["source"]["name"], "seed": card["seed"], "limit": card["limit"]}
    told |= {"samples": card["samples"], **card["options"], "judge": card["judge"]}
    told |= {"decoding": decoding.pop("arm"), **decoding}
    if told.get("threads") == 1:
        del told["threads"]
    return {name: str(value) for name, value in told.items() if value not in (None, "")}


def _tell_apart(runs: Sequence[Run]) -> list[str]:
    """For each run, the conditions in which it differs from other runs of the same model; else its directory."""
    told = []
    for run in runs:
        mine = conditions(run.card)
        others = [conditions(r.card) for r in runs if r is not run and r.card["model"] == run.card["model"]]
        differing = [name for name in mine if any(other.get(name) != mine[name] for other in others)]
        names = dict.fromkeys([*(["decoding"] if mine["decoding"] != "free" else []), *differing])
        told.append(", ".join(f"{name} {mine[name]}" for name in names))
    pairs = [(run.card["model"], setting) for run, setting in zip(runs, told, strict=True)]
    for i, run in enumerate(runs):
        if pairs.count(pairs[i]) > 1:
            told[i] = ", ".join(filter(None, [told[i], run.path.resolve().name]))
    return told


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
        failure = result.failure
        outcomes[(SCORED, SCORED) if failure is None else (str(failure.fault), failure.name)] += 1
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
