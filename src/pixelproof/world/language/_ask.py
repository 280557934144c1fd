"""Sentences about a generated solid scene."""

from __future__ import annotations

import numpy as np

from pixelproof.contract import PixelProofError
from pixelproof.stats import generator
from pixelproof.world.solid import Scene

from ._captions import captions
from ._edits import LANGUAGES, instruct
from ._facts import facts
from ._propose import propose
from ._questions import questions
from ._solid import view_of
from ._validation import require_seed, require_whole, require_word
from .view import Sentence, View

_SIZE = 256
WHAT = ("questions", "captions", "facts", "edits")
"""Kinds of sentences."""
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
    """Generate up to n sentences about a scene; for questions, the next scene of the seed is the foil.

    Args:
        kind: Kind of scene, such as `tabletop`.
        seed: Seed of the scene.
        index: Index of the scene.
        n: Maximum number of sentences.
        split: Split of the scene.
        what: One of `WHAT`. Edits are those that `apply` can carry out.
        language: `en`, or for questions and edits also `zh`.

    Raises:
        PixelProofError: The kind, split, language or kind of sentence is unknown, or the seed or index invalid.
    """
    require_word("kind of sentence", what, WHAT)
    if language not in LANGUAGES or (language != "en" and what not in ("questions", "edits")):
        raise PixelProofError(
            f"{what.capitalize()} are not available in {language!r}: choose en, or for questions and edits also zh."
        )
    require_seed(seed, index)
    require_whole("sentences", n, 0)
    scene, view = _rendered_view(kind, seed, index, split)
    rng = generator(seed, f"{what}/{kind}/{split}", index)
    if what == "questions":
        return questions(view, _rendered_view(kind, seed, index + 1, split)[1], rng, n, language=language)
    if what == "edits":
        return _edits(scene, view, rng, n, language)
    return (captions if what == "captions" else facts)(view, rng, n)


def _edits(scene: Scene, view: View, rng: np.random.Generator, n: int, language: str) -> list[Sentence]:
    sentences: dict[str, Sentence] = {}
    for _ in range(_TRIES * n):
        if len(sentences) == n:
            break
        edit = propose(view, rng, scene=scene)
        sentence = instruct(view, edit, rng, language) if edit else None
        if sentence:
            sentences.setdefault(sentence.text, sentence)
    return list(sentences.values())


def _rendered_view(kind: str, seed: int, index: int, split: str) -> tuple[Scene, View]:
    from pixelproof.world.solid.layouts import make_scene
    from pixelproof.world.solid.render import render

    scene = make_scene(kind, seed, index, split=split)
    layers = render(scene, _SIZE, quality="draft", layers=("ids", "amodal", "visible"))
    shares = dict(zip((thing.id for thing in scene.things), layers.visible.tolist(), strict=True))
    return scene, view_of(scene, shares)
