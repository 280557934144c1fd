"""Stored drawings: the best answers that ignore the parameters of a subject, or the subject altogether.

They are fitted to subjects of other seeds than any source has, by the scorer's own functions, and never to the item.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np

from pixelproof.benches.pixelart._recognised import recognise_drawing
from pixelproof.benches.pixelart._sets import subject_of
from pixelproof.benches.pixelart.subjects import (
    CATEGORIES,
    KINDS,
    Composed,
    Drawing,
    Kind,
    Subject,
    published,
    reference,
)
from pixelproof.benches.pixelart.subjects._drawing import rgb_of
from pixelproof.benches.pixelart.subjects.composed import Artist, Style, draw_plan, draw_sprite, on_ground
from pixelproof.contract import Item
from pixelproof.stats import generator

_SEED = 0
_WHITE = "ffffff"
_FIXED: dict[str, Any] = {
    "ground": "white", "colour": "red", "relation": "left", "number": 3, "quarter": "top left", "rows": 3, "form": 0,
}  # fmt: skip
"""Parameters of composed subjects that the floor of words draws, whatever is asked for."""
_CANDIDATES, _TARGETS, _FINALISTS, _FINAL_TARGETS = 8, 12, 3, 36
"""Drawings that are tried per kind, on how many subjects; the best of them are tried on more. Six times as many
candidates gain nothing (share of the conditions met by subjects of a third seed: 0.495 with 8, 0.494 with 48)."""


def same_kind_drawing(item: Item, size: int, colours: int) -> Drawing | None:
    """The stored drawing of the kind of subject that an item asks for; None for an unknown subject."""
    subject = subject_of(item)
    if subject is None:
        return None
    if _is_published(item):
        return reference(subject.kind.id, size, colours)
    return _best_of_kind(subject.kind.id, size, colours)


def prior_drawing(item: Item, size: int, colours: int) -> Drawing | None:
    """The one stored drawing for all items that are scored like this one; None for an unknown subject."""
    subject = subject_of(item)
    if subject is None:
        return None
    if _is_published(item):
        return _best_published(subject.kind.exact, size, colours)
    return _best_of_all(subject.kind.scoring, size, colours)


def words_drawing(item: Item, size: int, colours: int) -> Drawing | None:
    """The things that an item names, in the one number, colour, place and relation that are kept for its kind.

    For subjects that name no things, the stored drawing of their kind; None for an unknown subject.
    """
    subject = subject_of(item)
    if subject is None or not isinstance(subject.kind, Composed):
        return same_kind_drawing(item, size, colours)
    return arrange_words(subject.kind, tuple(sorted(subject.kind.counts(subject.params))), size, colours)


@lru_cache(maxsize=1024)
def arrange_words(
    kind: Composed, things: tuple[str, ...], size: int, colours: int, artist: Artist = draw_plan
) -> Drawing:
    """Things as a kind shows them with fixed parameters; two of them at a diagonal, which is two relations of four."""
    rng = generator(_SEED, f"pixelart/floor/words/{kind.id}/{'/'.join(things)}")
    if kind.id == "two-things":
        return _at_diagonal(things, rng, size, colours, artist)
    words = {"a": things[0], "b": things[-1], "a_word": 0, "b_word": 0}
    return kind.compose({**_FIXED, **words}, rng, size, colours, artist=artist)


def _at_diagonal(things: tuple[str, ...], rng: np.random.Generator, size: int, colours: int, artist: Artist) -> Drawing:
    style = Style(_WHITE, (colours - 2) // 2, artist=artist)
    first, last = (draw_sprite(id, rng, (size - 2) // 2, style) for id in things)
    placed = [(first, 0, 0), (last, size - last.shape[0], size - last.shape[1])]
    return on_ground(_WHITE, placed, _WHITE, np.zeros((size, size), dtype=np.bool_))


def _is_published(item: Item) -> bool:
    return not (isinstance(item.truth, dict) and "kind" in item.truth)


def score_drawing(subject: Subject, drawing: Drawing) -> float:
    """Share of the conditions that a drawing meets as the answer to a subject, or whether it is recognised."""
    verdict = subject.check(drawing.grid, rgb_of(drawing.palette))
    if verdict is not None:
        return verdict.share
    return recognise_drawing(subject, drawing.pixels())[0].get("recognised", 0.0)


def best_drawing(candidates: Sequence[Drawing], targets: Sequence[Subject]) -> Drawing:
    """The drawing with the highest mean score over subjects; the finalists of a first round meet all of them."""
    first = targets[:: max(1, len(targets) // _TARGETS)]
    order = sorted(candidates, key=lambda drawing: _mean_score(drawing, first), reverse=True)
    return max(order[:_FINALISTS], key=lambda drawing: _mean_score(drawing, targets))


def _mean_score(drawing: Drawing, subjects: Sequence[Subject]) -> float:
    return float(np.mean([score_drawing(subject, drawing) for subject in subjects]))


def _subjects(kind: Kind, purpose: str, count: int) -> list[Subject]:
    """Subjects of a kind."""
    return [kind.subject(generator(_SEED, f"pixelart/floor/{purpose}/{kind.id}", n)) for n in range(count)]


@cache
def _best_of_kind(id: str, size: int, colours: int) -> Drawing:
    kind = KINDS[id]
    drawn = [
        kind.draw(generator(_SEED, f"pixelart/floor/candidate/{id}", index), size, colours)
        for index in range(_CANDIDATES)
    ]
    return best_drawing(drawn, _subjects(kind, "target", _FINAL_TARGETS))


@cache
def _best_of_all(scoring: str, size: int, colours: int) -> Drawing:
    kinds = [kind for kind in KINDS.values() if kind.scoring == scoring and kind.smallest <= size]
    targets = [subject for kind in kinds for subject in _subjects(kind, "prior", 4)]
    return best_drawing([_best_of_kind(kind.id, size, colours) for kind in kinds], targets)


@cache
def _best_published(exact: bool, size: int, colours: int) -> Drawing:
    subjects = [published(id) for id in CATEGORIES]
    alike = [subject for subject in subjects if subject.kind.exact == exact]
    drawings = [reference(subject.kind.id, size, colours) for subject in alike]
    return best_drawing(drawings, alike) if size >= alike[0].kind.smallest else drawings[0]
