"""Captions, also usable as text-to-image prompts: short, compositional, long, and of empty things."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ._facts import Maker, drawn, facts
from ._refer import a, noun_words, phrases, pick, plain, relation_words
from ._space import carries, is_between, related
from ._truth import Phrase, count
from ._validation import require_word
from .view import SEEN, Entity, Sentence, View
from .words import CONTAINERS, NO_GROUND, NUMBERS, RELATIONS, listed, plural, sentence

_STARTS = ("", "a picture of ", "a photo of ")
_FLOORS = ("floor", "wall")
"""Nouns that take `the` in captions, which have `a` for everything else."""
_BARE = (
    "table", "side table", "desk", "bench", "stool", "chair", "armchair", "sofa", "bed", "tray", "plate", *CONTAINERS,
)  # fmt: skip
"""Nouns of things that are said to have nothing on them, or for containers to be empty."""


def captions(view: View, rng: np.random.Generator, n: int, forms: Sequence[str] | None = None) -> list[Sentence]:
    """Generate up to n different true captions of a view, at most one of them long. `a mug` means exactly one mug.

    Args:
        view: The scene.
        rng: Random generator.
        n: Maximum number of captions.
        forms: Some of `short`, `compositional`, `together`, `between`, `long`, `empty`; None: all.

    Raises:
        PixelProofError: There is no such form.
    """
    for form in forms or ():
        require_word("form of captions", form, list(_FORMS))
    return drawn([maker for form, maker in _FORMS.items() if forms is None or form in forms], view, rng, n, caption_key)


def caption_key(caption: Sentence) -> object:
    """What a caption says, whatever its first words and its order."""
    if caption.form == "long":
        return ""
    words = caption.text.lower().removesuffix(".")
    for start in _STARTS[1:]:
        words = words.removeprefix(start)
    return frozenset(re.split(", and |, | and ", words))


def _caption(form: str, words: str) -> Sentence:
    return Sentence("caption", form, sentence(words))


def _start(rng: np.random.Generator) -> str:
    return _STARTS[int(rng.integers(len(_STARTS)))]


def _counted(view: View, entity: Entity, rng: np.random.Generator) -> str:
    """The class of a thing with its count, such as `two red mugs`; empty if the count is uncertain."""
    known = phrases(entity)
    phrase = known[int(rng.integers(len(known)))]
    found = count(view, phrase)
    if phrase.material and found != count(view, replace(phrase, material="")):
        return ""  # *a metal lamp* beside another lamp: few can tell which
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
    start = _start(rng)
    return _caption("short", start + listed(words)) if words else None


def _empty(view: View, rng: np.random.Generator) -> Sentence | None:
    """A desk with nothing on it; an empty basket."""
    bare = [thing for thing in pick(rng, view) if thing.noun in _BARE and carries(view, thing) is False]
    start = _start(rng)
    if not bare or not (words := _one(view, bare[0], rng)):
        return None
    if bare[0].noun in CONTAINERS:
        return _caption("empty", f"{start}an empty {words.split(' ', 1)[1]}")
    return _caption("empty", f"{start}{words} with nothing on it")


def _compositional(view: View, rng: np.random.Generator) -> Sentence | None:
    parts = []
    for first, second in zip(*[iter(pick(rng, view, 2 * int(rng.integers(1, 3))))] * 2, strict=True):
        names = [name for name in RELATIONS if name != "below" and related(view, name, first, second)]
        words = [_one(view, entity, rng) for entity in (first, second)]
        if not names or not all(words):
            return None
        name = names[int(rng.integers(len(names)))]
        parts.append(f"{words[0]} {relation_words(name, second.noun)} {words[1]}")
    return _caption("compositional", ", and ".join(parts)) if parts else None


def _together(view: View, rng: np.random.Generator) -> Sentence | None:
    """A red mug and a book on a desk."""
    for thing in pick(rng, view):
        ground = view[thing.support] if thing.support else None
        if ground is None or ground.noun in (*NO_GROUND, *_FLOORS) or not (place := _one(view, ground, rng)):
            return None
        there = [entity for entity in view.things if entity.support == ground.id and entity.visible >= SEEN]
        chosen = [there[index] for index in rng.permutation(len(there))[: int(rng.integers(1, 4))]]
        words = [_one(view, entity, rng) for entity in chosen]
        if all(words) and len(set(words)) == len(words):
            return _caption("compositional", f"{listed(words)} {relation_words('on', ground.noun)} {place}")
    return None


def _between(view: View, rng: np.random.Generator) -> Sentence | None:
    """A mug between a bowl and a jug."""
    things = pick(rng, view, 3)
    if not things or not is_between(view, *things):
        return None
    words = [_one(view, entity, rng) for entity in things]
    return _caption("compositional", f"{words[0]} between {words[1]} and {words[2]}") if all(words) else None


def _long(view: View, rng: np.random.Generator) -> Sentence | None:
    """Everything that stands on something, support by support; then how some things are placed."""
    if any(0 < entity.visible < SEEN for entity in view.things):
        return None
    sentences = []
    for ground in view.entities:
        there = [entity for entity in view.entities if entity.support == ground.id and entity.visible > 0]
        if there:
            if ground.noun in NO_GROUND or not (place := plain(view, ground)):
                return None
            sentences.append(_listing(ground, place.text, _census(there)))
    known = [fact for fact in facts(view, rng, 24) if fact.form in ("relation", "between")]
    extra: dict[frozenset[str], str] = {}
    for fact in known:
        if not any(word in fact.text for word in ("most ", "object", "viewer", "est ")):
            extra.setdefault(frozenset(fact.about), fact.text)
    chosen = list(extra.values())[: int(rng.integers(1, 4))]
    return Sentence("caption", "long", " ".join([*sentences, *chosen])) if sentences else None


def _listing(ground: Entity, place: str, words: list[str]) -> str:
    """A sentence that lists everything on a support."""
    if ground.noun == "floor":
        return f"A room with {listed(words)}."
    if ground.fixed and ground.noun in ("table", "shelf unit"):
        return f"{a(Phrase(ground.noun)).capitalize()} with {listed(words)} on it."
    be = "is" if len(words) == 1 and words[0].startswith(("a ", "an ")) else "are"
    return f"{relation_words('on', ground.noun).capitalize()} {place} there {be} {listed(words)}."


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
    "compositional": _compositional,
    "together": _together,
    "between": _between,
    "long": _long,
    "empty": _empty,
}
