"""Gains of models over a base, data set by data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pixelproof.benches.agent._interventions import NO_TOOLS
from pixelproof.contract import Estimate, PixelProofError, Result
from pixelproof.stats import difference_interval

Opened = tuple[Any, Sequence[Result]]
"""Card and results of a run."""


@dataclass(frozen=True)
class Gain:
    """A model against its base on one data set."""

    model: str
    source: str
    base: float
    """Mean score of the base on the common items."""
    score: float
    absolute: float
    lo: float | None
    """95 % interval of the absolute gain; None where it cannot be estimated."""
    hi: float | None
    n: int

    @property
    def relative(self) -> float | None:
        """Gain as a share of the base's score; None if that is 0."""
        return self.absolute / self.base if self.base else None

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {**asdict(self), "relative": self.relative}


def suite_gains(runs: Sequence[Opened], base: str = "") -> list[Gain]:
    """Gains of every run over the run of the base on the same source.

    Args:
        runs: Cards and results.
        base: Name of the base model; empty: each model's own run without tools.

    Raises:
        PixelProofError: No run has a base, or two runs of one source and model are the base.
    """
    bases: dict[tuple[str, str], Opened] = {}
    for card, results in runs:
        if _is_base(card, base):
            key = _source(card), "" if base else card.model
            if key in bases:
                raise PixelProofError(f"Two runs are the base of {key[0]}: give one of them.")
            bases[key] = card, results
    gains = []
    for card, results in runs:
        other = bases.get((_source(card), "" if base else card.model))
        if other is not None and not _is_base(card, base):
            gains.append(_gain(card, results, other))
    if not gains:
        wanted = f"of {base!r}" if base else "with --intervention no-tools"
        raise PixelProofError(f"No run has a base to be compared with: give a run {wanted} on the same source.")
    return gains


def mean_gains(gains: Sequence[Gain]) -> dict[str, tuple[float, float | None]]:
    """Model → mean over its data sets of the absolute gain, and of the relative gain where the base is not 0."""
    means = {}
    for model in dict.fromkeys(gain.model for gain in gains):
        own = [gain for gain in gains if gain.model == model]
        relative = [gain.relative for gain in own if gain.relative is not None]
        mean = sum(relative) / len(relative) if relative else None
        means[model] = sum(gain.absolute for gain in own) / len(own), mean
    return means


def _source(card: Any) -> str:
    """The data set of a run, with the data that it was read from and how its pictures were degraded."""
    data, options = card.data, card.options
    parts = [card.source, *([str(data)] if data else [])]
    if options.get("shift", "none") != "none":
        parts.append(f"{options['shift']} {options['strength']}")
    return ", ".join(parts)


def _is_base(card: Any, base: str) -> bool:
    return bool(card.model == base if base else card.options.get("intervention") == NO_TOOLS)


def _gain(card: Any, results: Sequence[Result], base: Opened) -> Gain:
    own, before = _scores(results), _scores(base[1])
    common = [key for key in own if key in before]
    if not common:
        raise PixelProofError(f"The runs on {_source(card)} have no items in common: use the same seed and limit.")
    a, b = [before[key] for key in common], [own[key] for key in common]
    interval = difference_interval(a, b, (0, 1))
    lo, hi = (interval.lo, interval.hi) if isinstance(interval, Estimate) else (None, None)
    base_mean, mean = sum(a) / len(a), sum(b) / len(b)
    return Gain(card.model, _source(card), base_mean, mean, mean - base_mean, lo, hi, len(common))


def _scores(results: Sequence[Result]) -> dict[tuple[str, int], float]:
    """Item and sample → score; a model fault counts as 0, other faults are left out."""
    scores = {}
    for result in results:
        value = result.metrics.get("task_score", result.metrics.get("accuracy"))
        if isinstance(value, int | float):
            scores[result.item, result.sample] = float(value)
        elif result.status == "model-fault":
            scores[result.item, result.sample] = 0.0
    return scores
