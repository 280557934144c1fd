"""The plan of a run: which items, how many samples of each, with which seeds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pixelproof.contract import Bench, Item, PixelProofError, Source, unknown_name
from pixelproof.harness._checks import checked_items
from pixelproof.stats import derive_seed

MAX_SAMPLES = 1 << 16
MAX_ITEMS = 1 << 40
MAX_SEED = (1 << 63) - 1
KEPT_ITEMS = 1 << 16
"""Items of a plan are kept in memory up to this number; larger plans list them again for each pass."""


@dataclass(frozen=True)
class Ask:
    """One planned answer: an item and the number of the sample."""

    index: int
    item: Item
    sample: int
    seed: int

    @property
    def order(self) -> int:
        """Key in the run's tables; unchanged when a run gets more items or samples later."""
        return order_of(self.index, self.sample)


def order_of(index: int, sample: int) -> int:
    """Key of a row: sorted by item, then by sample."""
    return index * MAX_SAMPLES + sample


@dataclass(frozen=True)
class Plan:
    """All asks of a run; deterministic."""

    bench: Bench
    source: Source
    seed: int = 0
    limit: int | None = None
    samples: int = 1

    def __post_init__(self) -> None:
        """Check all values."""
        for name, value in (("seed", self.seed), ("samples", self.samples), ("limit", self.limit)):
            if not (type(value) is int or (name == "limit" and value is None)):
                raise PixelProofError(f"{name} must be a whole number, not {value!r}.")
        if not 0 <= self.seed <= MAX_SEED:
            raise PixelProofError(f"--seed must be between 0 and {MAX_SEED}, not {self.seed}.")
        if not 1 <= self.samples < MAX_SAMPLES:
            raise PixelProofError(f"--samples must be between 1 and {MAX_SAMPLES - 1}, not {self.samples}.")
        if self.limit is not None and not 1 <= self.limit <= MAX_ITEMS:
            raise PixelProofError(f"--limit must be between 1 and {MAX_ITEMS}, not {self.limit}.")
        if self.source.name not in self.bench.sources:
            raise unknown_name(f"{self.bench.name} source", self.source.name, self.bench.sources)

    def items(self) -> Iterator[tuple[int, Item]]:
        """Items with their index; the bench lists them once, unless there are more than `KEPT_ITEMS`."""
        kept: list[Item] | None = self.__dict__.get("_kept")
        if kept is not None:
            yield from enumerate(kept)
            return
        listed: list[Item] = []
        for index, item in enumerate(checked_items(self.bench, self.bench.items(self.source, self.seed, self.limit))):
            if index < KEPT_ITEMS:
                listed.append(item)
            yield index, item
        if len(listed) < KEPT_ITEMS:
            self.__dict__["_kept"] = listed

    def asks(self) -> Iterator[Ask]:
        """Every planned answer, in the order of the tables."""
        for index, item in self.items():
            for sample in range(self.samples):
                yield self.ask(index, item, sample)

    def ask(self, index: int, item: Item, sample: int) -> Ask:
        """The ask for one sample of an item; its seed depends only on the run's seed and its order."""
        return Ask(index, item, sample, derive_seed(self.seed, "answer", order_of(index, sample)))
