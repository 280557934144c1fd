"""The plan of a run: which items, how many samples of each, with which seeds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pixelproof.benches import get_bench
from pixelproof.contract import Bench, Item, PixelProofError, Source, unknown_name
from pixelproof.harness._split import check_split, list_split
from pixelproof.options import Conditions, RunOptions, Split, flags_of
from pixelproof.stats import derive_seed
from pixelproof.store import local_path

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
class Shard:
    """Every `count`-th item of a plan, beginning with the item `number`, both from 1.

    >>> [index for index in range(10) if index in Shard(2, 4)]
    [1, 5, 9]
    """

    number: int
    count: int

    def __post_init__(self) -> None:
        """Check both numbers."""
        if not 1 <= self.number <= self.count:
            raise PixelProofError(f"A shard k/N has k from 1 to N, not {self}.")

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read `k/N`.

        >>> Shard.parse("2/8")
        Shard(number=2, count=8)
        """
        match = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text.strip())
        if match is None:
            raise PixelProofError(f"--shard must be k/N, such as 1/8 to 8/8, not {text!r}.")
        return cls(int(match[1]), int(match[2]))

    def __contains__(self, index: object) -> bool:
        """Whether an item, given by its index from 0, is in the shard."""
        return isinstance(index, int) and index % self.count == self.number - 1

    def size(self, items: int) -> int:
        """The number of items of the shard, of this many in all."""
        return len(range(self.number - 1, items, self.count))

    def __str__(self) -> str:
        """As the command line writes it."""
        return f"{self.number}/{self.count}"


@dataclass(frozen=True)
class Plan:
    """All asks of a run; deterministic."""

    bench: Bench
    source: Source
    seed: int = 0
    limit: int | None = None
    samples: int = 1
    shard: Shard | None = None
    """The part of the items that is asked; None: all."""
    split: Split = "all"
    """The items that are listed: `all`, or those for `train` or `eval`. Limit and shard count these alone."""

    def __post_init__(self) -> None:
        """Check all values."""
        for name, value in (("seed", self.seed), ("samples", self.samples), ("limit", self.limit)):
            if not (type(value) is int or (name == "limit" and value is None)):
                raise PixelProofError(f"{name} must be a whole number, not {value!r}.")
        if not 0 <= self.seed <= MAX_SEED:
            raise PixelProofError(f"--seed must be between 0 and {MAX_SEED}, not {self.seed}.")
        check_split(self.split, self.seed)
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
        for index, item in enumerate(list_split(self.bench, self.source, self.seed, self.limit, self.split)):
            if index < KEPT_ITEMS:
                listed.append(item)
            yield index, item
        if len(listed) < KEPT_ITEMS:
            self.__dict__["_kept"] = listed

    def asks_item(self, index: int) -> bool:
        """Whether the item with an index is in the shard."""
        return self.shard is None or index in self.shard

    def count(self, items: int) -> int:
        """The number of planned answers, if the source has this many items."""
        return self.samples * (items if self.shard is None else self.shard.size(items))

    def asks(self) -> Iterator[Ask]:
        """Every planned answer, in the order of the tables."""
        for index, item in self.items():
            for sample in range(self.samples if self.asks_item(index) else 0):
                yield self.ask(index, item, sample)

    def ask(self, index: int, item: Item, sample: int) -> Ask:
        """The ask for one sample of an item; its seed depends only on the run's seed and its order."""
        return Ask(index, item, sample, derive_seed(self.seed, "answer", order_of(index, sample)))


def plan_run(bench: str | Bench, options: Conditions, **of_bench: object) -> Plan:
    """The plan of a run from its options, and from those of the bench if that is given by name.

    Raises:
        PixelProofError: An option is neither one of the bench nor one of a run.
    """
    known = [*vars(get_bench(bench))] if isinstance(bench, str) else []
    for name in of_bench:
        if name.replace("-", "_") not in known:
            raise unknown_name("argument", name, [*known, *(option.name for option in flags_of(RunOptions))])
    chosen = get_bench(bench, **of_bench) if isinstance(bench, str) else bench
    data = None if options.data is None else local_path(options.data)
    shard = None if options.shard is None else Shard.parse(options.shard)
    source = Source(options.source or chosen.default_source(), data)
    return Plan(chosen, source, options.seed, options.limit, options.samples, shard, options.split)
