"""Physical and semantic rules of scenes, checked from the scene alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from pixelproof.world._memo import Memo

from ._poses import Floats, rotation_matrix
from ._sampling import HELD_CATEGORIES, HELD_LAYOUTS, LEAST_HELD, SPLITS, held_colours, is_held_shape
from ._scene import Scene, Thing
from ._settle import Contact, Simulation, carriers, corners
from ._surfaces import hollow_of, surfaces_of
from .shapes import category, new_thing, shape_of

if TYPE_CHECKING:
    from .render._raster import Overview

OVERLAP = 0.001
"""Maximum penetration of two things, in metres."""
DRIFT = 0.002
"""Maximum drift within a second, in metres."""
TURN = 1.0
"""Maximum rotation within a second, in degrees."""
EDGE = 0.002
"""Minimum distance of the centre of mass from the edge of the support, in metres."""
IN_VIEW = 0.8
"""Minimum share of a thing's image box that is inside the image."""
SIZE = 1e-6
"""Tolerance between the stored size and that of the shape, in metres."""
TINY = 0.0003
"""Minimum visible share of the image per thing; about 80 pixels of 512 × 512."""
_GRID = 128


@dataclass(frozen=True)
class Violation:
    """A violated rule."""

    rule: str
    thing: str
    """Id of the thing; empty if the whole scene violates it."""
    message: str
    value: float
    limit: float


def least_visible(occlusion: float) -> float:
    """Minimum visible share of each thing, for an occlusion level from 0 to 1.

    >>> [round(least_visible(occlusion), 2) for occlusion in (0.0, 0.5, 1.0)]
    [0.9, 0.55, 0.2]
    """
    return 0.9 - 0.7 * occlusion


def violations(scene: Scene, occlusion: float = 1.0) -> list[Violation]:
    """Check all rules; an empty list means the scene is valid.

    Args:
        scene: The scene; nothing else is used.
        occlusion: How much things may occlude each other, from 0 to 1.
    """
    words = list(_words(scene))
    simple = [*words, *_sizes(scene), *_split(scene), *camera_inside(scene), *_view(scene)]
    # Unknown colours and materials cannot be rendered.
    seen = [] if words else sight(scene, least_visible(occlusion))
    return [*simple, *physics(scene), *seen]


def _sizes(scene: Scene) -> Iterator[Violation]:
    for thing in scene.things:
        low, high = shape_of(thing).bounds
        off = float(np.abs((high - low) * thing.scale - thing.size).max())
        if off > SIZE:
            yield Violation("size", thing.id, f"its written size differs from its shape's by {off:.6f} m", off, SIZE)


def _words(scene: Scene) -> Iterator[Violation]:
    """Unknown or wrong words of the scene and its things."""
    if scene.kind not in HELD_LAYOUTS:
        yield _untrue("", f"there is no kind of scene {scene.kind!r}: there are {', '.join(HELD_LAYOUTS)}")
    if scene.split not in SPLITS:
        yield _untrue("", f"there is no split {scene.split!r}: there are {', '.join(SPLITS)}")
    if not scene.movable:
        yield _untrue("", "nothing in it can be moved")
    for thing in scene.things:
        yield from _looks(thing)
        true = new_thing("", thing.category, thing.form, colour="", material="", position=(0.0, 0.0, 0.0))
        for name in ("up", "front", "symmetry"):
            said, is_so = getattr(thing, name), getattr(true, name)
            if said != is_so:
                yield _untrue(thing.id, f"its {name} is {is_so}, not {said}")


def _looks(thing: Thing) -> Iterator[Violation]:
    """Appearance words of a thing that its category does not allow."""
    kind = category(thing.category)
    surrounds = kind.family == "structure"
    tinted = surrounds and re.fullmatch("#[0-9a-f]{6}", thing.colour)  # muted, and without a word
    if not tinted and thing.colour not in (kind.colours or ("",)):
        known = f"not one of {', '.join(kind.colours)}" if kind.colours else "a word for what has its own colours"
        yield _untrue(thing.id, f"its colour {thing.colour!r} is {known}")
    if thing.material not in kind.materials:
        yield _untrue(thing.id, f"its material {thing.material!r} is not one of {', '.join(kind.materials)}")
    if thing.text and not kind.texts:
        yield _untrue(thing.id, "it has a text, but nothing is written on things of its category")
    if thing.fixed != surrounds:
        yield _untrue(
            thing.id,
            "it is not fixed, as all surroundings are" if surrounds else "it is fixed, as surroundings alone are",
        )


def _untrue(thing: str, message: str) -> Violation:
    return Violation("words", thing, message, 1.0, 0.0)


def _split(scene: Scene) -> Iterator[Violation]:
    """Held-out things in the wrong split, or too few in a test split."""
    split = scene.split
    for thing in scene.movable:
        reasons = _held_by(thing) - {split}
        if reasons:
            words = " and ".join(sorted(reason.removeprefix("test-") for reason in reasons))
            said = f"{thing.colour} {thing.category} has a held-out {words}, which does not belong in {split}"
            yield Violation("split", thing.id, said, 1.0, 0.0)
    share = sum(split in _held_by(thing) for thing in scene.movable) / max(1, len(scene.movable))
    if split in ("test-category", "test-colour", "test-shape") and share < LEAST_HELD:
        said = "of its things have what is held out"
        yield Violation("split", "", f"{share:.0%} {said} for {split}", share, LEAST_HELD)
    layout_is_held = scene.layout == HELD_LAYOUTS.get(scene.kind)
    if bool(scene.layout) and layout_is_held != (split == "test-layout"):
        yield Violation("split", "", f"its layout {scene.layout!r} does not belong in {split}", 1.0, 0.0)


def _held_by(thing: Thing) -> set[str]:
    """The splits for which a thing is held out."""
    kind = category(thing.category)
    held = {
        "test-category": kind.name in HELD_CATEGORIES,
        "test-colour": thing.colour in held_colours(kind),
        "test-shape": is_held_shape(kind, thing.form),
    }
    return {split for split, so in held.items() if so}


def camera_inside(scene: Scene) -> Iterator[Violation]:
    """Violations by a camera that is inside a thing."""
    for thing in scene.things:
        depth = max(_inside(piece, np.asarray(scene.camera.position)) for piece in corners(thing))
        if depth > 0:
            yield Violation("camera", thing.id, f"the camera is {depth:.3f} m inside it", depth, 0.0)


def _inside(points: Floats, point: Floats) -> float:
    """Depth of a point inside a convex hull; not above 0 outside."""
    box = min((point - points.min(axis=0)).min(), (points.max(axis=0) - point).min())
    if box <= 0:
        return float(box)
    return float(-(ConvexHull(points).equations @ [*point, 1.0]).max())


def _view(scene: Scene) -> Iterator[Violation]:
    for thing in scene.movable:
        share = in_view(scene, thing)
        if share < IN_VIEW:
            yield Violation("view", thing.id, f"{share:.0%} of it is in the picture", share, IN_VIEW)


def in_view(scene: Scene, thing: Thing) -> float:
    """Share of a thing's image box that is inside a square image."""
    seen = scene.camera.project(np.concatenate(corners(thing)), 1, 1)
    if np.any(seen[:, 2] <= 0):
        return 0.0
    low, high = seen[:, :2].min(axis=0), seen[:, :2].max(axis=0)
    kept = np.clip(high, 0, 1) - np.clip(low, 0, 1)
    return float(np.prod(kept / (high - low)))


def physics(scene: Scene, simulation: Simulation | None = None) -> Iterator[Violation]:
    """Violations of contact, support and rest.

    Args:
        scene: The scene.
        simulation: A new simulation of its things, which will have run for a second at the end; made unless given.
    """
    simulation = simulation or Simulation(scene.things)
    contacts = simulation.contacts()
    yield from _overlaps(contacts)
    yield from _supports(scene, simulation, contacts)
    yield from _floors(scene)
    before = simulation.poses()
    simulation.run(1.0)
    after = simulation.poses()
    moves = np.linalg.norm(after[0] - before[0], axis=1)
    turns = _angles(before[1], after[1])
    for thing, move, turn in zip(scene.movable, moves.tolist(), turns.tolist(), strict=True):
        if not move <= DRIFT:
            yield Violation("drift", thing.id, f"it moves by {move * 1000:.1f} mm within a second", move, DRIFT)
        if not turn <= TURN:
            yield Violation("turn", thing.id, f"it turns by {turn:.1f}° within a second", turn, TURN)


def _angles(before: Floats, after: Floats) -> Floats:
    if not len(before):
        return np.zeros(0)
    turns = Rotation.from_quat(before[:, [1, 2, 3, 0]]).inv() * Rotation.from_quat(after[:, [1, 2, 3, 0]])
    return np.asarray(np.degrees(turns.magnitude()))


def _overlaps(contacts: list[Contact]) -> Iterator[Violation]:
    worst: dict[tuple[str, str], float] = {}
    for contact in contacts:
        pair = (contact.first, contact.second)
        worst[pair] = max(worst.get(pair, 0.0), contact.depth)
    for (first, second), depth in worst.items():
        if depth > OVERLAP:
            yield Violation("overlap", second, f"it is {depth * 1000:.1f} mm inside {first}", depth, OVERLAP)


def _supports(scene: Scene, simulation: Simulation, contacts: list[Contact]) -> Iterator[Violation]:
    holders, centres = carriers(contacts), simulation.centres_of_mass()
    for thing in scene.movable:
        holder = holders.get(thing.id)
        if thing.support is None or holder != thing.support:
            said = f"it is said to stand on {thing.support or 'nothing'}, but {holder or 'nothing'} carries it"
            yield Violation("support", thing.id, said, 0.0, 1.0)
            continue
        points = [c.point for c in contacts if {c.first, c.second} == {thing.id, holder} and c.level]
        inside = _on_surface(scene.thing(holder), np.array([centres[thing.id], *points]))
        if inside < EDGE:
            said = f"it stands over the edge of {holder}, or on no surface of it"
            yield Violation("support", thing.id, said, inside, EDGE)


def _on_surface(holder: Thing, points: Floats) -> float:
    """Distance of a centre of mass (first) and contact points from the edge of a surface; -1 if there is none.

    Contact points may be at the edge itself, so they get an allowance of 2 × `EDGE`; in the hollow of a container, the
    centre of mass alone counts.
    """
    local = (points - holder.position) @ rotation_matrix(holder.rotation) / holder.scale
    best = -1.0
    for surface in surfaces_of(holder):
        half = np.array([surface.width, surface.depth]) / 2
        distances = (half - np.abs(local[:, :2] - surface.centre[:2])).min(axis=1) * holder.scale
        distances[1:] += 2 * EDGE
        if abs(np.append(local[1:, 2], local[0, 2]).min() - surface.centre[2]) < 0.02:
            best = max(best, float(distances.min()))
    hollow = hollow_of(holder)
    if hollow is not None and local[0, 2] > hollow.centre[2]:  # walls may carry it, too: contacts are not level
        half = np.array([hollow.width, hollow.depth]) / 2
        best = max(best, float((half - np.abs(local[0, :2] - hollow.centre[:2])).min() * holder.scale))
    return best


def _floors(scene: Scene) -> Iterator[Violation]:
    """Things below or beyond the floor."""
    floors = [thing for thing in scene.things if thing.fixed and thing.category == "floor"]
    for thing in scene.movable:
        points = np.concatenate(corners(thing))
        for floor in floors:
            local = (points - floor.position) @ rotation_matrix(floor.rotation)
            beyond = float(np.max(np.abs(local[:, :2]) - np.asarray(floor.size[:2]) / 2))
            below = float(floor.size[2] - local[:, 2].min())
            if max(beyond, below) > OVERLAP:
                yield Violation("floor", thing.id, "it is below or beyond the floor", max(beyond, below), OVERLAP)


_seen = Memo["Overview"](64)


def visibility(scene: Scene) -> Overview:
    """What a small picture shows; drawn once per scene object."""
    from .render._raster import overview

    return _seen.get(scene, lambda: overview(scene, _GRID))


def sight(scene: Scene, least: float) -> list[Violation]:
    """Violations of visibility: things with a visible share below `least`, or too few pixels."""
    seen = visibility(scene)
    pixels = np.bincount(seen.ids.ravel(), minlength=len(scene.things) + 1)[1:] / seen.ids.size
    broken = []
    for thing, share, size in zip(scene.things, seen.visible.tolist(), pixels.tolist(), strict=True):
        if not thing.fixed and share < least:
            broken.append(Violation("hidden", thing.id, f"{share:.0%} of it is seen", share, least))
        elif not thing.fixed and size < TINY:
            broken.append(Violation("tiny", thing.id, f"it fills {size:.3%} of the picture", size, TINY))
    return broken
