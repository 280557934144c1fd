"""Flat scenes as a source: coloured shapes, with the exact mask of each; needs no extra."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from pixelproof.benches.sources import FlatScenes, SceneFacts
from pixelproof.contract import PixelProofError

from ._generated import Generated, Mention


@dataclass(frozen=True)
class Flat(Generated):
    """Scenes of the flat world; labels are shapes."""

    name = "flat"

    @cached_property
    def nouns(self) -> Sequence[str]:
        """The names of all shapes."""
        from pixelproof.world.flat import SHAPES

        return sorted(SHAPES)

    def mention(self, facts: SceneFacts, rng: np.random.Generator) -> Iterator[Mention]:
        """Objects by colour and shape, or by the shape alone where there is one of it."""
        from pixelproof.world.flat import FlatScene

        sprites = FlatScene.from_json(facts.json).sprites
        for place in rng.permutation(len(sprites)):
            sprite = sprites[place]
            alone = facts.nouns.count(sprite.shape) == 1 and rng.random() < 0.5
            text = f"the {sprite.shape}" if alone else f"the {sprite.colour} {sprite.shape}"
            yield Mention(int(place) + 1, text, "noun" if alone else "attribute")


def open_flat(data: Path | None, task: str = "semantic", *, size: int = 512) -> Flat:
    """Flat scenes.

    Args:
        data: Must be None.
        task: Any but depth and normals.
        size: Pixels of a side of the image.
    """
    if data is not None:
        raise PixelProofError(f"The source 'flat' generates its images: leave out {data}, or choose another source.")
    if task in ("depth", "normals"):
        raise PixelProofError(f"Flat scenes have no {task}: choose another task, or the source 'world'.")
    return Flat(task, FlatScenes("arena/flat", size))
