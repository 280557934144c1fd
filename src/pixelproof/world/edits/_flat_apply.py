"""Carrying out edits of flat scenes, and random edits that can be carried out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np

from pixelproof.contract import PixelProofError
from pixelproof.pixels import oklab
from pixelproof.world._limits import require_kind, require_word
from pixelproof.world.flat import SHAPES, FlatScene, Sprite, rgb
from pixelproof.world.flat._sampling import Rectangle, contrasting_colours, extent, touch
from pixelproof.world.flat._shapes import signed_distance

from ._flat_edit import FLAT_WAYS, FlatChange, FlatEdit, FlatOutcome, check_flat_edit

_WAY = {"left": (-1.0, 0.0), "right": (1.0, 0.0), "up": (0.0, -1.0), "down": (0.0, 1.0)}
_GAP = 2.0
"""Least distance in pixels between a changed sprite and others that are not small shapes."""
_SEEN_TURN = 0.03
"""Least distance between the outline of a shape and itself after a turn that can be seen, as a share of its size."""
_SEEN_COLOUR = 0.1
"""Least OKLab distance between the old and the new colour of a sprite."""


def apply_flat(scene: FlatScene, edit: FlatEdit, share: float) -> FlatOutcome:
    """Carry out a share of an edit of a flat scene; the arguments are those of `apply`."""
    check_flat_edit(scene, edit)
    try:
        after = _after(scene, edit, share)
    except PixelProofError as error:
        return FlatOutcome(edit, share, scene, None, why_not=str(error))
    why_not = next(_problems(scene, after, edit), "") if share == 1 else ""
    if why_not:
        return FlatOutcome(edit, share, scene, None, why_not=why_not)
    return FlatOutcome(edit, share, scene, after, dict(flat_changes(scene, after)))


def carried_by(scene: FlatScene, id: str) -> set[str]:
    """Ids of a sprite and of the plates that it carries."""
    return {id, *(sprite.id for sprite in scene.sprites if sprite.carrier == id)}


def _after(scene: FlatScene, edit: FlatEdit, share: float) -> FlatScene:
    """The exact transform, without the roles of the scene, which need no longer be true."""
    bare = replace(scene, roles={})
    if edit.action in ("remove", "insert"):
        if share not in (0, 1):
            raise PixelProofError(f"Nothing can be {edit.action}d in part: choose a share of 0 or 1.")
        return bare if not share else _listed(bare, edit)
    target = scene.sprite(edit.target)
    unit = min(scene.width, scene.height)
    if edit.action == "move":
        x, y = (share * edit.amount * unit * step for step in _WAY[edit.way])
        return _shifted(bare, edit.target, x, y)
    if edit.action == "swap":
        anchor = scene.sprite(edit.anchor)
        if edit.anchor in carried_by(scene, edit.target) or edit.target in carried_by(scene, edit.anchor):
            raise PixelProofError(f"One of {edit.target} and {edit.anchor} carries the other: choose others.")
        x, y = share * (anchor.x - target.x), share * (anchor.y - target.y)
        return _shifted(_shifted(bare, edit.target, x, y), edit.anchor, -x, -y)
    if edit.action == "recolour":
        return bare.with_sprite(replace(target, colour=_mixed(scene, target.colour, edit.colour, share)))
    if target.upright:
        raise PixelProofError(f"{edit.target} is a plate or a tile, which are not turned or scaled: choose a shape.")
    if edit.action == "turn":
        turn = share * edit.amount * (1 if edit.way == "clockwise" else -1)
        return bare.with_sprite(replace(target, angle=target.angle + turn))
    return bare.with_sprite(replace(target, size=target.size * edit.amount**share))


def _listed(scene: FlatScene, edit: FlatEdit) -> FlatScene:
    """A scene with a sprite removed or inserted."""
    if edit.sprite is not None:
        return replace(scene, sprites=(*scene.sprites, edit.sprite))
    if len(carried_by(scene, edit.target)) > 1:
        raise PixelProofError(f"{edit.target} carries a plate: choose a sprite that carries none.")
    return replace(scene, sprites=tuple(sprite for sprite in scene.sprites if sprite.id != edit.target))


def _shifted(scene: FlatScene, id: str, x: float, y: float) -> FlatScene:
    group = carried_by(scene, id)
    return replace(
        scene,
        sprites=tuple(
            replace(sprite, x=sprite.x + x, y=sprite.y + y) if sprite.id in group else sprite
            for sprite in scene.sprites
        ),
    )


def _mixed(scene: FlatScene, one: str, other: str, share: float) -> str:
    """The colour that is a share of the way from one to another."""
    if share == 1:
        return other
    before, after = (np.array(rgb(colour, scene.hue), np.float64) for colour in (one, other))
    mixed = np.clip(np.rint(before + share * (after - before)), 0, 255).astype(int)
    return one if share == 0 else "#{:02x}{:02x}{:02x}".format(*mixed)


def flat_changes(before: FlatScene, after: FlatScene) -> Iterator[tuple[str, FlatChange]]:
    """Sprite id → change, for the sprites of two scenes that differ."""
    unit = min(before.width, before.height)
    now = {sprite.id: sprite for sprite in after.sprites}
    for sprite in before.sprites:
        other = now.pop(sprite.id, None)
        if other is None:
            yield sprite.id, FlatChange(removed=True)
        elif other != sprite:
            shift = (other.x - sprite.x) / unit, (other.y - sprite.y) / unit
            colour = other.colour if other.colour != sprite.colour else ""
            yield sprite.id, FlatChange(shift, other.angle - sprite.angle, other.size / sprite.size, colour)
    yield from ((id, FlatChange(inserted=True)) for id in now)


def box_of(sprite: Sprite) -> Rectangle:
    """Bounding box of a sprite in pixels, as it is drawn."""
    return tuple(map(float, sprite.rectangle)) if sprite.upright else extent(sprite)  # type: ignore[return-value]


def _problems(before: FlatScene, after: FlatScene, edit: FlatEdit) -> Iterator[str]:
    """Why the scene after an edit breaks a rule of flat scenes."""
    changed = {id for id, change in flat_changes(before, after) if not change.removed}
    if edit.action == "turn" and turned_by(after.sprite(edit.target).shape, edit.amount) < _SEEN_TURN:
        yield f"{edit.target} looks the same after a turn of {edit.amount:g}°"
    if edit.action == "scale" and abs(edit.amount - 1) < 0.05:
        yield f"{edit.target} looks the same after scaling by {edit.amount:g}"
    if edit.action in ("recolour", "insert"):
        yield from _colours(before, after, edit)
    for id in changed if edit.action != "recolour" else ():
        sprite = after.sprite(id)
        x0, y0, x1, y1 = box_of(sprite)
        if min(x0, y0) < 0 or x1 > after.width or y1 > after.height:
            yield f"{id} would leave the picture"
        yield from _touching(after, sprite, changed)


def _touching(scene: FlatScene, sprite: Sprite, changed: set[str]) -> Iterator[str]:
    """Things, plates and tiles that a sprite would touch, and small shapes of its colour."""
    box = box_of(sprite)
    for other in scene.sprites:
        if other.id == sprite.id or (other.role == "distractor" and other.colour != sprite.colour):
            continue
        belongs = sprite.carrier == other.id or other.carrier == sprite.id
        if belongs and other.id in changed:
            continue  # they went together
        if touch(box, box_of(other), 0.0 if belongs else _GAP):
            yield f"{sprite.id} would touch {other.id}"


def _colours(before: FlatScene, after: FlatScene, edit: FlatEdit) -> Iterator[str]:
    """Problems of a new colour: not distinct from the old one or the background, or that of another such shape."""
    sprite = after.sprite(edit.target or (edit.sprite.id if edit.sprite else ""))
    ground = contrasting_colours((after.background.colour, after.background.other))
    if sprite.colour not in ground and not sprite.colour.startswith("#") and sprite.shape != "noise":
        yield f"{sprite.colour} does not contrast with the background"
    if edit.target:
        old, new = oklab([rgb(before.sprite(edit.target).colour, before.hue), rgb(sprite.colour, after.hue)])
        if np.linalg.norm(old - new) < _SEEN_COLOUR:
            yield f"{edit.target} looks the same in {sprite.colour}"
    for other in after.sprites:
        if other.id == sprite.id or other.colour != sprite.colour:
            continue
        if other.role == "thing" and other.shape == sprite.shape and sprite.shape in SHAPES:
            yield f"{other.id} is a {sprite.colour} {sprite.shape} already"
        if other.role == "distractor" and touch(box_of(sprite), box_of(other), _GAP):
            yield f"{sprite.id} would touch {other.id}, which has its colour"


@lru_cache(maxsize=4096)
def turned_by(shape: str, degrees: float) -> float:
    """Largest distance between the outline of a shape and itself after a turn, as a share of its size.

    >>> round(turned_by("square", 90.0), 3), round(turned_by("square", 45.0), 2)
    (0.0, 0.15)
    """
    outlines = SHAPES[shape].outline_at(0.0, 0.0, 1.0, degrees)
    return float(np.abs(signed_distance(SHAPES[shape], np.concatenate(outlines))).max())


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
