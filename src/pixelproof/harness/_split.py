"""Splits: which items a model may learn from, and which ones it is evaluated on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pixelproof.contract import Bench, Item, PixelProofError, Source, unknown_name
from pixelproof.harness._checks import checked_items
from pixelproof.store import digest

SPLITS = ("all", "train", "eval")
TRAINING_SEEDS = 1 << 32
"""Seeds of training are this number and above; no other run has them."""
_EVAL_SHARE = 8
"""One content of this many belongs to the evaluation split."""
_ANY = 1 << 40
"""Number of items to ask a bench for if some of them are left out: generated sources have as many as are read."""


def check_split(split: str, seed: int) -> None:
    """Check that a split exists and that the seed is one of it.

    Raises:
        PixelProofError: The message names a seed that is possible.
    """
    if split not in SPLITS:
        raise unknown_name("split", split, SPLITS)
    if split == "train" and seed < TRAINING_SEEDS:
        raise PixelProofError(
            f"--split train has seeds from {TRAINING_SEEDS}: pass --seed {TRAINING_SEEDS + max(seed, 0)}."
        )
    if split != "train" and seed >= TRAINING_SEEDS:
        raise PixelProofError(f"Seeds from {TRAINING_SEEDS} are for training: pass --split train, or a smaller --seed.")


def list_split(bench: Bench, source: Source, seed: int, limit: int | None, split: str = "all") -> Iterator[Item]:
    """The items of a source that belong to a split, in the order of the source, with their ids in it.

    An item belongs to `eval` if the hash of its content modulo 8 is 0. It belongs to `train` if the hash is another one
    and no item of `bench.reserved` has its content.

    Args:
        bench: The bench.
        source: The source.
        seed: Its seed; `train` has seeds from `TRAINING_SEEDS`.
        limit: Number of items of the split. None: those of the split among the items that the source has by default.
        split: `all`, `train` or `eval`.

    Raises:
        PixelProofError: The seed is not one of the split, or no item belongs to the split.
    """
    check_split(split, seed)
    if split == "train" and _never_changes(bench, source.name):
        raise PixelProofError(
            f"The source {source.name!r} never changes, so it is for evaluation: choose another of {bench.name}."
        )
    most = limit if limit is None or split == "all" else _ANY
    belongs = split_filter(bench, split)
    count = 0
    for item in checked_items(bench, bench.items(source, seed, most)):
        if split == "all" or belongs(bench.content(item)):
            yield item
            count += 1
            if count == limit:
                return
    if not count and split != "all":
        raise PixelProofError(f"No item of the source {source.name!r} belongs to the split {split!r}: choose another.")


def _never_changes(bench: Bench, name: str) -> bool:
    return name in (*bench.reserved, *bench.frozen)


def split_filter(bench: Bench, split: str) -> Callable[[Any], bool]:
    """A function of what `bench.content` returns: whether it is in a split. For those who make items themselves."""
    reserved = _exclusions(bench) if split == "train" else set()

    def belongs(content: Any) -> bool:
        hashed = digest(content)
        evaluated = int(hashed, 16) % _EVAL_SHARE == 0
        return split == "all" or (evaluated if split == "eval" else not evaluated and hashed not in reserved)

    return belongs


def _exclusions(bench: Bench) -> set[str]:
    """Hashes of the contents that are never used for training; they do not depend on the options of the bench."""
    plain = type(bench)()
    items = (item for name in bench.reserved for item in plain.items(Source(name), 0, None))
    return {digest(plain.content(item)) for item in items}
