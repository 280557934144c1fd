"""Claims that are true of one of two scenes and false of the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ._refer import Expression, a, noun_words, unique
from ._truth import Phrase, Truth, count, is_a
from ._view import Sentence, View
from ._words import NUMBERS


@dataclass(frozen=True)
class Claim:
    """The claim of a yes/no question: a count of a class, existence, or the colour of the only thing of a noun."""

    form: str
    phrase: Phrase
    number: int = 0

    @property
    def text(self) -> str:
        """The question."""
        if self.form == "colour":
            return f"Is the {self.phrase.noun} {self.phrase.colour}?"
        if self.form == "exists":
            return f"Is there {a(self.phrase)}?"
        be, many = ("Is", "exactly one") if self.number == 1 else ("Are", f"exactly {NUMBERS[self.number]}")
        return f"{be} there {many} {noun_words(self.phrase, self.number)}?"

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
    return list(found | {Phrase(entity.noun, entity.colour): None for entity in view.things if entity.colour})


def _existing(view: View) -> list[Claim]:
    return [Claim("exists", phrase) for phrase in _phrases(view)]


def _counted(view: View) -> list[Claim]:
    numbers = [(phrase, count(view, phrase)) for phrase in _phrases(view) if not phrase.colour]
    return [Claim("count", phrase, found) for phrase, found in numbers if found and found < len(NUMBERS)]


def _coloured(view: View) -> list[Claim]:
    things = [entity for entity in view.things if entity.colour and _only(view, entity.noun)]
    return [Claim("colour", Phrase(entity.noun, entity.colour)) for entity in things]


CLAIMS: dict[str, Callable[[View], list[Claim]]] = {"exists": _existing, "count": _counted, "colour": _coloured}
"""Form → generator of claims that are true of a view."""


def contrast(
    view: View, foil: View, rng: np.random.Generator, claims: Callable[[View], list[Claim]]
) -> Sentence | None:
    """Ask about a claim that is true of exactly one of two views; a coin flip decides of which."""
    yes = bool(rng.integers(2))
    there, elsewhere = (view, foil) if yes else (foil, view)
    found = [claim for claim in claims(there) if claim.truth(there) and claim.truth(elsewhere) is False]
    found = [claim for claim in found if count(elsewhere, Phrase(claim.phrase.noun))] or found  # the harder ones
    if not found:
        return None
    claim = found[int(rng.integers(len(found)))]
    return Sentence("yes-no", claim.form, claim.text, "yes" if yes else "no")


def contrast_count(view: View, foil: View, rng: np.random.Generator) -> Sentence | None:
    """Ask for the count of a class that differs between the two views."""
    nouns = sorted({entity.noun for entity in (*view.things, *foil.things)})
    numbers = [(Phrase(noun), count(view, Phrase(noun)), count(foil, Phrase(noun))) for noun in nouns]
    found = [(phrase, here) for phrase, here, there in numbers if here is not None and there not in (None, here)]
    several = [(phrase, here) for phrase, here in found if here and count(foil, phrase)]
    found = several or found
    if not found:
        return None
    phrase, here = found[int(rng.integers(len(found)))]
    return Sentence("open", "count", f"How many {noun_words(phrase, 2)} are there?", str(here))
