"""Sampled pairs, made once, and readings of them that share nothing with the samplers."""

from __future__ import annotations

import re
from functools import lru_cache

from pixelproof.world.language import Sentence, View, view_of
from pixelproof.world.pairs import OPERATIONS, Pair, sample_pair
from pixelproof.world.solid import Scene
from pixelproof.world.solid.render import render

SINGLE = [name for name in OPERATIONS if name not in ("multi-step", "impossible")]


@lru_cache(maxsize=64)
def sampled(operation: str, index: int = 1, **options) -> Pair:
    return sample_pair(operation, 7, index, **options)


def seen(scene: Scene) -> View:
    """The view of a scene, from a picture of another size than the samplers use."""
    shares = render(scene, 160, quality="draft", layers=("visible",)).visible.tolist()
    return view_of(scene, dict(zip((thing.id for thing in scene.things), shares, strict=True)))


def sentences(pair: Pair) -> list[Sentence]:
    """One sentence for each step of a pair."""
    texts = [pair.text]
    if len(pair.steps) > 1:
        parts = re.split(r" ?(?:First|Then|Finally), ", pair.text)[1:]
        texts = [part[0].upper() + part[1:] for part in parts]
    return [
        Sentence("edit", step.action, text, edit=step, language=pair.language)
        for step, text in zip(pair.steps, texts, strict=True)
    ]
