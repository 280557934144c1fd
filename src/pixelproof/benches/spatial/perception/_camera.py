"""Where the camera of an answer is: the picture before, with its depth, is aligned to the answer.

Every pixel of the scene before is a point of the world with a colour. A camera projects the points into the answer; the
right one finds their colours there. Things that moved are outliers, which the robust misfit leaves aside.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from pixelproof.world.solid import Camera, quaternion, rotation_matrix
from pixelproof.world.solid.render import Layers, render

from ._model import Before
from ._pictures import Pixels, Singles, fit_light, misfit, relit, shrunk, unit_range

_WIDTHS = (64, 128)
"""Widths of the pictures that are aligned first; then half of the working size, and all of it."""
_STEPS = (12, 8, 6)
"""Most Gauss–Newton steps in each size."""
_TOLERANCES = ((0.3, 0.1), (0.15, 0.06), (0.08, 0.05))
"""Of the first and the last step in each size."""
_LEAST_SEEN = 0.2
"""Least share of points that a camera must see."""
_SAME_DEPTH = 0.01
"""Relative difference of depths up to which two pixels show the same point."""
_BEST, _FINE = 6, 3
"""Cameras that are fitted in the first size, and in the second."""
_MOST_POINTS = 16_000
_SAME = 0.01
"""Cameras that differ by less, in metres, radians and logarithm of the focal length, are the same."""
_PLAIN = 1.03
"""A camera that only turned, moved or zoomed counts if its misfit is below this multiple of that of the best."""
_AXES = tuple(range(7))
_UNITS = np.array([2e-3, 2e-3, 2e-3, 4e-3, 4e-3, 4e-3, 4e-3])
"""Steps of finite differences: three turns, three moves, the zoom."""
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
    """Fit a camera, and the light.

    Args:
        before: The scene before and its picture.
        answer: The answer.
        far: Whether the camera may be far from its place before.
        zoom: Whether its focal length may be another.
    """
    start, axes = before.scene.camera, _AXES if zoom else _AXES[:6]
    shrinks = [_shrink(before.size, width) for width in _WIDTHS]
    points = _points(before, answer, shrinks[0])
    options = [start, *(_starts(start, zoom) if far else ())]
    ranked = sorted(options, key=lambda camera: _judged(points, camera, _TOLERANCES[0][0]).misfit)[:_BEST]
    fitted = [_settle(points, camera, 0, axes) for camera in dict.fromkeys([*ranked, start])]
    fitted.sort(key=lambda camera: _judged(_relit(points, camera), camera, _TOLERANCES[0][1]).misfit)
    points = _points(before, answer, shrinks[1])
    fitted = [_settle(_relit(points, camera), camera, 1, axes) for camera in _distinct(fitted, start)[:_FINE]]
    best = min(fitted, key=lambda camera: _picture_misfit(before, answer, camera)) if len(fitted) > 1 else fitted[0]
    for shrink in (2, 1):
        points = _relit(_visible_points(before, answer, best, shrink), best)
        best = _settle(points, best, 2, axes)
    if far:
        best = _simplest(points, start, best, zoom)
    return _judged(_relit(_points(before, answer, 2), best), best, _TOLERANCES[-1][1])


def _distinct(cameras: list[Camera], start: Camera) -> list[Camera]:
    """Cameras without those that are nearly the same as a better one."""
    chosen: list[Camera] = []
    for camera in cameras:
        if all(_gap(camera, other) > _SAME for other in chosen):
            chosen.append(camera)
    return chosen or [start]


def _gap(one: Camera, other: Camera) -> float:
    """Difference of two cameras: metres, radians and logarithm of the focal length together."""
    turn = rotation_matrix(one.rotation).T @ rotation_matrix(other.rotation)
    angle = math.acos(min(1.0, max(-1.0, (float(np.trace(turn)) - 1) / 2)))
    return math.dist(one.position, other.position) + angle + abs(math.log(one.focal / other.focal))


def _simplest(points: _Points, start: Camera, free: Camera, zoom: bool) -> Camera:
    """The camera, or one that only turned, moved or zoomed if it fits about as well."""
    least = _PLAIN * _judged(points, free, _TOLERANCES[-1][1]).misfit
    best = free
    options = [
        (replace(start, rotation=free.rotation), _AXES[:3]),
        (replace(start, position=free.position), _AXES[3:6]),
        *([(replace(start, focal=free.focal), _AXES[6:])] if zoom else ()),
    ]
    for option, axes in options:
        camera = _settle(points, option, 2, axes)
        value = _judged(points, camera, _TOLERANCES[-1][1]).misfit
        if value < least:
            best, least = camera, value
    return best


class _View(NamedTuple):
    """The scene from another camera: which of its pixels the picture before shows, and where."""

    layers: Layers
    rows: npt.NDArray[np.intp]
    columns: npt.NDArray[np.intp]
    places: Floats
    image: Floats
    """Columns and rows in the picture before."""


def _view(before: Before, camera: Camera, shrink: int, layers: tuple[str, ...]) -> _View:
    width, height = (side // shrink for side in before.size)
    shown = render(replace(before.scene, camera=camera), width, height, "draft", layers=layers, steady=True)
    row, column = np.nonzero(np.isfinite(shown.depth))
    places = camera.unproject(np.column_stack([column + 0.5, row + 0.5]), width, height, shown.depth[row, column])
    image = before.scene.camera.project(places, *before.size)
    inside = (image[:, 2] > 0.05) & np.all((image[:, :2] > 0.5) & (image[:, :2] < np.array(before.size) - 0.5), axis=1)
    nearest = np.floor(image[inside, :2]).astype(np.intp)
    known = np.abs(before.draft.depth[nearest[:, 1], nearest[:, 0]] / image[inside, 2] - 1) < _SAME_DEPTH
    at = np.flatnonzero(inside)[known]
    return _View(shown, row[at], column[at], places[at], image[at, :2])


def view_from(before: Before, camera: Camera, shrink: int = 1) -> Pixels:
    """The picture before as another camera would show it; a draft where the picture before does not show the point."""
    view = _view(before, camera, shrink, ("rgb", "depth"))
    picture = unit_range(view.layers.rgb)
    small = shrunk(before.picture, shrink)
    picture[view.rows, view.columns] = _sampled(small, view.image / shrink)
    return np.asarray(np.clip(np.rint(picture * 255), 0, 255), np.uint8)


def _picture_misfit(before: Before, answer: Singles, camera: Camera) -> float:
    """Mean robust difference of an answer and the whole picture that a camera would show."""
    shown, expected = shrunk(answer, 2), unit_range(view_from(before, camera, 2))
    shown = relit(shown, fit_light(shown.reshape(-1, 3), expected.reshape(-1, 3)))
    return float(misfit(shown - expected, _TOLERANCES[1][1]).mean())


def _visible_points(before: Before, answer: Singles, camera: Camera, shrink: int) -> _Points:
    """Points that the picture before and a camera show: those where the answer changes most between pixels."""
    view = _view(before, camera, shrink, ("depth",))
    small = shrunk(answer, shrink)
    slopes = _slopes(small)
    steep = (slopes[0] ** 2 + slopes[1] ** 2).sum(axis=2)[view.rows, view.columns]
    chosen = np.argsort(-steep, kind="stable")[:_MOST_POINTS]
    colours = _sampled(shrunk(before.picture, shrink), view.image[chosen] / shrink)
    return _Points(view.places[chosen], colours, small, slopes)


def _relit(points: _Points, camera: Camera) -> _Points:
    """Points with an answer in the light of the picture before, as far as a camera sees both."""
    image, inside = points.seen_by(camera)
    if inside.mean() < _LEAST_SEEN:
        return points
    gain, offset = fit_light(_sampled(points.answer, image[inside]), points.colours[inside])
    slopes = (points.slopes[0] / gain, points.slopes[1] / gain)
    return points._replace(answer=relit(points.answer, (gain, offset)), slopes=slopes)


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
    return _Points(places, reference[row, column], small, _slopes(small))


def _slopes(picture: Singles) -> tuple[Singles, Singles]:
    """Change of a picture along rows and along columns."""
    along, across = np.gradient(picture, axis=(0, 1))
    return np.asarray(across, np.float32), np.asarray(along, np.float32)


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


def _settle(points: _Points, camera: Camera, number: int, axes: Sequence[int]) -> Camera:
    """Gauss–Newton steps along some axes of `_perturbed`, with a falling tolerance."""
    steps = _UNITS[list(axes)]
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
        for axis, step in zip(axes, steps.tolist(), strict=True):
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
        damping = 1e-4 * np.trace(normal) / len(steps) + 1e-9
        downhill = weighted @ residual.reshape(-1).astype(np.float64)
        change = -np.linalg.solve(normal + damping * np.eye(len(steps)), downhill)
        change = np.clip(change, -20, 20) * steps
        whole = np.zeros(7)
        whole[list(axes)] = change
        camera = _perturbed(camera, whole)
        if np.abs(change / steps).max() < 0.01:
            break
    return camera
