"""Views of solid scenes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import product

import numpy as np

from pixelproof.world._memo import Memo
from pixelproof.world.solid import Camera, Scene, Thing, rotation_matrix
from pixelproof.world.solid._poses import vector
from pixelproof.world.solid._surfaces import surfaces_of
from pixelproof.world.solid._symmetry import rotations, turns
from pixelproof.world.solid.shapes import CATEGORIES, category, shape_of

from ._truth import Phrase
from ._validation import expect, require_share
from .view import Entity, Level, View
from .words import COLOURS, MATERIALS

_NOUNS = {
    "tabletop": "table",
    "camera": "photo camera",
    "bread loaf": "loaf of bread",
    "cheese wedge": "wedge of cheese",
}
"""Category → noun, where the category name is ambiguous or unusual."""
_NO_MATERIAL = (
    "snowman", "cactus", "potted plant", "ring stacker", "xylophone", "bowling pin",
    "bed", "book", "notebook", "hammer", "screwdriver", "saw", "scissors", "paintbrush", "magnifying glass",
    "candle", "table lamp", "floor lamp", "camera", "rubber duck", "teddy bear", "television", "dumbbell", "boot",
    "soap dispenser",
)  # fmt: skip
"""Categories whose material is not mentioned."""
_NO_COLOUR = ("name plate", "calendar")
"""Categories with a second colour as prominent as the first: their colour is not mentioned."""
_NO_MATERIAL_FAMILIES = ("food", "structure")
"""Materials that describe the look only: a tomato shines like ceramic."""
_NEARLY = 0.05
_SIDES = 24
"""Number of corners of the polygon that approximates a circle."""


def view_of(scene: Scene, visible: Mapping[str, float] | None = None) -> View:
    """Make the view of a solid scene from its camera.

    Args:
        scene: The scene.
        visible: Thing id → visible share, as the renderer returns; None: everything is visible.

    Raises:
        PixelProofError: The scene is not a solid scene, or a share is invalid.
    """
    expect(scene, Scene, "Give a solid scene, such as make_scene makes")
    expect(visible or {}, Mapping, "Give the shares that are seen as a mapping from ids")
    looks = rotation_matrix(scene.camera.rotation)
    axes = scene.camera.level_axes()
    shares = visible or {}
    for id, share in shares.items():
        require_share(f"share of {id} that is seen", share)
    entities = [
        _entity(scene, thing, axes, 1.0 if thing.fixed else shares.get(thing.id, 1.0)) for thing in scene.things
    ]
    nouns = sorted({_noun(kind.name) for kind in CATEGORIES.values() if kind.family != "structure"})
    seen = scene.camera.intrinsics(1, 1) @ looks.T @ axes.T
    return View(
        tuple(entities),
        tuple(nouns),
        (float(axes[0, 0]), float(axes[0, 1])),
        (float(axes[1, 0]), float(axes[1, 1])),
        (vector(seen[0]), vector(seen[1]), vector(seen[2])),
    )


def words_of(thing: Thing) -> Phrase:
    """Noun, colour and material of a thing; the last two are empty where they are not mentioned."""
    kind = category(thing.category)
    silent = kind.name in _NO_MATERIAL or kind.family in _NO_MATERIAL_FAMILIES or thing.material in kind.name
    return Phrase(
        _noun(thing.category),
        thing.colour if thing.colour in COLOURS and kind.name not in _NO_COLOUR else "",
        thing.material if thing.material in MATERIALS and not silent else "",
    )


def height_of(thing: Thing) -> float:
    """Vertical extent of the box of a thing, in its rotation, in metres."""
    return float(np.abs(rotation_matrix(thing.rotation)[2]) @ thing.size)


_known = Memo[tuple[tuple[Camera, bool], Entity]](600)


def _entity(scene: Scene, thing: Thing, axes: np.ndarray, visible: float) -> Entity:
    """The entity of a thing; all but the visible share is kept with the thing, because edited scenes share things."""
    key = scene.camera, any(other.support == thing.id for other in scene.things)
    known = _known.get(thing, lambda: (key, _entity_of(scene, thing, axes, key[1])))
    entity = known[1] if known[0] == key else _entity_of(scene, thing, axes, key[1])
    return replace(entity, visible=visible)


def _entity_of(scene: Scene, thing: Thing, axes: np.ndarray, carries: bool) -> Entity:
    turn = rotation_matrix(thing.rotation)
    centre = thing.centre
    pixel = scene.camera.project([centre], 1, 1)[0]
    words = words_of(thing)
    same = _turn(thing.symmetry, turn[2])
    return Entity(
        thing.id,
        words.noun,
        vector(axes @ (centre - scene.camera.position)),
        vector(np.abs(axes @ turn) @ thing.size),
        thing.size,
        (float(pixel[0]), float(pixel[1])),
        words.colour,
        words.material,
        1.0,
        thing.support,
        thing.fixed,
        same,
        _reach(scene.camera.project(_surface(thing, turn), 1, 1), pixel[:2]),
        _outline(axes @ turn, np.asarray(thing.size), round=same == 0),
        _levels(thing, axes @ turn) if carries else (),
        _front(thing, axes @ turn),
    )


def _surface(thing: Thing, turn: np.ndarray) -> np.ndarray:
    """Vertices of a thing in the world; the corners of its box if its shape is unknown."""
    if thing.form and not thing.fixed:
        own = thing.scale * np.concatenate([part.vertices for part in shape_of(thing).parts])
    else:
        own = (np.asarray(list(product((-0.5, 0.5), (-0.5, 0.5), (0.0, 1.0))))) * thing.size
    return np.asarray(own @ turn.T + thing.position)


def _front(thing: Thing, turn: np.ndarray) -> tuple[float, float] | None:
    """Direction of the front of an upright thing along the ground; None if it has none."""
    if thing.front is None or turn[2] @ thing.up < 1 - _NEARLY**2 / 2:
        return None
    x, y = (turn @ thing.front)[:2]
    length = math.hypot(x, y)
    return (float(x / length), float(y / length)) if length > _NEARLY else None


def _outline(turn: np.ndarray, size: np.ndarray, *, round: bool) -> tuple[tuple[float, float], ...]:
    """Outline of the ground that a thing covers: a circle, or the rectangle along its most level axis."""
    along = turn[:2, 0 if round else int(np.argmax(np.hypot(*turn[:2])))]
    along = along / (np.hypot(*along) or 1.0)
    frame = np.array([along, [-along[1], along[0]]])
    if round:
        angles = np.arange(_SIDES) * 2 * np.pi / _SIDES
        around = np.column_stack([np.cos(angles), np.sin(angles)]) * size[:2] / 2
    else:
        around = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (np.abs(frame @ turn[:2]) @ size) / 2
    return tuple((float(x), float(y)) for x, y in around @ frame)


def _levels(thing: Thing, turn: np.ndarray) -> tuple[Level, ...]:
    """Level surfaces of an upright thing on which others can stand."""
    if not thing.form or turn[2, 2] < 1 - _NEARLY**2 / 2:
        return ()
    found = []
    for surface in surfaces_of(thing):
        around = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (surface.width, surface.depth) / 2
        corners = thing.scale * (around + surface.centre[:2]) @ turn[:2, :2].T
        outline = tuple((float(x), float(y)) for x, y in corners)
        height = thing.scale * surface.centre[2] - thing.size[2] / 2
        found.append(Level(outline, height, thing.scale * surface.clearance))
    return tuple(found)


def _reach(corners: np.ndarray, middle: np.ndarray) -> tuple[float, float, float, float]:
    """Extent of projected corners from an image point: left, right, up, down."""
    if corners[:, 2].min() <= 0:
        return (math.inf,) * 4  # partly behind the camera: unbounded
    (left, up), (right, down) = corners[:, :2].min(axis=0) - middle, corners[:, :2].max(axis=0) - middle
    return (-float(left), float(right), -float(up), float(down))


def _noun(name: str) -> str:
    return _NOUNS.get(name) or category(name).word or name


def _turn(symmetry: str, vertical: np.ndarray) -> float:
    """Period in degrees of a thing's rotational symmetry about the vertical."""
    if symmetry == "SO3" or abs(vertical[2]) > 1 - _NEARLY**2 / 2:
        return turns(symmetry)
    group = rotations(symmetry)
    x, y, z = vertical
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    for count in (8, 6, 5, 4, 3, 2):
        angle = 2 * np.pi / count
        about = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
        if np.abs(group - about).max(axis=(1, 2)).min() < 2 * _NEARLY:
            return 360.0 / count
    return 360.0
