"""Generation of clips: collision-free paths of things, and camera paths that keep everything in view."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from pixelproof.contract import PixelProofError
from pixelproof.stats import generator
from pixelproof.world._limits import require_number, require_seed, require_whole, require_word
from pixelproof.world.solid._poses import Quaternion, Vector, quaternion, rotation_matrix, yaw
from pixelproof.world.solid._rules import OVERLAP, in_view, violations
from pixelproof.world.solid._scene import Scene, Thing
from pixelproof.world.solid._settle import Simulation, corners, settle
from pixelproof.world.solid.layouts import make_scene
from pixelproof.world.solid.layouts._placing import Ground, gap, grounds, outline
from pixelproof.world.solid.render import render
from pixelproof.world.solid.shapes import category

from ._clip import CameraMove, Move, SolidClip

MOTIONS = ("object", "camera", "both")
STEP = 0.004
"""Step of the collision check in metres."""
_SCENES, _TRIES = 6, 60
_SHORTEST = 0.6
"""Minimum distance of a move, in lengths of the thing."""
_LEAST_SEEN = 0.6
"""Minimum share of a thing's image box that stays in the image."""
_APART = 0.03
"""Lateral margin in metres within which a lifted thing clears others."""
_HIDDEN = 0.5
"""Visible share below which a thing counts as hidden."""
_ROUND = ("Cinf", "Dinf")


def make_clip(
    kind: str,
    seed: int,
    index: int = 0,
    *,
    frames: int = 24,
    motion: str = "object",
    movers: int = 1,
    hide: bool = False,
    fps: float = 12.0,
    split: str = "train",
    things: int | None = None,
    clutter: float = 0.5,
    occlusion: float = 0.5,
) -> SolidClip:
    """Generate a clip; the same arguments give the same clip.

    Its first and last frame satisfy all rules of solid scenes, and in between no penetration exceeds a millimetre,
    checked by the physics engine every few millimetres.

    Args:
        kind: Kind of scene: `tabletop`, `room` or `shelf`.
        seed: Seed of the set.
        index: Index in the set.
        frames: Number of frames.
        motion: What moves: `object`, `camera` or `both`.
        movers: Number of things that move, one after the other; fewer than frames. Ignored if only the camera moves.
        hide: Whether the first mover passes behind others, so that less than half of it is visible at times.
        fps: Frame rate for playback; does not change the motion.
        split: As for `make_scene`, like the following arguments.
        things: Number of things.
        clutter: From 0 to 1.
        occlusion: How much things may occlude each other in the first and last frame, from 0 to 1.

    Raises:
        PixelProofError: An argument is invalid, or no scene was found in which things can move like this.
    """
    require_seed(seed, index)
    require_word("motion", motion, MOTIONS)
    require_whole("movers", movers, 1, 4)
    require_whole(f"frames of a clip with {movers} movers", frames, movers + 1, 10_000)
    require_number("frame rate of a clip", fps, 0.1, 240)
    if motion == "camera" and (movers > 1 or hide):
        raise PixelProofError(
            "Only the camera moves in this clip: leave out movers and hide, or choose the motion both."
        )
    rng = generator(seed, f"solid/clip/{kind}/{motion}", index)
    for attempt in range(_SCENES):
        # Try other scenes, with indices far beyond those of other clips of the set.
        number = index + attempt * 1_000_003
        scene = make_scene(kind, seed, number, split=split, things=things, clutter=clutter, occlusion=occlusion)
        moves = () if motion == "camera" else _moves(rng, scene, frames, movers, occlusion, hide)
        if moves is None:
            continue
        clip = SolidClip(scene, frames, moves, fps=fps)
        moving = clip if motion == "object" else _with_camera(rng, clip, occlusion)
        if moving is not None:
            return moving
    raise PixelProofError(
        f"No {kind} was found in which {movers} things can move{' and hide' * hide} in {frames} frames: ask for fewer "
        "things or movers, or less clutter."
    )


def _moves(
    rng: np.random.Generator, scene: Scene, frames: int, movers: int, occlusion: float, hide: bool
) -> tuple[Move, ...] | None:
    """Consecutive moves, each starting from the result of the previous one; None if one is not found."""
    times = _times(frames, movers)
    now: Scene = scene
    moves: list[Move] = []
    for first, last in times:
        carriers = {thing.support for thing in now.movable}
        free = [
            thing for thing in now.movable if thing.id not in carriers and thing.id not in {move.id for move in moves}
        ]
        found = None
        for number in rng.permutation(len(free)).tolist():
            found = _move(rng, now, free[number], (first, last), occlusion, hide and not moves)
            if found:
                break
        if not found:
            return None
        moves.append(found)
        now = now.with_thing(found.along(now.thing(found.id), 1.0))
    return tuple(moves)


def _times(frames: int, movers: int) -> list[tuple[int, int]]:
    """Time intervals of the movers, one after the other.

    >>> _times(24, 2)
    [(0, 12), (12, 23)]
    """
    edges = np.linspace(0, frames - 1, movers + 1).round().astype(int).tolist()
    return list(zip(edges[:-1], edges[1:], strict=True))


def _move(
    rng: np.random.Generator, scene: Scene, thing: Thing, times: tuple[int, int], occlusion: float, hide: bool
) -> Move | None:
    """A valid move of a thing, or None."""
    for move in _candidates(rng, scene, thing, *times):
        if hide and least_seen(scene, thing, move) >= _HIDDEN:
            continue
        end = scene.with_thing(move.along(thing, 1.0))
        if move.kind != "slide":
            rested = settle(end.things)
            where = rested and next(other for other in rested if other.id == thing.id)
            if not where or where.support != move.support or math.dist(where.position, move.position) > 0.01:
                continue
            move = replace(move, position=where.position, rotation=where.rotation)
            if move.kind == "roll":
                move = replace(
                    move, angle=round(math.degrees(math.dist(_middle(thing), _middle(where)) / _radius(thing)), 3)
                )
            end = scene.with_thing(move.along(thing, 1.0))
        if clear(scene, thing, move) and not violations(end, occlusion):
            return move
    return None


def _candidates(rng: np.random.Generator, scene: Scene, thing: Thing, first: int, last: int) -> Iterator[Move]:
    """Candidate moves to free positions on its support or on another thing."""
    around = [ground for other in scene.things if other.id != thing.id for ground in grounds(other)]
    own = [ground for ground in around if ground.owner == thing.support and _beneath(ground, thing)]
    others = [ground for ground in around if ground not in own and ground.centre[2] < scene.camera.position[2]]
    others = [ground for ground in others if _is_near(ground, scene)]
    if category(thing.category).family == "furniture":  # no chair on a bed
        others = [ground for ground in others if scene.thing(ground.owner).fixed]
    for _ in range(_TRIES):
        kind = "lift" if rng.random() < 0.4 else "roll" if _rolls(thing) else "slide"
        choice = own + others if kind == "lift" else own
        if not choice:
            continue
        ground = choice[int(rng.integers(len(choice)))]
        x, y, top = ground.at(*rng.uniform(-0.92, 0.92, 2))
        if kind == "roll" and thing.symmetry != "SO3":  # a lying roller only rolls across its axis
            x, y = _across(thing, x, y)
        if math.dist((x, y), thing.position[:2]) < _SHORTEST * max(thing.size):
            continue
        position = (round(x, 5), round(y, 5), thing.position[2])
        move = Move(thing.id, kind, first, last, position, thing.rotation, ground.owner)  # type: ignore[arg-type]
        if kind == "lift":
            low = np.concatenate(corners(thing))[:, 2].min()
            z = top + thing.position[2] - float(low) + 2e-4
            turned = _turned(thing.rotation, float(rng.uniform(-60, 60)) if thing.front is None else 0.0)
            move = replace(move, position=(*position[:2], round(z, 6)), rotation=turned)
            move = replace(move, height=round(_height(scene, thing, move), 3))
        elif kind == "roll":
            move = _rolling(thing, move)
        if _fits(scene, thing, move, ground):
            yield move


def _beneath(ground: Ground, thing: Thing) -> bool:
    low = float(np.concatenate(corners(thing))[:, 2].min())
    return abs(low - ground.centre[2]) < 0.01 and ground.inset(np.array([thing.position[:2]])) > 0


def _is_near(ground: Ground, scene: Scene) -> bool:
    """Whether a ground is near the things: not the floor far below a table."""
    return any(abs(thing.position[2] - ground.centre[2]) < 0.5 for thing in scene.movable) and ground.clearance > 0.1


def _fits(scene: Scene, thing: Thing, move: Move, ground: Ground) -> bool:
    """Whether the end of a move is inside a ground, in the image, and clear of other things."""
    there = move.along(thing, 1.0)
    foot = outline(there)
    height = float(np.ptp(np.concatenate(corners(there))[:, 2]))
    if ground.inset(foot) < 0.01 or height + 0.01 > ground.clearance or in_view(scene, there) < 0.95:
        return False
    level = [
        other for other in scene.movable if other.id not in (thing.id, ground.owner) and other.support == ground.owner
    ]
    return all(gap(foot, outline(other)) > 0.006 for other in level)


def _height(scene: Scene, thing: Thing, move: Move) -> float:
    """Height in metres above the higher end that clears everything in between."""
    feet = np.concatenate([outline(thing), outline(replace(thing, position=move.position, rotation=move.rotation))])
    swept = feet[ConvexHull(feet).vertices]
    others = [other for other in scene.movable if other.id != thing.id and gap(swept, outline(other)) < _APART]
    tops = [float(np.concatenate(corners(other))[:, 2].max()) for other in others]
    low = float(np.concatenate(corners(thing))[:, 2].min()) - thing.position[2]
    return max(max(tops, default=0.0) - low - max(thing.position[2], move.position[2]) + 0.02, 0.05)


def _rolls(thing: Thing) -> bool:
    """Whether a thing can roll: a ball, or round and lying on its side."""
    upright = abs(float(rotation_matrix(thing.rotation)[2, 2]))
    return thing.symmetry == "SO3" or (thing.symmetry in _ROUND and upright < 0.05 and _straight(thing))


def _straight(thing: Thing) -> bool:
    """Whether a round thing has about the same radius at both ends, so that it rolls straight."""
    points = np.concatenate(corners(replace(thing, position=(0.0, 0.0, 0.0), rotation=(1.0, 0.0, 0.0, 0.0))))
    away, low, high = np.hypot(points[:, 0], points[:, 1]), points[:, 2].min(), points[:, 2].max()
    thick = [float(away[(points[:, 2] >= a) & (points[:, 2] <= b)].max(initial=0.0)) for a, b in
             ((low, low + 0.25 * (high - low)), (high - 0.25 * (high - low), high))]  # fmt: skip
    return min(thick) > 0.97 * max(thick)


def _radius(thing: Thing) -> float:
    return max(thing.size[:2]) / 2


def _middle(thing: Thing) -> Vector:
    x, y, z = thing.centre.tolist()
    return (x, y, z)


def _rolling(thing: Thing, move: Move) -> Move:
    """Convert a slide to a roll."""
    middle = np.array([0.0, 0.0, thing.size[2] / 2])
    before = rotation_matrix(thing.rotation)
    way = np.subtract(move.position, thing.position)
    angle = float(np.hypot(*way[:2])) / _radius(thing)
    axis = np.array([-way[1], way[0], 0.0]) / float(np.hypot(*way[:2])) * angle
    turned = np.asarray(Rotation.from_rotvec(axis).as_matrix()) @ before
    x, y, z = (np.asarray(thing.position) + before @ middle + way - turned @ middle).round(6).tolist()
    return replace(move, position=(x, y, z), rotation=quaternion(turned), angle=round(math.degrees(angle), 3))


def _across(thing: Thing, x: float, y: float) -> tuple[float, float]:
    """The nearest point that a lying roller can reach."""
    axis = rotation_matrix(thing.rotation)[:2, 2]
    axis = axis / max(float(np.hypot(*axis)), 1e-9)
    here = np.asarray(thing.position[:2])
    way = np.array([x, y]) - here
    there = here + way - axis * float(way @ axis)
    return float(there[0]), float(there[1])


def _turned(rotation: Quaternion, degrees: float) -> Quaternion:
    w, x, y, z = quaternion(rotation_matrix(yaw(degrees)) @ rotation_matrix(rotation))
    return (round(w, 8), round(x, 8), round(y, 8), round(z, 8))


def clear(scene: Scene, thing: Thing, move: Move) -> bool:
    """Whether a move is collision-free and stays in view."""
    return worst_overlap(scene, thing, move) <= OVERLAP and all(
        in_view(scene, move.along(thing, share)) >= _LEAST_SEEN for share in np.linspace(0, 1, 9)
    )


def worst_overlap(scene: Scene, thing: Thing, move: Move) -> float:
    """Maximum penetration in metres along a move, sampled every few millimetres."""
    length = math.dist(thing.position, move.position) + 2 * move.height
    steps = math.ceil(max(length / STEP, abs(move.angle) / 3.6, 20))
    worst = 0.0
    for share in np.linspace(0.0, 1.0, steps + 1).tolist():
        contacts = Simulation(scene.with_thing(move.along(thing, share)).things).contacts()
        worst = max([worst, *(c.depth for c in contacts if thing.id in (c.first, c.second))])
        if worst > OVERLAP:
            break
    return worst


def least_seen(scene: Scene, thing: Thing, move: Move) -> float:
    """Minimum visible share of a thing along a move."""
    place = scene.things.index(thing)
    ways = (scene.with_thing(move.along(thing, share)) for share in np.linspace(0.2, 0.8, 7).tolist())
    return min(float(render(way, 96, quality="draft", layers=("ids", "visible")).visible[place]) for way in ways)


def _with_camera(rng: np.random.Generator, clip: SolidClip, occlusion: float) -> SolidClip | None:
    """The clip with a camera motion that ends in a valid view; None if none was found."""
    points = np.concatenate([piece for thing in clip.scene.movable for piece in corners(thing)])
    x, y, z = ((points.min(axis=0) + points.max(axis=0)) / 2).round(4).tolist()
    for attempt in range(_TRIES // 2):
        shrink = 0.96**attempt
        orbit = float(rng.choice([-1.0, 1.0]) * rng.uniform(15, 40)) * shrink
        dolly = float(rng.uniform(-0.25, 0.08)) * shrink
        if rng.random() < 0.3:
            orbit, dolly = (0.0, -0.3 * shrink) if rng.random() < 0.5 else (orbit, 0.0)
        move = CameraMove((x, y, z), round(orbit, 2), round(dolly, 4), 0, clip.frames - 1)
        moving = replace(clip, camera=move)
        if not violations(moving.frame(clip.frames - 1), occlusion) and _in_sight(moving):
            return moving
    return None


def _in_sight(clip: SolidClip) -> bool:
    """Whether things stay in the image during the camera motion."""
    for share in (0.25, 0.5, 0.75):
        scene = clip.frame(share * (clip.frames - 1))
        if any(in_view(scene, thing) < _LEAST_SEEN for thing in scene.movable):
            return False
    return True
