"""Exact transforms of things and cameras, and whether a turn can be seen; nothing checks whether it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

from pixelproof.stats import generator
from pixelproof.world.solid import Camera, Scene, Thing, quaternion, rotation_matrix, yaw
from pixelproof.world.solid._poses import Floats, vector
from pixelproof.world.solid._settle import corners
from pixelproof.world.solid.shapes import shape

from ._edit import Edit

RIGHT_AWAY_UP: Mapping[str, tuple[int, int, int]] = {
    "left": (-1, 0, 0),
    "right": (1, 0, 0),
    "closer": (0, -1, 0),
    "front": (0, -1, 0),
    "back": (0, -1, 0),
    "away": (0, 1, 0),
    "behind": (0, 1, 0),
    "forward": (0, 1, 0),
    "up": (0, 0, 1),
    "down": (0, 0, -1),
}
"""Way of a move, a place or a camera → direction in the viewer's frame: right, away along the ground, up."""


def direction(camera: Camera, way: str) -> Floats:
    """Unit vector in the world of a way of the viewer."""
    return np.asarray(np.asarray(RIGHT_AWAY_UP[way], np.float64) @ camera.level_axes())


OWN_FORWARD_LEFT: Mapping[str, tuple[int, int]] = {
    "forward": (1, 0),
    "front": (1, 0),
    "back": (-1, 0),
    "behind": (-1, 0),
    "left": (0, 1),
    "right": (0, -1),
}
"""Way in the frame of a thing → direction: the way that it faces, and its own left."""
_LEAST_FRONT = 0.05
"""Least horizontal length of the front direction of a thing that has a frame of its own."""


def front_of(thing: Thing) -> Floats | None:
    """Horizontal unit vector in the world that an upright thing faces; None if it has no front, or lies."""
    if thing.front is None or rotation_matrix(thing.rotation)[2] @ thing.up < 1 - _LEAST_FRONT**2 / 2:
        return None
    ahead = (rotation_matrix(thing.rotation) @ thing.front)[:2]
    length = float(np.linalg.norm(ahead))
    return np.array([*ahead / length, 0.0]) if length > _LEAST_FRONT else None


def edit_direction(scene: Scene, edit: Edit) -> Floats | None:
    """Unit vector in the world of the way of an edit, in its frame; None if the thing of the frame has no front."""
    if edit.frame == "viewer":
        return direction(scene.camera, edit.way)
    ahead = front_of(scene.thing(edit.anchor or edit.target))
    if ahead is None:
        return None
    forward, left = OWN_FORWARD_LEFT[edit.way]
    return np.asarray(forward * ahead + left * np.array([-ahead[1], ahead[0], 0.0]))


def load_of(scene: Scene, id: str) -> tuple[str, ...]:
    """Ids of everything that stands on a thing, directly or on what stands on it; without the thing itself."""
    above: list[str] = []
    layer = {id}
    while layer:
        layer = {thing.id for thing in scene.things if thing.support in layer} - {id, *above}
        above += sorted(layer)
    return tuple(above)


def foot(thing: Thing) -> float:
    """Height of the lowest point of a thing, in metres."""
    return float(min(piece[:, 2].min() for piece in corners(thing)))


def pivot(thing: Thing) -> Floats:
    """The point below the centre of a thing at the height of its lowest point; scaling and turning keep it."""
    return np.array([*thing.centre[:2], foot(thing)])


def shifted(thing: Thing, way: Floats) -> Thing:
    """A thing moved by a vector."""
    return replace(thing, position=vector(np.add(thing.position, way)))


def turned_about(thing: Thing, centre: Floats, degrees: float) -> Thing:
    """A thing rotated about the vertical axis through a point, anticlockwise as seen from above."""
    turn = rotation_matrix(yaw(degrees))
    position = np.asarray(centre) + turn @ np.subtract(thing.position, centre)
    return replace(thing, position=vector(position), rotation=quaternion(turn @ rotation_matrix(thing.rotation)))


def scaled(thing: Thing, factor: float) -> Thing:
    """A thing scaled by a factor; the vertical through its centre and the height of its lowest point stay."""
    width, depth, height = (side * factor for side in thing.size)
    grown = replace(thing, scale=thing.scale * factor, size=(width, depth, height))
    return shifted(grown, pivot(thing) - pivot(grown))


def placed(thing: Thing, x: float, y: float, z: float, turn_deg: float = 0.0, factor: float = 1.0) -> Thing:
    """A thing with its centre above (x, y) and its lowest point at height z, turned and scaled from its pose.

    The turn is about the vertical axis through its centre, anticlockwise as seen from above; so the pose of a tilted
    or lying thing is defined by the same four numbers.
    """
    posed = scaled(turned_about(thing, thing.centre, turn_deg), factor)
    return shifted(posed, np.array([x, y, z]) - pivot(posed))


def transformed(scene: Scene, id: str, position: npt.ArrayLike, turn_deg: float = 0.0, factor: float = 1.0) -> Scene:
    """A scene with a thing, and what stands on it, at another pose.

    Args:
        scene: The scene.
        id: Id of the thing.
        position: Where its pivot is afterwards.
        turn_deg: Turn about the vertical, anticlockwise as seen from above.
        factor: Scale about the pivot.
    """
    group, start, turn = {id, *load_of(scene, id)}, pivot(scene.thing(id)), rotation_matrix(yaw(turn_deg))

    def posed(thing: Thing) -> Thing:
        width, depth, height = (side * factor for side in thing.size)
        return replace(
            thing,
            position=vector(np.asarray(position) + factor * turn @ (np.asarray(thing.position) - start)),
            rotation=quaternion(turn @ rotation_matrix(thing.rotation)),
            scale=thing.scale * factor,
            size=(width, depth, height),
            support=None if thing.id == id else thing.support,
        )

    return replace(scene, things=tuple(posed(one) if one.id in group else one for one in scene.things))


def without(scene: Scene, id: str) -> Scene:
    """A scene without a thing and what stands on it."""
    group = {id, *load_of(scene, id)}
    return replace(scene, things=tuple(thing for thing in scene.things if thing.id not in group))


def move_group(scene: Scene, id: str, way: Floats) -> Scene:
    """A scene in which a thing and its load are moved by a vector."""
    group = {id, *load_of(scene, id)}
    return replace(scene, things=tuple(shifted(one, way) if one.id in group else one for one in scene.things))


def turn_group(scene: Scene, id: str, degrees: float) -> Scene:
    """A scene in which a thing and its load are rotated about the vertical axis through the centre of the thing."""
    group, centre = {id, *load_of(scene, id)}, scene.thing(id).centre
    return replace(
        scene, things=tuple(turned_about(one, centre, degrees) if one.id in group else one for one in scene.things)
    )


def moved_camera(camera: Camera, edit: Edit, share: float) -> Camera:
    """The camera after a share of a camera edit.

    It moves along the viewer's axes, which are level; it pans about the vertical and tilts about its own x axis; it
    zooms by its focal length.
    """
    if edit.action == "zoom camera":
        return replace(camera, focal=camera.focal * edit.amount ** (share if edit.way == "in" else -share))
    if edit.action == "move camera":
        step = share * edit.amount * direction(camera, edit.way)
        return replace(camera, position=vector(np.add(camera.position, step)))
    degrees = share * edit.amount * (1 if edit.way in ("left", "up") else -1)
    looks = rotation_matrix(camera.rotation)
    if edit.way in ("left", "right"):
        return replace(camera, rotation=quaternion(rotation_matrix(yaw(degrees)) @ looks))
    half = np.radians(degrees) / 2
    tilt = rotation_matrix((float(np.cos(half)), float(np.sin(half)), 0.0, 0.0))
    return replace(camera, rotation=quaternion(looks @ tilt))


_POINTS = 2000
LEAST_DIFFERENCE = 0.06
"""Least difference of a turn that can be seen, as a share of the longest side of the thing."""


def turn_difference(thing: Thing, degrees: float) -> float:
    """How far the surface of a thing is from itself after a turn about the vertical, as a share of its longest side.

    Distances are normal to the surface and between parts of the same paint; of all points, the 95th percentile counts.
    A turn by a symmetry of the thing has a difference near 0. Both directions have the same difference: that of the
    anticlockwise turn.
    """
    degrees = abs(degrees)
    axis = rotation_matrix(thing.rotation).T @ rotation_matrix(yaw(degrees)) @ rotation_matrix(thing.rotation)
    low, high = shape(thing.category, thing.form).bounds
    middle = (low + high) / 2
    distances = []
    for points, normals in _samples(thing.category, tuple(sorted(thing.form.items())), bool(thing.text)):
        tree, turned = cKDTree(points), (points - middle) @ axis.T + middle
        _, nearest = tree.query(turned)
        distances.append(np.abs(np.sum((turned - points[nearest]) * normals[nearest], axis=1)))
    return float(np.percentile(np.concatenate(distances), 95) / (high - low).max())


@lru_cache(maxsize=256)
def _samples(name: str, form: tuple[tuple[str, float], ...], lettered: bool) -> tuple[tuple[Floats, Floats], ...]:
    """Random surface points and their normals, one pair of arrays per paint; labels with a text are a paint."""
    built, rng = shape(name, dict(form)), generator(0, "turn", 0)
    groups: dict[object, list[tuple[Floats, Floats, Floats]]] = {}
    for part in built.parts:
        corners = part.vertices[part.faces]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        areas = np.linalg.norm(normals, axis=1)
        keep = areas > 0
        groups.setdefault(part.paint, []).append((corners[keep], normals[keep] / areas[keep, None], areas[keep]))
    whole = sum(float(areas.sum()) for parts in groups.values() for _, _, areas in parts)
    samples = []
    for parts in groups.values():
        corners, normals, areas = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        count = max(60, round(_POINTS * float(areas.sum()) / whole))
        chosen = rng.choice(len(areas), count, p=areas / areas.sum())
        weights = rng.dirichlet((1.0, 1.0, 1.0), count)
        samples.append((np.einsum("nk,nkd->nd", weights, corners[chosen]), normals[chosen]))
    for label in built.labels if lettered else ():
        centre, up = np.asarray(label.centre), np.asarray(label.up)
        across = np.cross(up, label.normal)
        spots = rng.uniform(-0.5, 0.5, (150, 2)) * (label.width, label.height)
        # Letters that are seen from the side look different: distances along the label count too.
        points = centre + spots[:, :1] * across + spots[:, 1:] * up
        samples.append((points, np.tile(across, (150, 1))))
    return tuple(samples)
