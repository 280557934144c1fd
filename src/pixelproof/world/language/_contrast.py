"""Questions that are asked of one of two scenes and have another answer in the other.

Such a question, whatever its words, has either answer equally often: the two scenes are drawn from one distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from ._comparisons import AXES, QUALITIES, quality
from ._draft import Counted, Draft, Length, Material, Place, Word
from ._exchangeable import Pair, nameless, shared
from ._refer import Expression, unique
from ._space import carries, is_between, related, step_cm
from ._truth import Phrase, Truth, asked_colour, count, is_a
from .view import DOUBLE, Entity, View
from .words import ALIKE_COLOURS, ALIKE_MATERIALS, NO_GROUND, NUMBERS, PATTERNS, alike

_TRIPLES = 60
"""Number of triples of things that are tried for `between`."""
_RELATIONS = {"depth": ("front", "behind"), "height": ("above", "below"), "support": ("on",)}
"""Form → relations, beside the comparatives of `QUALITIES`."""


@dataclass(frozen=True)
class Claim:
    """The claim of a yes/no question: a count of a class, existence, or the colour of the only thing of a noun."""

    form: str
    phrase: Phrase
    number: int = 0

    def draft(self, view: View, yes: bool) -> Draft:
        """The question, for a view of which the claim is true or not."""
        answer = "yes" if yes else "no"
        if self.form == "colour":
            named = Expression(_only(view, self.phrase.noun), Phrase(self.phrase.noun))
            slots: dict[str, Word] = {"x": named, "colour": self.phrase.colour}
            return Draft("yes-no", "colour", "coloured", slots, answer, key=("look", self.phrase.noun))
        if self.form == "exists":
            return Draft("yes-no", "exists", "exists", {"a": self.phrase}, answer, key=("look", self.phrase.noun))
        template, slot = ("one", "one") if self.number == 1 else ("exactly", "several")
        counted = Counted(self.phrase, self.number)
        return Draft("yes-no", "count", template, {slot: counted}, answer, key=("count", self.phrase))

    def truth(self, view: View) -> Truth:
        """Whether the claim is true of a view; None if uncertain."""
        if self.form == "colour":
            only = _only(view, self.phrase.noun)
            return is_a(view[only], self.phrase) if only else None
        found = count(view, self.phrase)
        if found is None:
            return None
        return found > 0 if self.form == "exists" else found == self.number


def _only(view: View, noun: str) -> str:
    """Id of the only thing with a noun; empty if there is not exactly one."""
    ids = [entity.id for entity in view.things if entity.noun == noun]
    return ids[0] if len(ids) == 1 and unique(view, Expression(ids[0], Phrase(noun))) else ""


def _phrases(view: View) -> list[Phrase]:
    found = {Phrase(entity.noun): None for entity in view.things}
    coloured = [(entity.noun, colour) for entity in view.things if (colour := asked_colour(entity))]
    return list(found | {Phrase(noun, colour): None for noun, colour in coloured})


def _existing(view: View) -> list[Claim]:
    return [Claim("exists", phrase) for phrase in _phrases(view)]


def _counted(view: View) -> list[Claim]:
    numbers = [(phrase, count(view, phrase)) for phrase in _phrases(view) if not phrase.colour]
    return [Claim("count", phrase, found) for phrase, found in numbers if found and found < len(NUMBERS)]


def _coloured(view: View) -> list[Claim]:
    things = [entity for entity in view.things if asked_colour(entity) and _only(view, entity.noun)]
    return [Claim("colour", Phrase(entity.noun, entity.colour)) for entity in things]


CLAIMS: dict[str, Callable[[View], list[Claim]]] = {"exists": _existing, "count": _counted, "colour": _coloured}
"""Form → generator of claims that are true of a view."""


def ask_claim(view: View, foil: View, rng: np.random.Generator, form: str) -> Draft | None:
    """Ask about a claim that is true of exactly one of two views; a coin flip decides of which."""
    yes = bool(rng.integers(2))
    there, elsewhere = (view, foil) if yes else (foil, view)
    claims = [claim for claim in CLAIMS[form](there) if claim.truth(there) and claim.truth(elsewhere) is False]
    harder = [claim for claim in claims if count(elsewhere, Phrase(claim.phrase.noun))]
    claims = harder if harder or form == "count" else claims  # a count of none would ask whether there are any
    return claims[int(rng.integers(len(claims)))].draft(view, yes) if claims else None


def ask_count(view: View, foil: View, rng: np.random.Generator) -> Draft | None:
    """How many mugs are there? The choices are the numbers in the two views."""
    nouns = sorted({entity.noun for entity in (*view.things, *foil.things)})
    counts = [(Phrase(noun), count(view, Phrase(noun)), count(foil, Phrase(noun))) for noun in nouns]
    known = [(phrase, here, there) for phrase, here, there in counts if here is not None and there not in (None, here)]
    known = [found for found in known if 0 not in found]
    if not known:
        return None
    phrase, here, there = known[int(rng.integers(len(known)))]
    choices = tuple(sorted((here, there or 0)))
    return Draft("choice", "count", "count", {"many": Counted(phrase)}, here, choices, ("count", phrase))


def ask_look(view: View, foil: View, rng: np.random.Generator, form: str) -> Draft | None:
    """What colour is the object that is on the desk? The choices are the answers in the two views."""
    alike_words = ALIKE_COLOURS if form == "colour" else ALIKE_MATERIALS
    drafts = []
    for text, here in nameless(view).items():
        there = nameless(foil).get(text)
        words = [_look(one[name.id], form) for one, name in ((view, here), (foil, there)) if name]
        silent = {"", *PATTERNS}.intersection(words)
        if len(words) == 2 and words[0] != words[1] and not silent and (words[0], words[1]) not in alike_words:
            drafts.append((text, here, words))
    if not drafts:
        return None
    _, here, words = sorted(drafts, key=lambda draft: draft[0])[int(rng.integers(len(drafts)))]
    said: list[Word] = [Material(word) if form == "material" else word for word in words]
    choices = tuple(sorted(said, key=str)[index] for index in rng.permutation(2))
    return Draft("choice", form, form, {"x": here}, said[0], choices, (form, here.id))


def _look(entity: Entity, form: str) -> str:
    return asked_colour(entity) if form == "colour" else entity.material


def _pairs(view: View, foil: View) -> Iterator[tuple[Pair, Pair]]:
    """Ordered pairs of shared expressions, of different things in both views."""
    for one, other in permutations(shared(view, foil), 2):
        if one[0].id != other[0].id and one[1].id != other[1].id:
            yield one, other


def _in_both(one: Pair, other: Pair, view: View, foil: View, test: Callable[[View, Entity, Entity], Any]) -> list[Any]:
    return [test(seen, seen[one[at].id], seen[other[at].id]) for at, seen in enumerate((view, foil))]


def ask_shared(view: View, foil: View, rng: np.random.Generator, kind: str, form: str) -> Draft | None:
    """Is the mug in front of the leftmost object? Which is higher up? The answers differ between the two views."""
    relations = _RELATIONS.get(form, ()) if kind == "yes-no" else ()
    names = (*QUALITIES.get(form, ()), *relations)
    name = names[int(rng.integers(len(names)))]
    if name in relations:
        test: Callable[[View, Entity, Entity], Any] = lambda seen, a, b: related(seen, name, a, b)  # noqa: E731
    else:
        test = quality(name).compare
    fits = [pair for pair in _pairs(view, foil) if set(_in_both(*pair, view, foil, test)) == {True, False}]
    if not fits:
        return None
    (first, _), (second, _) = fits[int(rng.integers(len(fits)))]
    leads = test(view, view[first.id], view[second.id])
    key = ("support", first.id) if name == "on" else (AXES[name], frozenset((first.id, second.id)))
    if kind == "open":
        slots: dict[str, Word] = {"more": name, "x": first, "y": second}
        return Draft("open", form, "which", slots, first if leads else second, key=key)
    slots = {"x": first, "y": second}
    slots |= {"place": Place(name, second.phrase.noun)} if name in relations else {"more": name}
    return Draft("yes-no", form, "related" if name in relations else "more", slots, "yes" if leads else "no", key=key)


def ask_between(view: View, foil: View, rng: np.random.Generator) -> Draft | None:
    """Is the mug between the bowl and the tallest object?"""
    known = shared(view, foil)
    if len(known) < 3:
        return None
    for _ in range(_TRIPLES):
        triple = [known[index] for index in rng.permutation(len(known))[:3]]
        truths = [is_between(seen, *(seen[one[at].id] for one in triple)) for at, seen in enumerate((view, foil))]
        if set(truths) == {True, False}:
            names = [one[0] for one in triple]
            slots: dict[str, Word] = dict(zip("xyz", names, strict=True))
            key = ("between", frozenset(name.id for name in names))
            return Draft("yes-no", "between", "between", slots, "yes" if truths[0] else "no", key=key)
    return None


def ask_carries(view: View, foil: View, rng: np.random.Generator) -> Draft | None:
    """Is there anything on the desk?"""
    fits = [
        (here, carries(view, view[here.id]))
        for here, there in shared(view, foil)
        if {carries(view, view[here.id]), carries(foil, foil[there.id])} == {True, False}
    ]
    if not fits:
        return None
    ground, full = fits[int(rng.integers(len(fits)))]
    slots: dict[str, Word] = {"place": Place("on", ground.phrase.noun), "x": ground}
    return Draft("yes-no", "support", "any", slots, "yes" if full else "no", key=("any", ground.id))


def ask_support(view: View, foil: View, rng: np.random.Generator) -> Draft | None:
    """What is the tallest object standing on? The choices are the answers in the two views."""
    fits = []
    for here, there in shared(view, foil):
        nouns = [_ground(view, here), _ground(foil, there)]
        if all(nouns) and nouns[0] != nouns[1] and not alike(*nouns):
            fits.append((here, nouns))
    if not fits:
        return None
    thing, nouns = fits[int(rng.integers(len(fits)))]
    words = [Counted(Phrase(noun), 1) for noun in nouns]
    choices = tuple(sorted(words, key=str)[index] for index in rng.permutation(2))
    return Draft("choice", "support", "support", {"x": thing}, words[0], choices, ("support", thing.id))


def _ground(view: View, thing: Expression) -> str:
    """Noun of what a thing stands on; empty if there is no word for it."""
    support = view[thing.id].support
    return view[support].noun if support and view[support].noun not in NO_GROUND else ""


def ask_distance(view: View, foil: View, rng: np.random.Generator) -> Draft | None:
    """About how far is the mug from the bowl? The choices are the steps in the two views."""
    fits = []
    for pair in _pairs(view, foil):
        steps = _in_both(*pair, view, foil, step_cm)
        if None not in steps and max(steps) >= DOUBLE * min(steps):
            fits.append((pair, steps))
    if not fits:
        return None
    ((first, _), (second, _)), steps = fits[int(rng.integers(len(fits)))]
    choices = tuple(Length(step) for step in sorted(steps))
    key = ("distance", frozenset((first.id, second.id)))
    return Draft("choice", "distance", "distance", {"x": first, "y": second}, Length(steps[0]), choices, key)
