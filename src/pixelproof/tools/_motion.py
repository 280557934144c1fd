"""Motion of a point: fitted to where it was, for where it will be."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

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
