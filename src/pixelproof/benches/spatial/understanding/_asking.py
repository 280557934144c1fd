"""Questions about the scenes of pairs, whose answers no wording tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from pixelproof.benches.sources import FrameCache
from pixelproof.benches.spatial._pairs import read_pair
from pixelproof.benches.spatial.understanding._priors import FREQUENT
from pixelproof.benches.spatial.understanding._question import Question
from pixelproof.stats import generator
from pixelproof.store import cache_root, digest

if TYPE_CHECKING:
    from pixelproof.world.language import Sentence, View
    from pixelproof.world.solid import Scene

_FORMAT = 1
"""Format of the cache on disk."""


@dataclass(frozen=True)
class Slot:
    """A place for a question: every scene has at most one question of each slot."""

    skill: str
    kinds: tuple[str, ...]
    forms: tuple[str, ...]


SLOTS: Mapping[str, Slot] = {
    "distance": Slot("distance", ("yes-no", "choice"), ("distance",)),
    "distance-number": Slot("distance", ("number",), ("distance",)),
    "direction": Slot("direction", ("yes-no",), ("relation", "depth", "height", "between")),
    "order": Slot("order", ("choice",), ("rank", "which")),
    "count": Slot("count", ("yes-no", "choice"), ("count",)),
    "count-number": Slot("count", ("number",), ("count",)),
    "support": Slot("support", ("yes-no", "choice"), ("support",)),
    "what-if": Slot("what-if", ("yes-no",), ("what-if",)),
    "what-if-number": Slot("what-if", ("number",), ("what-if",)),
    "perspective": Slot("perspective", ("yes-no", "open"), ("own-frame",)),
}
"""Name of a slot, the last part of an item's id → what is asked there."""
_SIDES = {"en": ("left", "right"), "zh": ("左边", "右边")}
_YES_NO = {"en": ("yes", "no"), "zh": ("是", "否")}


def ask_pair(pair: str, foil: str, language: str) -> dict[str, Question]:
    """Slot → question about the scene before the edit of a pair, for the slots that the scene has a question for.

    Args:
        pair: The pair as JSON.
        foil: A pair from the same distribution with another scene of the same kind. Questions distinguish the two: for
            the words of a question, either scene is as likely to be the one that is asked about.
        language: `en` or `zh`.
    """
    from pixelproof.world.pairs import PairRecipe
    from pixelproof.world.sets import software

    folder = digest([_FORMAT, software(PairRecipe("pair", 0))])[:16]
    cache = FrameCache(cache_root() / "scenes" / "spatial-questions" / folder)
    key = digest([pair, foil, language])
    stored = cache.facts(f"{key[:2]}/{key}", lambda: _asked(pair, foil, language))
    return {name: _question(name, pair, said) for name, said in stored.items()}


def _question(name: str, pair: str, said: Mapping[str, Any]) -> Question:
    """A question from its stored form; a number's most frequent answer is that of its skill."""
    slot = SLOTS[name]
    if said["kind"] == "number":
        unit = "" if slot.skill == "count" else "cm"
        return Question(slot.skill, "number", said["text"], said["answer"], (), unit, FREQUENT[slot.skill], pair)
    options = tuple(said["options"])
    return Question(slot.skill, "choice", said["text"], said["answer"], options, "", options[0], pair)


def _asked(pair: str, foil: str, language: str) -> dict[str, Any]:
    """Generate the questions of a scene."""
    asked = {}
    for name in SLOTS:
        rng = generator(0, f"understanding/{name}", int(digest([pair])[:12], 16))
        sentence = ask_slot(name, read_pair(pair).before, _view(pair), _view(foil), language, rng)
        if sentence is not None:
            options = _options(sentence)
            asked[name] = {
                "kind": "number" if sentence.kind == "number" else "choice",
                "text": sentence.text,
                "answer": sentence.answer,
                "options": list(options),
            }
    return asked


def ask_slot(
    name: str, scene: Scene, view: View, foil: View, language: str, rng: np.random.Generator
) -> Sentence | None:
    """The question of a slot about a scene; None if the scene has none.

    Args:
        name: A name from `SLOTS`.
        scene: The scene.
        view: The scene as it can be seen.
        foil: Another view from the same distribution.
        language: `en` or `zh`.
        rng: Random generator.
    """
    from pixelproof.world.language import measure_question, questions, what_if_question

    slot = SLOTS[name]
    if "what-if" in slot.forms:
        return what_if_question(view, scene, rng, slot.kinds[0], language)
    if slot.kinds == ("number",):
        return measure_question(view, foil, rng, slot.forms[0], language)
    return next(iter(questions(view, foil, rng, 1, slot.kinds, language, slot.forms)), None)


def _options(sentence: Sentence) -> tuple[str, ...]:
    if sentence.kind == "number":
        return ()
    if sentence.kind == "yes-no":
        return _YES_NO[sentence.language]
    return sentence.choices or _SIDES[sentence.language]


@lru_cache(maxsize=16)
def _view(pair: str) -> View:
    """The scene before the edit, as it can be seen."""
    from pixelproof.world.pairs import look_at

    return look_at(read_pair(pair).before).view


def ordered(options: tuple[str, ...], answer: str, place: int) -> tuple[str, ...]:
    """The options with the right one at a place, the others in their order."""
    others = [option for option in options if option != answer]
    return (*others[:place], answer, *others[place:])


class Places:
    """Places of right options: in every block of as many questions as there are options, each place occurs once."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._counts: dict[int, int] = {}

    def next(self, options: int) -> int:
        """Place of the right one among so many options."""
        block, at = divmod(self._counts.get(options, 0), options)
        self._counts[options] = self._counts.get(options, 0) + 1
        rng: np.random.Generator = generator(self._seed, f"understanding/places/{options}", block)
        return int(rng.permutation(options)[at])
