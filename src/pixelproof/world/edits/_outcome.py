"""The result of an edit: the scene after it, what changed and by how much, or why it cannot be carried out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from pixelproof.world.solid import Camera, Scene, Thing, rotation_matrix
from pixelproof.world.solid._poses import Vector, vector

from ._edit import Edit
from ._transforms import pivot


@dataclass(frozen=True)
class Change:
    """How a thing, or the camera, changed."""

    shift: Vector = (0.0, 0.0, 0.0)
    """Displacement in metres in the viewer's frame before the edit: right, away, up; of a thing, that of its pivot."""
    turn_deg: float = 0.0
    """Rotation angle in degrees; about the vertical axis, positive anticlockwise as seen from above."""
    factor: float = 1.0
    """Scale factor; of the camera, that of its focal length."""
    removed: bool = False
    inserted: bool = False

    def __bool__(self) -> bool:
        """Whether anything changed."""
        return self != Change()


@dataclass(frozen=True)
class Outcome:
    """What became of an edit."""

    edit: Edit
    share: float
    """How much of the edit was carried out: 1 for all of it."""
    before: Scene = field(repr=False)
    after: Scene | None = field(repr=False)
    """The scene after the edit; None if the edit cannot be carried out."""
    changes: Mapping[str, Change] = field(default_factory=dict)
    """Thing id → its change; things without a change are not listed."""
    camera: Change = Change()
    why_not: str = ""
    """Why the edit cannot be carried out, as a sentence; empty if it was."""
    rule: str = ""
    """Name of the rule that it would break: `overlap`, `support`, `floor`, `drift`, `turn` (nothing stands), `view`,
    `hidden`, `tiny` (not in the picture), `camera`, `carries`, `change` (nothing is seen to change), or `place` (no
    free place); empty if it was carried out."""

    @property
    def possible(self) -> bool:
        """Whether the edit was carried out."""
        return self.after is not None


def changes_between(before: Scene, after: Scene) -> dict[str, Change]:
    """Thing id → change, for the things of a scene that differ in pose or scale, or are gone or new."""
    return dict(_changes(before, after))


def _changes(before: Scene, after: Scene) -> Iterator[tuple[str, Change]]:
    now = {thing.id: thing for thing in after.things}
    axes = before.camera.level_axes()
    for thing in before.things:
        other = now.pop(thing.id, None)
        if other is None:
            yield thing.id, Change(removed=True)
        elif other is not thing and (change := _change(thing, other, axes)):
            yield thing.id, change
    yield from ((id, Change(inserted=True)) for id in now)


def _change(thing: Thing, other: Thing, axes: np.ndarray) -> Change:
    turn = turn_between(rotation_matrix(thing.rotation), rotation_matrix(other.rotation))
    shift = vector(axes @ (pivot(other) - pivot(thing)))
    return Change(shift if np.abs(shift).max() > 1e-9 else (0.0, 0.0, 0.0), turn, other.scale / thing.scale)


def turn_between(before: np.ndarray, after: np.ndarray) -> float:
    """Angle in degrees of the rotation from one matrix to another, negative if clockwise as seen from above."""
    turn = after @ before.T
    axis = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    angle = float(np.degrees(np.arctan2(np.linalg.norm(axis), np.trace(turn) - 1)))
    return 0.0 if angle < 1e-6 else float(np.copysign(angle, axis[2] if abs(axis[2]) > 1e-12 else 1.0))


def camera_change(before: Camera, after: Camera) -> Change:
    """The change of a camera; tilting it up counts as positive."""
    shift = vector(before.level_axes() @ np.subtract(after.position, before.position))
    one, other = rotation_matrix(before.rotation), rotation_matrix(after.rotation)
    turn = turn_between(one, other)
    if turn and abs(one[:, 0] @ other[:, 0] - 1) < 1e-9:  # about its own x axis
        turn = float(np.copysign(turn, other[2, 2] - one[2, 2]))
    return Change(shift, turn, after.focal / before.focal)
