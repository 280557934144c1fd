"""TRK by OpenCV: blobs of the object's colour with a motion model, and template matching."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from pixelproof.pixels import Box
from pixelproof.store import import_extra

from ._backends import Mask, Pixels, Position
from ._motion import Blob, Look, MotionModel, camera_shifts, find_blobs, measure_look
from ._segmenters import ComponentSegmenter

_LEAST, _FULL, _MERGED = 0.12, 0.8, 1.35
"""Area of a blob, as a share of the object's: noise below the first, hidden in part below the second, several objects
above the third, which is also the limit of its longer side as a share of the object's diameter."""
_HALF, _INEXACT = 0.3, 0.25
"""Area from which the centre of an object that is hidden in part can be computed, and the weight of that centre."""
_GATE = 1.3
"""Distance from the predicted place, in diameters of the object, up to which a blob can be the object."""
_PATIENCE = 1.0
"""Diameters that the gate grows by per frame without a sight of the object, up to twice the gate."""
_SURPRISE = 0.5
"""Share of its speed by which an object may miss its predicted place, where that is more than the gate."""
_FASTEST = 0.35
"""Share of the longer side of the frame that an object whose speed is unknown can move by in one frame."""
_TRUSTED = 0.5
"""Fit of a colour component from which blobs are worth following."""
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
        self.version = f"3 opencv {self._cv2.__version__}"

    def track(
        self, pictures: Sequence[Pixels], box: Box, mask: Mask | None, frames: Sequence[int]
    ) -> Sequence[Position]:
        """Follow the object by its colour, or by its looks."""
        if mask is None:
            segment = self._components.segment(pictures[0], None, box, frames[0])
            mask = segment.mask if segment is not None and segment.fit >= _TRUSTED else None
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


def _is_merged(blob: Blob, look: Look) -> bool:
    """Whether a blob is several objects that touch, of which parts may be hidden."""
    left, top, right, bottom = blob.box
    return blob.area > _MERGED * look.area or max(right - left, bottom - top) > _MERGED * 2 * look.radius


def _assign(tracks: list[_Track], blobs: Sequence[Blob], time: int, look: Look, walls: Any) -> None:
    """Assign the blobs of one frame to the tracks; blobs that are left over begin tracks of their own."""
    from scipy.optimize import linear_sum_assignment  # takes a while to import

    places = np.array([track.motion.predict(time) for track in tracks])
    single = [blob for blob in blobs if not _is_merged(blob, look)]
    merged = [blob for blob in blobs if _is_merged(blob, look)]
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
            elif blob.area >= _HALF * look.area:
                track.motion.observe(time, *_whole_centre(blob, place, look), _INEXACT)
        elif any(_contains(blob, place, look.radius / 2) for blob in merged):
            track.found[time] = None, 0.5
    rest = [single[number] for number in sorted(left) if single[number].area >= _FULL * look.area]
    for blob in _without_fast(tracks, rest, time, max(walls[2], walls[3]) + look.radius):
        track = _Track(MotionModel(walls), time)
        track.motion.observe(time, blob.x, blob.y)
        tracks.append(track)


def _without_fast(tracks: Sequence[_Track], blobs: Sequence[Blob], time: int, side: float) -> list[Blob]:
    """Assign blobs that are left over to tracks that were seen once, whose speed is unknown; returns the others.

    An object that is faster than the gate leaves a track without a blob and a blob without a track.
    """
    from scipy.optimize import linear_sum_assignment  # takes a while to import

    lost = [track for track in tracks if len(track.motion.times) == 1 and time not in track.found]
    if not lost or not blobs:
        return list(blobs)
    distances = np.array([[np.hypot(*np.subtract(t.motion.places[0], (b.x, b.y))) for b in blobs] for t in lost])
    taken = set()
    for row, column in zip(*linear_sum_assignment(distances), strict=True):
        track, blob = lost[int(row)], blobs[int(column)]
        if 0 < distances[row, column] <= _FASTEST * side * (time - track.motion.times[0]):
            track.found[time], track.seen = (blob, 0.5), time
            track.motion.observe(time, blob.x, blob.y)
            taken.add(int(column))
    return [blob for number, blob in enumerate(blobs) if number not in taken]


def _gate(track: _Track, time: int, look: Look) -> float:
    unsure = 2.0 if len(track.motion.times) < 3 else 1.0
    reach = 2 * look.radius * min(unsure * _GATE + _PATIENCE * (time - track.seen - 1), 2 * unsure * _GATE)
    return max(reach, _SURPRISE * (track.motion.speed or 0.0))


def _whole_centre(blob: Blob, place: npt.NDArray[np.float64], look: Look) -> tuple[float, float]:
    """Centre of an object of which a blob is the visible part: one of two opposite sides is the object's own.

    Args:
        blob: The visible part.
        place: The predicted centre, which tells which of the sides it is.
        look: The object.
    """
    centre = []
    for axis in range(2):
        low, high, half = blob.box[axis], blob.box[axis + 2], look.size[axis] / 2
        whole = high - low >= 1.8 * half
        candidates = ((low + high) / 2,) if whole else (low + half, high - half)
        centre.append(min(candidates, key=lambda value: abs(value - float(place[axis]))))
    return centre[0], centre[1]


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
        known = track.motion.before(time)
        x, y = known.predict(time) if known.times else track.motion.places[0]
        box = (x - look.size[0] / 2, y - look.size[1] / 2, x + look.size[0] / 2, y + look.size[1] / 2)
    if time == 0:
        dx, dy = 0.0, 0.0
    return Position((box[0] - dx, box[1] - dy, box[2] - dx, box[3] - dy), time in track.found, conf)


class TemplateTracker:
    """Normalised correlation with the object's first and latest picture around the predicted place.

    For objects with texture; loses what changes its size. Of places that look alike, the nearest to the predicted one
    counts.

    Raises:
        PixelProofError: OpenCV is missing.
    """

    name = "template"
    _LEAST = 0.6
    """Correlation from which the object is visible."""
    _HIDDEN_PART = 0.15
    """Correlation below the usual one from which a part is hidden, so that the place is not that of the whole."""
    _FAR = 0.4
    """Correlation that a place at the edge of the window must have more than one at the predicted place."""

    def __init__(self) -> None:
        self._cv2 = import_extra("cv2", "tools", "TRK")
        self.version = f"2 opencv {self._cv2.__version__}"

    def track(
        self, pictures: Sequence[Pixels], box: Box, mask: Mask | None, frames: Sequence[int]
    ) -> Sequence[Position]:
        """Search each frame around where the object should be, widely while its speed is unknown."""
        left, top, right, bottom = box
        width, height = right - left, bottom - top
        first, offset = self._template(pictures[0], box)
        latest = first
        limits = (width / 2, height / 2, pictures[0].shape[1] - width / 2, pictures[0].shape[0] - height / 2)
        motion, positions, gap = MotionModel(limits), [Position(box, True, 1.0)], 0
        usual: list[float] = []
        motion.observe(0, (left + right) / 2, (top + bottom) / 2)
        for time in range(1, len(pictures)):
            x, y = motion.predict(time)
            if motion.speed is None:
                reach = _FASTEST * max(pictures[time].shape) * time
            else:
                reach = (0.5 + 0.25 * min(gap, 4)) * max(width, height) + _SURPRISE * motion.speed
            column, row, score = self._search(pictures[time], (first, latest), (x - offset[0], y - offset[1]), reach)
            if score >= self._LEAST:
                x, y, gap = column + offset[0], row + offset[1], 0
                if not usual or score >= float(np.median(usual[-5:])) - self._HIDDEN_PART:
                    motion.observe(time, x, y)
                    usual.append(score)
                    latest = _cut(pictures[time], int(column), int(row), first)
            else:
                gap += 1
            sides = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
            positions.append(Position(sides, gap == 0, score if not gap else 0.2))
        return positions

    def _template(self, picture: Pixels, box: Box) -> tuple[Pixels, tuple[float, float]]:
        """The object with a margin, since one of a single colour has no structure but its edge; and its centre there.

        The margin is part of the surroundings: it is as small as it can be.
        """
        left, top, right, bottom = box
        margin = max(2, (min(right - left, bottom - top) + 4) // 8)
        x, y = max(left - margin, 0), max(top - margin, 0)
        pixels = np.ascontiguousarray(picture[y : bottom + margin, x : right + margin])
        return pixels, ((left + right) / 2 - x, (top + bottom) / 2 - y)

    def _search(
        self, picture: Pixels, templates: Sequence[Pixels], corner: tuple[float, float], reach: float
    ) -> tuple[float, float, float]:
        """Corner and correlation of the best match around the predicted corner; correlation 0 if none fits in.

        Args:
            picture: The frame.
            templates: Pictures of the object, of one size; the best of them counts at each place.
            corner: Column and row where the template's corner should be.
            reach: Distance in pixels up to which it is searched.
        """
        height, width = templates[0].shape[:2]
        most = picture.shape[1] - width, picture.shape[0] - height
        low = [max(int(corner[axis] - reach), 0) for axis in range(2)]
        high = [min(int(corner[axis] + reach) + 1, most[axis]) for axis in range(2)]
        if high[0] < low[0] or high[1] < low[1]:
            return *corner, 0.0
        window = np.ascontiguousarray(picture[low[1] : high[1] + height, low[0] : high[0] + width])
        maps = [self._cv2.matchTemplate(window, one, self._cv2.TM_CCOEFF_NORMED) for one in templates]
        scores = np.max([np.where(np.isfinite(scores), scores, 0.0) for scores in maps], axis=0)
        rows, columns = np.ogrid[low[1] : high[1] + 1, low[0] : high[0] + 1]
        away = np.hypot(columns - corner[0], rows - corner[1]) / reach
        row, column = np.unravel_index(int((scores - self._FAR * away).argmax()), scores.shape)
        return float(low[0] + column), float(low[1] + row), float(np.clip(scores[row, column], 0.0, 1.0))


def _cut(picture: Pixels, left: int, top: int, like: Pixels) -> Pixels:
    """The part of a picture at a corner, of the size of another picture."""
    return np.ascontiguousarray(picture[top : top + like.shape[0], left : left + like.shape[1]])
