"""Making scenes: things chosen, put down, settled by physics and held to every rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from pixelproof.contract import PixelProofError
from pixelproof.stats import generator
from pixelproof.world._limits import require_seed, require_word
from pixelproof.world.solid._poses import rotation_matrix
from pixelproof.world.solid._rules import least_visible, sight, violations
from pixelproof.world.solid._scene import Scene, Thing
from pixelproof.world.solid._settle import settle
from pixelproof.world.solid._splits import check_split

from . import _room, _shelf, _tabletop
from ._wish import Wish

__all__ = ["KINDS", "make_scene"]

_DRAW: dict[str, Callable[[np.random.Generator, Wish], tuple[Scene, int] | None]] = {
    "tabletop": _tabletop.draw,
    "room": _room.draw,
    "shelf": _shelf.draw,
}
KINDS = tuple(_DRAW)
_MOST = 40
"""Things that any kind of scene can hold and show."""
_TRIES = 20
_TILT = np.cos(np.radians(30.0))
_SHIFT = 0.02
"""Metres that a thing may slide while it settles."""


def make_scene(
    kind: str,
    seed: int,
    index: int = 0,
    *,
    split: str = "train",
    things: int | None = None,
    clutter: float = 0.5,
    occlusion: float = 0.5,
) -> Scene:
    """Make a scene that breaks no rule; the same arguments give the same scene.

    Args:
        kind: `tabletop`, `room` or `shelf`.
        seed: Of a set of scenes.
        index: In the set.
        split: What may be in it, a name in `SPLITS`.
        things: How many that are not part of the surroundings; None: as suits the kind.
        clutter: From 0, far apart, to 1, packed.
        occlusion: How much things may hide each other, from 0, hardly, to 1.

    Raises:
        PixelProofError: The kind or the split is unknown, seed or index is none, or nothing could be made that breaks
            no rule.
    """
    require_word("kind of scene", kind, KINDS)
    if things is not None and not 1 <= things <= _MOST:
        raise PixelProofError(f"A scene has 1 to {_MOST} things, not {things}: ask for as many as it can show.")
    for name, value in (("clutter", clutter), ("occlusion", occlusion)):
        if not 0 <= value <= 1:
            raise PixelProofError(f"The {name} of a scene is from 0 to 1, not {value}.")
    require_seed(seed, index)
    wish = Wish(kind, seed, index, check_split(split), things, clutter, occlusion)
    rng = generator(seed, f"solid/{kind}/{split}", index)
    for _ in range(_TRIES):
        scene = _attempt(rng, wish)
        if scene is not None and not violations(scene, occlusion):
            return scene
    asked = f"{things} things" if things else "things"
    raise PixelProofError(
        f"No {kind} with {asked} at clutter {clutter} and occlusion {occlusion} keeps to the rules in {_TRIES} tries: "
        "ask for fewer things, more clutter or more occlusion."
    )


def _attempt(rng: np.random.Generator, wish: Wish) -> Scene | None:
    """A scene that has settled as it was arranged, or None."""
    drawn = _DRAW[wish.kind](rng, wish)
    shown = drawn and _without_hidden(*drawn, least_visible(wish.occlusion))
    if not shown:
        return None
    rested = settle(shown.things)
    if rested is None or not all(map(_kept, shown.things, rested)):
        return None
    return replace(shown, things=rested)


def _without_hidden(scene: Scene, count: int, least: float) -> Scene | None:
    """So many things of a scene, without those that are hidden and what these carry; None if too few are seen."""
    gone = {violation.thing for violation in sight(scene, least)}
    for thing in scene.movable:  # what stands on a thing comes after it
        if thing.support in gone:
            gone.add(thing.id)
    for thing in scene.movable[::-1]:
        if len(scene.movable) - len(gone) > count:
            gone.add(thing.id)
    if len(scene.movable) - len(gone) < count:
        return None
    return replace(scene, things=tuple(thing for thing in scene.things if thing.id not in gone))


def _kept(before: Thing, after: Thing) -> bool:
    """Whether a thing is still where and as it was put."""
    ups = [rotation_matrix(thing.rotation)[:, 2] for thing in (before, after)]
    shift = np.linalg.norm(np.subtract(before.position, after.position))
    return before.support == after.support and bool(shift < _SHIFT) and float(ups[0] @ ups[1]) > _TILT
