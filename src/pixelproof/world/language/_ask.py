"""Sentences about a scene of the solid world, from a seed."""

from __future__ import annotations

import numpy as np

from pixelproof.contract import PixelProofError
from pixelproof.stats import generator

from ._captions import captions
from ._edits import LANGUAGES, WAYS, instruct, turn_is_seen
from ._facts import facts
from ._questions import questions
from ._solid import view_of
from ._view import Edit, Sentence, View

_SIZE = 256
WHAT = ("questions", "captions", "facts", "edits")
"""What can be said of a scene."""
_TRIES = 15
_AMOUNTS = {
    "move": (0.05, 0.4),
    "place": (0.1, 0.4),
    "turn": (20.0, 160.0),
    "scale": (1.2, 1.8),
    "move camera": (0.1, 0.5),
    "turn camera": (5.0, 25.0),
}
"""From and to which amounts of edits are drawn; none for the other actions."""


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
        PixelProofError: There is no such kind, split, language or sort of sentence.
    """
    if what not in WHAT:
        raise PixelProofError(f"There are no {what!r} of scenes: choose from {', '.join(WHAT)}.")
    if language not in LANGUAGES or (language != "en" and what != "edits"):
        raise PixelProofError(f"{what.capitalize()} are not written in {language!r}: choose en, or for edits also zh.")
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
        edit = _edit(view, rng)
        told = instruct(view, edit, rng, language) if edit else None
        if told:
            found.setdefault(told.text, told)
    return list(found.values())


def _edit(view: View, rng: np.random.Generator) -> Edit | None:
    """Some edit of a scene; None if chance found none that would be seen."""
    if len(view.things) < 2:
        return None
    action = list(WAYS)[int(rng.integers(len(WAYS)))]
    way = WAYS[action][int(rng.integers(len(WAYS[action])))]
    target, other = (view.things[place] for place in rng.choice(len(view.things), 2, replace=False).tolist())
    grounds = [entity for entity in view.entities if entity.fixed and entity.id == target.support]
    anchor = grounds[0] if action == "put" and grounds else other
    amount = round(float(rng.uniform(*_AMOUNTS[action])), 3) if action in _AMOUNTS else 0.0
    if (action == "put" and not grounds) or (action == "turn" and not turn_is_seen(target.turn, amount)):
        return None
    return Edit(
        action,  # type: ignore[arg-type]
        "" if "camera" in action else target.id,
        way,
        amount,
        anchor.id if action in ("place", "put", "swap") else "",
    )


def _seen(kind: str, seed: int, index: int, split: str) -> View:
    from pixelproof.world.solid.layouts import make_scene
    from pixelproof.world.solid.render import render

    scene = make_scene(kind, seed, index, split=split)
    layers = render(scene, _SIZE, quality="draft", layers=("ids", "amodal", "visible"))
    shares = dict(zip((thing.id for thing in scene.things), layers.visible.tolist(), strict=True))
    return view_of(scene, shares)
