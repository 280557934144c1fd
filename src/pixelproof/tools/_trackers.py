"""TRK by OpenCV: blobs of the object's colour with a motion model, and template matching."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from pixelproof.pixels import Box
from pixelproof.store import import_extra

from ._backends import Mask, Pixels, Position
from ._blobs import Blob, Look, camera_shifts, find_blobs, measure_look
from ._components import ComponentSegmenter
from ._motion import MotionModel

_LEAST, _FULL, _MERGED = 0.12, 0.8, 1.35
"""Area of a blob, as a share of the object's: noise below the first, hidden in part below the second, several objects
above the third."""
_GATE = 1.3
"""Distance from the predicted place, in diameters of the object, up to which a blob can be the object."""
_PATIENCE = 1.0
"""Diameters that the gate grows by per frame without a sight of the object, up to twice the gate."""
_TRUSTED = 0.5
"""Confidence of a colour component from which blobs are worth following."""
_HIDDEN = 0.3


@dataclass
class _Track:
    """One object of the colour, in the coordinates of the first frame."""

    motion: MotionModel
    seen: int
    """Time of the last sight."""
    found: dict[int, tuple[Blob | None, float]] = field(default_factory=dict)
    """Time → its blob, None while it is merged with others, and the confidence."""


class BlobTracker:
    """Follows all blobs of the object's colour at once, so that objects that look alike are not confused.

    The camera's shifts are undone; blobs are assigned to predicted places (Hungarian method); hidden objects move on by
    the fitted motion. Objects without a colour of their own are followed by template matching.

    Raises:
        PixelProofError: OpenCV is missing.
    """

    name = "opencv"

    def __init__(self) -> None:
        self._cv2 = import_extra("cv2", "tools", "TRK")
        self._components, self._template = ComponentSegmenter(), TemplateTracker()
        self.version = f"1 opencv {self._cv2.__version__}"

    def track(
        self, pictures: Sequence[Pixels], box: Box, mask: Mask | None, frames: Sequence[int]
    ) -> Sequence[Position]:
        """Follow the object by its colour, or by its looks."""
        if mask is None:
            segment = self._components.segment(pictures[0], None, box, frames[0])
            mask = segment.mask if segment is not None and segment.conf >= _TRUSTED else None
        if mask is None or not mask.any():
            return self._template.track(pictures, box, None, frames)
        look = measure_look(self._cv2, pictures[0], mask)
        blobs = [find_blobs(self._cv2, picture, look, _LEAST) for picture in pictures]
        rows, columns = np.nonzero(mask)
        here = float(columns.mean()) + 0.5, float(rows.mean()) + 0.5
        if not any(_is_object(blob, look, here) for blob in blobs[0]):  # the mask is not a region of one colour
            return self._template.track(pictures, box, None, frames)
        height, width = pictures[0].shape[:2]
        walls = (look.radius, look.radius, width - look.radius, height - look.radius)
        shifts = camera_shifts(self._cv2, pictures, blobs, look)
        target = _follow(blobs, shifts, look, walls, here)
        return [_position(target, time, shifts[time], look) for time in range(len(pictures))]


def _follow(
    blobs: Sequence[Sequence[Blob]], shifts: npt.NDArray[np.float64], look: Look, walls: Any, here: tuple[float, float]
) -> _Track:
    """Follow all objects; returns the track of the one that is `here` in the first frame."""
    target = _Track(MotionModel(walls), 0)
    target.motion.observe(0, *here)
    tracks = [target]
    for blob in blobs[0]:
        if _is_object(blob, look, here):
            target.found[0] = blob, 1.0
        elif _FULL * look.area <= blob.area <= _MERGED * look.area:
            other = _Track(MotionModel(walls), 0)
            other.motion.observe(0, blob.x, blob.y)
            tracks.append(other)
    for time in range(1, len(blobs)):
        _assign(tracks, [_shifted(blob, shifts[time]) for blob in blobs[time]], time, look, walls)
    return target


def _is_object(blob: Blob, look: Look, here: tuple[float, float]) -> bool:
    """Whether a blob of the first frame is the object that was marked there."""
    near = bool(np.hypot(blob.x - here[0], blob.y - here[1]) < look.radius / 2)
    return near and 0.6 * look.area <= blob.area <= 1.6 * look.area


def _assign(tracks: list[_Track], blobs: Sequence[Blob], time: int, look: Look, walls: Any) -> None:
    """Assign the blobs of one frame to the tracks; blobs that are left over begin tracks of their own."""
    places = np.array([track.motion.predict(time) for track in tracks])
    single = [blob for blob in blobs if blob.area <= _MERGED * look.area]
    merged = [blob for blob in blobs if blob.area > _MERGED * look.area]
    gates = np.array([_gate(track, time, look) for track in tracks])
    distances = np.array([[np.hypot(*(place - (blob.x, blob.y))) for blob in single] for place in places])
    distances = distances.reshape(len(tracks), len(single))
    # In units of the gates, so that an object whose place is uncertain takes no blob that another one expects.
    cost = np.hstack([np.minimum(distances / gates[:, None], 1e6), np.where(np.eye(len(tracks)) > 0, 1.0, 1e9)])
    left = set(range(len(single)))
    for row, column in zip(*linear_sum_assignment(cost), strict=True):
        track, place = tracks[row], places[row]
        if column < len(single) and distances[row, column] <= gates[row]:
            blob = single[column]
            left.discard(int(column))
            others = [value for other, value in enumerate(distances[row]) if other != column]
            certain = 1.0 if not others else 1.0 - 0.5 * min(1.0, distances[row, column] / max(min(others), 1e-6))
            whole = blob.area >= _FULL * look.area
            track.found[time], track.seen = (blob, certain if whole else 0.6 * certain), time
            if whole:
                track.motion.observe(time, blob.x, blob.y)
        elif any(_contains(blob, place, look.radius / 2) for blob in merged):
            track.found[time] = None, 0.5
    for rest in left:
        blob = single[rest]
        if blob.area >= _FULL * look.area:
            track = _Track(MotionModel(walls), time)
            track.motion.observe(time, blob.x, blob.y)
            tracks.append(track)


def _gate(track: _Track, time: int, look: Look) -> float:
    unsure = 2.0 if len(track.motion.times) < 3 else 1.0
    return 2 * look.radius * min(unsure * _GATE + _PATIENCE * (time - track.seen - 1), 2 * unsure * _GATE)


def _contains(blob: Blob, place: npt.NDArray[np.float64], margin: float) -> bool:
    left, top, right, bottom = blob.box
    return bool(left - margin <= place[0] <= right + margin and top - margin <= place[1] <= bottom + margin)


def _shifted(blob: Blob, shift: npt.NDArray[np.float64]) -> Blob:
    dx, dy = (float(value) for value in shift)
    left, top, right, bottom = blob.box
    return Blob(blob.x + dx, blob.y + dy, blob.area, (left + dx, top + dy, right + dx, bottom + dy))


def _position(track: _Track, time: int, shift: npt.NDArray[np.float64], look: Look) -> Position:
    """Position of a track in the coordinates of the frame."""
    blob, conf = track.found.get(time, (None, _HIDDEN))
    dx, dy = (float(value) for value in shift)
    if blob is not None:
        box = blob.box
    else:
        before = [place for place, number in enumerate(track.motion.times) if number < time]
        known = MotionModel(track.motion.walls, track.motion.times[: len(before)], track.motion.places[: len(before)])
        x, y = known.predict(time) if before else track.motion.places[0]
        box = (x - look.size[0] / 2, y - look.size[1] / 2, x + look.size[0] / 2, y + look.size[1] / 2)
    if time == 0:
        dx, dy = 0.0, 0.0
    return Position((box[0] - dx, box[1] - dy, box[2] - dx, box[3] - dy), time in track.found, conf)


class TemplateTracker:
    """Normalised correlation with the object's first picture around the predicted place.

    For objects with texture; loses what turns, changes its size or looks like others nearby.

    Raises:
        PixelProofError: OpenCV is missing.
    """

    name = "template"
    _LEAST = 0.6
    """Correlation from which the object is visible."""

    def __init__(self) -> None:
        self._cv2 = import_extra("cv2", "tools", "TRK")
        self.version = f"1 opencv {self._cv2.__version__}"

    def track(
        self, pictures: Sequence[Pixels], box: Box, mask: Mask | None, frames: Sequence[int]
    ) -> Sequence[Position]:
        """Search each frame around where the object should be."""
        left, top, right, bottom = box
        template = np.ascontiguousarray(pictures[0][top:bottom, left:right])
        width, height = right - left, bottom - top
        limits = (0.0, 0.0, float(pictures[0].shape[1]), float(pictures[0].shape[0]))
        motion, positions, gap = MotionModel(limits), [Position(box, True, 1.0)], 0
        motion.observe(0, (left + right) / 2, (top + bottom) / 2)
        for time in range(1, len(pictures)):
            x, y = motion.predict(time)
            found = self._search(pictures[time], template, x, y, 1.0 + 0.5 * gap)
            if found is not None and found[2] >= self._LEAST:
                x, y, gap = found[0], found[1], 0
                motion.observe(time, x, y)
            else:
                gap += 1
            sides = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
            positions.append(Position(sides, gap == 0, max(0.0, found[2]) if found and not gap else 0.2))
        return positions

    def _search(
        self, picture: Pixels, template: Pixels, x: float, y: float, reach: float
    ) -> tuple[float, float, float] | None:
        """Centre and correlation of the best match in a window around a place; None if none fits in."""
        height, width = template.shape[:2]
        across, down = width * (0.5 + reach), height * (0.5 + reach)
        left, top = max(int(x - across), 0), max(int(y - down), 0)
        window = picture[top : max(int(y + down) + 1, 0), left : max(int(x + across) + 1, 0)]
        if window.shape[0] < height or window.shape[1] < width:
            return None
        scores = self._cv2.matchTemplate(np.ascontiguousarray(window), template, self._cv2.TM_CCOEFF_NORMED)
        _, best, _, (column, row) = self._cv2.minMaxLoc(scores)
        return left + column + width / 2, top + row + height / 2, float(best) if np.isfinite(best) else 0.0
