"""What a solid scene is: things with poses, a camera, lights and surroundings; and its file.

Lengths are metres and z points up. A thing's own frame has its origin under the middle of the thing at the height of
its lowest point, z along its up axis and -y along its front, so a thing that stands unturned faces a viewer who looks
along +y, and scaling it keeps what it stands on. Quaternions are (w, x, y, z) and turn a thing's own frame into the
world's; the camera's own frame is OpenCV's (x right, y down, z forward).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from pixelproof.contract import PixelProofError
from pixelproof.world._reading import Document

from ._poses import Floats, Quaternion, Vector, facing, pose_matrix, rotation_matrix

VERSION = 1
FARTHEST = 1e4
"""Metres from the origin along each axis within which anything is; single precision still knows a millimetre there."""


def _demand(holds: bool, what: str, wanted: str, found: object) -> None:
    """Refuse a number that no scene can have; NaN makes every comparison false and is refused as well."""
    if not holds:
        raise PixelProofError(f"{what} must be {wanted}, not {found}.")


def _check_place(what: str, position: Vector) -> None:
    near = all(abs(number) < FARTHEST for number in position)
    _demand(near, f"The position of {what}", f"within {FARTHEST:.0f} m of the origin", position)


def _check_pose(what: str, position: Vector, rotation: Quaternion) -> None:
    _check_place(what, position)
    unit = abs(math.hypot(*rotation) - 1) <= 1e-3
    _demand(unit, f"The rotation of {what}", "a quaternion (w, x, y, z) of length 1", rotation)


@dataclass(frozen=True)
class Thing:
    """One object of a scene, or a fixed part of its surroundings such as a floor, a wall or a table."""

    id: str
    """Unique in the scene, such as `mug-1`."""
    category: str
    colour: str
    """Word for the colour of the main part; empty where a category has its own colours, as a banana has."""
    material: str
    """Word for the material of the main part."""
    size: Vector
    """Extent along the thing's own axes, scale included."""
    position: Vector
    """Where the origin of its own frame is."""
    rotation: Quaternion = (1.0, 0.0, 0.0, 0.0)
    scale: float = 1.0
    form: Mapping[str, float] = field(default_factory=dict)
    """The numbers that its category builds its shape from, at scale 1."""
    text: str = ""
    """What is written on it."""
    up: Vector = (0.0, 0.0, 1.0)
    front: Vector | None = None
    """In its own frame; None where no side is the front."""
    symmetry: str = "C1"
    """The rotations that leave it looking the same, a name in `SYMMETRIES`."""
    support: str | None = None
    """Id of the thing that it stands on; None for what stands on nothing."""
    fixed: bool = False
    """Whether it belongs to the surroundings: never moved, turned or taken away by an edit."""

    def __post_init__(self) -> None:
        """Refuse sizes and poses that nothing can have."""
        _check_pose(self.id, self.position, self.rotation)
        _demand(0 < self.scale <= 100, f"The scale of {self.id}", "above 0 and at most 100", self.scale)
        extents = all(0 < extent < math.inf for extent in self.size)
        _demand(extents, f"The size of {self.id}", "above 0 along each axis", self.size)

    @property
    def matrix(self) -> Floats:
        """From its own frame at scale 1 to the world, as a 4 × 4 matrix."""
        return pose_matrix(self.position, self.rotation, self.scale)


@dataclass(frozen=True)
class Camera:
    """A pinhole camera without distortion; the size of the picture is chosen when it is taken."""

    position: Vector
    rotation: Quaternion
    focal: float = 1.2
    """Focal length in units of the shorter side of the picture: a wider or a higher picture shows more."""

    def __post_init__(self) -> None:
        """Refuse a camera that takes no picture."""
        _check_pose("the camera", self.position, self.rotation)
        _demand(0 < self.focal <= 100, "The focal length of the camera", "above 0 and at most 100", self.focal)

    @classmethod
    def looking_at(cls, target: Vector, position: Vector, focal: float = 1.2) -> Camera:
        """A camera at a position that has a point in the middle of its picture.

        >>> camera = Camera.looking_at((0.0, 0.0, 0.0), (0.0, -2.0, 0.0))
        >>> camera.project([[0.1, 0.0, 0.0]], 200, 100).round(3).tolist()
        [[106.0, 50.0, 2.0]]
        """
        return cls(position, facing(position, target), focal)

    def intrinsics(self, width: int, height: int) -> Floats:
        """The matrix K, where the centre of the first pixel is at (0.5, 0.5)."""
        focal = self.focal * min(width, height)
        return np.array([[focal, 0.0, width / 2], [0.0, focal, height / 2], [0.0, 0.0, 1.0]])

    def project(self, points: npt.ArrayLike, width: int, height: int) -> Floats:
        """Pixels (x, y) and depth of points of the world, of shape (n, 3); a depth ≤ 0 is behind the camera."""
        local = (np.asarray(points, dtype=np.float64) - self.position) @ rotation_matrix(self.rotation)
        seen = local @ self.intrinsics(width, height).T
        return np.column_stack([seen[:, :2] / seen[:, 2:], local[:, 2]])


@dataclass(frozen=True)
class Light:
    """A round lamp, or the sun."""

    position: Vector
    """Of the lamp; of the sun, the direction from the origin to it."""
    radius: float
    """Of the lamp in metres; of the sun, the sine of half the angle that it fills. It sets how soft shadows are."""
    power: Vector
    """Linear RGB: radiance that a white surface facing it at one metre (a lamp), or anywhere (the sun), sends back."""
    kind: Literal["lamp", "sun"] = "lamp"

    def __post_init__(self) -> None:
        """Refuse light that comes from nowhere or takes light away."""
        _check_place("a light", self.position)
        _demand(0 <= self.radius < math.inf, "The radius of a light", "0 or more", self.radius)
        _demand(all(0 <= part < math.inf for part in self.power), "The power of a light", "0 or more", self.power)
        _demand(self.kind == "lamp" or any(self.position), "The direction to the sun", "other than zero", self.position)


@dataclass(frozen=True)
class Environment:
    """What surrounds the things: light from everywhere, and what is seen where there is nothing."""

    zenith: Vector = (0.55, 0.60, 0.68)
    """Linear RGB of the light from above."""
    horizon: Vector = (0.62, 0.60, 0.58)
    ground: Vector = (0.30, 0.28, 0.26)
    """Of the light from below."""
    exposure: float = 1.0

    def __post_init__(self) -> None:
        """Refuse an exposure in which nothing could be seen."""
        _demand(0 < self.exposure <= 1000, "The exposure of a scene", "above 0 and at most 1000", self.exposure)


@dataclass(frozen=True)
class Scene(Document):
    """All that a picture and its truth are made from."""

    what: ClassVar[str] = "scene"
    current: ClassVar[int] = VERSION

    kind: str
    """The layout that made it: `tabletop`, `room` or `shelf`."""
    seed: int
    index: int
    things: tuple[Thing, ...]
    camera: Camera
    lights: tuple[Light, ...]
    environment: Environment = Environment()
    split: str = "train"
    layout: str = ""
    """How the things are arranged, such as `rows`; empty for scenes arranged by hand."""
    version: int = VERSION

    def __post_init__(self) -> None:
        """Refuse scenes in which things cannot be told apart or stand on what is not there."""
        ids = [thing.id for thing in self.things]
        if len(set(ids)) < len(ids):
            raise PixelProofError(f"Scene has two things with one id among {', '.join(ids)}: give each its own.")
        for thing in self.things:
            if thing.support is not None and (thing.support not in ids or thing.support == thing.id):
                raise PixelProofError(
                    f"Thing {thing.id} stands on {thing.support!r}, which is no other thing of the scene."
                )

    @property
    def movable(self) -> tuple[Thing, ...]:
        """The things that are not part of the surroundings."""
        return tuple(thing for thing in self.things if not thing.fixed)

    def thing(self, id: str) -> Thing:
        """The thing with an id.

        Raises:
            KeyError: There is none.
        """
        for thing in self.things:
            if thing.id == id:
                return thing
        raise KeyError(id)

    def with_thing(self, thing: Thing) -> Scene:
        """This scene with the thing of the same id replaced."""
        self.thing(thing.id)
        return replace(self, things=tuple(thing if other.id == thing.id else other for other in self.things))

    def without(self, id: str) -> Scene:
        """This scene with one thing taken away."""
        self.thing(id)
        return replace(self, things=tuple(thing for thing in self.things if thing.id != id))
