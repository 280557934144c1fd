"""Solid scenes: things with poses, a camera, lights and an environment.

Lengths are metres and z points up. The frame of a thing has its origin below the centre of the thing at its lowest
point, z along its up axis and -y along its front: an unrotated thing faces a viewer who looks along +y, and scaling it
keeps it on its support. Quaternions are (w, x, y, z) and map the thing's frame to the world; the camera frame is
OpenCV's (x right, y down, z forward).
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
"""Largest coordinate in metres: single precision still resolves a millimetre there."""
MOST_SCALE = 100
"""Largest scale of a thing."""


def _demand(holds: bool, what: str, expected: str, value: object) -> None:
    """Raise an error unless a condition holds; NaN fails every comparison."""
    if not holds:
        raise PixelProofError(f"{what} must be {expected}, not {value}.")


def _check_place(what: str, position: Vector) -> None:
    near = all(abs(number) < FARTHEST for number in position)
    _demand(near, f"The position of {what}", f"within {FARTHEST:.0f} m of the origin", position)


def _check_pose(what: str, position: Vector, rotation: Quaternion) -> None:
    _check_place(what, position)
    unit = abs(math.hypot(*rotation) - 1) <= 1e-3
    _demand(unit, f"The rotation of {what}", "a quaternion (w, x, y, z) of length 1", rotation)


@dataclass(frozen=True)
class Thing:
    """An object of a scene, or a fixed part of its surroundings such as a floor, a wall or a table."""

    content_name: ClassVar[str] = "Thing"

    id: str
    """Unique in the scene, such as `mug-1`."""
    category: str
    colour: str
    """Colour word of the main part; empty for categories with fixed colours, such as bananas."""
    material: str
    """Material word of the main part."""
    size: Vector
    """Extent along the thing's axes, including scale."""
    position: Vector
    """Origin of its frame in the world."""
    rotation: Quaternion = (1.0, 0.0, 0.0, 0.0)
    scale: float = 1.0
    form: Mapping[str, float] = field(default_factory=dict)
    """Shape parameters of its category, at scale 1."""
    text: str = ""
    """Text on it."""
    up: Vector = (0.0, 0.0, 1.0)
    front: Vector | None = None
    """Front direction in its frame; None if it has no front."""
    symmetry: str = "C1"
    """Symmetry group, a name in `SYMMETRIES`."""
    support: str | None = None
    """Id of its support; None if it has none."""
    fixed: bool = False
    """Whether it is part of the surroundings, which edits never change."""

    def __post_init__(self) -> None:
        """Validate the fields."""
        _check_pose(self.id, self.position, self.rotation)
        _demand(
            0 < self.scale <= MOST_SCALE, f"The scale of {self.id}", f"above 0 and at most {MOST_SCALE}", self.scale
        )
        extents = all(0 < extent < math.inf for extent in self.size)
        _demand(extents, f"The size of {self.id}", "above 0 along each axis", self.size)

    @property
    def matrix(self) -> Floats:
        """The 4 × 4 matrix from its frame at scale 1 to the world."""
        return pose_matrix(self.position, self.rotation, self.scale)

    @property
    def centre(self) -> Floats:
        """Centre of its oriented bounding box in the world; edits move, turn and measure things by it."""
        return np.asarray(rotation_matrix(self.rotation) @ (0.0, 0.0, self.size[2] / 2) + self.position)


@dataclass(frozen=True)
class Camera:
    """A pinhole camera without distortion; the image size is chosen when rendering."""

    content_name: ClassVar[str] = "Camera"

    position: Vector
    rotation: Quaternion
    focal: float = 1.2
    """Focal length in units of the shorter image side."""

    def __post_init__(self) -> None:
        """Validate the fields."""
        _check_pose("the camera", self.position, self.rotation)
        _demand(0 < self.focal <= 100, "The focal length of the camera", "above 0 and at most 100", self.focal)

    @classmethod
    def looking_at(cls, target: Vector, position: Vector, focal: float = 1.2) -> Camera:
        """A camera at a position that looks at a target.

        >>> camera = Camera.looking_at((0.0, 0.0, 0.0), (0.0, -2.0, 0.0))
        >>> camera.project([[0.1, 0.0, 0.0]], 200, 100).round(3).tolist()
        [[106.0, 50.0, 2.0]]
        """
        return cls(position, facing(position, target), focal)

    def intrinsics(self, width: int, height: int) -> Floats:
        """The intrinsic matrix K; the centre of the first pixel is at (0.5, 0.5)."""
        focal = self.focal * min(width, height)
        return np.array([[focal, 0.0, width / 2], [0.0, focal, height / 2], [0.0, 0.0, 1.0]])

    def project(self, points: npt.ArrayLike, width: int, height: int) -> Floats:
        """Project world points (n, 3) to (x, y, depth) in pixels and metres; a depth ≤ 0 is behind the camera."""
        local = (np.asarray(points, dtype=np.float64) - self.position) @ rotation_matrix(self.rotation)
        seen = local @ self.intrinsics(width, height).T
        return np.column_stack([seen[:, :2] / seen[:, 2:], local[:, 2]])

    def unproject(self, pixels: npt.ArrayLike, width: int, height: int, depth: npt.ArrayLike) -> Floats:
        """World points (n, 3) of image points (n, 2) at depths along the optical axis: the inverse of `project`.

        >>> camera = Camera.looking_at((0.0, 0.0, 0.0), (0.0, -2.0, 0.0))
        >>> camera.unproject([[106.0, 50.0]], 200, 100, [2.0]).round(3).tolist()
        [[0.1, 0.0, 0.0]]
        """
        rays = self.rays(pixels, width, height)
        return np.asarray(rays * np.asarray(depth, dtype=np.float64).reshape(-1, 1) + self.position)

    def rays(self, pixels: npt.ArrayLike, width: int, height: int) -> Floats:
        """World directions (n, 3) through image points (n, 2), of length 1 along the optical axis."""
        points = np.asarray(pixels, dtype=np.float64).reshape(-1, 2)
        local = np.column_stack([points, np.ones(len(points))]) @ np.linalg.inv(self.intrinsics(width, height)).T
        return np.asarray(local @ rotation_matrix(self.rotation).T)

    def level_axes(self) -> Floats:
        """The viewer's frame, (3, 3): rows are unit vectors to the right, away along the ground, and up.

        A camera that looks straight down has the top of its image as away.
        """
        looks = rotation_matrix(self.rotation)
        away = looks[:2, 2] if np.linalg.norm(looks[:2, 2]) > 1e-6 else -looks[:2, 1]
        x, y = away / np.linalg.norm(away)
        return np.array([[y, -x, 0.0], [x, y, 0.0], [0.0, 0.0, 1.0]])


@dataclass(frozen=True)
class Light:
    """A spherical lamp, or the sun."""

    content_name: ClassVar[str] = "Light"

    position: Vector
    """Position of a lamp; direction to the sun."""
    radius: float
    """Radius of a lamp in metres; for the sun, the sine of its angular radius. It sets the softness of shadows."""
    power: Vector
    """Linear RGB: radiance of a white surface that faces it, at one metre from a lamp, or anywhere for the sun."""
    kind: Literal["lamp", "sun"] = "lamp"

    def __post_init__(self) -> None:
        """Validate the fields."""
        _check_place("a light", self.position)
        _demand(0 <= self.radius < math.inf, "The radius of a light", "0 or more", self.radius)
        _demand(all(0 <= part < math.inf for part in self.power), "The power of a light", "0 or more", self.power)
        _demand(self.kind == "lamp" or any(self.position), "The direction to the sun", "other than zero", self.position)


@dataclass(frozen=True)
class Environment:
    """Ambient light and background."""

    content_name: ClassVar[str] = "Environment"

    zenith: Vector = (0.55, 0.60, 0.68)
    """Linear RGB of the sky above."""
    horizon: Vector = (0.62, 0.60, 0.58)
    ground: Vector = (0.30, 0.28, 0.26)
    """Linear RGB of the light from below."""
    exposure: float = 1.0
    outdoors: Vector = (1.0, 1.0, 1.0)
    """Linear RGB factor of the sky where the camera sees it, directly or through glass; not of its light."""

    def __post_init__(self) -> None:
        """Validate the fields."""
        seen = all(0 <= part <= 1000 for part in self.outdoors)
        _demand(seen, "The factor of the sky outdoors", "from 0 to 1000", self.outdoors)
        _demand(0 < self.exposure <= 1000, "The exposure of a scene", "above 0 and at most 1000", self.exposure)


@dataclass(frozen=True)
class Scene(Document):
    """Everything that determines an image and its ground truth."""

    content_name: ClassVar[str] = "Scene"
    what: ClassVar[str] = "scene"
    current: ClassVar[int] = VERSION

    kind: str
    """Kind of scene: `tabletop`, `room` or `shelf`."""
    seed: int
    index: int
    things: tuple[Thing, ...]
    camera: Camera
    lights: tuple[Light, ...]
    environment: Environment = Environment()
    split: str = "train"
    layout: str = ""
    """Arrangement, such as `rows`; empty for hand-made scenes."""
    setting: str = ""
    """Kind of room, such as `kitchen`; empty for other scenes."""
    version: int = VERSION

    def __post_init__(self) -> None:
        """Check that ids are unique and supports exist."""
        ids = [thing.id for thing in self.things]
        if len(set(ids)) < len(ids):
            raise PixelProofError(f"Scene has two things with one id among {', '.join(ids)}: give each its own.")
        for thing in self.things:
            if thing.support is not None and (thing.support not in ids or thing.support == thing.id):
                raise PixelProofError(
                    f"Thing {thing.id} stands on {thing.support!r}, which is not another thing of the scene."
                )

    @property
    def movable(self) -> tuple[Thing, ...]:
        """The things that are not part of the surroundings."""
        return tuple(thing for thing in self.things if not thing.fixed)

    def thing(self, id: str) -> Thing:
        """The thing with an id.

        Raises:
            KeyError: There is no such thing.
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
        """This scene without a thing."""
        self.thing(id)
        return replace(self, things=tuple(thing for thing in self.things if thing.id != id))
