"""Random edits of flat scenes that can be carried out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pixelproof.world._limits import require_kind, require_word
from pixelproof.world.flat import SHAPES, FlatScene, Sprite
from pixelproof.world.flat._sampling import contrasting_colours

from ._flat_apply import apply_flat, carried_by
from ._flat_edit import FLAT_WAYS, FlatEdit, FlatOutcome

_TRIES = 40
_FACTORS = (0.5, 0.6, 0.75, 0.8, 1.25, 1.4, 1.5, 1.75, 2.0)
_STEP = 1 / 64
"""Step of moves: 8 pixels of 512, the grid of plates with a text."""


def propose_flat(
    scene: FlatScene, rng: np.random.Generator, actions: tuple[str, ...] = tuple(FLAT_WAYS)
) -> FlatOutcome | None:
    """Sample an edit with round numbers that can be carried out in a flat scene, and carry it out.

    Args:
        scene: The scene before the edit.
        rng: Random generator.
        actions: Actions to choose from.

    Returns:
        The outcome; None if no attempt succeeded.

    Raises:
        PixelProofError: There is no such action, or this is no flat scene.
    """
    require_kind("The scene of propose_flat", scene, FlatScene, "pass a result of make_flat")
    for action in actions:
        require_word("edit action of flat scenes", action, FLAT_WAYS)
    shapes = [sprite for sprite in scene.sprites if sprite.shape in SHAPES and sprite.role == "thing"]
    if not shapes:
        return None
    for place in rng.permutation(len(actions)):
        for _ in range(_TRIES):
            outcome = apply_flat(scene, _some(scene, shapes, rng, actions[place]), 1.0)
            if outcome.possible:
                return outcome
    return None


def _some(scene: FlatScene, shapes: list[Sprite], rng: np.random.Generator, action: str) -> FlatEdit:
    """A random edit of an action, possible or not."""
    target = shapes[int(rng.integers(len(shapes)))]
    colours = contrasting_colours((scene.background.colour, scene.background.other))
    colour = colours[int(rng.integers(len(colours)))]
    if action == "insert":
        return FlatEdit("insert", sprite=_new(scene, shapes, rng, colour))
    way = FLAT_WAYS[action][int(rng.integers(len(FLAT_WAYS[action])))]
    amount = 0.0
    if action == "move":
        amount = _STEP * int(rng.integers(2, 33))
    elif action == "turn":
        amount = 15.0 * int(rng.integers(1, 13))
    elif action == "scale":
        amount = _FACTORS[int(rng.integers(len(_FACTORS)))]
    others = [sprite.id for sprite in shapes if sprite.id != target.id]
    anchor = others[int(rng.integers(len(others)))] if action == "swap" and others else ""
    if action == "swap" and not anchor:
        action = "remove"
    if action == "remove" and len(carried_by(scene, target.id)) > 1:
        bare = [sprite for sprite in shapes if len(carried_by(scene, sprite.id)) == 1]
        target = bare[int(rng.integers(len(bare)))] if bare else target
    return FlatEdit(action, target.id, way, amount, anchor, colour if action == "recolour" else "")  # type: ignore[arg-type]


def _new(scene: FlatScene, shapes: list[Sprite], rng: np.random.Generator, colour: str) -> Sprite:
    """A new shape anywhere in the picture, about as large as another."""
    shape = list(SHAPES)[int(rng.integers(len(SHAPES)))]
    size = shapes[int(rng.integers(len(shapes)))].size
    x, y, angle = (float(number) for number in rng.uniform(0, (scene.width, scene.height, 360)))
    number = 1 + sum(sprite.shape == shape for sprite in scene.sprites)
    while any(sprite.id == f"{shape}-{number}" for sprite in scene.sprites):
        number += 1
    return replace(shapes[0], id=f"{shape}-{number}", shape=shape, colour=colour, x=x, y=y, size=size, angle=angle)
