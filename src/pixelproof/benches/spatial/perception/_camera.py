"""Where the camera of an answer is: the picture before, with its depth, is aligned to the answer.

Every pixel of the scene before is a point of the world with a colour. A camera projects the points into the answer; the
right one finds their colours there. Things that moved are outliers, which the robust misfit leaves aside.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from pixelproof.world.solid import Camera, quaternion, rotation_matrix
from pixelproof.world.solid.render import render

from ._model import Before
from ._pictures import Pixels, Singles, misfit, shrunk, unit_range

_WIDTHS = (64, 128, 256)
"""Widths of the pictures that are aligned one after the other."""
_STEPS = (12, 8, 6)
"""Most Gauss–Newton steps in each size."""
_TOLERANCES = ((0.3, 0.1), (0.15, 0.06), (0.08, 0.05))
"""Of the first and the last step in each size."""
_LEAST_SEEN = 0.2
"""Least share of points that a camera must see."""
_SAME_DEPTH = 0.01
"""Relative difference of depths up to which two pixels show the same point."""
_BEST = 4
_PANS = (-40.0, -30.0, -20.0, -10.0, 10.0, 20.0, 30.0, 40.0)
_TILTS = (-20.0, -10.0, 10.0, 20.0)
_SHIFTS = (-0.6, -0.3, -0.15, 0.15, 0.3, 0.6)
_ZOOMS = (0.5, 0.7, 0.85, 1.2, 1.4, 1.7, 2.0)
Floats = npt.NDArray[np.float64]


class Aligned(NamedTuple):
    """A camera that was fitted to an answer."""

    camera: Camera
    misfit: float
    """Mean robust difference of the points that it sees, from 0 to 1."""
    seen: float
    """Share of the points that it sees."""


class _Points(NamedTuple):
    """Points of the world with their colours, and the answer, in one size."""

    places: Floats
    colours: Singles
    answer: Singles
    slopes: tuple[Singles, Singles]
    """Change of the answer along rows and along columns."""

    def seen_by(self, camera: Camera) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Image points, and which of them are in the picture."""
        height, width = self.answer.shape[:2]
        image = camera.project(self.places, width, height)
        inside = (image[:, 2] > 0.05) & (image[:, 0] > 0.5) & (image[:, 0] < width - 0.5)
        inside &= (image[:, 1] > 0.5) & (image[:, 1] < height - 0.5)
        return image[:, :2], inside

    def difference(self, image: Floats, which: npt.NDArray[np.bool_]) -> Singles:
        """Answer minus colours, at the image points of some of the points."""
        return np.asarray(_sampled(self.answer, image[which]) - self.colours[which])


def align(before: Before, answer: Singles, far: bool = False, zoom: bool = False) -> Aligned:
    """Fit a camera.

    Args:
        before: The scene before and its picture.
        answer: The answer, with the light of the picture before.
        far: Whether the camera may be far from its place before.
        zoom: Whether its focal length may be another.
    """
    start = before.scene.camera
    shrinks = [_shrink(before.size, width) for width in _WIDTHS]
    sizes = [_points(before, answer, shrink) for shrink in shrinks]
    options = [start, *(_starts(start, zoom) if far else ())]
    ranked = sorted(options, key=lambda camera: _judged(sizes[0], camera, _TOLERANCES[0][0]).misfit)[:_BEST]
    fitted = [_settle(sizes[0], camera, 0, zoom) for camera in dict.fromkeys([*ranked, start])]
    best = min(fitted, key=lambda camera: _judged(sizes[0], camera, _TOLERANCES[0][1]).misfit)
    for number in range(1, len(sizes)):
        best = _settle(sizes[number], best, number, zoom)
    return _judged(sizes[-1], best, _TOLERANCES[-1][1])


def view_from(before: Before, camera: Camera) -> Pixels:
    """The picture before as another camera would show it; a draft where the picture before does not show the point."""
    size = before.size
    layers = render(replace(before.scene, camera=camera), *size, "draft", layers=("rgb", "depth"), steady=True)
    row, column = np.nonzero(np.isfinite(layers.depth))
    places = camera.unproject(np.column_stack([column + 0.5, row + 0.5]), *size, layers.depth[row, column])
    image = before.scene.camera.project(places, *size)
    inside = (image[:, 2] > 0.05) & np.all((image[:, :2] > 0.5) & (image[:, :2] < np.array(size) - 0.5), axis=1)
    nearest = np.floor(image[inside, :2]).astype(np.intp)
    shown = np.abs(before.draft.depth[nearest[:, 1], nearest[:, 0]] / image[inside, 2] - 1) < _SAME_DEPTH
    picture = unit_range(layers.rgb)
    at = np.flatnonzero(inside)[shown]
    picture[row[at], column[at]] = _sampled(before.picture, image[at, :2])
    return np.asarray(np.clip(np.rint(picture * 255), 0, 255), np.uint8)


def _shrink(size: tuple[int, int], width: int) -> int:
    """The largest power of two that divides both sides and leaves at least a width."""
    shrink = 1
    while size[0] // (2 * shrink) >= width and all(side % (2 * shrink) == 0 for side in size):
        shrink *= 2
    return shrink


def _points(before: Before, answer: Singles, shrink: int) -> _Points:
    small, reference = shrunk(answer, shrink), shrunk(before.picture, shrink)
    height, width = small.shape[:2]
    depth = before.draft.depth[shrink // 2 :: shrink, shrink // 2 :: shrink]
    row, column = np.nonzero(np.isfinite(depth))
    pixels = np.column_stack([column + 0.5, row + 0.5])
    places = before.scene.camera.unproject(pixels, width, height, depth[row, column])
    along, across = np.gradient(small, axis=(0, 1))
    slopes = (np.asarray(across, np.float32), np.asarray(along, np.float32))
    return _Points(places, reference[row, column], small, slopes)


def _sampled(picture: Singles, image: Floats) -> Singles:
    """Colours at image points, by linear interpolation."""
    places = (image[:, ::-1] - 0.5).T
    channels = [ndimage.map_coordinates(picture[..., c], places, order=1, mode="nearest") for c in range(3)]
    return np.stack(channels, axis=1)


def _judged(points: _Points, camera: Camera, tolerance: float) -> Aligned:
    image, inside = points.seen_by(camera)
    share = float(inside.mean())
    if share < _LEAST_SEEN:
        return Aligned(camera, 1.0, share)
    return Aligned(camera, float(misfit(points.difference(image, inside), tolerance).mean()), share)


def _starts(camera: Camera, zoom: bool) -> Iterator[Camera]:
    """Cameras that are turned, shifted along the viewer's axes, or zoomed."""
    turns = [(pan, tilt) for pan in (*_PANS, 0.0) for tilt in (*_TILTS, 0.0) if pan or tilt]
    for pan, tilt in turns:
        yield _perturbed(camera, np.array([math.radians(tilt), math.radians(pan), 0, 0, 0, 0, 0]))
    for axis in (3, 4, 5):
        for shift in _SHIFTS:
            yield _perturbed(camera, np.eye(7)[axis] * shift)
    for factor in _ZOOMS if zoom else ():
        yield replace(camera, focal=camera.focal * factor)


def _perturbed(camera: Camera, change: Floats) -> Camera:
    """A camera turned about its own axes (radians), moved along them (metres), and zoomed (logarithm)."""
    turn = rotation_matrix(camera.rotation)
    angle = float(np.linalg.norm(change[:3]))
    if angle > 0:
        axis = change[:3] / angle
        half = angle / 2
        turned = turn @ rotation_matrix((math.cos(half), *(math.sin(half) * axis).tolist()))
        camera = replace(camera, rotation=quaternion(turned))
    x, y, z = (np.asarray(camera.position) + turn @ change[3:6]).tolist()
    return replace(camera, position=(x, y, z), focal=camera.focal * math.exp(float(change[6])))


def _settle(points: _Points, camera: Camera, number: int, zoom: bool) -> Camera:
    """Gauss–Newton steps with a falling tolerance."""
    count = 7 if zoom else 6
    steps = np.array([2e-3, 2e-3, 2e-3, 4e-3, 4e-3, 4e-3, 4e-3])[:count]
    for tolerance in np.geomspace(*_TOLERANCES[number], _STEPS[number]):
        image, inside = points.seen_by(camera)
        if inside.mean() < _LEAST_SEEN:
            return camera
        residual = points.difference(image, inside)
        image = image[inside]
        squares = (residual**2).mean(axis=1)
        weights = (tolerance**2 / (squares + tolerance**2)) ** 2
        slopes = [_sampled(slope, image) for slope in points.slopes]
        columns = []
        for axis, step in enumerate(steps):
            ahead, back = (
                _perturbed(camera, np.eye(7)[axis] * sign * step).project(
                    points.places[inside], points.answer.shape[1], points.answer.shape[0]
                )[:, :2]
                for sign in (1, -1)
            )
            flow = (ahead - back) / 2
            columns.append((slopes[0] * flow[:, :1] + slopes[1] * flow[:, 1:]).reshape(-1))
        jacobian = np.stack(columns, axis=1)
        weighted = (jacobian * np.repeat(weights, 3)[:, None]).T
        normal = weighted @ jacobian
        damping = 1e-4 * np.trace(normal) / count + 1e-9
        change = -np.linalg.solve(normal + damping * np.eye(count), weighted @ residual.reshape(-1).astype(np.float64))
        change = np.clip(change, -20, 20) * steps
        camera = _perturbed(camera, np.concatenate([change, np.zeros(7 - count)]))
        if np.abs(change / steps).max() < 0.01:
            break
    return camera
