"""GSI-Bench's published formulas on perfect detections, taken from scenes."""

from __future__ import annotations

import numpy as np

from pixelproof.benches.spatial.published import (
    Detection,
    PublishedScore,
    score_move,
    score_removal,
    score_rotation,
    score_scaling,
)
from pixelproof.world.pairs import Pair
from pixelproof.world.solid import Camera, Scene, Thing, box_corners, rotation_matrix

_FRAME = 896
"""Side in pixels of the frame of 2-D boxes."""
_MOVES = ("move", "place", "put", "swap")


def score_published(pair: Pair, perceived: Scene) -> dict[str, float]:
    """`published.ic` and `published.sa` of a pair with one edit of a thing; none for other edits.

    The formulas of view edits need a network (LPIPS), and GSI-Bench has none for new things and several edits.
    """
    if len(pair.steps) != 1 or not pair.possible:
        return {}
    score = _score(pair, perceived)
    return {} if score is None else {"published.ic": score.ic, "published.sa": min(1.0, score.sa)}


def _score(pair: Pair, perceived: Scene) -> PublishedScore | None:
    edit = pair.steps[0]
    start = next((thing for thing in pair.before.things if thing.id == edit.target), None)
    if start is None:
        return None
    before, after = (_detections(scene, start.category) for scene in (pair.before, perceived))
    original = _detection(start, pair.before.camera)
    if edit.action == "remove":
        return score_removal(before, after, original.box)
    end = _detection(pair.after.thing(start.id), pair.before.camera)
    if edit.action in _MOVES:
        assert original.box_2d is not None and end.box_2d is not None
        shift = float(np.linalg.norm(np.subtract(end.box_2d, original.box_2d)))
        return score_move(before, after, original.box, end.box, shift)
    if edit.action == "turn":
        assert original.rotation is not None and end.rotation is not None
        return score_rotation(before, after, original.box, end.box, original.rotation, end.rotation)
    return score_scaling(before, after, original.box, end.box) if edit.action == "scale" else None


def _detections(scene: Scene, category: str) -> list[Detection]:
    """All things of a category, as a perfect detector finds them in the picture of a scene."""
    return [_detection(thing, scene.camera) for thing in scene.movable if thing.category == category]


def _detection(thing: Thing, camera: Camera) -> Detection:
    """Box and rotation of a thing in the frame of a camera (x right, y down, z forward)."""
    looks = rotation_matrix(camera.rotation)
    x, y, z = (thing.centre - np.asarray(camera.position)) @ looks
    turn = looks.T @ rotation_matrix(thing.rotation)
    yaw = float(np.arctan2(turn[2, 0], turn[0, 0]))
    width, length, height = thing.size
    pixels = camera.project(box_corners(thing), _FRAME, _FRAME)[:, :2]
    left, top, right, bottom = (float(v) for v in (*pixels.min(axis=0), *pixels.max(axis=0)))
    box = (float(x), float(y), float(z), width, height, length, yaw)
    return Detection(box, turn, (left, top, right, bottom))
