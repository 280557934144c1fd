"""Sampled pairs, made once, and readings of them that share nothing with the samplers."""

from __future__ import annotations

import re
from functools import lru_cache

import pytest

from pixelproof.world.language import Sentence, View, view_of
from pixelproof.world.pairs import OPERATIONS, Pair, sample_pair
from pixelproof.world.solid import Scene
from pixelproof.world.solid.render import render

SINGLE = [name for name in OPERATIONS if name not in ("multi-step", "impossible")]
QUICK = ("move", "rotation", "scaling", "viewpoint")
"""Operations that are tested on every change, with one scene; the others are slow."""


def marked(names):
    """Parameters of a test, of which all but `QUICK` are slow."""
    return [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in names]


@lru_cache(maxsize=64)
def sampled(operation: str, index: int = 1, **options) -> Pair:
    if index == 1 and operation in QUICK:
        options = {"kind": "tabletop", **options}  # one scene for all of them
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
