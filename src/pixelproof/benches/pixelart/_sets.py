"""Sets of subjects: `fresh` from any seed, and the frozen `pixelart-v2`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Any

from pixelproof.benches.pixelart.subjects import KINDS, Composed, Kind, Subject, published, subject_named
from pixelproof.benches.pixelart.subjects._drawing import several
from pixelproof.benches.sources import FrozenSource, item_id
from pixelproof.contract import Item, PixelProofError
from pixelproof.stats import derive_seed, generator
from pixelproof.store import FrozenSet, digest, freeze

FRESH = "fresh"
FROZEN = "pixelart-v2"
_EDITION = 2
"""Of the texts: it is part of item ids and truths, and the seed of the frozen set."""
FEWEST = 7
"""Number of colours that suffices for every subject."""
_CHECKED = {"exact": "exactly", "composed": "in parts"}
_TRIES = 8
_ROUNDS, _COMPOSED_PER_ROUND = 3, 2
"""Rounds of a set without a number of items, and subjects per composed kind and round."""


@dataclass(frozen=True)
class Choice:
    """A subject of a set, with the seed of its reference drawing."""

    subject: Subject
    seed: int

    @property
    def truth(self) -> dict[str, Any]:
        """Truth for scorers and controls: only text and integers."""
        kind, params = self.subject.kind.id, dict(self.subject.params)
        return {"kind": kind, "params": params, "seed": self.seed, "wording": _EDITION}

    @property
    def key(self) -> str:
        """Equal for subjects that are alike: composed ones of a kind and the same things, others with equal texts."""
        kind = self.subject.kind
        things = kind.counts(self.subject.params) if isinstance(kind, Composed) else ()
        return f"{kind.id}: {', '.join(things)}" if things else self.subject.text

    @property
    def tags(self) -> dict[str, str]:
        """Groups of the tables."""
        kind = self.subject.kind
        return {
            "subject": kind.id,
            "family": kind.family,
            "grade": str(kind.grade),
            "checked": _CHECKED[kind.scoring],
        }


def fresh(seed: int, n: int | None, grid: int | None = None) -> Iterator[Choice]:
    """Subjects from a seed, in rounds of random order, n in total: every exact kind once, every composed one twice.

    Kinds that need a larger grid are left out. Without n, there are three rounds. No subject is like one before it, as
    long as some tries find another.
    """
    kinds = _kinds(grid)
    order = (
        kind for number in count() for kind in several(generator(seed, "pixelart/order", number), kinds, len(kinds))
    )
    before: set[str] = set()
    for index, kind in enumerate(islice(order, _ROUNDS * len(kinds) if n is None else n)):
        tries = (_choice(seed, index, kind, number) for number in range(_TRIES))
        choice = next((one for one in tries if one.key not in before), None) or _choice(seed, index, kind)
        before.add(choice.key)
        yield choice


def _kinds(grid: int | None = None) -> list[Kind]:
    """The kinds of a round, as far as they can be drawn on a grid of this side."""
    counts = {"exact": 1, "composed": _COMPOSED_PER_ROUND, "thing": 0}
    fit = [kind for kind in KINDS.values() if grid is None or kind.smallest <= grid]
    return [kind for kind in fit for _ in range(counts[kind.scoring])]


def _choice(seed: int, index: int, kind: Kind, number: int = 0) -> Choice:
    again = f"/{number}" if number else ""
    subject = kind.subject(generator(seed, f"pixelart/subject/{kind.id}{again}", index))
    return Choice(subject, derive_seed(seed, "pixelart/reference", index))


MANIFEST = Path(__file__).with_name(f"{FROZEN}.json")
"""The file with the hashes of the frozen set."""


def frozen(n: int | None) -> Iterator[Choice]:
    """The subjects of the frozen set, each verified against its manifest."""
    return FrozenSource(MANIFEST).items(fresh, _digest, n)


def id_of(source: str, index: int) -> str:
    """Id of an item."""
    return item_id("pixelart", source, _EDITION if source in (FRESH, FROZEN) else 1, index, digits=4)


def _digest(index: int, choice: Choice) -> str:
    return digest([id_of(FROZEN, index), choice.subject.text, choice.truth, choice.tags])


def freeze_set(path: Path = MANIFEST) -> FrozenSet:
    """Write the manifest of the frozen set; for developers, once."""
    hashes = {id_of(FROZEN, index): _digest(index, choice) for index, choice in enumerate(fresh(_EDITION, None))}
    return freeze(path, FROZEN, _EDITION, hashes)


def check_space(grid: int, colours: int, source: str) -> None:
    """Refuse options with which some subjects of the frozen set, or all of `fresh`, cannot be drawn."""
    smallest = (min if source == FRESH else max)(kind.smallest for kind in _kinds())
    if grid < smallest or colours < FEWEST:
        raise PixelProofError(
            f"The source {source} has subjects that need a grid of at least {smallest} and at least {FEWEST} colours, "
            f"not {grid} and {colours}: choose --grid {max(grid, smallest)} --colours {max(colours, FEWEST)}."
        )


def subject_of(item: Item) -> Subject | None:
    """The subject of an item; None for a subject of the data set that is not one of the published seven."""
    if isinstance(item.truth, Mapping) and "kind" in item.truth:
        return subject_from(item.truth)
    known = subject_named(item.inputs["subject"])
    return published(known) if known else None


def subject_from(truth: Mapping[str, Any]) -> Subject:
    """The subject of an item's truth."""
    return Subject(KINDS[truth["kind"]], truth["params"])


def subject_to_score(item: Item, scoring: str) -> Subject | None:
    """The subject of an item, if its kind is scored in this way; None also if the grid is too small for it."""
    subject = subject_of(item)
    if subject is None or subject.kind.scoring != scoring or item.inputs["grid"] < subject.kind.smallest:
        return None
    return subject
