"""Sentences about a scene of the solid world, from a seed."""

from __future__ import annotations

import numpy as np

from pixelproof.contract import PixelProofError
from pixelproof.stats import generator

from ._captions import captions
from ._edits import LANGUAGES, instruct
from ._facts import facts
from ._given import require_seed, require_whole, require_word
from ._proposing import propose
from ._questions import questions
from ._solid import view_of
from ._view import Sentence, View

_SIZE = 256
WHAT = ("questions", "captions", "facts", "edits")
"""What can be said of a scene."""
_TRIES = 15


def ask(
    kind: str,
    seed: int,
    index: int = 0,
    n: int = 12,
    split: str = "train",
    what: str = "questions",
    language: str = "en",
) -> list[Sentence]:
    """Up to n sentences about a scene; for questions, the scene after it is the foil.

    Args:
        kind: Of scene, such as `tabletop`.
        seed: Of a set of scenes.
        index: In the set.
        n: How many sentences.
        split: Which the scene is from.
        what: One of `WHAT`. Whether an edit can be carried out is not looked at.
        language: `en`, or for edits also `zh`.

    Raises:
        PixelProofError: There is no such kind, seed, index, split, language or sort of sentence.
    """
    require_word("kind of sentence", what, WHAT)
    if language not in LANGUAGES or (language != "en" and what != "edits"):
        raise PixelProofError(f"{what.capitalize()} are not written in {language!r}: choose en, or for edits also zh.")
    require_seed(seed, index)
    require_whole("sentences", n, 0)
    view = _seen(kind, seed, index, split)
    rng = generator(seed, f"{what}/{kind}/{split}", index)
    if what == "questions":
        return questions(view, _seen(kind, seed, index + 1, split), rng, n)
    if what == "edits":
        return _edits(view, rng, n, language)
    return (captions if what == "captions" else facts)(view, rng, n)


def _edits(view: View, rng: np.random.Generator, n: int, language: str) -> list[Sentence]:
    found: dict[str, Sentence] = {}
    for _ in range(_TRIES * n):
        if len(found) == n:
            break
        edit = propose(view, rng)
        told = instruct(view, edit, rng, language) if edit else None
        if told:
            found.setdefault(told.text, told)
    return list(found.values())


def _seen(kind: str, seed: int, index: int, split: str) -> View:
    from pixelproof.world.solid.layouts import make_scene
    from pixelproof.world.solid.render import render

    scene = make_scene(kind, seed, index, split=split)
    layers = render(scene, _SIZE, quality="draft", layers=("ids", "amodal", "visible"))
    shares = dict(zip((thing.id for thing in scene.things), layers.visible.tolist(), strict=True))
    return view_of(scene, shares)
