"""What every scene keeps to, and how it is found out from the scene alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from ._poses import Floats, rotation_matrix
from ._scene import Scene, Thing
from ._settle import Contact, Simulation, carriers, corners
from ._splits import HELD_LAYOUTS, LEAST_HELD, SPLITS, is_held
from ._surfaces import surfaces_of
from .shapes import category, new_thing, shape_of

OVERLAP = 0.001
"""Metres that two things may be in each other."""
DRIFT = 0.002
"""Metres that a thing may move in a second."""
TURN = 1.0
"""Degrees that it may turn in a second."""
EDGE = 0.002
"""Metres that a thing's centre of mass stays inside the edge of what it stands on."""
IN_VIEW = 0.8
"""Share of a thing's box in the picture that is inside the picture."""
SIZE = 1e-6
"""Metres by which the size that is written may differ from that of the shape."""
TINY = 0.0003
"""Share of the picture that is seen of a thing, at least; about 80 pixels of 512 × 512."""
_GRID = 128


@dataclass(frozen=True)
class Violation:
    """A rule that a scene breaks."""

    rule: str
    thing: str
    """Id of the thing; empty where the whole scene breaks it."""
    message: str
    value: float
    limit: float


def least_visible(occlusion: float) -> float:
    """The share of each thing that is seen at least, for a degree of occlusion from 0 to 1.

    >>> [round(least_visible(occlusion), 2) for occlusion in (0.0, 0.5, 1.0)]
    [0.9, 0.55, 0.2]
    """
    return 0.9 - 0.7 * occlusion


def violations(scene: Scene, occlusion: float = 1.0) -> list[Violation]:
    """All rules that a scene breaks: none, for a scene as it should be.

    Args:
        scene: As read from its file; nothing else is known of it.
        occlusion: How much things may hide each other, from 0 to 1.
    """
    words = list(_words(scene))
    simple = [*words, *_sizes(scene), *_split(scene), *_camera(scene), *_view(scene)]
    # Colours and materials that are not known cannot be drawn.
    seen = [] if words else sight(scene, least_visible(occlusion))
    return [*simple, *_physics(scene), *seen]


def _sizes(scene: Scene) -> Iterator[Violation]:
    for thing in scene.things:
        low, high = shape_of(thing).bounds
        off = float(np.abs((high - low) * thing.scale - thing.size).max())
        if off > SIZE:
            yield Violation("size", thing.id, f"its written size differs from its shape's by {off:.6f} m", off, SIZE)


def _words(scene: Scene) -> Iterator[Violation]:
    """What is said of the scene and its things, but is not known or not so."""
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
    """Words for the look of a thing that its category does not have."""
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
    """Held-out things where they do not belong, or too little held out where it does."""
    split = scene.split
    held = [thing for thing in scene.movable if is_held(category(thing.category), thing.colour)]
    by_category = [thing for thing in held if is_held(category(thing.category), "")]
    by_colour = [thing for thing in held if thing not in by_category]
    wrong = {"test-category": by_colour, "test-colour": by_category}.get(split, held)
    for thing in wrong:
        yield Violation("split", thing.id, f"{thing.colour} {thing.category} does not belong in {split}", 1.0, 0.0)
    rare = {"test-category": by_category, "test-colour": by_colour}.get(split)
    if rare is not None and len(rare) < LEAST_HELD * len(scene.movable):
        share, said = len(rare) / len(scene.movable), "of its things have what is held out"
        yield Violation("split", "", f"{share:.0%} {said} for {split}", share, LEAST_HELD)
    layout_is_held = scene.layout == HELD_LAYOUTS.get(scene.kind)
    if bool(scene.layout) and layout_is_held != (split == "test-layout"):
        yield Violation("split", "", f"its layout {scene.layout!r} does not belong in {split}", 1.0, 0.0)


def _camera(scene: Scene) -> Iterator[Violation]:
    for thing in scene.things:
        depth = max(_inside(piece, np.asarray(scene.camera.position)) for piece in corners(thing))
        if depth > 0:
            yield Violation("camera", thing.id, f"the camera is {depth:.3f} m inside it", depth, 0.0)


def _inside(points: Floats, point: Floats) -> float:
    """How deep a point is in the hull of others; not above 0 outside."""
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
    """The share of a thing's box in the plane of the picture that is inside a square picture."""
    seen = scene.camera.project(np.concatenate(corners(thing)), 1, 1)
    if np.any(seen[:, 2] <= 0):
        return 0.0
    low, high = seen[:, :2].min(axis=0), seen[:, :2].max(axis=0)
    kept = np.clip(high, 0, 1) - np.clip(low, 0, 1)
    return float(np.prod(kept / (high - low)))


def _physics(scene: Scene) -> Iterator[Violation]:
    simulation = Simulation(scene.things)
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
    """How far a centre of mass (first) and points of contact are inside a surface of a thing; -1 if there is none.

    Points of contact may be at the edge itself, so what they lack of `EDGE` is forgiven.
    """
    local = (points - holder.position) @ rotation_matrix(holder.rotation) / holder.scale
    best = -1.0
    for surface in surfaces_of(holder):
        half = np.array([surface.width, surface.depth]) / 2
        rooms = (half - np.abs(local[:, :2] - surface.centre[:2])).min(axis=1) * holder.scale
        rooms[1:] += 2 * EDGE
        if abs(np.append(local[1:, 2], local[0, 2]).min() - surface.centre[2]) < 0.02:
            best = max(best, float(rooms.min()))
    return best


def _floors(scene: Scene) -> Iterator[Violation]:
    """What is below the lowest ground, or beyond the floor."""
    floors = [thing for thing in scene.things if thing.fixed and thing.category == "floor"]
    for thing in scene.movable:
        points = np.concatenate(corners(thing))
        for floor in floors:
            local = (points - floor.position) @ rotation_matrix(floor.rotation)
            beyond = float(np.max(np.abs(local[:, :2]) - np.asarray(floor.size[:2]) / 2))
            below = float(floor.size[2] - local[:, 2].min())
            if max(beyond, below) > OVERLAP:
                yield Violation("floor", thing.id, "it is below or beyond the floor", max(beyond, below), OVERLAP)


def sight(scene: Scene, least: float) -> list[Violation]:
    """Of which things too little is seen: less than a share `least`, or too few pixels."""
    from .render import render

    layers = render(scene, _GRID, quality="draft", layers=("ids", "visible"))
    pixels = np.bincount(layers.ids.ravel(), minlength=len(scene.things) + 1)[1:] / layers.ids.size
    found = []
    for thing, share, size in zip(scene.things, layers.visible.tolist(), pixels.tolist(), strict=True):
        if not thing.fixed and share < least:
            found.append(Violation("hidden", thing.id, f"{share:.0%} of it is seen", share, least))
        elif not thing.fixed and size < TINY:
            found.append(Violation("tiny", thing.id, f"it fills {size:.3%} of the picture", size, TINY))
    return found
