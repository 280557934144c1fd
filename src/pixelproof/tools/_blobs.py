"""Blobs of one colour in a frame, and the shift of the camera between frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ._backends import Mask, Pixels
from ._components import to_lab

_FEATURES = 300
_PARTS = 8
"""The frame has so many parts along each side."""
_FEWEST = 2
"""Parts that a single mover can cover."""
_CONSISTENT = 0.5
"""Pixels by which a feature that is followed there and back may miss its start."""
_AGREE = 0.75
"""Pixels within which two features move alike."""
_STILL = 0.25
"""Shift in pixels below which the camera stands still."""


@dataclass(frozen=True)
class Look:
    """Colour and size of an object."""

    colour: npt.NDArray[np.float32]
    """CIELAB."""
    reach: float
    """Distance in CIELAB up to which a pixel has the colour: half of the contrast to the surroundings."""
    area: float
    size: tuple[float, float]
    """Width and height of the bounding box."""
    radius: float
    """Distance of the farthest pixel from the centroid."""


@dataclass(frozen=True)
class Blob:
    """A connected region of the colour."""

    x: float
    y: float
    area: float
    box: tuple[float, float, float, float]


def measure_look(cv2: Any, picture: Pixels, mask: Mask) -> Look:
    """Colour and size of what a mask shows."""
    lab = to_lab(cv2, picture)
    colour = np.median(lab[mask], axis=0).astype(np.float32)
    wide = cv2.dilate(mask.astype(np.uint8), np.ones((7, 7), np.uint8)).astype(bool)
    ring = wide & ~cv2.dilate(mask.astype(np.uint8), np.ones((3, 3), np.uint8)).astype(bool)
    contrast = float(np.median(np.linalg.norm(lab[ring] - colour, axis=1))) if ring.any() else 40.0
    rows, columns = np.nonzero(mask)
    size = (float(columns.max() - columns.min() + 1), float(rows.max() - rows.min() + 1))
    radius = float(np.hypot(columns - columns.mean(), rows - rows.mean()).max()) + 0.5
    return Look(colour, min(max(contrast / 2, 4.0), 18.0), float(mask.sum()), size, radius)


def find_blobs(cv2: Any, picture: Pixels, look: Look, least: float) -> list[Blob]:
    """Regions of the colour whose area is at least a share of the object's."""
    lab = to_lab(cv2, picture)
    near = (((lab - look.colour) ** 2).sum(axis=2) <= look.reach**2).astype(np.uint8)
    count, _, stats, centres = cv2.connectedComponentsWithStats(near, connectivity=8)
    blobs = []
    for number in range(1, count):
        left, top, width, height, area = (float(value) for value in stats[number])
        if area >= least * look.area:
            x, y = centres[number] + 0.5
            blobs.append(Blob(float(x), float(y), area, (left, top, left + width, top + height)))
    return blobs


def camera_shifts(
    cv2: Any, pictures: Sequence[Pixels], blobs: Sequence[Sequence[Blob]], look: Look
) -> npt.NDArray[np.float64]:
    """Position of each frame's corner in the first frame: the shift that most features of the picture share.

    Lucas–Kanade between neighbours, without the surroundings of blobs, which may all move.

    Args:
        cv2: OpenCV.
        pictures: The frames.
        blobs: Blobs of the object's colour in each frame.
        look: The object.
    """
    shifts = np.zeros((len(pictures), 2))
    before = cv2.cvtColor(pictures[0], cv2.COLOR_RGB2GRAY)
    for number in range(1, len(pictures)):
        now = cv2.cvtColor(pictures[number], cv2.COLOR_RGB2GRAY)
        ground = np.full(before.shape, 255, np.uint8)
        for blob in blobs[number - 1]:
            left, top, right, bottom = (round(side) for side in blob.box)
            reach = round(2 * look.radius)
            ground[max(top - reach, 0) : bottom + reach, max(left - reach, 0) : right + reach] = 0
        shifts[number] = shifts[number - 1] - _common_shift(cv2, before, now, ground)
        before = now
    return shifts


def _common_shift(
    cv2: Any, before: npt.NDArray[np.uint8], now: npt.NDArray[np.uint8], ground: npt.NDArray[np.uint8]
) -> npt.NDArray[np.float64]:
    """The shift from one frame to the next that is shared by features in most parts of the frame.

    Parts count, not features: one mover with a sharp pattern has more features than a plain ground. Zero if standing
    still explains as many parts.
    """
    points = cv2.goodFeaturesToTrack(before, _FEATURES, 0.003, 5, mask=ground)
    if points is None:
        return np.zeros(2)
    moved, there, _ = cv2.calcOpticalFlowPyrLK(before, now, points, None, winSize=(15, 15), maxLevel=2)
    back, again, _ = cv2.calcOpticalFlowPyrLK(now, before, moved, None, winSize=(15, 15), maxLevel=2)
    sure = (there.ravel() == 1) & (again.ravel() == 1)
    sure &= np.linalg.norm((back - points).reshape(-1, 2), axis=1) < _CONSISTENT
    places, flow = points.reshape(-1, 2)[sure], (moved - points).reshape(-1, 2)[sure].astype(np.float64)
    if not len(flow):
        return np.zeros(2)
    cells = (places / (before.shape[1], before.shape[0]) * _PARTS).astype(int).clip(0, _PARTS - 1)
    parts = np.eye(_PARTS * _PARTS)[cells[:, 1] * _PARTS + cells[:, 0]]
    alike = np.linalg.norm(flow[:, None] - flow[None], axis=2) < _AGREE
    votes = (alike @ parts > 0).sum(axis=1)
    still = int((parts[np.linalg.norm(flow, axis=1) < _AGREE].sum(axis=0) > 0).sum())
    if votes.max() <= max(still, _FEWEST):
        return np.zeros(2)
    shift = np.median(flow[alike[int(votes.argmax())]], axis=0)
    return shift if np.linalg.norm(shift) >= _STILL else np.zeros(2)
