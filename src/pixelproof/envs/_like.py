"""More of what a run fails at: items are drawn by how often the run fails on their tags."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from pixelproof.contract import Bench, Item, PixelProofError
from pixelproof.harness import Run
from pixelproof.stats import generator

from ._rows import Json

_MOST = 4.0
"""An item is at most this many times as frequent as one that the run fails on as often as on average."""
_LEAST = 0.1


@dataclass(frozen=True)
class Likeness:
    """How often a run failed, by the values of each tag."""

    rate: float
    """Mean failure: 1 - score, 1 for a fault of the model."""
    rates: Mapping[str, Mapping[str, float]]
    """Tag → its value → mean failure, with one answer of the mean rate added."""
    run: str = ""
    """Path of the run."""

    @classmethod
    def of(cls, run: Run, bench: Bench) -> Likeness:
        """The failures of a run, each in the first headline metric that the answer has.

        Raises:
            PixelProofError: The run is one of another bench, has no score, or never fails.
        """
        names = [metric.name for metric in bench.metrics if metric.higher_is_better and metric.range == (0, 1)]
        headline = [name for name in bench.display.headline if name in names]
        failures = []
        for row in run.rows(bench):
            if row["bench"] != bench.name:
                raise PixelProofError(f"{run.path} is a run of {row['bench']}: choose one of {bench.name}.")
            value = next((row[name] for name in headline if row[name] is not None), None)
            if value is not None or row["status"] == "model-fault":
                tags = {name.removeprefix("tag."): text for name, text in row.items() if name.startswith("tag.")}
                failures.append((1 - float(value or 0), tags))
        if not failures:
            raise PixelProofError(f"{run.path} has no score in {', '.join(headline)}: choose another run.")
        rate = sum(failure for failure, _ in failures) / len(failures)
        if rate <= 0:
            raise PixelProofError(f"{run.path} fails at nothing: leave out --like.")
        groups: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for failure, tags in failures:
            for tag, value in tags.items():
                groups[tag][value].append(failure)
        rates = {
            tag: {value: (sum(all_of) + rate) / (len(all_of) + 1) for value, all_of in values.items()}
            for tag, values in groups.items()
        }
        return cls(rate, rates, str(run.path))

    def weight(self, item: Item) -> float:
        """How much more often than on average the run fails on items with these tags."""
        weight = 1.0
        for tag, value in item.tags.items():
            weight *= self.rates.get(tag, {}).get(value, self.rate) / self.rate
        return min(max(weight, _LEAST), _MOST)

    def accepts(self, item: Item, seed: int) -> bool:
        """Draw whether an item is kept."""
        return bool(generator(seed, f"like/{item.id}", 0).random() * _MOST < self.weight(item))

    def to_json(self) -> dict[str, Json]:
        """The rates, as they are stored beside the data."""
        return {"run": self.run, "rate": self.rate, "rates": {tag: dict(values) for tag, values in self.rates.items()}}
