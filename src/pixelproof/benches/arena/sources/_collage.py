"""Collages as a source: cut-outs on backgrounds, with the exact mask of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from pixelproof.benches.sources import CollageScenes, SceneFacts
from pixelproof.contract import PixelProofError

from ._generated import Generated, Mention


@dataclass(frozen=True)
class Collages(Generated):
    """Collages of objects of the solid world, or of the cut-outs of a folder."""

    name = "collage"

    @cached_property
    def nouns(self) -> Sequence[str]:
        """The nouns of all cut-outs."""
        from pixelproof.world.collage import Folder
        from pixelproof.world.solid.shapes import CATEGORIES

        if self.root is None:  # every seed draws some of them
            kinds = [kind for kind in CATEGORIES.values() if kind.family not in ("furniture", "structure")]
            return sorted({kind.word or kind.name for kind in kinds})
        return sorted({cutout.noun for cutout in Folder(str(self.root)).cutouts.values()})

    def mention(self, facts: SceneFacts, rng: np.random.Generator) -> Iterator[Mention]:
        """Objects by their nouns, which are all different; none whose noun could also refer to another object."""
        for place in rng.permutation(len(facts.nouns)):
            noun = facts.nouns[place]
            others = facts.nouns[:place] + facts.nouns[place + 1 :]
            if not any(f" {noun} " in f" {other} " for other in others):
                yield Mention(int(place) + 1, f"the {noun}", "noun")


def open_collage(data: Path | None, task: str = "semantic", *, size: int = 512) -> Collages:
    """Collages.

    Args:
        data: A folder of cut-outs (PNG or WebP with transparency, and captions); None: objects of the solid world.
        task: Any but depth and normals.
        size: Pixels of a side of the image.
    """
    if task in ("depth", "normals"):
        raise PixelProofError(f"Collages have no {task}: choose another task, or the source 'world'.")
    root = data and data.absolute()
    source = Collages(task, CollageScenes("arena/collage", size, root), root=root)
    if len(source.nouns) > 254:
        raise PixelProofError(
            f"The cut-outs of {data} have {len(source.nouns)} different nouns, and a label map holds 254: pass fewer."
        )
    return source
