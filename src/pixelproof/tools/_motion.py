"""Motion: blobs of one colour in a frame, the shift of the camera, and the path of a point, for where it will be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ._backends import Mask, Pixels
from ._segmenters import to_lab

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


Points = npt.NDArray[np.float64]
_MEMORY = 10
"""Observations that a prediction uses."""
_STEPS = 4
"""Observations that the speed is measured over."""
_CURVED = 0.6
"""Radians that the observations must sweep for a circle."""
_GOOD = 2.0
"""Root mean square error in pixels up to which a fitted motion is believed."""


@dataclass
class MotionModel:
    """Observed positions of one object; predicts by a straight line reflected at walls, or by a circle.

    >>> motion = MotionModel((0, 0, 100, 100))
    >>> for time in range(4):
    ...     motion.observe(time, 60.0 + 10 * time, 50.0)
    >>> [round(value) for value in motion.predict(5)]
    [90, 50]
    """

    walls: tuple[float, float, float, float]
    """Left, top, right, bottom that the centre stays within."""
    times: list[int] = field(default_factory=list)
    places: list[tuple[float, float]] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)

    def observe(self, time: int, x: float, y: float, weight: float = 1.0) -> None:
        """Add a position; its weight is below 1 where it is inexact."""
        self.times.append(time)
        self.places.append((x, y))
        self.weights.append(weight)

    def before(self, time: int) -> MotionModel:
        """The model with the observations before a time."""
        count = sum(number < time for number in self.times)
        return MotionModel(self.walls, self.times[:count], self.places[:count], self.weights[:count])

    @property
    def speed(self) -> float | None:
        """Median speed in pixels per frame of the last steps; None before the second observation."""
        if len(self.times) < 2:
            return None
        times, places = np.array(self.times[-_STEPS:], float), np.array(self.places[-_STEPS:])
        return float(np.median(np.hypot(*np.diff(places, axis=0).T) / np.diff(times)))

    def predict(self, time: int) -> tuple[float, float]:
        """Position at another time; the last one where nothing else is known."""
        times, places = np.array(self.times[-_MEMORY:], float), np.array(self.places[-_MEMORY:])
        weights = np.array(self.weights[-_MEMORY:])
        if len(times) < 2:
            return self.places[-1]
        straight, error = self._reflected(times, places, weights, time)
        if len(times) >= 5 or (len(times) == 4 and error > _GOOD):
            circle = _circle(times, places, weights, time)
            if circle is not None and circle[1] < min(0.5 * error, _GOOD):
                return circle[0]
        if error > _GOOD and len(times) > 3:  # neither: the newest observations alone
            straight, _ = self._reflected(times[-3:], places[-3:], weights[-3:], time)
        return straight

    def _reflected(
        self, times: Points, places: Points, weights: Points, time: int
    ) -> tuple[tuple[float, float], float]:
        """Uniform motion along each axis, reflected at the walls, and its root mean square error."""
        values, errors = [], []
        for axis in range(2):
            low, high = self.walls[axis], self.walls[axis + 2]
            unfolded = _unfold(places[:, axis], times, low, high)
            slope, offset = _line(times, unfolded, weights)
            errors.append(float(np.average((offset + slope * times - unfolded) ** 2, weights=weights)))
            values.append(_fold(offset + slope * time, low, high))
        return (values[0], values[1]), math.sqrt(sum(errors))


def _line(times: Points, values: Points, weights: Points) -> tuple[float, float]:
    """Slope and offset of the weighted least-squares line."""
    middle, mean = np.average(times, weights=weights), np.average(values, weights=weights)
    spread = float((weights * (times - middle) ** 2).sum())
    slope = float((weights * (times - middle) * (values - mean)).sum()) / spread if spread else 0.0
    return slope, float(mean) - slope * float(middle)


def _fold(value: float, low: float, high: float) -> float:
    """Reflect a value at both ends of an interval.

    >>> [_fold(value, 0.0, 10.0) for value in (4.0, 12.0, -3.0)]
    [4.0, 8.0, 3.0]
    """
    if high <= low:
        return value
    along = (value - low) % (2 * (high - low))
    return low + min(along, 2 * (high - low) - along)


def _unfold(values: Points, times: Points, low: float, high: float) -> Points:
    """Undo reflections: where the direction turns, the way to the wall and back is added, if it fits the speed."""
    steps = np.diff(values) / np.diff(times)
    speed = float(np.max(np.abs(steps)))
    unfolded, sign, total = [float(values[0])], 1.0, float(values[0])
    direction = math.copysign(1.0, steps[0]) if steps[0] else 1.0
    for place in range(1, len(values)):
        step = float(values[place] - values[place - 1])
        wall = high if direction > 0 else low
        around = abs(wall - values[place - 1]) + abs(wall - values[place])
        straight, turned = abs(step), around
        duration = float(times[place] - times[place - 1])
        against = step * direction < 0 and speed > 1
        if against and abs(turned - speed * duration) < max(0.35 * speed * duration, 3.0):
            total += sign * direction * turned
            sign, direction = -sign, -direction
        else:
            total += sign * step
            if straight > 1:
                direction = math.copysign(1.0, step)
        unfolded.append(total)
    return np.array(unfolded)


def _circle(times: Points, places: Points, weights: Points, time: int) -> tuple[tuple[float, float], float] | None:
    """Uniform motion on a circle, and its root mean square error; None if it is hardly curved."""
    root = np.sqrt(weights)
    matrix = np.column_stack([places, np.ones(len(places))])
    square = (places**2).sum(axis=1)
    try:
        (a, b, c), *_ = np.linalg.lstsq(matrix * root[:, None], square * root, rcond=None)
    except np.linalg.LinAlgError:
        return None
    x, y = a / 2, b / 2
    radius = math.sqrt(max(c + x * x + y * y, 0.0))
    if not 4 < radius < 2000:
        return None
    angles = np.unwrap(np.arctan2(places[:, 1] - y, places[:, 0] - x))
    slope, offset = _line(times, angles, weights)
    if abs(slope) * (times[-1] - times[0]) < _CURVED:  # a circle fits any few points better than a line
        return None
    fitted = offset + slope * times
    square = (x + radius * np.cos(fitted) - places[:, 0]) ** 2 + (y + radius * np.sin(fitted) - places[:, 1]) ** 2
    now = offset + slope * time
    return (x + radius * math.cos(now), y + radius * math.sin(now)), float(np.sqrt(np.average(square, weights=weights)))
