"""Counting under clutter: how many small shapes have a colour."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pixelproof.benches.agent import _vision as vision
from pixelproof.contract import Artefact
from pixelproof.pixels import read_image
from pixelproof.stats import generator
from pixelproof.world.flat import FlatScene, Sprite, contrasting_colours, truth

from ._challenge import GRID, Chain, Challenge, Task
from ._stills import NEXT, make_scene

COUNTS = ("1", "2", "3", "4", "5")
"""Possible answers, all equally likely."""
SMALLEST = 40
"""Pixels of a region that counts; shapes have at least as many, mixed pixels along edges and cells of noise fewer."""
_CLUTTER = {"base": 14, "hard": 40}
"""Small shapes of a scene, at most."""
_CLEAR = 6.0
"""Pixels between two shapes of the colour."""


def _candidates(scene: FlatScene) -> list[Sprite]:
    """Small shapes that nothing covers, in a random but fixed order, none close to another."""
    known = truth(scene)
    chosen: list[Sprite] = []
    for sprite in scene.sprites:
        seen = known.seen[sprite.id]
        inside = sprite.role == "distractor" and seen.visibility > 0.99 and seen.pixels >= SMALLEST
        apart = all(
            np.hypot(sprite.x - other.x, sprite.y - other.y) > (sprite.size + other.size) / 2 + _CLEAR
            for other in chosen
        )
        if inside and apart:
            chosen.append(sprite)
    return chosen


def _count_clutter(seed: int, index: int, level: str) -> Challenge:
    scene = make_scene(seed, index, level, hop=False, textures=0.0, distractors=_CLUTTER[level])
    rng = generator(seed, "agent/count-clutter", index)
    used = {sprite.colour for sprite in scene.sprites if sprite.role != "distractor"}
    used |= {sprite.ink for sprite in scene.sprites if sprite.text}
    colours = contrasting_colours((scene.background.colour, scene.background.other))
    free = [colour for colour in colours if colour not in used]
    small = _candidates(scene)
    if len(small) < len(COUNTS) or not free:
        return _count_clutter(seed, index + NEXT, level)
    colour, count = free[int(rng.integers(len(free)))], 1 + int(rng.integers(len(COUNTS)))
    counted = [small[int(place)].id for place in rng.permutation(len(small))[:count]]
    others = [other for other in colours if other != colour]
    for sprite in scene.sprites:
        if sprite.id in counted:
            scene = scene.with_sprite(replace(sprite, colour=colour))
        elif sprite.colour == colour:
            scene = scene.with_sprite(replace(sprite, colour=others[int(rng.integers(len(others)))]))

    def chain() -> Chain:
        evidence = yield "ZOOM", {"box": [0, 0, GRID, GRID]}
        image = evidence.get("picture")
        regions = vision.find_blobs(read_image(image), [colour], SMALLEST) if isinstance(image, Artefact) else []
        return str(len(regions))

    question = f"How many {colour} shapes are there, small ones included? Answer with a number from 1 to {COUNTS[-1]}."
    targets = tuple((0, id) for id in counted)
    return Challenge(question, str(count), scene, COUNTS, targets=targets, chain=chain)


COUNT_CLUTTER = Task("count-clutter", "number of small shapes of a colour", "helps", 1, _count_clutter)
