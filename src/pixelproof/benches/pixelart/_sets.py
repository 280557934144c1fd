"""Sets of subjects: `fresh` from any seed, and the frozen `pixelart-v1` and `pixelart-v2`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from pixelproof.benches.pixelart.subjects import KINDS, NEWEST, Kind, Subject, published, subject_named
from pixelproof.benches.pixelart.subjects._drawing import several
from pixelproof.benches.sources import FrozenSource, item_id
from pixelproof.contract import Item, PixelProofError
from pixelproof.stats import derive_seed, generator
from pixelproof.store import FrozenSet, digest, freeze

FRESH = "fresh"
FROZEN = {"pixelart-v1": 1, "pixelart-v2": 2}
"""Frozen set → its edition: the wording of its texts, the last edition of its kinds, and its seed."""
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
        truth = {"kind": self.subject.kind.id, "params": dict(self.subject.params), "seed": self.seed}
        return truth if self.subject.wording == 1 else {**truth, "wording": self.subject.wording}

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


def fresh(seed: int, n: int | None, edition: int = NEWEST) -> Iterator[Choice]:
    """Subjects from a seed: every kind once, in random order, then the exact kinds again and again, n in total.

    Without n, the exact kinds come three times in total. Kinds and texts are those of an edition.
    """
    kinds = [kind for kind in KINDS.values() if kind.edition <= edition]
    size = len(kinds) + 2 * sum(kind.exact for kind in kinds)
    places = range(size if n is None else n)
    order = zip(places, _order(seed, kinds), strict=False)
    return (_choice(seed, index, kind, edition) for index, kind in order)


def _order(seed: int, kinds: Sequence[Kind]) -> Iterator[Kind]:
    for number in count():
        yield from several(generator(seed, "pixelart/order", number), kinds, len(kinds))
        kinds = [kind for kind in kinds if kind.exact]  # subjects that are not exact have no parameters to vary


def _choice(seed: int, index: int, kind: Kind, edition: int) -> Choice:
    subject = kind.subject(generator(seed, f"pixelart/subject/{kind.id}", index))
    return Choice(replace(subject, wording=edition), derive_seed(seed, "pixelart/reference", index))


def manifest(name: str) -> Path:
    """The file with the hashes of a frozen set."""
    return Path(__file__).with_name(f"{name}.json")


def frozen(name: str, n: int | None) -> Iterator[Choice]:
    """The subjects of a frozen set, each verified against its manifest."""
    generate = partial(fresh, edition=FROZEN[name])
    return FrozenSource(manifest(name)).items(generate, partial(_digest, name), n)


def id_of(source: str, index: int) -> str:
    """Id of an item."""
    return item_id("pixelart", source, NEWEST if source == FRESH else FROZEN.get(source, 1), index, digits=4)


def _digest(name: str, index: int, choice: Choice) -> str:
    return digest([id_of(name, index), choice.subject.text, choice.truth, choice.tags])


def freeze_set(name: str, path: Path | None = None) -> FrozenSet:
    """Write the manifest of a frozen set; for developers, once."""
    edition = FROZEN[name]
    choices = enumerate(fresh(edition, None, edition))
    hashes = {id_of(name, index): _digest(name, index, choice) for index, choice in choices}
    return freeze(path or manifest(name), name, edition, hashes)


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
        return subject_from(item.truth)
    known = subject_named(item.inputs["subject"])
    return published(known) if known else None


def subject_from(truth: Mapping[str, Any]) -> Subject:
    """The subject of an item's truth; truths without a wording are those of `pixelart-v1`."""
    return Subject(KINDS[truth["kind"]], truth["params"], truth.get("wording", 1))


def subject_to_score(item: Item, *, exact: bool) -> Subject | None:
    """The subject of an item, if it is (or is not) of an exact kind; None also if the grid is too small for it."""
    subject = subject_of(item)
    fits = subject is not None and subject.kind.exact == exact and item.inputs["grid"] >= SMALLEST
    return subject if fits else None
