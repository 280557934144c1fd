"""Camera framing, and approximate occlusion by silhouettes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw
from scipy.spatial import ConvexHull

from pixelproof.world.solid._poses import Floats, facing, rotation_matrix, vector
from pixelproof.world.solid._scene import Camera, Thing
from pixelproof.world.solid._settle import corners

Mask = npt.NDArray[np.bool_]

SIDE = 96
"""Side of a sketch in pixels."""
_SMALL = 0.0006
"""Minimum share of a sketch that a thing covers."""
_LARGE = 0.4
"""Size in metres from which the gaps between a thing's parts matter."""


def frame_points(
    points: Floats, azimuth: float, elevation: float, focal: float, margin: float = 0.06, low: float = 0.0
) -> Camera:
    """The nearest camera in a direction that shows all points in a square image, with a margin.

    Args:
        points: World points, (n, 3).
        azimuth: In degrees, anticlockwise around the points; 0 looks along +y, 90 along -x.
        elevation: In degrees, looking down.
        focal: Focal length in units of the image side.
        margin: Free share of the image side.
        low: Vertical position of the points if they do not fill the image: 0 centred, 1 at the bottom.
    """
    around, down = math.radians(azimuth), math.radians(elevation)
    back = np.array([math.sin(around) * math.cos(down), -math.cos(around) * math.cos(down), math.sin(down)])
    axes = rotation_matrix(facing((0.0, 0.0, 0.0), vector(-back)))
    x, y, z = (np.asarray(points) @ axes).T
    slope = (0.5 - margin) / focal
    # A point is in the image if |x - x0| <= slope * (z - z0), and likewise for y: take the smallest such z0.
    right, left = float(np.max(x - slope * z)), float(np.max(-x - slope * z))
    lower, upper = float(np.max(y - slope * z)), float(np.max(-y - slope * z))
    depth = -max(right + left, lower + upper) / (2 * slope)
    spare = -depth * slope - (lower + upper) / 2
    position = axes @ np.array([(right - left) / 2, (lower - upper) / 2 - low * spare, depth])
    return Camera(vector(position), facing((0.0, 0.0, 0.0), vector(-back)), focal)


def silhouette(thing: Thing, camera: Camera) -> Mask:
    """Mask of a thing in a sketch: the hull of a small thing, the hulls of all pieces of a large one."""
    canvas = Image.new("1", (SIDE, SIDE))
    draw = ImageDraw.Draw(canvas)
    groups = corners(thing)
    for group in groups if max(thing.size) > _LARGE else [np.concatenate(groups)]:
        seen = camera.project(group, SIDE, SIDE)
        if np.all(seen[:, 2] > 0.01):
            outline = seen[ConvexHull(seen[:, :2], qhull_options="QJ").vertices, :2]
            draw.polygon([tuple(point) for point in (outline - 0.5).tolist()], fill=1)
    return np.asarray(canvas)


class Sketch:
    """Approximate occlusion: silhouettes painted from far to near.

    A thing is in front of its support; otherwise the one with the nearer foot is in front. It is used to choose
    positions; the exact visibility is computed by the renderer.

    Args:
        camera: The camera.
        smallest: Minimum share of the sketch that a thing covers.
    """

    def __init__(self, camera: Camera, smallest: float = _SMALL) -> None:
        self.camera = camera
        self._smallest = smallest
        self._order: list[tuple[float, ...]] = []
        self._whole: list[Mask] = []
        self._depths: dict[str, tuple[float, ...]] = {}

    def add(self, thing: Thing, least: float) -> bool:
        """Add a thing, unless it or a thing that it occludes would have a visible share below `least`."""
        mask = silhouette(thing, self.camera)
        order = (*self._depths.get(thing.support or "", ()), -self._depth(thing))
        if mask.sum() < self._smallest * SIDE**2 or self._least((*self._order, order), (*self._whole, mask)) < least:
            return False
        self._order.append(order)
        self._whole.append(mask)
        self._depths[thing.id] = order
        return True

    def _depth(self, thing: Thing) -> float:
        return float(self.camera.project([thing.position], SIDE, SIDE)[0, 2])

    def _least(self, order: Sequence[tuple[float, ...]], masks: Sequence[Mask]) -> float:
        covered = np.zeros((SIDE, SIDE), bool)
        least = 1.0
        for index in sorted(range(len(order)), key=lambda index: order[index], reverse=True):
            least = min(least, float((masks[index] & ~covered).sum() / masks[index].sum()))
            covered |= masks[index]
        return least
