"""Questions about a scene of the solid world, from a seed."""

from __future__ import annotations

from pixelproof.stats import generator

from ._questions import questions
from ._solid import view_of
from ._view import Sentence, View

_SIZE = 256


def ask(kind: str, seed: int, index: int = 0, n: int = 12, split: str = "train") -> list[Sentence]:
    """Up to n questions about a scene, with their answers; the scene after it is the foil.

    Args:
        kind: Of scene, such as `tabletop`.
        seed: Of a set of scenes.
        index: In the set.
        n: How many questions.
        split: Which the scene is from.
    """
    view, foil = (_seen(kind, seed, place, split) for place in (index, index + 1))
    return questions(view, foil, generator(seed, f"questions/{kind}/{split}", index), n)


def _seen(kind: str, seed: int, index: int, split: str) -> View:
    from pixelproof.world.solid.layouts import make_scene
    from pixelproof.world.solid.render import render

    scene = make_scene(kind, seed, index, split=split)
    layers = render(scene, _SIZE, quality="draft", layers=("ids", "amodal", "visible"))
    shares = dict(zip((thing.id for thing in scene.things), layers.visible.tolist(), strict=True))
    return view_of(scene, shares)
