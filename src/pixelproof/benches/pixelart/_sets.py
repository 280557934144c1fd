"""Sets of subjects: `fresh` from any seed, and the frozen `pixelart-v1` and `pixelart-v2`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from pixelproof.benches.pixelart.subjects import KINDS, NEWEST, Composed, Kind, Subject, published, subject_named
from pixelproof.benches.pixelart.subjects._drawing import several
from pixelproof.benches.sources import FrozenSource, item_id
from pixelproof.contract import Item, PixelProofError
from pixelproof.stats import derive_seed, generator
from pixelproof.store import FrozenSet, digest, freeze

FRESH = "fresh"
FROZEN = {"pixelart-v1": 1, "pixelart-v2": 2}
"""Frozen set → its edition: the wording of its texts, the last edition of its kinds, and its seed."""
FEWEST = 7
"""Number of colours that suffices for every subject."""
_CHECKED = {"exact": "exactly", "composed": "in parts", "thing": "no"}
_TRIES = 8
_ROUNDS, _COMPOSED_PER_ROUND = 3, 2
"""Since the second edition: rounds of a set without a number of items, and subjects per composed kind and round."""


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


def fresh(seed: int, n: int | None, edition: int = NEWEST) -> Iterator[Choice]:
    """Subjects from a seed, in rounds of random order, n in total: every exact kind once, every composed one twice.

    Without n, there are three rounds. Kinds and texts are those of an edition. The first has things instead of composed
    kinds, which have no parameters and come once.
    """
    kinds = _kinds(edition)
    size = _ROUNDS * len(kinds) if edition > 1 else len(kinds) + 2 * sum(kind.exact for kind in kinds)
    places = range(size if n is None else n)
    order = zip(places, _order(seed, kinds), strict=False)
    if edition == 1:
        return (_choice(seed, index, kind, edition) for index, kind in order)
    return _different(seed, order, edition)


def _kinds(edition: int) -> list[Kind]:
    """The kinds of a round."""
    kinds = [kind for kind in KINDS.values() if kind.edition <= edition <= kind.last_edition]
    return [kind for kind in kinds for _ in range(_COMPOSED_PER_ROUND if kind.scoring == "composed" else 1)]


def _order(seed: int, kinds: Sequence[Kind]) -> Iterator[Kind]:
    for number in count():
        yield from several(generator(seed, "pixelart/order", number), kinds, len(kinds))
        kinds = [kind for kind in kinds if kind.scoring != "thing"]


def _different(seed: int, order: Iterable[tuple[int, Kind]], edition: int) -> Iterator[Choice]:
    """Subjects of which none is like one before it in the set, as long as some tries find another."""
    before: set[str] = set()
    for index, kind in order:
        tries = (_choice(seed, index, kind, edition, number) for number in range(_TRIES))
        choice = next((one for one in tries if one.key not in before), None) or _choice(seed, index, kind, edition)
        before.add(choice.key)
        yield choice


def _choice(seed: int, index: int, kind: Kind, edition: int, number: int = 0) -> Choice:
    again = f"/{number}" if number else ""
    subject = kind.subject(generator(seed, f"pixelart/subject/{kind.id}{again}", index))
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
    smallest = max(kind.smallest for kind in _kinds(FROZEN.get(source, NEWEST)))
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
    """The subject of an item's truth; truths without a wording are those of `pixelart-v1`."""
    return Subject(KINDS[truth["kind"]], truth["params"], truth.get("wording", 1))


def subject_to_score(item: Item, scoring: str) -> Subject | None:
    """The subject of an item, if its kind is scored in this way; None also if the grid is too small for it."""
    subject = subject_of(item)
    if subject is None or subject.kind.scoring != scoring or item.inputs["grid"] < subject.kind.smallest:
        return None
    return subject
