"""Solid clips: a solid scene with motion. Each frame is a solid scene with the same things."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, get_args

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

from pixelproof.contract import PixelProofError
from pixelproof.world._limits import require_word
from pixelproof.world._reading import Document
from pixelproof.world.solid._poses import Quaternion, Vector, quaternion, rotation_matrix, vector, yaw
from pixelproof.world.solid._scene import Camera, Scene, Thing

VERSION = 1
Kind = Literal["slide", "roll", "lift"]


def ease(share: float) -> float:
    """Ease from 0 to 1 with zero velocity and acceleration at both ends (smootherstep).

    >>> [ease(share) for share in (-1.0, 0.0, 0.5, 1.0, 2.0)]
    [0.0, 0.0, 0.5, 1.0, 1.0]
    """
    t = min(max(share, 0.0), 1.0)
    return min(t**3 * (t * (6 * t - 15) + 10), 1.0)


@dataclass(frozen=True)
class Move:
    """Motion of one thing from its pose in the first frame to another pose."""

    id: str
    kind: Kind
    """Slide along the ground, roll about a horizontal axis, or lift: up, over and down."""
    first: int
    last: int
    """First and last frame of the motion."""
    position: Vector
    rotation: Quaternion
    """Final pose."""
    support: str
    """Final support."""
    height: float = 0.0
    """Height of a lift above the higher end, in metres."""
    angle: float = 0.0
    """Rolling angle in degrees, about the horizontal axis to the left of its path through its centre."""

    def __post_init__(self) -> None:
        """Validate the fields."""
        require_word("kind of move", self.kind, get_args(Kind))
        if not 0 <= self.first < self.last:
            raise PixelProofError(f"{self.id} moves from frame {self.first} to {self.last}: give it a time.")

    def at(self, thing: Thing, frame: float) -> Thing:
        """The thing at a (fractional) frame, given the thing of the first frame."""
        return self.along(thing, (frame - self.first) / (self.last - self.first))

    def along(self, thing: Thing, share: float) -> Thing:
        """The thing after a share of its move, from 0 to 1."""
        if share <= 0:
            return thing
        if share >= 1:
            return replace(thing, position=self.position, rotation=self.rotation, support=self.support)
        if self.kind == "lift":
            return _lifted(thing, self, share)
        return (_rolled if self.kind == "roll" else _interpolated)(thing, self, ease(share))


def _interpolated(thing: Thing, move: Move, share: float) -> Thing:
    """Linear interpolation of the position and slerp of the rotation."""
    ends = Rotation.from_quat([_xyzw(thing.rotation), _xyzw(move.rotation)])
    x, y, z, w = Slerp([0.0, 1.0], ends)(share).as_quat(canonical=True).tolist()
    here = np.asarray(thing.position) * (1 - share) + np.asarray(move.position) * share
    return replace(thing, position=_rounded(here), rotation=(w, x, y, z))


def _lifted(thing: Thing, move: Move, share: float) -> Thing:
    """Up, over and down, overlapping in time."""
    level = _interpolated(thing, move, ease((share - 0.25) / 0.5))
    start, end = thing.position[2], move.position[2]
    top = max(start, end) + move.height
    rise, fall = ease(share / 0.5), ease((share - 0.5) / 0.5)
    z = start + (top - start) * rise if share < 0.5 else top + (end - top) * fall
    return replace(level, position=(level.position[0], level.position[1], z))


def _rolled(thing: Thing, move: Move, share: float) -> Thing:
    """The centre moves in a straight line while the thing rotates about the horizontal axis across its path."""
    middle = np.array([0.0, 0.0, thing.size[2] / 2])
    end = rotation_matrix(move.rotation)
    before, after = rotation_matrix(thing.rotation) @ middle + thing.position, end @ middle + move.position
    way = (after - before)[:2] / max(float(np.hypot(*(after - before)[:2])), 1e-9)
    axis = np.array([-way[1], way[0], 0.0]) * math.radians(move.angle)
    # The residual rotation, which is small: what the thing rotated while it came to rest.
    rest = _interpolated(thing, replace(move, rotation=quaternion(_about(-axis) @ end)), share)
    turned = _about(axis * share) @ rotation_matrix(rest.rotation)
    here = before * (1 - share) + after * share - turned @ middle
    return replace(thing, position=_rounded(here), rotation=quaternion(turned))


def _about(axis: np.ndarray) -> np.ndarray:
    """Rotation matrix of a rotation vector, in radians."""
    return np.asarray(Rotation.from_rotvec(axis).as_matrix())


@dataclass(frozen=True)
class CameraMove:
    """Camera motion around a target and towards it."""

    target: Vector
    orbit: float = 0.0
    """Rotation about the vertical axis through the target in degrees, anticlockwise as seen from above."""
    dolly: float = 0.0
    """Share of the distance to the target that it covers; negative: away."""
    first: int = 0
    last: int = 1

    def __post_init__(self) -> None:
        """Validate the fields."""
        if not 0 <= self.first < self.last or not self.dolly < 1:
            raise PixelProofError(
                f"The camera moves from frame {self.first} to {self.last} by {self.dolly} of its way: give it a time, "
                "and stop before the target."
            )

    def at(self, camera: Camera, frame: float) -> Camera:
        """The camera at a frame, given the camera of the first frame."""
        share = ease((frame - self.first) / (self.last - self.first))
        turn = rotation_matrix(yaw(self.orbit * share))
        away = np.subtract(camera.position, self.target) * (1 - self.dolly * share)
        position = np.asarray(self.target) + turn @ away
        rotation = quaternion(turn @ rotation_matrix(camera.rotation)) if share else camera.rotation
        return replace(camera, position=_rounded(position) if share else camera.position, rotation=rotation)


@dataclass(frozen=True)
class SolidClip(Document):
    """A scene, which is the first frame, with its motions."""

    what: ClassVar[str] = "clip"
    current: ClassVar[int] = VERSION

    scene: Scene
    frames: int
    moves: tuple[Move, ...] = ()
    camera: CameraMove | None = None
    fps: float = 12.0
    version: int = VERSION

    def __post_init__(self) -> None:
        """Check that references exist and numbers are valid."""
        ids = {thing.id for thing in self.scene.movable}
        for move in self.moves:
            if move.id not in ids or move.support not in {thing.id for thing in self.scene.things} - {move.id}:
                raise PixelProofError(f"The clip moves {move.id!r} to {move.support!r}: name things of its scene.")
        if len({move.id for move in self.moves}) < len(self.moves):
            raise PixelProofError("The clip moves one thing twice: keep one of the moves.")
        if not 2 <= self.frames <= 10_000 or not 0 < self.fps <= 240:
            raise PixelProofError(
                f"A clip has 2 to 10000 frames at up to 240 a second, not {self.frames} at {self.fps}."
            )

    def frame(self, number: float) -> Scene:
        """A frame as a scene: the same things with the same ids and order, at their poses in that frame.

        Raises:
            PixelProofError: There is no such frame.
        """
        if not 0 <= number <= self.frames - 1:
            raise PixelProofError(f"The clip has frames 0 to {self.frames - 1}, not {number}.")
        moves = {move.id: move for move in self.moves}
        things = tuple(moves[thing.id].at(thing, number) if thing.id in moves else thing for thing in self.scene.things)
        camera = self.camera.at(self.scene.camera, number) if self.camera else self.scene.camera
        return replace(self.scene, things=things, camera=camera)

    def scenes(self) -> tuple[Scene, ...]:
        """All frames."""
        return tuple(self.frame(number) for number in range(self.frames))


def _xyzw(rotation: Quaternion) -> tuple[float, float, float, float]:
    w, x, y, z = rotation
    return (x, y, z, w)


def _rounded(values: np.ndarray) -> Vector:
    return vector(np.round(values, 9) + 0.0)
