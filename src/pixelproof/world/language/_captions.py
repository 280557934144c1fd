"""Captions, also usable as text-to-image prompts: short, long, compositional, with negation."""

from __future__ import annotations

import numpy as np

from ._facts import Maker, drawn, facts, pick
from ._refer import a, noun_words, phrases, plain, relation_words
from ._truth import Phrase, count, relation
from ._view import SEEN, Entity, Sentence, View
from ._words import NO_GROUND, NUMBERS, RELATIONS, article, listed, plural, sentence


def captions(view: View, rng: np.random.Generator, n: int) -> list[Sentence]:
    """Generate up to n different true captions of a view. `a mug` means exactly one mug."""
    return drawn(list(_FORMS.values()), view, rng, n)


def _caption(form: str, words: str) -> Sentence:
    return Sentence("caption", form, sentence(words))


def _counted(view: View, entity: Entity, rng: np.random.Generator) -> str:
    """The class of a thing with its count, such as `two red mugs`; empty if the count is uncertain."""
    known = phrases(entity)
    phrase = known[int(rng.integers(len(known)))]
    found = count(view, phrase)
    if not found or found >= len(NUMBERS):
        return ""
    return a(phrase) if found == 1 else f"{NUMBERS[found]} {noun_words(phrase, found)}"


def _one(view: View, entity: Entity, rng: np.random.Generator) -> str:
    """A thing as `a red mug` if it is the only one of its class; else empty."""
    words = _counted(view, entity, rng)
    return words if words.startswith(("a ", "an ")) else ""


def _several(view: View, rng: np.random.Generator, number: int) -> list[str]:
    """Several classes of things with their counts."""
    words: dict[str, str] = {}
    for entity in pick(rng, view, min(len(view.things), 2 * number)):
        if len(words) < number and entity.noun not in words and (text := _counted(view, entity, rng)):
            words[entity.noun] = text
    return list(words.values()) if len(words) == number else []


def _short(view: View, rng: np.random.Generator) -> Sentence | None:
    words = _several(view, rng, int(rng.integers(1, 4)))
    start = str(rng.choice(["", "a picture of ", "a photo of "]))
    return _caption("short", start + listed(words)) if words else None


def _negation(view: View, rng: np.random.Generator) -> Sentence | None:
    words = _several(view, rng, int(rng.integers(1, 3)))
    noun = view.nouns[int(rng.integers(len(view.nouns)))] if view.nouns else ""
    if not words or not noun or count(view, Phrase(noun)) != 0:
        return None
    ends = [f" and no {noun}", f", but no {plural(noun)}", f", without {article(noun)}"]
    if len(words) > 1:
        ends[0] = f", and no {noun}"
    return _caption("negation", listed(words) + str(rng.choice(ends)))


def _compositional(view: View, rng: np.random.Generator) -> Sentence | None:
    parts = []
    for first, second in zip(*[iter(pick(rng, view, 2 * int(rng.integers(1, 3))))] * 2, strict=True):
        names = [name for name in RELATIONS if relation(view, name, first, second)]
        words = [_one(view, entity, rng) for entity in (first, second)]
        if not names or not all(words):
            return None
        name = names[int(rng.integers(len(names)))]
        parts.append(f"{words[0]} {relation_words(name, second.noun)} {words[1]}")
    return _caption("compositional", ", and ".join(parts)) if parts else None


def _long(view: View, rng: np.random.Generator) -> Sentence | None:
    """Everything that stands on something, support by support; then some facts."""
    if any(0 < entity.visible < SEEN for entity in view.things):
        return None
    sentences = []
    for ground in view.entities:
        there = [entity for entity in view.things if entity.support == ground.id and entity.visible > 0]
        if there:
            if ground.noun in NO_GROUND or not (place := plain(view, ground)):
                return None
            words = _census(there)
            be = "is" if words[0].startswith(("a ", "an ")) else "are"
            sentences.append(
                f"{relation_words('on', ground.noun).capitalize()} {place.text} there {be} {listed(words)}."
            )
    extra = [fact.text for fact in facts(view, rng, int(rng.integers(3, 7))) if fact.form in ("relation", "distance")]
    return Sentence("caption", "long", " ".join([*sentences, *extra])) if sentences else None


def _census(entities: list[Entity]) -> list[str]:
    """A complete list of some things: unique ones with their attributes, others with their count."""
    kinds: dict[str, list[Entity]] = {}
    for entity in entities:
        kinds.setdefault(entity.noun, []).append(entity)
    return [
        a(phrases(group[0])[-1]) if len(group) == 1 else f"{NUMBERS[len(group)]} {plural(noun)}"
        for noun, group in kinds.items()
    ]


_FORMS: dict[str, Maker] = {
    "short": _short,
    "negation": _negation,
    "compositional": _compositional,
    "long": _long,
}
