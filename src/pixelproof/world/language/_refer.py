"""Referring expressions: phrases that identify one thing of a view."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ._truth import BEATS, Phrase, both, most, relation, truths_of
from ._validation import expect_arguments, require_word
from .view import SEEN, Entity, View
from .words import CONTAINERS, MATERIALS, NO_GROUND, OBJECT, RELATIONS, article, plural

FORMS = ("noun", "attribute", "superlative", "relation")
_LONGER = 0.3
"""Probability of a longer expression than needed."""


@dataclass(frozen=True)
class Expression:
    """A phrase that identifies one thing."""

    id: str
    phrase: Phrase
    superlative: str = ""
    relation: str = ""
    anchor: Expression | None = None

    @property
    def form(self) -> str:
        """The form: `noun`, `attribute`, `superlative` or `relation`."""
        if self.anchor:
            return "relation"
        if self.superlative:
            return "superlative"
        return "attribute" if self.phrase.colour or self.phrase.material else "noun"

    @property
    def text(self) -> str:
        """The English text."""
        words = noun_words(self.phrase)
        if self.superlative == "nearest":
            words = f"{words} closest to the viewer"
        elif self.superlative == "farthest":
            words = f"{words} farthest from the viewer"
        elif self.superlative:
            words = f"{self.superlative} {words}"
        if self.anchor:
            words = f"{words} that is {relation_words(self.relation, self.anchor.phrase.noun)} {self.anchor.text}"
        return f"the {words}"


def noun_words(phrase: Phrase, number: int = 1) -> str:
    """Words for a class of things, without an article.

    >>> noun_words(Phrase("wine glass", "red", "plastic"), 2)
    'red plastic wine glasses'
    """
    noun = phrase.noun if number == 1 else plural(phrase.noun)
    return " ".join(word for word in (phrase.colour, phrase.material, noun) if word)


def a(phrase: Phrase) -> str:
    """A class of things with an indefinite article."""
    return article(noun_words(phrase))


def relation_words(name: str, anchor: str) -> str:
    """Words for a relation to a thing with a noun."""
    return "in" if name == "on" and anchor in CONTAINERS else RELATIONS[name]


def refer(view: View, id: str, rng: np.random.Generator, forms: Sequence[str] = FORMS) -> Expression | None:
    """Generate an expression that identifies one thing of a view, usually a shortest one.

    Args:
        view: The scene.
        id: Id of the thing.
        rng: Random generator.
        forms: Allowed forms of expressions.

    Returns:
        The expression; None if none is certainly unique.

    Raises:
        PixelProofError: There is no such thing in the view, or no such form.
    """
    expect_arguments(view, rng)
    for form in forms:
        require_word("form of expressions", form, FORMS)
    entity, fallback = view[id], None
    for tier in range(_TIERS):
        fits = _fitting(view, entity.id, tuple(forms), tier)
        if fits:
            chosen = fits[int(rng.integers(len(fits)))]
            if rng.random() >= _LONGER:
                return chosen
            fallback = fallback or chosen
    return fallback


def unique(view: View, expression: Expression) -> bool:
    """Whether an expression fits its thing and certainly no other."""
    if expression.superlative:
        best = most(view, expression.superlative, expression.phrase)
        return best is not None and best.id == expression.id
    for entity, truth in zip(view.entities, truths_of(view, expression.phrase), strict=True):
        if expression.anchor and truth is not False:
            truth = both((truth, relation(view, expression.relation, entity, view[expression.anchor.id])))
        if truth is not (entity.id == expression.id):
            return False
    return True


def phrases(entity: Entity) -> list[Phrase]:
    """Classes that describe a thing, shortest first."""
    colour, material = entity.colour, entity.material if entity.material in MATERIALS else ""
    found = [Phrase(entity.noun)]
    found += [Phrase(entity.noun, colour)] if colour else []
    found += [Phrase(entity.noun, material=material)] if material else []
    return found + ([Phrase(entity.noun, colour, material)] if colour and material else [])


def plain(view: View, entity: Entity) -> Expression | None:
    """The shortest expression without superlatives and relations, or None."""
    for phrase in phrases(entity):
        if unique(view, expression := Expression(entity.id, phrase)):
            return expression
    return None


_TIERS = 7
"""Groups of candidate expressions, shortest first: see `_candidates`."""


@lru_cache(maxsize=4096)
def _fitting(view: View, id: str, forms: tuple[str, ...], tier: int) -> tuple[Expression, ...]:
    """The expressions of a tier that identify a thing; questions about a view refer to each thing many times."""
    candidates = _candidates(view, view[id], tier) if tier < 5 or "relation" in forms else ()
    return tuple(one for one in candidates if one.form in forms and unique(view, one))


def _candidates(view: View, entity: Entity, tier: int) -> Iterable[Expression]:
    """Expressions that may identify a thing: by 0, 1 or 2 attributes, by two kinds of superlatives, by relations."""
    classes = phrases(entity)
    if tier < 3:
        return [Expression(entity.id, one) for one in classes if bool(one.colour) + bool(one.material) == tier]
    if entity.fixed:
        return ()
    if tier < 5:
        phrase = classes[0] if tier == 3 else Phrase(OBJECT)
        return [Expression(entity.id, phrase, superlative) for superlative in BEATS]
    return _related(view, entity, classes[:1] if tier == 5 else classes[1:])


def _related(view: View, entity: Entity, classes: Sequence[Phrase]) -> Iterator[Expression]:
    for other in view.entities:
        if other.fixed and (other.id != entity.support or other.noun in NO_GROUND):
            continue
        names = [name for name in RELATIONS if relation(view, name, entity, other)]
        if names and (anchor := plain(view, other)):
            yield from (Expression(entity.id, phrase, "", name, anchor) for phrase in classes for name in names)


def pick(rng: np.random.Generator, view: View, number: int = 1) -> list[Entity]:
    """Random distinct things that are clearly visible; empty if there are too few."""
    things = [entity for entity in view.things if entity.visible >= SEEN]
    if len(things) < number:
        return []
    return [things[index] for index in rng.permutation(len(things))[:number]]


def named(view: View, rng: np.random.Generator, number: int, forms: Sequence[str] = FORMS[:3]) -> list[Expression]:
    """Referring expressions for several things, without relations by default; empty if one has none."""
    found = [refer(view, entity.id, rng, forms) for entity in pick(rng, view, number)]
    return [expression for expression in found if expression] if all(found) else []
