"""Generation of solid scenes: things are sampled, placed, settled by physics and checked against every rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from pixelproof.contract import PixelProofError
from pixelproof.stats import generator
from pixelproof.world._limits import require_seed, require_word
from pixelproof.world.solid._poses import rotation_matrix
from pixelproof.world.solid._rules import least_visible, sight, violations
from pixelproof.world.solid._sampling import check_split
from pixelproof.world.solid._scene import Scene, Thing
from pixelproof.world.solid._settle import settle

from . import _room, _shelf, _tabletop
from ._request import SceneRequest

__all__ = ["KINDS", "make_scene"]

_DRAW: dict[str, Callable[[np.random.Generator, SceneRequest], tuple[Scene, int] | None]] = {
    "tabletop": _tabletop.draw,
    "room": _room.draw,
    "shelf": _shelf.draw,
}
KINDS = tuple(_DRAW)
_MOST = 40
"""Maximum number of things of a scene."""
_TRIES = 20
_TILT = np.cos(np.radians(30.0))
_SHIFT = 0.02
"""Maximum displacement while settling, in metres."""


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
    """Generate a scene that satisfies all rules; the same arguments give the same scene.

    Args:
        kind: `tabletop`, `room` or `shelf`.
        seed: Seed of the set.
        index: Index in the set.
        split: A name in `SPLITS`.
        things: Number of things without the surroundings; None: depends on the kind.
        clutter: From 0, far apart, to 1, packed.
        occlusion: How much things may occlude each other, from 0, hardly, to 1.

    Raises:
        PixelProofError: An argument is invalid, or no scene that satisfies all rules was found.
    """
    require_word("kind of scene", kind, KINDS)
    if things is not None and not 1 <= things <= _MOST:
        raise PixelProofError(f"A scene has 1 to {_MOST} things, not {things}.")
    for name, value in (("clutter", clutter), ("occlusion", occlusion)):
        if not 0 <= value <= 1:
            raise PixelProofError(f"The {name} of a scene must be from 0 to 1, not {value}.")
    require_seed(seed, index)
    request = SceneRequest(kind, seed, index, check_split(split), things, clutter, occlusion)
    rng = generator(seed, f"solid/{kind}/{split}", index)
    for _ in range(_TRIES):
        scene = _attempt(rng, request)
        if scene is not None and not violations(scene, occlusion):
            return scene
    asked = f"{things} things" if things else "things"
    raise PixelProofError(
        f"No {kind} with {asked} at clutter {clutter} and occlusion {occlusion} satisfies the rules after "
        f"{_TRIES} attempts: ask for fewer things, more clutter or more occlusion."
    )


def _attempt(rng: np.random.Generator, request: SceneRequest) -> Scene | None:
    """Generate a scene; None if it does not settle as arranged."""
    drawn = _DRAW[request.kind](rng, request)
    shown = drawn and _without_hidden(*drawn, least_visible(request.occlusion))
    if not shown:
        return None
    rested = settle(shown.things)
    if rested is None or not all(map(_stayed, shown.things, rested)):
        return None
    return replace(shown, things=rested)


def _without_hidden(scene: Scene, count: int, least: float) -> Scene | None:
    """Reduce a scene to `count` things, without hidden ones and what they carry; None if too few are visible."""
    gone = {violation.thing for violation in sight(scene, least)}
    for thing in scene.movable:  # a thing comes after its support
        if thing.support in gone:
            gone.add(thing.id)
    for thing in scene.movable[::-1]:
        if len(scene.movable) - len(gone) > count:
            gone.add(thing.id)
    if len(scene.movable) - len(gone) < count:
        return None
    return replace(scene, things=tuple(thing for thing in scene.things if thing.id not in gone))


def _stayed(before: Thing, after: Thing) -> bool:
    """Whether a thing kept its support and about its pose."""
    ups = [rotation_matrix(thing.rotation)[:, 2] for thing in (before, after)]
    shift = np.linalg.norm(np.subtract(before.position, after.position))
    return before.support == after.support and bool(shift < _SHIFT) and float(ups[0] @ ups[1]) > _TILT
