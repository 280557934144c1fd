"""The single statements of a claim: a yes/no question for each, and whether it is true of a view."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from ._claims import Claim
from ._refer import a, noun_words, relation_words
from ._space import carries, is_between, related
from ._truth import Phrase, count, is_a
from .view import Entity, View
from .words import NUMBERS, PATTERNS


@dataclass(frozen=True)
class Statement:
    """One thing that a caption says, which a yes/no question can ask for; the answer is yes if it is true."""

    kind: str
    """`object`, `count`, `colour`, `material`, `relation` or `empty`."""
    claim: Claim
    question: str


def statements(claims: tuple[Claim, ...]) -> list[Statement]:
    """The statements of a caption's claims, each once, in their order.

    >>> two = Claim("mug", 2, "red")
    >>> [statement.question for statement in statements((two,))]
    ['Does the image show a mug?', 'Does the image show exactly two red mugs?', 'Are the mugs red?']
    >>> left = Claim("mug", relation="left", others=(Claim("bowl"),))
    >>> statements((left,))[-1].question
    'Is the mug to the left of the bowl?'
    """
    made = {statement.question: statement for claim in claims for statement in _of_claim(claim)}
    return list(made.values())


def _of_claim(claim: Claim) -> Iterator[Statement]:
    for thing in (claim, *claim.others):
        yield from _of_thing(thing)
    if claim.relation == "empty":
        yield Statement("empty", claim, f"Is there nothing on or in {_the(claim)}?")
    elif claim.relation == "between":
        first, second = map(_the, claim.others)
        yield Statement("relation", claim, f"Is {_the(claim)} between {first} and {second}?")
    elif claim.relation:
        (other,) = claim.others
        words = relation_words(claim.relation, other.noun)
        yield Statement("relation", claim, f"Is {_the(claim)} {words} {_the(other)}?")


def _of_thing(thing: Claim) -> Iterator[Statement]:
    yield Statement("object", thing, f"Does the image show {a(Phrase(thing.noun))}?")
    be, things = ("Is", noun_words(Phrase(thing.noun))) if thing.count == 1 else ("Are", _several(thing))
    if thing.count > 1:
        words = noun_words(_phrase(thing), thing.count)
        yield Statement("count", thing, f"Does the image show exactly {NUMBERS[thing.count]} {words}?")
    if thing.colour:
        yield Statement("colour", thing, f"{be} the {things} {thing.colour}?")
    if thing.material:
        made = thing.material if thing.material in PATTERNS else f"made of {_substance(thing.material)}"
        yield Statement("material", thing, f"{be} the {things} {made}?")


def _substance(material: str) -> str:
    return "wood" if material == "wooden" else material


def _several(thing: Claim) -> str:
    return noun_words(Phrase(thing.noun), thing.count)


def _phrase(thing: Claim) -> Phrase:
    return Phrase(thing.noun, thing.colour, thing.material)


def _the(thing: Claim) -> str:
    return f"the {noun_words(_phrase(thing))}"


def is_true(view: View, statement: Statement) -> bool:
    """Whether a statement is certainly true of a view."""
    thing = statement.claim
    if statement.kind == "object":
        return bool(_fitting(view, Phrase(thing.noun)))
    if statement.kind == "count":
        return count(view, _phrase(thing)) == thing.count
    if statement.kind == "colour":
        return len(_fitting(view, Phrase(thing.noun, thing.colour))) >= thing.count
    if statement.kind == "material":
        return len(_fitting(view, Phrase(thing.noun, "", thing.material))) >= thing.count
    places = [_fitting(view, _phrase(one)) for one in (thing, *thing.others)]
    if statement.kind == "empty":
        return any(carries(view, entity) is False for entity in places[0])
    if thing.relation == "between":
        return any(is_between(view, *things) for things in product(*places))
    return any(related(view, thing.relation, *pair) for pair in product(*places))


def _fitting(view: View, phrase: Phrase) -> list[Entity]:
    return [entity for entity in view.entities if is_a(entity, phrase)]
