"""Sets of subjects: `fresh` from any seed, and the frozen `pixelart-v1`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from pixelproof.benches.pixelart.subjects import KINDS, Kind, Subject, published, subject_named
from pixelproof.benches.pixelart.subjects._drawing import several
from pixelproof.benches.sources import FrozenSource, item_id
from pixelproof.contract import Item, PixelProofError
from pixelproof.stats import derive_seed, generator
from pixelproof.store import FrozenSet, digest, freeze

FRESH = "fresh"
V1 = "pixelart-v1"
_V1_SEED = 1
_V1_KINDS = tuple(kind for kind in KINDS.values() if kind.edition == 1)
_MANIFEST = Path(__file__).with_name(f"{V1}.json")
SMALLEST, FEWEST = 16, 7
"""Smallest grid side and number of colours that suffice for every subject."""


@dataclass(frozen=True)
class Choice:
    """A subject of a set, with the seed of its reference drawing."""

    subject: Subject
    seed: int

    @property
    def truth(self) -> dict[str, Any]:
        """Truth for scorers and controls: only text and integers."""
        return {"kind": self.subject.kind.id, "params": dict(self.subject.params), "seed": self.seed}

    @property
    def tags(self) -> dict[str, str]:
        """Groups of the tables."""
        kind = self.subject.kind
        return {
            "subject": kind.id,
            "family": kind.family,
            "grade": str(kind.grade),
            "checked": "exactly" if kind.exact else "no",
        }


def fresh(seed: int, n: int | None, kinds: Sequence[Kind] = tuple(KINDS.values())) -> Iterator[Choice]:
    """Subjects from a seed: every kind once, in random order, then the exact kinds again and again, n in total.

    Without n, the exact kinds come three times in total.
    """
    size = len(kinds) + 2 * sum(kind.exact for kind in kinds)
    places = range(size if n is None else n)
    return (_choice(seed, index, kind) for index, kind in zip(places, _order(seed, kinds), strict=False))


def _order(seed: int, kinds: Sequence[Kind]) -> Iterator[Kind]:
    for number in count():
        yield from several(generator(seed, "pixelart/order", number), kinds, len(kinds))
        kinds = [kind for kind in kinds if kind.exact]  # subjects that are not exact have no parameters to vary


def _choice(seed: int, index: int, kind: Kind) -> Choice:
    subject = kind.subject(generator(seed, f"pixelart/subject/{kind.id}", index))
    return Choice(subject, derive_seed(seed, "pixelart/reference", index))


def frozen(n: int | None) -> Iterator[Choice]:
    """The subjects of `pixelart-v1`, each verified against the manifest."""
    return FrozenSource(_MANIFEST).items(lambda seed, count: fresh(seed, count, _V1_KINDS), _digest, n)


def id_of(source: str, index: int) -> str:
    """Id of an item."""
    return item_id("pixelart", source, 1, index, digits=4)


def _digest(index: int, choice: Choice) -> str:
    return digest([id_of(V1, index), choice.subject.text, choice.truth, choice.tags])


def freeze_v1(path: Path = _MANIFEST) -> FrozenSet:
    """Write the manifest of `pixelart-v1`; for developers, once."""
    choices = enumerate(fresh(_V1_SEED, None, _V1_KINDS))
    return freeze(path, V1, _V1_SEED, {id_of(V1, index): _digest(index, choice) for index, choice in choices})


def check_space(grid: int, colours: int, source: str) -> None:
    """Refuse options with which some subjects cannot be drawn."""
    if grid < SMALLEST or colours < FEWEST:
        raise PixelProofError(
            f"The source {source} has subjects that need a grid of at least {SMALLEST} and at least {FEWEST} colours, "
            f"not {grid} and {colours}: choose --grid {max(grid, SMALLEST)} --colours {max(colours, FEWEST)}."
        )


def subject_of(item: Item) -> Subject | None:
    """The subject of an item; None for a subject of the data set that is not one of the published seven."""
    if isinstance(item.truth, Mapping) and "kind" in item.truth:
        return Subject(KINDS[item.truth["kind"]], item.truth["params"])
    known = subject_named(item.inputs["subject"])
    return published(known) if known else None


def subject_to_score(item: Item, *, exact: bool) -> Subject | None:
    """The subject of an item, if it is (or is not) of an exact kind; None also if the grid is too small for it."""
    subject = subject_of(item)
    fits = subject is not None and subject.kind.exact == exact and item.inputs["grid"] >= SMALLEST
    return subject if fits else None
